"""What columns of common clinical names may hold: suggestions for a person to confirm.

They depend on a column's name alone, never on its records, and are common knowledge about adults:
wide enough that few true values lie outside. A name that is used with several units has no entry
without its unit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Spelling = tuple[str, str]

YES_NO: tuple[Spelling, ...] = (
    *(("no", "yes"), ("No", "Yes"), ("NO", "YES"), ("n", "y"), ("N", "Y")),
    *(("0", "1"), ("false", "true"), ("False", "True"), ("FALSE", "TRUE")),
    *(("absent", "present"), ("negative", "positive"), ("nein", "ja"), ("non", "oui")),
)
"""How files write no and yes."""
SEXES: tuple[Spelling, ...] = (
    *(("female", "male"), ("Female", "Male"), ("FEMALE", "MALE"), ("f", "m"), ("F", "M")),
    *(("w", "m"), ("W", "M"), ("woman", "man"), ("0", "1"), ("1", "2")),
)
"""How files write two sexes. Which one is used changes how a file is read, and nothing else."""


@dataclass(frozen=True)
class Range:
    """The values possible of a number.

    Parameters
    ----------
    lowest, highest : float
        In `unit`.
    unit : str
    """

    lowest: float
    highest: float
    unit: str = ""


def _each(names: str, lowest: float, highest: float, unit: str = "") -> dict[str, Range]:
    return dict.fromkeys(names.split(), Range(lowest, highest, unit))


_RANGES: dict[str, Range] = {
    **_each("age age_years age_yrs", 0, 120, "years"),
    **_each("bmi body_mass_index bmi_kg_m2", 10, 70, "kg/m²"),
    **_each("weight weight_kg body_weight", 20, 250, "kg"),
    **_each("height height_cm body_height", 100, 230, "cm"),
    **_each("waist waist_cm waist_circumference", 40, 200, "cm"),
    **_each("systolic systolic_bp sbp sysbp systolic_blood_pressure ap_hi", 60, 260, "mmHg"),
    **_each("diastolic diastolic_bp dbp diabp diastolic_blood_pressure ap_lo", 30, 160, "mmHg"),
    **_each("map mean_arterial_pressure", 30, 200, "mmHg"),
    **_each("heart_rate heartrate hr pulse resting_heart_rate", 30, 220, "per minute"),
    **_each("respiratory_rate resp_rate rr", 4, 60, "per minute"),
    **_each("spo2 oxygen_saturation sao2", 50, 100, "%"),
    **_each("temperature temp body_temperature temperature_c temp_c", 30, 43, "°C"),
    **_each("hba1c hba1c_percent a1c", 3, 20, "%"),
    **_each("glucose_mg_dl fasting_glucose_mg_dl", 20, 600, "mg/dl"),
    **_each("glucose_mmol_l fasting_glucose_mmol_l", 1, 35, "mmol/l"),
    **_each("cholesterol_mg_dl total_cholesterol_mg_dl", 50, 500, "mg/dl"),
    **_each("cholesterol_mmol_l total_cholesterol_mmol_l", 1, 13, "mmol/l"),
    **_each("ldl_mg_dl", 10, 400, "mg/dl"),
    **_each("hdl_mg_dl", 5, 150, "mg/dl"),
    **_each("ldl_mmol_l", 0.2, 10, "mmol/l"),
    **_each("hdl_mmol_l", 0.1, 4, "mmol/l"),
    **_each("triglycerides_mg_dl", 10, 1000, "mg/dl"),
    **_each("triglycerides_mmol_l", 0.1, 12, "mmol/l"),
    **_each("creatinine_mg_dl", 0.1, 15, "mg/dl"),
    **_each("creatinine_umol_l", 10, 1300, "µmol/l"),
    **_each("egfr gfr", 0, 150, "ml/min"),
    **_each("hemoglobin_g_dl haemoglobin_g_dl hb_g_dl", 3, 25, "g/dl"),
    **_each("crp_mg_l", 0, 500, "mg/l"),
    **_each("sodium sodium_mmol_l", 100, 180, "mmol/l"),
    **_each("potassium potassium_mmol_l", 1, 9, "mmol/l"),
    **_each("ejection_fraction lvef ef", 5, 85, "%"),
    **_each("pack_years packyears", 0, 150, "pack-years"),
    **_each("pregnancies number_of_pregnancies parity", 0, 20),
    **_each("length_of_stay los length_of_stay_days los_days", 0, 365, "days"),
    **_each("gcs glasgow_coma_scale", 3, 15),
    **_each("education_years years_of_education", 0, 30, "years"),
}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OUTCOMES = _names(
    "outcome died death dead deceased mortality in_hospital_death event disease target label y "
    "diagnosis readmitted readmission relapse recurrence progression case ill response"
)
_YES_NO_NAMES = _OUTCOMES - {"y", "label", "target", "diagnosis", "progression"} | _names(
    "smoker smoking smokes current_smoker diabetes diabetic hypertension hypertensive stroke "
    "cancer asthma copd obesity obese pregnant fever cough alcohol physically_active active "
    "family_history medication treated treatment surgery icu ventilated anaemia anemia "
    "heart_disease heart_failure kidney_disease atrial_fibrillation"
)
_PERSON_NAMES = _names(
    "patient patient_id patient_no patient_number patientid person person_id subject subject_id "
    "participant participant_id pid mrn"
)
_SEX_NAMES = frozenset({"sex", "gender"})


def _plain(name: str) -> str:
    """The name in small letters, its words joined by underscores; "BMI (kg/m²)" is bmi_kg_m2."""
    split_camels = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    text = split_camels.lower().replace("²", "2").replace("µ", "u").replace("μ", "u")
    return "_".join(re.findall(r"[^\W_]+", text))


def range_of(name: str) -> Range | None:
    """The range that a column's name suggests, or ``None``."""
    return _RANGES.get(_plain(name))


def is_sex(name: str) -> bool:
    """Whether the name is one of a patient's sex."""
    return _plain(name) in _SEX_NAMES


def is_yes_no(name: str) -> bool:
    """Whether the name is usual for an answer of yes or no."""
    return _plain(name) in _YES_NO_NAMES


def is_outcome(name: str) -> bool:
    """Whether the name is usual for what is predicted."""
    return _plain(name) in _OUTCOMES


def is_person(name: str) -> bool:
    """Whether the name is usual for what says whose row it is."""
    return _plain(name) in _PERSON_NAMES
