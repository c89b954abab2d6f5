"""From noisy tables to ones that can be: post-processing.

Every table tells how many records have either outcome; the mean of all, weighted by 1/cells as
their variances are, decides. Each column of a table is then moved to the nearest counts that are
not negative and add up to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.release.grid import Array


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
