"""The noisy sums of a twin: what one record adds to them, and the only noise drawn on records.

For every column there is one table, its cells by the outcome's two values. A number's range is cut
at public places into `BINS` equal parts, a category has a cell for each level, and whatever can be
unknown has a cell for that: a record's cells follow from the description alone, never from other
records. A record whose outcome is known adds 1 to one cell of every table, whatever its values are;
one whose outcome is not known is blank and adds nothing. So its counts have the squared length d,
of d columns; two records that share no cell differ by 2 d.

In each column a record has the sign +1 if its cell is at or above a cut, and -1 below, and adds the
product of its signs to the sum of every pair of columns. A blank record has no signs and adds
nothing.

A cell is found by differences, quotients and comparisons, element by element, so that it is a
function of the record alone, bit by bit. Counts are whole and exact in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.schema import Column, Entry
from dpcore.release.grid import Array
from dpcore.release.mechanism import Draw
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.twin.mechanism import Counting

if TYPE_CHECKING:
    import pandas as pd

Whole = NDArray[np.int64]
BINS = 14
"""Parts of a number's range."""
OUTCOMES = 2
ROWS = 2**16
"""Records at a time; the result does not depend on it."""


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


def products(places: Whole, label: NDArray[np.int8], cuts: Whole) -> Whole:
    """The sums of products of every pair of columns, the first with the second first; exact.

    Places, shape (d, n), are of `cells`; labels are -1 or 1, or 0 of a blank record; cuts, shape
    (d, 2), are by column and outcome.
    """
    d = len(places)
    total = np.zeros((d, d))
    for first in range(0, len(label), ROWS):
        part = slice(first, first + ROWS)
        above = places[:, part] >= cuts[:, (label[part] > 0).astype(int)]
        signs = np.where(above, 1.0, -1.0) * (label[part] != 0)
        # Each sum on the way is a whole number far below 2⁵³: exact in any order.
        total += signs @ signs.T
    return total[np.triu_indices(d, 1)].astype(np.int64)


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


def noisy_counts(
    counts: Sequence[Whole], mechanism: Counting, draw: Draw = rounded_gaussians
) -> list[Array]:
    """Tables with noise, in records; another `draw` is for made-up records only."""
    if len(counts) != mechanism.tables:
        raise ValueError("the mechanism is of another number of tables")
    return [
        _noisy(exact.ravel(), mechanism.units, mechanism, draw).reshape(exact.shape)
        for exact in counts
    ]


def noisy_products(products: Whole, mechanism: Counting, draw: Draw = rounded_gaussians) -> Array:
    """Sums of products with noise, in records; for the arguments see `noisy_counts`."""
    if not mechanism.weight or len(products) != mechanism.tables * (mechanism.tables - 1) // 2:
        raise ValueError("the mechanism is of no pairs, or of others")
    return _noisy(products, mechanism.weight, mechanism, draw)


def _noisy(exact: Whole, units: int, mechanism: Counting, draw: Draw) -> Array:
    noise = draw(mechanism.sigma, len(exact))
    # Python's whole numbers have no end, so no draw overflows.
    return np.array(
        [(units * value + more) / units for value, more in zip(exact.tolist(), noise, strict=True)]
    )
