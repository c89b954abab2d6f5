"""Thyroid screening: is the gland failing? A rare outcome. UCI id 102, the two ann files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.datasets.schema import Action, Column, Entry, Label, RemoteFile, category, number
from dpcore.datasets.sources import FileSource, columns_of, fields_of
from dpcore.datasets.text import Layout

if TYPE_CHECKING:
    import pandas as pd

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

ENTRY = Entry(
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


def _decode(raw: pd.DataFrame) -> pd.DataFrame:
    frame = columns_of(ENTRY.columns, raw)
    for name, scale in _SCALES.items():
        frame[name] *= scale
    return frame


SOURCE = FileSource(
    entry=ENTRY,
    layout=Layout(fields=fields_of(ENTRY), separator=""),
    decode=_decode,
)
