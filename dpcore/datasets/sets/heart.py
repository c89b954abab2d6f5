"""Heart Disease, Cleveland: is a coronary artery narrowed? UCI id 45, the processed file."""

from __future__ import annotations

from dpcore.datasets.schema import Action, Column, Entry, Label, RemoteFile, category, number
from dpcore.datasets.sources import FileSource, fields_of
from dpcore.datasets.text import Layout

FOLDER = "https://archive.ics.uci.edu/ml/machine-learning-databases/heart-disease/"
"""Where the publisher keeps the files of all sites."""

ENTRY = Entry(
    key="heart",
    title="Heart disease (Cleveland)",
    records_are="patients",
    source="UCI Machine Learning Repository, data set 45; Cleveland Clinic Foundation, 1988",
    licence="CC BY 4.0",
    citation="Janosi, A., Steinbrunn, W., Pfisterer, M., Detrano, R. (1989). Heart Disease. UCI "
    "Machine Learning Repository. doi:10.24432/C52P4X",
    task="Predict whether angiography finds a narrowed coronary artery.",
    action=Action(
        risk=20,
        why="Four needless angiographies weigh as much as one missed disease.",
        cases="sick",
        acts="call back",
        others="healthy",
    ),
    label=Label(
        "num",
        positive="heart disease (an artery narrowed by more than half)",
        negative="no heart disease",
        codes=(("0", -1), ("1", 1), ("2", 1), ("3", 1), ("4", 1)),
    ),
    records=303,
    columns=(
        number("age", "age", (18, 100), "Adults sent to angiography.", "years"),
        category("sex", "sex", "female, male", "0, 1"),
        category(
            "cp",
            "type of chest pain",
            "typical angina, atypical angina, non-anginal pain, asymptomatic",
            "1, 2, 3, 4",
        ),
        number(
            "trestbps",
            "systolic blood pressure at rest, on admission",
            (80, 220),
            "Below 80 is shock and above 220 a crisis; neither is sent to an exercise test.",
            "mmHg",
        ),
        number(
            "chol",
            "serum cholesterol",
            (100, 400),
            "Adults lie between 100 and 400 but for rare inherited disorders, which are clipped.",
            "mg/dl",
        ),
        Column("fbs", "indicator", "fasting blood sugar above 120 mg/dl", codes=("0", "1")),
        category(
            "restecg",
            "electrocardiogram at rest",
            "normal, ST-T abnormality, left ventricular hypertrophy",
            "0, 1, 2",
        ),
        number(
            "thalach",
            "highest heart rate reached",
            (60, 220),
            "From a resting rate to 220, the usual rule's maximum (220 minus age).",
            "beats a minute",
        ),
        Column("exang", "indicator", "angina brought on by exercise", codes=("0", "1")),
        number(
            "oldpeak",
            "ST depression brought on by exercise, relative to rest",
            (0, 5),
            "2 mm is already strongly abnormal; beyond 5 mm nothing more is learned.",
            "mm",
        ),
        category(
            "slope",
            "slope of the ST segment at peak exercise",
            "upsloping, flat, downsloping",
            "1, 2, 3",
        ),
        number(
            "ca",
            "major vessels coloured by fluoroscopy",
            (0, 3),
            "heart-disease.names: number of major vessels (0-3).",
            bounds_from="codebook",
            missing_marks=("?",),
        ),
        category(
            "thal",
            "thallium scan",
            "normal, fixed defect, reversible defect",
            "3, 6, 7",
            missing_marks=("?",),
        ),
    ),
    traps=(
        "Unknown values are written ? (ca in 4 records, thal in 2): 297 of 303 are complete.",
        "num has five values; as usual, everything above 0 counts as disease.",
        "Coded columns look like numbers (thal is 3, 6 or 7) but are categories.",
        "303 patients are few: one split says little, and a single run varies by about 5 points.",
    ),
    files=(
        RemoteFile(
            "heart/processed.cleveland.data",
            "a74b7efa387bc9d108d7d0115d831fe9b414b29ae7124f331b622b4efa0427c8",
            url=f"{FOLDER}processed.cleveland.data",
        ),
    ),
    how_to_get="It is downloaded from the UCI repository when first asked for (18 kB).",
)


SOURCE = FileSource(
    entry=ENTRY,
    layout=Layout(fields=fields_of(ENTRY)),
)
