"""Made-up records from what was measured: post-processing, which looks at no record.

The records of either outcome are spread over the cells of each column as its table says. Which of
them gets which cell is decided by normal numbers, one a column, with the correlations that were
measured, or with none: the lower the number, the lower the cell. Within a bin numbers are even.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.schema import Column, Entry
from dpcore.release.grid import Array
from dpcore.release.twin.cells import BINS
from dpcore.release.twin.fit import Fit

if TYPE_CHECKING:
    import pandas as pd


def drawn(
    entry: Entry, fit: Fit, correlations: Array, generator: np.random.Generator
) -> tuple[pd.DataFrame, NDArray[np.int8]]:
    """Made-up records, and their outcomes of ±1, by an ordinary generator: nothing is secret.

    Correlations, shape (d, d), are those of normal numbers that stand for the columns.
    """
    import pandas as pd

    count = sum(fit.sizes)
    order = generator.permutation(count)
    label = np.repeat(np.array([-1, 1], dtype=np.int8), fit.sizes)[order]
    values, vectors = np.linalg.eigh(correlations)
    mixing = vectors * np.sqrt(np.maximum(values, 0.0))
    normal = mixing @ generator.normal(size=(len(fit.tables), count))
    columns: dict[str, object] = {}
    for column, table, numbers in zip(entry.columns, fit.tables, normal, strict=True):
        places = np.empty(count, dtype=np.int64)
        for at, first in enumerate((0, fit.sizes[0])):
            part = slice(first, first + fit.sizes[at])
            ranked = first + np.argsort(numbers[part])
            places[ranked] = _spread(table[:, at], fit.sizes[at], generator)
        columns[column.name] = _values(column, places[order], generator)
    return pd.DataFrame(columns), label


def _spread(expected: Array, count: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Cells of so many records, ascending; each has as many as expected but for a fraction."""
    expected = expected * (count / expected.sum())
    whole = np.floor(expected).astype(np.int64)
    rest = expected - whole
    missing = count - int(whole.sum())
    if missing:
        # Which cells get one more, each with its fraction as chance: one comb over all fractions.
        ends = np.cumsum(rest) * (missing / rest.sum())
        teeth = np.arange(missing) + generator.random()
        np.add.at(whole, np.minimum(np.searchsorted(ends, teeth, "right"), len(whole) - 1), 1)
    return np.repeat(np.arange(len(whole)), whole)


def _values(column: Column, places: NDArray[np.int64], generator: np.random.Generator) -> object:
    """What the cells of a column stand for, as of a `Table`."""
    import pandas as pd

    if column.kind == "category":
        levels = np.where(places < len(column.levels), places, -1)
        return pd.Categorical.from_codes(levels, categories=pd.Index(column.levels))
    if column.kind == "indicator":
        return places.astype(float)
    low, high = column.bounds
    shares = (places + generator.random(len(places))) / BINS
    return np.where(places < BINS, low + shares * (high - low), np.nan)
