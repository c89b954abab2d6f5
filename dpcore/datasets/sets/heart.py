"""Heart disease: is a coronary artery narrowed? UCI id 45, the processed files.

Of Cleveland alone; and of four sites, one to hold out and three to learn from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.datasets.schema import Action, Column, Entry, Label, RemoteFile, category, number
from dpcore.datasets.sources import FileSource, Remark, columns_of, fields_of
from dpcore.datasets.text import Layout
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd


_FOLDER = "https://archive.ics.uci.edu/ml/machine-learning-databases/heart-disease/"
"""Where the publisher keeps the files of all sites."""

_HEART = Entry(
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
            url=f"{_FOLDER}processed.cleveland.data",
        ),
    ),
    how_to_get="It is downloaded from the UCI repository when first asked for (18 kB).",
)


HEART = FileSource(_HEART, Layout(fields_of(_HEART)))


_UNKNOWN = "?"
_ALWAYS_KNOWN = ("age", "sex", "cp")
_ZERO_IS_UNKNOWN = ("trestbps", "chol")
"""A living patient has neither at 0; Zurich and Basel wrote 0 for a cholesterol nobody measured."""


def _with_gaps(column: Column) -> Column:
    """Cleveland's column where other sites have gaps; an indicator that has some is a category."""
    if column.name in _ALWAYS_KNOWN:
        return column
    if column.kind == "indicator":
        return category(
            column.name,
            column.description,
            "no, yes",
            ", ".join(column.codes),
            missing_marks=(_UNKNOWN,),
        )
    return replace(column, missing_marks=(_UNKNOWN,))


_SITE = category(
    "site",
    "hospital that the patient was examined at",
    "Cleveland, Hungary, Switzerland, Long Beach",
    left_out="it says where a patient was examined, which a model for new sites cannot use",
)

_HEART_SITES = replace(
    _HEART,
    key="heart_sites",
    title="Heart disease (four sites)",
    source="UCI Machine Learning Repository, data set 45; Cleveland Clinic Foundation; Hungarian "
    "Institute of Cardiology, Budapest; University Hospitals of Zurich and Basel; V.A. Medical "
    "Center, Long Beach, 1981 to 1987",
    records=920,
    columns=(*map(_with_gaps, _HEART.columns), _SITE),
    site=_SITE.name,
    traps=(
        "Unknown values are written ?. 299 of 920 records are complete, nearly all of Cleveland. "
        "Hungary, Switzerland and Long Beach hardly ever have ca, and often neither thal nor "
        "slope. Leaving out records with gaps leaves Cleveland.",
        "A cholesterol or a blood pressure of 0 means that nobody measured it: Switzerland has no "
        "cholesterol at all. Here 0 counts as unknown.",
        "What is unknown differs by site, and so does disease: 36 % in Hungary and 93 % in "
        "Switzerland. A model can learn the site from the gaps instead of the heart from the "
        "values. Hold a site out to see what carries over.",
        "Accuracy on a site that is held out begins at the share of its larger class. Look at the "
        "balanced accuracy and the AUC.",
        "ST depressions below 0 are elevations; they are clipped to the public bounds.",
        "num has five values; as usual, everything above 0 counts as disease.",
        "Which site a record comes from counts as public, like its place in the table; no ε "
        "covers it.",
    ),
    files=(
        *_HEART.files,
        *(
            RemoteFile(f"heart/{name}", sha256, url=_FOLDER + name)
            for name, sha256 in (
                (
                    "processed.hungarian.data",
                    "d1ad108f785768cd3d7e82dc522e6f5a61eea93cccfb3a46ee8076f73fc3d796",
                ),
                (
                    "processed.switzerland.data",
                    "834a405ccf5b66ab4056bb77794adc8df0b7125186454c0a1d002d33c6c3b314",
                ),
                (
                    "processed.va.data",
                    "e7c93d8d0d2acdadfa4c5e8de768e2191e7f618b952e29623f1f0d5949ff6b8f",
                ),
            )
        ),
    ),
    how_to_get="It is downloaded from the UCI repository when first asked for (40 kB).",
)


def _decode(raw: pd.DataFrame) -> pd.DataFrame:
    frame = columns_of(_HEART_SITES.written, raw)
    for name in _ZERO_IS_UNKNOWN:
        frame[name] = frame[name].mask(frame[name] == 0)
    return frame


def _remark(frame: pd.DataFrame) -> tuple[Remark, ...]:
    unmeasured = int(frame["chol"].isna().sum())
    return (
        Remark(
            "no_cholesterol",
            unmeasured,
            f"{spaced(unmeasured)} patients have no cholesterol (? or 0 in the files).",
        ),
    )


HEART_SITES = FileSource(
    entry=_HEART_SITES,
    layout=Layout(fields=fields_of(_HEART_SITES)),
    decode=_decode,
    remark=_remark,
)
