"""Data sets whose files are part of scikit-learn."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.schema import Entry, Labels, Table
from dpcore.datasets.sources import BuiltIn
from dpcore.errors import InvalidInput
from dpcore.words import spaced

FloatArray = NDArray[np.float64]

DIGITS = "digits.csv.gz"
"""64 counts of 0 to 16 inked pixels, then the digit."""


def read(name: str, delimiter: str | None = ",", skiprows: int = 0) -> FloatArray:
    """The numbers in one of scikit-learn's files; importing it to read them takes half a second."""
    spec = importlib.util.find_spec("sklearn")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "datasets" / "data" / name
    return np.loadtxt(path, delimiter=delimiter, skiprows=skiprows)


def source(entry: Entry, rows: Callable[[], tuple[FloatArray, Labels]]) -> BuiltIn:
    """The set of that entry; `rows` gives its columns, in the entry's order, and its labels."""

    def build(records: int | None, seed: int) -> Table:
        del seed
        if records is not None:
            raise InvalidInput(
                f"records is {records!r}, but {entry.key} has {spaced(entry.records)} records and "
                "takes none."
            )
        import pandas as pd

        values, label = rows()
        return Table(
            entry, pd.DataFrame(values, columns=[each.name for each in entry.columns]), label
        )

    return BuiltIn(entry, build)
