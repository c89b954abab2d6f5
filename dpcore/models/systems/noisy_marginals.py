"""Synthetic records from noisy one- and two-way counts on a tree (McKenna, Miklau, Sheldon 2021).

The baseline beside the survey's generative systems ([76] to [80], [88], [89]). Numbers are put into
public bins; the label is one column more, m in all. Three things are released: the counts of every
column; a tree of m - 1 pairs of columns, one pair after the other by the exponential mechanism, the
likelier the further its table is from what independence would give; the tables of these pairs.
Records are then drawn along the tree, and a classifier learns from them alone.

Sensitivity. A record lies in one cell of each table: blanked out, the m one-way tables move by √m
and the m - 1 two-way ones by √(m - 1) in L2 norm; replaced, by √2 times that. A pair's score is the
L1 distance of its table from one that is made of released counts, less a public figure. Blanked
out, a record moves every score by at most 1, up or down: range R = 2; replaced, by at most 2:
R = 4. All is composed as zCDP: Δ²/(2σ²) for each Gaussian release, ε₀²/8 for each choice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting.concentrated import rho_for
from dpcore.guarantee import Adjacency, Edition, PrivacyBudget, Standing, Status
from dpcore.mechanisms.exponential import choose, exponential_epsilon, exponential_rate
from dpcore.models import teachers
from dpcore.models.model import (
    Array,
    Model,
    ModelCalibration,
    ModelNoise,
    ModelTraining,
    NoisePlan,
    generator,
    rounded_up,
)
from dpcore.models.records import Records, RecordShape, Whole

BINS = 8
SHARES = (0.15, 0.15, 0.7)
"""Shares of ρ: for the columns' counts, for the choice of pairs, for the pairs' tables."""
MAX_RECORDS = 20_000
ColumnPair = tuple[int, int]


def sizes(shape: RecordShape) -> tuple[int, ...]:
    """Cells of each column: numbers, categories, and the label last."""
    return (*(BINS for _ in range(shape.numbers)), *shape.levels, 2)


def sensitivity(tables: int, adjacency: Adjacency) -> float:
    """L2 sensitivity of `tables` tables, rounded up."""
    cells = 2 if adjacency is Adjacency.REPLACE_ONE else 1
    return rounded_up(math.sqrt(cells * tables))


def score_range(adjacency: Adjacency) -> float:
    """R of a pair's score."""
    return 4.0 if adjacency is Adjacency.REPLACE_ONE else 2.0


def plan(shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency) -> NoisePlan:
    columns, width = len(sizes(shape)), score_range(adjacency)
    rho = rho_for(budget.epsilon, budget.delta) * (1.0 - 1e-13)
    pair_epsilon = exponential_epsilon(SHARES[1] * rho / (columns - 1))
    pair_rate = exponential_rate(pair_epsilon, width)

    def tables(query: str, count: int, share: float) -> ModelNoise:
        moved = sensitivity(count, adjacency)
        sigma = rounded_up(moved / math.sqrt(2.0 * share * rho))
        return ModelNoise(query, "gaussian", moved, sigma)

    return NoisePlan(
        [
            tables("counts of all columns", columns, SHARES[0]),
            ModelNoise("a pair of columns", "exponential", width, pair_rate, columns - 1),
            tables("counts of all chosen pairs", columns - 1, SHARES[2]),
        ],
        {"bins": BINS, "pairs": columns - 1},
        by="zCDP of Gaussian and exponential mechanisms (Cesar and Rogers 2021)",
    )


def cells(records: Records) -> Whole:
    """The cell of each record in each column, (n, m)."""
    binned = np.minimum((BINS * (records.numbers + 1.0) / 2.0).astype(np.int64), BINS - 1)
    return np.hstack([binned, records.categories, records.labels[:, None]])


@dataclass(frozen=True, eq=False)
class Counts:
    """One-way counts of every column and two-way counts of every pair, without noise."""

    ones: list[Array]
    twos: dict[ColumnPair, Array]


def counts(records: Records) -> Counts:
    """All one- and two-way counts of the records."""
    records = records.known
    place, size = cells(records), sizes(records.shape)

    def table(first: int, second: int) -> Array:
        flat = np.bincount(
            place[:, first] * size[second] + place[:, second], minlength=size[first] * size[second]
        )
        return flat.reshape(size[first], size[second]).astype(float)

    twos = {pair: table(*pair) for pair in combinations(range(len(size)), 2)}
    ones = [
        np.bincount(place[:, column], minlength=count).astype(float)
        for column, count in enumerate(size)
    ]
    return Counts(ones, twos)


def scores(
    exact: Counts, ones: Sequence[Array], total: float, sigma: float
) -> dict[ColumnPair, float]:
    """Distance of each pair from independence, less the part that its own noise would add."""
    return {
        pair: float(np.abs(table - np.outer(ones[pair[0]], ones[pair[1]]) / total).sum())
        - math.sqrt(2.0 / math.pi) * sigma * table.size
        for pair, table in exact.twos.items()
    }


def spanning(
    scored: dict[ColumnPair, float], columns: int, rate: float, draw: np.random.Generator
) -> list[ColumnPair]:
    """A tree of pairs, each drawn from those that join two separate parts."""
    pairs, values = np.array(list(scored)), np.array(list(scored.values()))
    part, tree = np.arange(columns), []
    for _ in range(columns - 1):
        is_open = np.flatnonzero(part[pairs[:, 0]] != part[pairs[:, 1]])
        first, second = pairs[is_open[choose(draw, values[is_open], rate)]].tolist()
        tree.append((first, second))
        part[part == part[second]] = part[first]
    return tree


