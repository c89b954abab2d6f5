"""Names of clinical columns: known by what headers say, in any spelling."""

import pytest

from dpcore.datasets.clinical_names import known_names
from dpcore.datasets.own.form import form
from dpcore.datasets.own.syntax import look

HEART = "age,sex,cp,trestbps,chol,fbs,restecg,thalach,exang,oldpeak,slope,ca,thal,target"
HEADERS = {
    "heart": (HEART, 14),
    "framingham": (
        "male,age,education,currentSmoker,cigsPerDay,BPMeds,prevalentStroke,prevalentHyp,diabetes,"
        "totChol,sysBP,diaBP,BMI,heartRate,glucose,TenYearCHD",
        16,
    ),
    "pima": (
        "Pregnancies,Glucose,BloodPressure,SkinThickness,Insulin,BMI,DiabetesPedigreeFunction,Age,"
        "Outcome",
        9,
    ),
    # An id is no value of a patient.
    "stroke": (
        "id,gender,age,hypertension,heart_disease,ever_married,work_type,Residence_type,"
        "avg_glucose_level,bmi,smoking_status,stroke",
        11,
    ),
    "heart failure": (
        "age,anaemia,creatinine_phosphokinase,diabetes,ejection_fraction,high_blood_pressure,"
        "platelets,serum_creatinine,serum_sodium,sex,smoking,time,DEATH_EVENT",
        13,
    ),
    "cardio": (
        "id,age,gender,height,weight,ap_hi,ap_lo,cholesterol,gluc,smoke,alco,active,cardio",
        12,
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
        ("Alter, Jahre", "years", 120),
        ("CRP [mg/l]", "mg/l", 500),
        ("Gro\u0308ße (cm)", "cm", 230),
        ("Creatinine (μmol/L)", "µmol/l", 1300),
        ("HbA1c (%)", "%", 20),
        ("Leukozyten [/nl]", "G/l", 100),
    ],
)
def test_a_unit_in_a_name_is_understood(name, unit, highest):
    known = known_names().range_of(name)
    assert known is not None
    assert (known.unit, known.highest) == (unit, highest)


def test_a_name_of_several_units_is_known_beside_the_other_names_of_its_table():
    assert known_names(["chol"]).range_of("chol") is None
    known = known_names(HEART.split(",")).range_of("chol")
    assert known is not None
    assert known.unit == "mg/dl"
    assert known_names(["ca"]).range_of("ca") is None


@pytest.mark.parametrize(
    ("record", "lists"),
    [
        ("63,1,3,145,233,1,0,150,0,2.3,0,0,1,1", {"cp": "0, 1, 2, 3", "slope": "0, 1, 2"}),
        ("63,1,4,145,233,1,0,150,0,2.3,3,0,6,0", {"cp": "1, 2, 3, 4", "thal": "3, 6, 7"}),
    ],
)
def test_all_fourteen_columns_of_heart_are_suggested(record, lists):
    draft = form("", look(f"{HEART}\n{record}\n".encode(), "heart.csv"))
    assert [row.name for row in draft.rows if row.used] == HEART.split(",")
    assert draft.predicted == "target"
    assert lists.items() <= {row.name: row.values for row in draft.rows}.items()
