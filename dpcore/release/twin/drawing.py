"""Made-up records from what was measured: post-processing, which looks at no record.

Noisy tables are first fitted to ones that can be. Every table tells how many records have either
outcome; the mean of all, weighted by 1/cells as their variances are, decides. Each column of a
table is then moved to the nearest counts that are not negative and add up to it.

Cuts follow from these tables, one for either outcome, so that about half of the records lie on each
side. The sums of products of two columns' signs (`counting`) say how the columns go
together beyond what the outcome explains. The correlation of a pair is that of two normal numbers,
cut where the columns are, whose signs have this mean product: P(both above) = Φ(-a) Φ(-b) +
∫ φ(a, b; r) dr from 0 to ρ (Plackett 1954).

The records of either outcome are then spread over the cells of each column as its table says. Which
of them gets which cell is decided by normal numbers, one a column, with the correlations that were
measured, or with none: the lower the number, the lower the cell. Within a bin numbers are even.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.datasets.schema import Column, Entry
from dpcore.release.grid import Array
from dpcore.release.twin.counting import BINS, Whole

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 0.95
"""Correlations beyond this one are taken for it."""
_HALVINGS, _NODES, _MIN_SHARE = 30, 32, 1e-3


@dataclass(frozen=True, eq=False)
class Fit:
    """Tables that agree with one another."""

    sizes: tuple[int, int]  # records of either outcome; they add up to n
    tables: tuple[Array, ...]  # (cells, 2) each, not negative; columns add up to `sizes`
    known: float  # about how many records of the real table have an outcome, at least 1


def fitted(tables: Sequence[Array], records: int) -> Fit:
    """Fit noisy tables to a number of records, at least 2."""
    weights = np.array([1.0 / len(table) for table in tables])
    totals = (
        sum(weight * table.sum(axis=0) for weight, table in zip(weights, tables, strict=True))
        / weights.sum()
    )
    totals = np.maximum(totals, 1.0)
    positive = int(np.clip(np.rint(totals[1] / totals.sum() * records), 1, records - 1))
    sizes = (records - positive, positive)
    agreed = tuple(
        np.column_stack([nearest(table[:, at], float(size)) for at, size in enumerate(sizes)])
        for table in tables
    )
    return Fit(sizes, agreed, float(totals.sum()))


def nearest(counts: Array, total: float) -> Array:
    """The nearest counts that are not negative and add up to a total: min ‖x - counts‖."""
    # Negative ones are 0, and all others lose the same (Held, Wolfe and Crowder 1974).
    falling = np.sort(counts)[::-1]
    losses = (np.cumsum(falling) - total) / np.arange(1, len(counts) + 1)
    loss = losses[np.flatnonzero(falling > losses)[-1]]
    return np.asarray(np.maximum(counts - loss, 0.0))


def cuts(fit: Fit) -> Whole:
    """Where each column is cut for either outcome, nearest to its middle; shape (d, 2)."""
    return np.array([[_middle(table[:, outcome]) for outcome in (0, 1)] for table in fit.tables])


def correlations(fit: Fit, cuts: Whole, means: Array, noise: float) -> Array:
    """Correlations of normal numbers that stand for the columns; shape (d, d).

    Mean products are in the order of `products`; `noise` is their standard deviation by noise.
    """
    d, weights = len(fit.tables), np.array(fit.sizes) / sum(fit.sizes)
    shares = np.array(
        [
            [table[cut:, outcome].sum() / table[:, outcome].sum() for outcome, cut in enumerate(at)]
            for table, at in zip(fit.tables, cuts, strict=True)
        ]
    ).clip(_MIN_SHARE, 1.0 - _MIN_SHARE)
    places, (i, j) = -special.ndtri(shares), np.triu_indices(d, 1)
    low, high = np.full(len(means), -LARGEST), np.full(len(means), LARGEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        expected = sum(
            weights[at] * _mean_product(places[i, at], places[j, at], middle) for at in (0, 1)
        )
        is_low = expected < means
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    estimates = (low + high) / 2.0
    # A correlation as small as its noise is mostly noise, so it is shrunk.
    spread = np.pi / 2.0 * noise
    estimates *= estimates**2 / (estimates**2 + (2.0 * spread) ** 2 + 1e-30)
    result = np.eye(d)
    result[i, j] = result[j, i] = estimates
    return _nearest_correlation(result)


def _middle(counts: Array) -> int:
    shares = np.cumsum(counts)[:-1] / counts.sum()
    return 1 + int(np.argmin(np.abs(shares - 0.5)))


def _mean_product(first: Array, second: Array, correlation: Array) -> Array:
    """E[signs' product] of normal numbers cut at two places, of each pair."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    a, b = first[:, np.newaxis], second[:, np.newaxis]
    r = correlation[:, np.newaxis] * (nodes + 1.0) / 2.0
    left = 1.0 - r * r
    density = np.exp(-(a * a - 2.0 * r * a * b + b * b) / (2.0 * left)) / np.sqrt(left)
    moved = (density @ weights) * correlation / (4.0 * np.pi)
    above, also = special.ndtr(-first), special.ndtr(-second)
    return np.asarray(4.0 * (above * also + moved) - 2.0 * (above + also) + 1.0)


def _nearest_correlation(matrix: Array) -> Array:
    """The matrix without its negative directions, with ones on the diagonal."""
    values, vectors = np.linalg.eigh(matrix)
    positive_part = (vectors * np.maximum(values, 1e-6)) @ vectors.T
    scale = np.sqrt(np.diag(positive_part))
    return np.asarray(positive_part / np.outer(scale, scale))


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
