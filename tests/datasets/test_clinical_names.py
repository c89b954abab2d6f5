"""Names of clinical columns: known by what headers say, in any spelling."""

import pytest

from dpcore.datasets.clinical_names import known_names

HEART = "age,sex,cp,trestbps,chol,fbs,restecg,thalach,exang,oldpeak,slope,ca,thal,target"
HEADERS = {
    "heart": (HEART, 14),
    # An id is no value of a patient.
    "stroke": (
        "id,gender,age,hypertension,heart_disease,ever_married,work_type,Residence_type,"
        "avg_glucose_level,bmi,smoking_status,stroke",
        11,
    ),
    # Of cholesterol without its unit there are two ranges.
    "German": (
        "Patienten-ID,Alter,Geschlecht,Größe,Gewicht,BMI,Raucher,Bluthochdruck,Puls,RR_sys,RR_dia,"
        "CRP [mg/l],Kreatinin (mg/dl),Cholesterin,Liegedauer,verstorben",
        15,
    ),
}


@pytest.mark.parametrize("title", HEADERS)
def test_headers_of_usual_tables_are_known_by_their_names_alone(title):
    text, count = HEADERS[title]
    header = text.split(",")
    names = known_names(header)
    known = [
        name
        for name in header
        if names.range_of(name) or names.lists_of(name) or names.is_person(name)
    ]
    assert len(known) == count
    assert sum(map(names.is_outcome, header)) == 1


@pytest.mark.parametrize(
    ("name", "unit", "highest"),
    [
        ("BMI (kg/m²)", "kg/m²", 70),
        ("Gro\u0308ße (cm)", "cm", 230),
        ("Creatinine (μmol/L)", "µmol/l", 1300),
        ("Leukozyten [/nl]", "G/l", 100),
    ],
)
def test_a_unit_in_a_name_is_understood(name, unit, highest):
    known = known_names().range_of(name)
    assert known is not None
    assert (known.unit, known.highest) == (unit, highest)
