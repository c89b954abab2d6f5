"""Heart Disease, Cleveland: is a coronary artery narrowed? UCI id 45, the processed file."""

from __future__ import annotations

from dpcore.datasets.schema import Column, Entry, Label, RemoteFile
from dpcore.datasets.sources import FileSource, field_of, label_field
from dpcore.datasets.text import Layout

ENTRY = Entry(
    key="heart",
    title="Heart disease (Cleveland)",
    records_are="patients",
    source="UCI Machine Learning Repository, data set 45; Cleveland Clinic Foundation, 1988",
    licence="CC BY 4.0",
    citation="Janosi, A., Steinbrunn, W., Pfisterer, M., Detrano, R. (1989). Heart Disease. UCI "
    "Machine Learning Repository. doi:10.24432/C52P4X",
    task="Predict whether angiography finds a coronary artery narrowed by more than half.",
    label=Label(
        "num",
        positive="heart disease (an artery narrowed by more than half)",
        negative="no heart disease",
        codes=(("0", -1), ("1", 1), ("2", 1), ("3", 1), ("4", 1)),
    ),
    records=303,
    columns=(
        Column(
            "age",
            "number",
            "age",
            unit="years",
            lower=18,
            upper=100,
            bounds_from="common knowledge",
            bounds_reason="Adults sent to angiography.",
        ),
        Column("sex", "category", "sex", levels=("female", "male"), codes=("0", "1")),
        Column(
            "cp",
            "category",
            "type of chest pain",
            levels=("typical angina", "atypical angina", "non-anginal pain", "asymptomatic"),
            codes=("1", "2", "3", "4"),
        ),
        Column(
            "trestbps",
            "number",
            "systolic blood pressure at rest, on admission",
            unit="mmHg",
            lower=80,
            upper=220,
            bounds_from="common knowledge",
            bounds_reason="Below 80 is shock and above 220 a crisis; neither is sent to an "
            "exercise test.",
        ),
        Column(
            "chol",
            "number",
            "serum cholesterol",
            unit="mg/dl",
            lower=100,
            upper=400,
            bounds_from="common knowledge",
            bounds_reason="Adults lie between 100 and 400 but for rare inherited disorders, which "
            "are clipped.",
        ),
        Column("fbs", "indicator", "fasting blood sugar above 120 mg/dl", codes=("0", "1")),
        Column(
            "restecg",
            "category",
            "electrocardiogram at rest",
            levels=("normal", "ST-T abnormality", "left ventricular hypertrophy"),
            codes=("0", "1", "2"),
        ),
        Column(
            "thalach",
            "number",
            "highest heart rate reached",
            unit="beats a minute",
            lower=60,
            upper=220,
            bounds_from="common knowledge",
            bounds_reason="From a resting rate to 220, the usual rule's maximum (220 minus age).",
        ),
        Column("exang", "indicator", "angina brought on by exercise", codes=("0", "1")),
        Column(
            "oldpeak",
            "number",
            "ST depression brought on by exercise, relative to rest",
            unit="mm",
            lower=0,
            upper=5,
            bounds_from="common knowledge",
            bounds_reason="2 mm is already strongly abnormal; beyond 5 mm nothing more is learned.",
        ),
        Column(
            "slope",
            "category",
            "slope of the ST segment at peak exercise",
            levels=("upsloping", "flat", "downsloping"),
            codes=("1", "2", "3"),
        ),
        Column(
            "ca",
            "number",
            "major vessels coloured by fluoroscopy",
            lower=0,
            upper=3,
            bounds_from="codebook",
            bounds_reason="heart-disease.names: number of major vessels (0-3).",
            missing_mark="?",
        ),
        Column(
            "thal",
            "category",
            "thallium scan",
            levels=("normal", "fixed defect", "reversible defect"),
            codes=("3", "6", "7"),
            missing_mark="?",
        ),
    ),
    traps=(
        "Unknown values are written ? (ca in 4 records, thal in 2): 297 of 303 are complete.",
        "num has five values; as usual, everything above 0 counts as disease.",
        "Coded columns look like numbers (thal is 3, 6 or 7) but are categories.",
        "297 patients are few: one split says little, and a single run varies by about 5 points.",
    ),
    files=(
        RemoteFile(
            "heart/processed.cleveland.data",
            "a74b7efa387bc9d108d7d0115d831fe9b414b29ae7124f331b622b4efa0427c8",
            url="https://archive.ics.uci.edu/ml/machine-learning-databases/heart-disease/"
            "processed.cleveland.data",
        ),
    ),
    how_to_get="It is downloaded from the UCI repository when first asked for (18 kB).",
)


SOURCE = FileSource(
    entry=ENTRY,
    layout=Layout(
        fields=(*(field_of(column) for column in ENTRY.columns), label_field(ENTRY.outcome))
    ),
)
