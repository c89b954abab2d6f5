"""An attack on a twin's own mechanism, before it is paid for: the μ and ε that it proves.

The neighbours are made up: one record that is blank in the other data set, or, under replace-one,
another that shares no cell with it and has half of the signs. They are counted by the twin's own
code, and the σ is what the measurement requests from its sampler, whatever the mechanism says. The
attacker sees all noisy sums; their likelihood ratio follows from one of their projections, which
moves by the distance of the exact sums with noise of the same σ (`dpcore.release.attack`). No
private record is looked at.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets.schema import Column, Entry
from dpcore.guarantee import Adjacency
from dpcore.release.attack import RUNS, DistinguishingResult, distinguish
from dpcore.release.mechanism import Draw
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.twin import sums
from dpcore.release.twin.mechanism import Counting
from dpcore.release.twin.sums import Whole, noisy_counts, noisy_products, products

if TYPE_CHECKING:
    import pandas as pd

Sums = tuple[list[Whole], Whole]
"""Counts, and sums of products."""
ABOUT = (
    "one record against a blank one (or one that shares no cell with it, under replace-one), "
    "likelihood ratio of all noisy sums, thresholds fixed beforehand, limits of Clopper and Pearson"
)


def attack(
    entry: Entry,
    mechanism: Counting,
    delta: float,
    *,
    runs: int = RUNS,
    draw: Draw = rounded_gaussians,
) -> DistinguishingResult:
    """Attack twins by this description; `draw` is the sampler under attack."""
    sigmas: list[int] = []

    def note(sigma: int, count: int) -> list[int]:
        sigmas.append(sigma)
        return [0] * count

    (first, pairs), (second, other) = neighbours(entry, mechanism.adjacency)
    noisy_counts(first, mechanism, note)
    squared = sum(_squared(a, b) for a, b in zip(first, second, strict=True)) * mechanism.units**2
    if mechanism.weight:
        noisy_products(pairs, mechanism, note)
        squared += _squared(pairs, other) * mechanism.weight**2
    return distinguish(math.sqrt(squared), min(sigmas), delta, ABOUT, runs=runs, draw=draw)


def neighbours(entry: Entry, adjacency: str) -> tuple[Sums, Sums]:
    """Counts and products of two tables of one made-up record each, as far apart as may be."""
    is_replaced = adjacency == Adjacency.REPLACE_ONE
    half = len(entry.columns) // 2 if is_replaced else 0
    first, other = (_record(entry, last) for last in (0, half))
    return _sums(entry, first, -1), _sums(entry, other, 1 if is_replaced else 0)


def _sums(entry: Entry, record: pd.DataFrame, outcome: int) -> Sums:
    label, places = np.array([outcome], dtype=np.int8), sums.cells(entry, record)
    cuts = np.ones((len(places), 2), dtype=np.int64)
    return sums.counts(places, label, sums.sizes(entry)), products(places, label, cuts)


def _squared(first: Whole, second: Whole) -> int:
    return int(((first - second) ** 2).sum())


def _record(entry: Entry, last: int) -> pd.DataFrame:
    """A record with the last values in so many columns, and the first in all others."""
    import pandas as pd

    def value(column: Column, end: int) -> object:
        if column.kind == "number":
            return [column.bounds[end]]
        if column.kind == "category":
            level = [column.levels[-end]]
            return pd.Categorical(level, categories=pd.Index(column.levels))
        return [float(end)]

    return pd.DataFrame(
        {
            column.name: value(column, int(place < last))
            for place, column in enumerate(entry.columns)
        }
    )
