"""Tables of patients and of people who were screened.

- SUPPORT2: death in hospital of the seriously ill, in five teaching hospitals. UCI id 880.
- Diabetes screening by questionnaire: the 2015 telephone survey of the CDC. UCI id 891.
- Thyroid screening: is the gland failing? A rare outcome. UCI id 102, the two ann files.
- Cardiovascular Disease: 70,000 check-ups. From Kaggle, which asks for an account.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import schema
from dpcore.datasets.schema import (
    Action,
    Column,
    Entry,
    FollowUp,
    Label,
    RemoteFile,
    category,
    number,
)
from dpcore.datasets.sources import FileSource, Remark, columns_of, field_of, fields_of, label_field
from dpcore.datasets.text import Layout
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd


_number = partial(schema.number, missing_marks=("",))
_category = partial(schema.category, missing_marks=("",))

_SUPPORT2 = Entry(
    key="support2",
    title="Seriously ill in hospital (SUPPORT2)",
    records_are="patients",
    source="UCI Machine Learning Repository, data set 880; SUPPORT investigators, five teaching "
    "hospitals in the United States, 1989 to 1994; prepared by F. Harrell",
    licence="CC BY 4.0, as the preview of UCI's pages stated (the present one names the source)",
    citation="Harrell, F. (1995). SUPPORT2. UCI Machine Learning Repository. "
    "doi:10.3886/ICPSR02957.v2",
    task="Predict from the third day of a study who will die in hospital.",
    action=Action(
        risk=20,
        why="Four talks too early weigh as much as one that never was.",
        cases="deaths",
        acts="prepare",
        others="survivors",
    ),
    label=Label(
        "hospdead",
        positive="died in hospital",
        negative="left hospital alive",
        codes=(("0", -1), ("1", 1)),
    ),
    records=9_105,
    follow_up=FollowUp(
        time=_number(
            "d.time", "time followed", (0, 1_800), "Five years; few were followed longer.", "days"
        ),
        event=_category("death", "died", "no, yes", "0, 1"),
    ),
    columns=(
        _number("age", "age", (18, 100), "Adults; hardly anyone is over 100.", "years"),
        schema.category("sex", "sex", "female, male"),
        schema.category(
            "dzgroup",
            "illness",
            "ARF/MOSF w/Sepsis, CHF, COPD, Cirrhosis, Colon Cancer, Coma, Lung Cancer, "
            "MOSF w/Malig",
        ),
        _number("num.co", "other illnesses", (0, 10), "A count of chronic illnesses."),
        _number("edu", "education", (0, 30), "From none to several degrees.", "years"),
        _number(
            "scoma",
            "coma score",
            (0, 100),
            "The score's own range, from awake to deepest coma.",
            bounds_from="codebook",
        ),
        Column("diabetes", "indicator", "has diabetes", codes=("0", "1")),
        Column("dementia", "indicator", "has dementia", codes=("0", "1")),
        schema.category("ca", "cancer", "no, yes, metastatic"),
        _number(
            "hday",
            "day of the hospital stay on which the study began",
            (1, 150),
            "The first day to the fifth month.",
            "days",
            transform="log1p",
        ),
        _number("meanbp", "mean blood pressure", (0, 200), "60 to 110 is usual.", "mmHg"),
        _number(
            "wblc",
            "white blood cells",
            (0, 200),
            "4 to 11 is usual; leukaemias reach hundreds.",
            "1 000/µl",
            transform="log1p",
        ),
        _number("hrt", "heart rate", (0, 250), "60 to 100 is usual.", "1/min"),
        _number("resp", "breathing rate", (0, 80), "12 to 20 is usual.", "1/min"),
        _number("temp", "temperature", (30, 43), "From severe cold to the highest fever.", "°C"),
        _number(
            "pafi",
            "oxygen in blood against that breathed in (PaO2/FiO2)",
            (0, 700),
            "Above 400 is usual, below 200 severe failure of the lungs.",
            "mmHg",
        ),
        _number("alb", "albumin", (0, 6), "3.5 to 5 is usual.", "g/dl"),
        _number(
            "bili",
            "bilirubin",
            (0, 60),
            "Up to 1.2 is usual, 30 a failing liver.",
            "mg/dl",
            transform="log1p",
        ),
        _number(
            "crea",
            "creatinine",
            (0, 20),
            "0.6 to 1.3 is usual, above 10 kidneys have failed.",
            "mg/dl",
            transform="log1p",
        ),
        _number("sod", "sodium", (110, 180), "135 to 145 is usual.", "mmol/l"),
        _number("ph", "acidity of arterial blood", (6.8, 7.8), "Beyond it few live.", "pH"),
        _number(
            "glucose",
            "glucose",
            (0, 1_000),
            "70 to 140 is usual; a diabetic coma reaches 1 000.",
            "mg/dl",
            transform="log1p",
        ),
        _number(
            "bun",
            "urea nitrogen in blood",
            (0, 250),
            "7 to 20 is usual.",
            "mg/dl",
            transform="log1p",
        ),
        _number("urine", "urine", (0, 9_000), "800 to 2 000 is usual.", "ml/day"),
        _number(
            "adlp",
            "activities of daily life that need help, by the patient",
            (0, 7),
            "A count of seven.",
            bounds_from="codebook",
        ),
        _number(
            "adls",
            "activities of daily life that need help, by a relative",
            (0, 7),
            "A count of seven.",
            bounds_from="codebook",
        ),
        _category(
            "race",
            "race, as recorded",
            "white, black, hispanic, asian, other",
            left_out="it is there to compare groups by, not to predict from",
        ),
        _category(
            "income",
            "income of a year",
            "under $11k, $11-$25k, $25-$50k, >$50k",
            left_out="it is unknown for many, and there to compare groups by",
        ),
    ),
    traps=(
        "What is known only later is left out: death, d.time, slos (days in hospital), charges and "
        "costs. So are avtisst (a mean over days 3 to 25), orders not to resuscitate and sfdm2.",
        "surv2m and surv6m are predictions of a model of these same patients, so they hold a "
        "little of everyone. prg2m and prg6m are what physicians expected. They, and the scores "
        "sps and aps, are left out.",
        "adlsc is filled in from other patients by a model, so it is left out. adlp and adls are "
        "as recorded.",
        "Unknown values are empty. Glucose, urea nitrogen and urine were not written down in the "
        "first part of the study. A gap so tells which part a patient was in.",
        "Patients were chosen for nine illnesses of high mortality: shares are not those of a "
        "hospital. Colon and lung cancer differ from the others in the day that the study began.",
        "id is a number of the row and is left out.",
    ),
    files=(
        RemoteFile(
            "support2/data.csv",
            "9da794bbd5c3a6a816e677cc17535e58c122d9ef4cbefd404489330a9f9cd2de",
            url="https://archive.ics.uci.edu/static/public/880/data.csv",
        ),
    ),
    how_to_get="It is downloaded from the UCI repository when first asked for (under 3 MB).",
)

SUPPORT2 = FileSource(
    entry=_SUPPORT2,
    layout=Layout(
        fields=(
            label_field(_SUPPORT2.label),
            *map(field_of, _SUPPORT2.columns),
            *map(field_of, _SUPPORT2.followed),
        ),
        header=True,
    ),
)


_CODEBOOK = "Codebook of the BRFSS 2015: "
_coded = partial(number, bounds_from="codebook")


def _answer(name: str, what: str) -> Column:
    return Column(name, "indicator", what, codes=("0", "1"))


_DIABETES_SCREENING = Entry(
    key="diabetes_screening",
    title="Diabetes screening (CDC survey)",
    records_are="people",
    source="UCI Machine Learning Repository, data set 891; Centers for Disease Control and "
    "Prevention, Behavioral Risk Factor Surveillance System 2015; table made by A. Teboul",
    licence="CC0, as the maker of the table states (UCI refers to him); the survey itself is in "
    "the public domain",
    citation="CDC Diabetes Health Indicators (2017). UCI Machine Learning Repository. "
    "doi:10.24432/C53919",
    task="Predict from a questionnaire who has been told that they have diabetes or prediabetes.",
    action=Action(
        risk=15,
        why="Six needless blood tests weigh about as much as one missed diabetes.",
        cases="cases",
        acts="test",
        others="healthy",
    ),
    label=Label(
        "Diabetes_binary",
        positive="diabetes or prediabetes",
        negative="neither",
        codes=(("0", -1), ("1", 1)),
    ),
    records=253_680,
    columns=(
        _answer("HighBP", "has been told of high blood pressure"),
        _answer("HighChol", "has been told of high cholesterol"),
        _answer("CholCheck", "had cholesterol checked within five years"),
        number(
            "BMI",
            "body mass index",
            (12, 60),
            "From severe underweight to far beyond severe obesity, which begins at 40.",
            "kg/m²",
        ),
        _answer("Smoker", "has smoked 100 cigarettes or more"),
        _answer("Stroke", "has had a stroke"),
        _answer("HeartDiseaseorAttack", "has coronary heart disease or had a heart attack"),
        _answer("PhysActivity", "was physically active in the last 30 days, besides work"),
        _answer("Fruits", "eats fruit every day"),
        _answer("Veggies", "eats vegetables every day"),
        _answer("HvyAlcoholConsump", "drinks heavily (14 drinks a week for men, 7 for women)"),
        _answer("AnyHealthcare", "has some health insurance"),
        _answer("NoDocbcCost", "needed a doctor last year and could not pay"),
        _coded("GenHlth", "health by own account", (1, 5), f"{_CODEBOOK}1 excellent, 5 poor."),
        _coded(
            "MentHlth",
            "days of poor mental health in the last 30",
            (0, 30),
            f"{_CODEBOOK}days of a month.",
            "days",
        ),
        _coded(
            "PhysHlth",
            "days of poor physical health in the last 30",
            (0, 30),
            f"{_CODEBOOK}days of a month.",
            "days",
        ),
        _answer("DiffWalk", "has serious difficulty walking or climbing stairs"),
        category("Sex", "sex", "female, male", "0, 1"),
        _coded("Age", "band of age", (1, 13), f"{_CODEBOOK}1 is 18 to 24, 13 is 80 or more."),
        _coded("Education", "education", (1, 6), f"{_CODEBOOK}1 no school, 6 college graduate."),
        _coded("Income", "income", (1, 8), f"{_CODEBOOK}1 under 10 000, 8 from 75 000 dollars on."),
    ),
    traps=(
        "What is predicted is what people say a doctor told them, prediabetes included. Nobody was "
        "tested for the survey, and those who do not know count as healthy.",
        "Answers are of the same day as the outcome. So a model says who has diabetes now, not who "
        "will get it. People who know of their diabetes may have had their cholesterol checked "
        "because of it.",
        "Age, Education and Income are numbers of bands, not years or dollars.",
        "13.9 % are positive, so accuracy starts at 86.1 %: look at the AUC and the balanced "
        "accuracy.",
        "The maker left out everyone with a gap and the survey's weights, so shares are not those "
        "of the population.",
        "Many rows are alike, as answers are coarse; they are different people.",
        "ID is a number of the row and is left out.",
    ),
    files=(
        RemoteFile(
            "diabetes_screening/data.csv",
            "9f71fda9d4ae5f4878c99b9233b6a16accfa9a17c194116a6b78100540934964",
            url="https://archive.ics.uci.edu/static/public/891/data.csv",
        ),
    ),
    how_to_get="It is downloaded from the UCI repository when first asked for (under 25 MB).",
)

DIABETES_SCREENING = FileSource(
    entry=_DIABETES_SCREENING,
    layout=Layout(
        fields=(
            label_field(_DIABETES_SCREENING.label),
            *map(field_of, _DIABETES_SCREENING.columns),
        ),
        header=True,
    ),
)


_FOLDER = "https://archive.ics.uci.edu/ml/machine-learning-databases/thyroid-disease/"
_SCALES = {"age": 100.0, "TSH": 1_000.0, "T3": 100.0, "TT4": 1_000.0, "T4U": 10.0, "FTI": 1_000.0}
"""What the files divide their numbers by, which no document says: it follows from a sibling file
with the same patients in clinical units, and FTI = TT4 / T4U holds."""
_ANSWERS = {
    "on_thyroxine": "takes thyroxine",
    "query_on_thyroxine": "may take thyroxine",
    "on_antithyroid_medication": "takes a medicine against an overactive thyroid",
    "sick": "is ill otherwise",
    "pregnant": "is pregnant",
    "thyroid_surgery": "had surgery of the thyroid",
    "I131_treatment": "was treated with radioactive iodine",
    "query_hypothyroid": "is suspected of an underactive thyroid",
    "query_hyperthyroid": "is suspected of an overactive thyroid",
    "lithium": "takes lithium",
    "goitre": "has a goitre",
    "tumor": "has a tumour",
    "hypopituitary": "has an underactive pituitary gland",
    "psych": "has a psychiatric illness",
}

_THYROID = Entry(
    key="thyroid",
    title="Thyroid screening (rare outcome)",
    records_are="patients",
    source="UCI Machine Learning Repository, data set 102; Garavan Institute, Sydney, 1984 to 1987",
    licence="CC BY 4.0",
    citation="Quinlan, R. (1986). Thyroid Disease. UCI Machine Learning Repository. "
    "doi:10.24432/C5D010",
    task="Predict overt hypothyroidism, a failing thyroid, from questions and blood tests.",
    action=Action(
        risk=10,
        why="Nine needless hormone tests weigh as much as one missed disease.",
        cases="sick",
        acts="test",
        others="healthy",
    ),
    label=Label(
        "class",
        positive="overt hypothyroidism",
        negative="none, or a mild one",
        codes=(("1", 1), ("2", -1), ("3", -1)),
    ),
    records=7_200,
    columns=(
        number("age", "age", (0, 100), "Patients of any age; hardly anyone is over 100.", "years"),
        category("sex", "sex", "female, male", "0, 1"),
        *(Column(name, "indicator", what, codes=("0", "1")) for name, what in _ANSWERS.items()),
        number(
            "TSH",
            "thyroid-stimulating hormone",
            (0, 100),
            "0.4 to 4 is usual; a gland that fails altogether reaches 100.",
            "mU/l",
            transform="log1p",
        ),
        number("T3", "triiodothyronine", (0, 10), "1 to 3 is usual, 10 severe excess.", "nmol/l"),
        number("TT4", "total thyroxine", (0, 400), "60 to 150 is usual, 400 excess.", "nmol/l"),
        number("T4U", "thyroxine uptake", (0.2, 2.5), "A ratio to a usual serum, which has 1."),
        number("FTI", "free thyroxine index", (0, 400), "TT4 / T4U, so as TT4.", "nmol/l"),
    ),
    traps=(
        "Only 166 of 7 200 patients (2.3 %) are cases, so accuracy starts at 97.7 %: look at the "
        "AUC and at missed cases.",
        "The documentation names neither columns nor classes. Names are those of the sibling files "
        "of the same patients. It speaks of hyperfunction, but classes 1 and 2 both have a high "
        "TSH. Class 1 is overt and class 2 mild hypothyroidism, which counts as none here.",
        "The files divide each number by a constant; here they are in clinical units again.",
        "Tests that nobody made hold averages of the others (TSH 1.89, T3 2.06, TT4 111, T4U 0.99, "
        "FTI 112), or 0 for TSH: left as published. An average holds a little of every patient "
        "whom it was taken over, so ε speaks of the published table.",
        "Fields are separated by blanks, and lines end with some.",
    ),
    files=(
        RemoteFile(
            "thyroid/ann-train.data",
            "3da53a156bda36cb0c97e9f4b6b111c9226c54c4aa00230de5604b787c47e3a6",
            url=f"{_FOLDER}ann-train.data",
        ),
        RemoteFile(
            "thyroid/ann-test.data",
            "c649ea19416e78c7996cfaaa2a9e281cb597d4b075aaa68c494fc3e4ee3aa30b",
            url=f"{_FOLDER}ann-test.data",
        ),
    ),
    how_to_get="It is downloaded from the UCI repository when first asked for (0.5 MB).",
)


def _decode_thyroid(raw: pd.DataFrame) -> pd.DataFrame:
    frame = columns_of(_THYROID.columns, raw)
    for name, scale in _SCALES.items():
        frame[name] *= scale
    return frame


THYROID = FileSource(
    entry=_THYROID, layout=Layout(fields=fields_of(_THYROID), separator=""), decode=_decode_thyroid
)


_DAYS_A_YEAR = 365.25
_THREE_LEVELS = "normal, above normal, well above normal"

_CARDIO = Entry(
    key="cardio",
    title="Cardiovascular disease (check-ups)",
    records_are="patients",
    source="Kaggle, sulianova/cardiovascular-disease-dataset",
    licence="None stated (Kaggle lists it as unknown), so it is not passed on here",
    citation="Ulianova, S. (2019). Cardiovascular Disease dataset. Kaggle.",
    task="Predict whether a patient has cardiovascular disease.",
    action=Action(
        risk=30,
        why="Two needless check-ups weigh about as much as one missed disease.",
        cases="sick",
        acts="call back",
        others="healthy",
    ),
    label=Label(
        "cardio",
        positive="cardiovascular disease",
        negative="no cardiovascular disease",
        codes=(("0", -1), ("1", 1)),
    ),
    records=70_000,
    columns=(
        number("age", "age (the file gives days)", (18, 90), "Check-ups of adults.", "years"),
        category("gender", "gender", "women, men", "1, 2"),
        number(
            "height",
            "height",
            (120, 220),
            "Almost all adults are between 120 and 220 cm tall.",
            "cm",
        ),
        number(
            "weight", "weight", (30, 180), "Almost all adults weigh between 30 and 180 kg.", "kg"
        ),
        number(
            "ap_hi",
            "systolic blood pressure",
            (60, 260),
            "Below 60 nobody walks to a check-up; above 260 a cuff cannot measure.",
            "mmHg",
        ),
        number(
            "ap_lo",
            "diastolic blood pressure",
            (30, 160),
            "Beyond 30 and 160 a diastolic reading is an error or an emergency.",
            "mmHg",
        ),
        category("cholesterol", "cholesterol", _THREE_LEVELS, "1, 2, 3"),
        category("gluc", "glucose", _THREE_LEVELS, "1, 2, 3"),
        Column("smoke", "indicator", "smokes", codes=("0", "1")),
        Column("alco", "indicator", "drinks alcohol", codes=("0", "1")),
        Column("active", "indicator", "is physically active", codes=("0", "1")),
    ),
    traps=(
        "age is in days; here it becomes years.",
        "Blood pressures from -150 to 16 020 occur (typing errors); they are clipped to the "
        "bounds, not repaired, and counted.",
        "The diastolic pressure is above the systolic one in 1 234 records; left as published.",
        "id is a number of the file, not of the patient's body, and is left out.",
        "The file separates fields by semicolons although it is called csv.",
    ),
    files=(
        RemoteFile(
            "cardio/cardio_train.csv",
            "21a705d23381b0dfd6a6416da701b490744f1fc3b47e9ff3db3968c420ffa10c",
        ),
    ),
    how_to_get="Sign in at kaggle.com, open the data set sulianova/cardiovascular-disease-dataset "
    "and download cardio_train.csv.",
)


def _decode_cardio(raw: pd.DataFrame) -> pd.DataFrame:
    frame = columns_of(_CARDIO.columns, raw)
    frame["age"] /= _DAYS_A_YEAR
    return frame


def _remark_cardio(frame: pd.DataFrame) -> tuple[Remark, ...]:
    implausible = np.zeros(len(frame), dtype=bool)
    for name in ("ap_hi", "ap_lo"):
        lower, upper = _CARDIO.column(name).bounds
        implausible |= ((frame[name] < lower) | (frame[name] > upper)).to_numpy()
    pressures = int(implausible.sum())
    crossed = int((frame["ap_lo"] > frame["ap_hi"]).sum())
    return (
        Remark(
            "implausible_pressure",
            pressures,
            f"{spaced(pressures)} patients have a blood pressure outside the public bounds.",
        ),
        Remark(
            "crossed_pressure",
            crossed,
            f"{spaced(crossed)} patients have a diastolic pressure above the systolic one; left as "
            "it is.",
        ),
    )


CARDIO = FileSource(
    entry=_CARDIO,
    layout=Layout(fields=fields_of(_CARDIO), separator=";", header=True),
    decode=_decode_cardio,
    remark=_remark_cardio,
)
