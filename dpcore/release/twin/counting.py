"""What a twin counts in whole numbers, its noise, what is proved of it, an attack, and its card.

**Counts.** For every column there is one table, its cells by the outcome's two values. A number's
range is cut at public places into `BINS` equal parts, a category has a cell for each level, and
whatever can be unknown has a cell for that: a record's cells follow from the description alone,
never from other records. A record whose outcome is known adds 1 to one cell of every table,
whatever its values are; one whose outcome is not known is blank and adds nothing. So its counts
have the squared length d, of d columns; two records that share no cell differ by 2 d.

In each column a record has the sign +1 if its cell is at or above a cut, and -1 below, and adds the
product of its signs to the sum of every pair of columns. A blank record has no signs and adds
nothing. A cell is found by differences, quotients and comparisons, element by element, so that it
is a function of the record alone, bit by bit. Counts are whole and exact in any order.

**Noise.** First the counts of all d tables, a vector q of whole numbers, are measured as
U q + round(σZ), with U = 2²⁰ units a record. Then, where the rule below says so, the sums of
products p of every pair of columns' signs as W p + round(σZ), at signs that follow from the first.
What one record adds is

    zero-out:     1 to one cell of each table, ±1 to each of the d(d - 1)/2 sums
    replace-one:  two cells of each table change by 1; a sum changes by 2 where exactly one of its
                  two signs is another, which are k(d - k) of them for k other signs, at most ⌊d²/4⌋

so that Δ² = U² d + W² d(d - 1)/2, or 2 U² d + 4 W² ⌊d²/4⌋, which both are attained. As sums are
whole, noisy ones are round(s + σZ), which follows from the Gaussian mechanism
(`dpcore.release.mechanism`). Both measurements together are μ-Gaussian DP for μ = Δ/σ, whatever the
first says to the second (Dong, Roth and Su 2022, Corollary 2), with an exact privacy profile (Balle
and Wang 2018, Theorem 8). All of that is proved without data.

**The attack** comes before it is paid for. The neighbours are made up: one record that is blank in
the other data set, or, under replace-one, another that shares no cell with it and has half of the
signs. They are counted by the twin's own code, and the σ is what the measurement requests from its
sampler, whatever the mechanism says. The attacker sees all noisy sums; their likelihood ratio
follows from one of their projections, which moves by the distance of the exact sums with noise of
the same σ (`dpcore.release.attack`). No private record is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.own.description import MAX_COLUMNS
from dpcore.datasets.schema import Column, Entry
from dpcore.errors import one_of, whole
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.whole_gaussian import ADJACENCIES, UNITS, least_noise
from dpcore.release.attack import RUNS, DistinguishingResult, distinguish, extreme_record
from dpcore.release.certificate import Record
from dpcore.release.grid import Array
from dpcore.release.measurement import CardKind, Measurement, check_units
from dpcore.release.mechanism import Draw
from dpcore.release.rounded_gaussian import rounded_gaussians

if TYPE_CHECKING:
    import pandas as pd

MAX_PAIR_NOISE = 0.05
"""Standard deviation of a mean product up to which pairs are measured: beyond, they tell less than
the noise that they add to the tables."""


@dataclass(frozen=True)
class Counting(Measurement):
    """Noisy counts, and noisy sums of products. All values are public."""

    adjacency: str  # zero-out or replace-one; n is public in both
    tables: int  # d, how many tables each record counts in
    units: int  # U, of a count
    weight: int  # W, the units of a product; 0 where pairs are not measured
    sigma: int  # of the noise before it is rounded, in units

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("tables", self.tables, at_least=1, at_most=MAX_COLUMNS)
        whole("weight", self.weight, at_least=0, at_most=UNITS)
        check_units(self.units)

    @property
    def squared_sensitivity(self) -> int:
        """Δ² in squared units, exact."""
        d, counts, products = self.tables, self.units**2, self.weight**2
        if self.adjacency == Adjacency.REPLACE_ONE:
            return 2 * d * counts + 4 * (d * d // 4) * products
        return d * counts + d * (d - 1) // 2 * products

    @property
    def noise(self) -> float:
        """Standard deviation of the noise on a count of records."""
        return self.sigma / self.units


def counting_for(
    budget: PrivacyBudget, tables: int, records: int, adjacency: Adjacency | str
) -> Counting:
    """The mechanism with the least noise that keeps a budget.

    Pairs weigh so much that all products of a record are as long as its counts, and are measured
    where the noise on a mean product is then at most `MAX_PAIR_NOISE`.
    """
    if tables > 1:
        weight = min(UNITS, math.isqrt(2 * UNITS**2 // (tables - 1)))
        counting = _least(budget, tables, weight, adjacency)
        if counting.sigma <= MAX_PAIR_NOISE * weight * records:
            return counting
    return _least(budget, tables, 0, adjacency)


def _least(budget: PrivacyBudget, tables: int, weight: int, adjacency: Adjacency | str) -> Counting:
    chosen = Adjacency(one_of("adjacency", str(adjacency), ADJACENCIES))

    def of_sigma(sigma: int) -> Counting:
        return Counting(chosen, tables, UNITS, weight, sigma)

    return least_noise(budget, of_sigma(1).sensitivity, of_sigma)


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
    first, other = (extreme_record(entry, last) for last in (0, half))
    return _sums_of(entry, first, -1), _sums_of(entry, other, 1 if is_replaced else 0)


def _sums_of(entry: Entry, record: pd.DataFrame, outcome: int) -> Sums:
    label, places = np.array([outcome], dtype=np.int8), cells(entry, record)
    cuts = np.ones((len(places), 2), dtype=np.int64)
    return counts(places, label, sizes(entry)), products(places, label, cuts)


def _squared(first: Whole, second: Whole) -> int:
    return int(((first - second) ** 2).sum())


MEASURED = (
    "For each column, how many records are in each cell of its values by the outcome's two; a "
    "number's range is cut at public places."
)
PAIRS = (
    "Then, for each pair of columns, in how many records both lie on one side of a cut, less in "
    "how many they do not; cuts follow from the noisy counts."
)


def _measured(mechanism: Counting) -> str:
    return f"{MEASURED} {PAIRS}" if mechanism.weight else MEASURED


def _tells(record: Record) -> str:
    return "has, too" if record.rows is None else "has as records"


CARD = CardKind(
    format="dpcore twin 1",
    what="twin",
    mechanism=Counting,
    measured=_measured,
    theorem=(
        "one record adds 1 to one cell of each table, and 1 or -1 to each pair (docs/release.md)"
    ),
    follows=(
        "The twin is drawn from the noisy sums and public values alone. Whatever is computed from "
        "it, however often, is post-processing and costs nothing more. What is measured on the "
        "real records is not."
    ),
    tells=_tells,
)
