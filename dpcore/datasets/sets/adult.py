"""Adult (Census Income): does a person earn more than 50,000 dollars a year? UCI id 2."""

from __future__ import annotations

from dpcore.datasets.schema import Action, Entry, Label, RemoteFile, category, number
from dpcore.datasets.sources import FileSource, fields_of
from dpcore.datasets.text import Layout

_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"

ENTRY = Entry(
    key="adult",
    title="Adult (US census income)",
    records_are="people",
    source="UCI Machine Learning Repository, data set 2; drawn from the US census of 1994",
    licence="CC BY 4.0",
    citation="Becker, B., Kohavi, R. (1996). Adult. UCI Machine Learning Repository. "
    "doi:10.24432/C5XW20",
    task="Predict whether a person earns more than $50 000 a year.",
    action=Action(cases="high earners", acts="take", others="others for one"),
    label=Label(
        "income",
        positive="more than $50 000 a year",
        negative="at most $50 000 a year",
        codes=(("<=50K", -1), (">50K", 1), ("<=50K.", -1), (">50K.", 1)),
    ),
    records=48_842,
    columns=(
        number(
            "age",
            "age",
            (17, 100),
            "The extraction rule in adult.names keeps ages above 16; nobody in a "
            "household survey is expected to be over 100.",
            "years",
            bounds_from="codebook",
        ),
        category(
            "workclass",
            "who the person works for",
            "Private, Self-emp-not-inc, Self-emp-inc, Federal-gov, Local-gov, State-gov, "
            "Without-pay, Never-worked",
            missing_marks=("?",),
        ),
        number(
            "fnlwgt",
            "survey weight: how many people this record stands for",
            (0, 1_000_000),
            "A weight of a million people would be one record for every 250 "
            "Americans; weights are far smaller.",
            bounds_from="assumed",
            left_out="it is a weight of the survey, not a property of the person",
        ),
        category(
            "education",
            "highest education",
            "Bachelors, Some-college, 11th, HS-grad, Prof-school, Assoc-acdm, Assoc-voc, 9th, "
            "7th-8th, 12th, Masters, 1st-4th, 10th, Doctorate, 5th-6th, Preschool",
        ),
        number(
            "education-num",
            "highest education as a rank",
            (1, 16),
            "The rank of the 16 levels of education.",
            bounds_from="codebook",
        ),
        category(
            "marital-status",
            "marital status",
            "Married-civ-spouse, Divorced, Never-married, Separated, Widowed, "
            "Married-spouse-absent, Married-AF-spouse",
        ),
        category(
            "occupation",
            "occupation",
            "Tech-support, Craft-repair, Other-service, Sales, Exec-managerial, "
            "Prof-specialty, Handlers-cleaners, Machine-op-inspct, Adm-clerical, "
            "Farming-fishing, Transport-moving, Priv-house-serv, Protective-serv, "
            "Armed-Forces",
            missing_marks=("?",),
        ),
        category(
            "relationship",
            "place in the household",
            "Wife, Own-child, Husband, Not-in-family, Other-relative, Unmarried",
        ),
        category(
            "race",
            "race as the census asked for it",
            "White, Asian-Pac-Islander, Amer-Indian-Eskimo, Other, Black",
        ),
        category("sex", "sex as the census asked for it", "Female, Male"),
        number(
            "capital-gain",
            "gain from selling assets in the year",
            (0, 100_000),
            "The survey's field has five digits, so 99 999 is the most it can say.",
            "US dollars",
            bounds_from="codebook",
            transform="log1p",
        ),
        number(
            "capital-loss",
            "loss from selling assets in the year",
            (0, 100_000),
            "The same five-digit field as the gain.",
            "US dollars",
            bounds_from="codebook",
            transform="log1p",
        ),
        number(
            "hours-per-week",
            "hours worked in a week",
            (0, 100),
            "The extraction rule asks for more than 0 hours; the field has two digits.",
            "hours",
            bounds_from="codebook",
        ),
        category(
            "native-country",
            "country of birth",
            "United-States, Cambodia, England, Puerto-Rico, Canada, Germany, "
            "Outlying-US(Guam-USVI-etc), India, Japan, Greece, South, China, Cuba, Iran, "
            "Honduras, Philippines, Italy, Poland, Jamaica, Vietnam, Mexico, Portugal, "
            "Ireland, France, Dominican-Republic, Laos, Ecuador, Taiwan, Haiti, Columbia, "
            "Hungary, Guatemala, Nicaragua, Scotland, Thailand, Yugoslavia, El-Salvador, "
            "Trinadad&Tobago, Peru, Hong, Holand-Netherlands",
            missing_marks=("?",),
        ),
    ),
    traps=(
        "Unknown values are written ? (workclass, occupation, native-country): 45 222 of 48 842 "
        "records are complete.",
        "The test file begins with a comment line, and its labels end in a dot.",
        "fnlwgt is a weight of the survey and is left out.",
        "education-num repeats education as a rank. Both are kept, as papers do; under unit norm "
        "they share the row's length.",
        "Capital gain and loss are almost always 0 with a long tail. So log(1 + x) is taken before "
        "scaling unless that is switched off.",
        "The published training and test files are put together and split anew.",
        "29 records repeat another one exactly.",
    ),
    files=(
        RemoteFile(
            "adult/adult.data",
            "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
            url=_UCI + "adult.data",
        ),
        RemoteFile(
            "adult/adult.test",
            "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
            url=_UCI + "adult.test",
        ),
    ),
    how_to_get="It is downloaded from the UCI repository when first asked for (6 MB).",
)


SOURCE = FileSource(
    entry=ENTRY,
    layout=Layout(
        fields=fields_of(ENTRY),
        comment="|",
    ),
)
