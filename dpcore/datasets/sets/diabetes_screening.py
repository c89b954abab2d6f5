"""Diabetes screening by questionnaire: the 2015 telephone survey of the CDC. UCI id 891."""

from __future__ import annotations

from functools import partial

from dpcore.datasets.schema import Action, Column, Entry, Label, RemoteFile, category, number
from dpcore.datasets.sources import FileSource, field_of, label_field
from dpcore.datasets.text import Layout

_CODEBOOK = "Codebook of the BRFSS 2015: "
_coded = partial(number, bounds_from="codebook")


def _answer(name: str, what: str) -> Column:
    return Column(name, "indicator", what, codes=("0", "1"))


ENTRY = Entry(
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

SOURCE = FileSource(
    entry=ENTRY,
    layout=Layout(
        fields=(label_field(ENTRY.label), *map(field_of, ENTRY.columns)),
        header=True,
    ),
)
