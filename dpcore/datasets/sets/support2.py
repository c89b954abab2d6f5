"""Death in hospital of the seriously ill: SUPPORT2, five teaching hospitals. UCI id 880."""

from __future__ import annotations

from functools import partial

from dpcore.datasets import schema
from dpcore.datasets.schema import Action, Column, Entry, Label, RemoteFile
from dpcore.datasets.sources import FileSource, field_of, label_field
from dpcore.datasets.text import Layout

_number = partial(schema.number, missing_marks=("",))
_category = partial(schema.category, missing_marks=("",))

ENTRY = Entry(
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

SOURCE = FileSource(
    entry=ENTRY,
    layout=Layout(
        fields=(label_field(ENTRY.label), *map(field_of, ENTRY.columns)),
        header=True,
    ),
)