def simplex(noisy: Array, total: float) -> Array:
    """The nearest table without negative counts that sums to `total`: post-processing."""
    flat = np.sort(noisy.ravel())[::-1]
    over = (np.cumsum(flat) - total) / np.arange(1, flat.size + 1)
    last = int(np.flatnonzero(flat > over)[-1])
    return np.asarray(np.maximum(noisy - over[last], 0.0))


@dataclass(frozen=True, eq=False)
class Synthesiser:
    """The release, counts of which none is negative; records are drawn from it."""

    shape: RecordShape
    total: float
    ones: list[Array]
    twos: dict[ColumnPair, Array]

    def records(self, count: int, draw: np.random.Generator) -> Records:
        """`count` synthetic records, drawn along the tree from the label outwards."""
        columns = len(self.ones)
        place = np.empty((count, columns), dtype=np.int64)
        place[:, -1] = _drawn(np.tile(self.ones[-1], (1, 1)), np.zeros(count, dtype=int), draw)
        drawn_columns, open_pairs = {columns - 1}, dict(self.twos)
        while open_pairs:
            pair = next(pair for pair in open_pairs if len(drawn_columns & set(pair)) == 1)
            table = open_pairs.pop(pair)
            parent, child = pair if pair[0] in drawn_columns else pair[::-1]
            conditional = table if parent == pair[0] else table.T
            # Where a parent's cell is empty, the column's own counts serve.
            conditional = np.where(
                conditional.sum(axis=1, keepdims=True) > 0.0, conditional, self.ones[child]
            )
            place[:, child] = _drawn(conditional, place[:, parent], draw)
            drawn_columns.add(child)
        p = self.shape.numbers
        x = 2.0 * (place[:, :p] + draw.random((count, p))) / BINS - 1.0
        return Records(self.shape, np.clip(x, -1.0, 1.0), place[:, p:-1], place[:, -1])


def _drawn(conditional: Array, parent: NDArray[np.int64], draw: np.random.Generator) -> Whole:
    """A cell for each record by the counts in the row of its parent's cell."""
    cumulative = np.cumsum(conditional, axis=1)
    cumulative /= cumulative[:, -1:]
    return np.asarray((draw.random((len(parent), 1)) >= cumulative[parent, :-1]).sum(axis=1))


def chosen(
    exact: Counts,
    ones: Sequence[Array],
    total: float,
    calibration: ModelCalibration,
    draw: np.random.Generator,
) -> list[ColumnPair]:
    """The tree of pairs, one after the other, given the released `ones` and `total`."""
    _, choice, table = calibration.noises
    return spanning(scores(exact, ones, total, table.scale), len(ones), choice.scale, draw)


def release(exact: Counts, calibration: ModelCalibration, draw: np.random.Generator) -> Synthesiser:
    """The three noisy releases of one run; the only step that draws noise."""
    column, _, table = calibration.noises
    shape = calibration.shape
    ones = [
        column_counts + column.scale * draw.standard_normal(column_counts.shape)
        for column_counts in exact.ones
    ]
    total = max(1.0, float(np.mean([column_counts.sum() for column_counts in ones])))
    ones = [simplex(column_counts, total) for column_counts in ones]
    twos = {
        pair: simplex(
            exact.twos[pair] + table.scale * draw.standard_normal(exact.twos[pair].shape), total
        )
        for pair in chosen(exact, ones, total, calibration, draw)
    }
    return Synthesiser(shape, total, ones, twos)


def learn(training: ModelTraining) -> Array:
    """Weights of a classifier trained on synthetic records only, (calibrations, runs, d + 1)."""
    train, calibrations, runs = training.train, training.calibrations, training.runs
    exact = counts(train)
    weights = np.empty((len(calibrations), runs, train.shape.dimension + 1))
    for run in range(runs):
        for place, calibration in enumerate(calibrations):
            draw = generator(training.seed, run)
            synthesiser = release(exact, calibration, draw)
            count = int(min(MAX_RECORDS, max(1, round(synthesiser.total))))
            synthetic = synthesiser.records(count, draw)
            weights[place, run] = teachers.ridge(
                teachers.inputs(synthetic), synthetic.signs, teachers.STUDENT_RIDGE
            )
            training.progress(
                (run + (place + 1) / len(calibrations)) / runs,
                f"records of run {run + 1} of {runs}",
            )
    return weights


MODEL = Model(
    key="noisy-marginals",
    title="Noisy marginals",
    system="a sound baseline for the survey's generative systems ([76] to [80], [88], [89])",
    paper="McKenna, Miklau and Sheldon 2021",
    words="made-up records from noisy counts",
    idea="Publish made-up records that share the blurred counts of pairs of columns.",
    editions={
        Edition.SOUND: Standing(
            claim="(ε, δ) for any number of synthetic records, by zCDP.",
            proof=(
                "(ε, δ) by zCDP of noisy counts and of the choice of pairs, which is paid for. "
                "Drawing records and learning from them costs nothing more."
            ),
            status=Status.PROVED,
        ),
    },
    plan=plan,
    learn=learn,
    judge=teachers.judge,
    scores=teachers.scores,
    limits=("Judged by a linear classifier that has seen synthetic records only.",),
)
