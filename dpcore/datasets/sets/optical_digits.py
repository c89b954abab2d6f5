"""Handwritten digits (Alpaydin and Kaynak 1998), ten classes. Comes with scikit-learn.

Each of the 64 numbers counts the inked pixels of a 4 × 4 block, so it lies between 0 and 16: the
bounds follow from counting, not from these records.
"""

from __future__ import annotations

import gzip
import importlib.util
from pathlib import Path

import numpy as np

from dpcore.datasets.schema import Classes, Column, Entry, Table
from dpcore.datasets.sources import BuiltIn
from dpcore.errors import InvalidInput

SIDE = 8

ENTRY = Entry(
    key="optical_digits",
    title="Handwritten digits",
    records_are="drawings",
    source="Test set of the optical recognition of handwritten digits data (UCI), as it comes with "
    "scikit-learn",
    licence="CC BY 4.0",
    citation="Alpaydin, E., Kaynak, C. (1998). Optical Recognition of Handwritten Digits. UCI "
    "Machine Learning Repository. doi:10.24432/C50P49",
    task="Tell which of the ten digits was written, from a drawing of 8 × 8 shades.",
    label=Classes("digit", tuple(str(digit) for digit in range(10))),
    records=1_797,
    columns=tuple(
        Column(
            f"row {row} column {column}",
            "number",
            "inked pixels of a block of 4 × 4",
            lower=0.0,
            upper=16.0,
            bounds_reason="A block has 16 pixels.",
        )
        for row in range(SIDE)
        for column in range(SIDE)
    ),
    traps=(
        "A record is one drawing, and 13 people drew many each: what is promised is for a drawing, "
        "not for a person.",
    ),
)


def _build(records: int | None, seed: int) -> Table:
    del seed
    if records is not None:
        raise InvalidInput(
            f"records is {records!r}, but {ENTRY.key} has {ENTRY.records:,} records and takes none."
        )
    import pandas as pd

    # The file is part of scikit-learn's package; importing that to read it takes half a second.
    spec = importlib.util.find_spec("sklearn")
    assert spec is not None
    assert spec.origin is not None
    with gzip.open(Path(spec.origin).parent / "datasets" / "data" / "digits.csv.gz") as file:
        values = np.loadtxt(file, delimiter=",")
    frame = pd.DataFrame(values[:, :-1], columns=[column.name for column in ENTRY.columns])
    return Table(ENTRY, frame, values[:, -1].astype(np.int8))


SOURCE = BuiltIn(ENTRY, _build)
