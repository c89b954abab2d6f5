"""Everything for a release from first to last step on built-in data, with a ledger in memory.

A page, or a lesson, runs the steps of `dpcore.release` on it as it does on a table of one's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from dpcore.datasets import load
from dpcore.datasets.own.notation import DescribedField, Person, TableDescription, write
from dpcore.datasets.sets.cohort import ENTRY
from dpcore.guarantee import Adjacency
from dpcore.release.certificate import About
from dpcore.release.ledger import Ledger
from dpcore.release.release import Released, release_model
from dpcore.release.table import read_for_release

DATA_SET, ACTOR, FILE = "demonstration", "You", "cohort.csv"
REPLACED = f"{DATA_SET} ({Adjacency.REPLACE_ONE})"
"""The account's name, and that of the account for the other adjacency."""
EPSILON, DELTA = 1.0, 1e-5
"""Of one release, as the page begins; the ledger has room for several at this δ."""
ABOUT = About(
    "Risk of an unplanned admission",
    "Tells the risk of an unplanned hospital admission within twelve months.",
    "Epsilon Explorer",
    "A demonstration",
    "Nowhere: the patients are made up",
)
_ANSWERS = ("no", "yes")
STEPS = 20
"""Few, as somebody waits."""
PATIENT: Mapping[str, float | str] = {
    "age": 74.0,
    "sex": "male",
    "systolic_pressure": 135.0,
    "bmi": 27.0,
    "hba1c": 6.5,
    "egfr": 62.0,
    "medicines": 5.0,
    "admissions_last_year": 1.0,
    "smoker": "no",
    "lives_alone": "yes",
}


def columns() -> str:
    """The description of the synthetic cohort's columns, as of a table of one's own."""
    fields = [
        DescribedField(column.name, "number", *column.bounds, unit=column.unit)
        if column.kind == "number"
        else DescribedField(column.name, "list", levels=column.levels or _ANSWERS)
        for column in ENTRY.columns
    ]
    outcome = DescribedField(ENTRY.label.name, "list", levels=_ANSWERS)
    return write(
        TableDescription((*fields, outcome), outcome.name, Person(), number_is_public=True)
    )


@cache
def table() -> bytes:
    """The cohort as a CSV file; the same each time."""
    cohort = load(ENTRY.key)
    frame = cohort.frame.copy()
    for column in ENTRY.columns:
        if column.kind == "indicator":
            frame[column.name] = [_ANSWERS[int(value)] for value in frame[column.name]]
    frame[ENTRY.label.name] = [_ANSWERS[int(value > 0)] for value in cohort.label]
    return frame.to_csv(index=False).encode()


def is_source(description: str, data_set: str | None) -> bool:
    """Whether a model seems to be released from the demonstration's made-up patients.

    The data set's name is that of its certificate; ``None`` without one that holds.
    """
    return description == columns() and data_set in (None, DATA_SET, REPLACED)


def ledger() -> Ledger:
    """A new ledger that ends with the process, with one account."""
    opened = Ledger.open("memory")
    opened.create(
        DATA_SET,
        person_unit="one patient",
        adjacency="zero-out",
        epsilon=3.0,
        delta=DELTA,
        owner=ABOUT.data_curator,
        accepts=("gaussian",),
    )
    return opened


def released() -> Released:
    """A new release from the demonstration's records, paid from a ledger that ends with it."""
    paying = ledger()
    try:
        return release_model(
            read_for_release(columns(), table(), FILE),
            about=ABOUT,
            ledger=paying,
            data_set=DATA_SET,
            actor=ACTOR,
            epsilon=EPSILON,
            delta=DELTA,
            steps=STEPS,
        )
    finally:
        paying.close()
