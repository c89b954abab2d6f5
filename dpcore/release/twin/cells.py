"""Which cell of which table a record counts in: by the description alone, never by other records.

For every column there is one table, its cells by the outcome's two values. A number's range is cut
at public places into `BINS` equal parts, a category has a cell for each level, and whatever can be
unknown has a cell for that. A record whose outcome is known adds 1 to one cell of every table,
whatever its values are; one whose outcome is not known is blank and adds nothing. So its counts
have the squared length d, of d columns; two records that share no cell differ by 2 d.

A cell is found by differences, quotients and comparisons, element by element, so that it is a
function of the record alone, bit by bit. Counts are whole and exact in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.schema import Column, Entry

if TYPE_CHECKING:
    import pandas as pd

Whole = NDArray[np.int64]
BINS = 14
"""Parts of a number's range."""
OUTCOMES = 2


def sizes(entry: Entry) -> tuple[int, ...]:
    """How many cells each column has, for either outcome."""
    return tuple(_known(column) + bool(column.missing_marks) for column in entry.columns)


def cells(entry: Entry, frame: pd.DataFrame) -> Whole:
    """The cell of each record in each column; shape (d, n).

    What is unknown where nothing may be, such as in a blank record, gets one of the cells.
    """
    return np.stack([_cells(column, frame[column.name]) for column in entry.columns])


def counts(places: Whole, label: NDArray[np.int8], sizes: Sequence[int]) -> list[Whole]:
    """Count the records in each cell: of each column a table, shape (cells, 2).

    Labels are -1 or 1, or 0 of a blank record, which is not counted.
    """
    known = label != 0
    outcome = (label[known] > 0).astype(np.int64)
    return [
        np.bincount(row[known] * OUTCOMES + outcome, minlength=size * OUTCOMES).reshape(size, -1)
        for row, size in zip(places, sizes, strict=True)
    ]


def _known(column: Column) -> int:
    """Number of cells for values that are known."""
    if column.kind == "number":
        return BINS
    return len(column.levels) if column.kind == "category" else 2


def _cells(column: Column, values: pd.Series) -> Whole:
    size = _known(column)
    unknown = size if column.missing_marks else size // 2
    if column.kind == "category":
        places = values.cat.codes.to_numpy().astype(np.int64)
        return np.where(places < 0, unknown, places)
    numbers = values.to_numpy(dtype=float)
    low, high = column.bounds if column.kind == "number" else (0.0, 2.0)
    is_known = ~np.isnan(numbers)
    share = (np.clip(np.where(is_known, numbers, low), low, high) - low) / (high - low)
    places = np.minimum((share * size).astype(np.int64), size - 1)
    return np.where(is_known, places, unknown)
