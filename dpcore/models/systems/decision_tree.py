"""A decision tree that chooses its splits privately (Friedman and Schuster 2010; survey [29]).

Every node of a level chooses one of the public splits by the exponential mechanism, with the "max"
score: the number of its records classified correctly if each side answered its commoner class. The
leaves choose their label likewise, by how many records have it.

Sensitivity. A record reaches one node of each level. Blanked out, it moves every split's score
there by 0 or 1: range R = 1. Replaced, it changes two nodes by a range of 1 each, or both ends of
one node's scores by at most 1, R = 2. The D levels of splits and the leaves are D + 1 adaptive
choices of ε/(D + 1) each, so that the tree is (ε, 0)-private; nodes of a level have no record in
common.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.guarantee import Adjacency, Edition, PrivacyBudget, Standing, Status
from dpcore.mechanisms.exponential import choose, exponential_rate
from dpcore.models.model import (
    Array,
    Model,
    ModelCalibration,
    ModelNoise,
    ModelTraining,
    NoisePlan,
    generator,
    judged_by,
)
from dpcore.models.records import Records, RecordShape, Whole

RANGE = {Adjacency.ZERO_OUT: 1.0, Adjacency.REPLACE_ONE: 2.0}
THRESHOLDS = np.linspace(-1.0, 1.0, 17)[1:-1]
"""Possible thresholds of a number: fifteen, the same for all data."""
DEEPEST = 5
TOGETHER = 10_000
"""Number of scores that are drawn among at once: of many small trees together."""
GAIN = 0.05
"""Assumed lead of a good split, as a share of a node's records; not taken from the data."""


def plan(shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency) -> NoisePlan:
    depth, width = _depth(shape, budget.epsilon, adjacency), RANGE[adjacency]
    rate = exponential_rate(budget.epsilon / (depth + 1) * (1.0 - 1e-15), width)
    return NoisePlan(
        [
            ModelNoise("split of a node", "exponential", width, rate, depth),
            ModelNoise("label of a leaf", "exponential", width, rate),
        ],
        {"depth": depth},
        by="exponential mechanism (McSherry and Talwar 2007), ε added over the levels",
    )


def _depth(shape: RecordShape, epsilon: float, adjacency: Adjacency) -> int:
    rivals = math.log(2.0 + splits(shape))
    for depth in range(DEEPEST, 1, -1):
        rate = epsilon / (depth + 1) / RANGE[adjacency]
        if rate * GAIN * shape.size / 2.0 ** (depth - 1) >= rivals:
            return depth
    return 1


def splits(shape: RecordShape) -> int:
    """Number of public splits."""
    return shape.numbers * len(THRESHOLDS) + sum(shape.levels)


@dataclass(frozen=True, eq=False)
class Splits:
    """The public splits: of each its column, whose code goes right above a place or just there."""

    column: Whole
    place: Whole
    # whether codes above the place go right, as of a number; else the code at the place does
    above: NDArray[np.bool_]
    # number of codes of each column
    sizes: tuple[int, ...]

    def right(self, codes: Whole, split: Whole) -> NDArray[np.bool_]:
        """Whether each record, whose `codes` are (n, columns), goes right at its split (n,)."""
        code = codes[np.arange(len(codes)), self.column[split]]
        place = self.place[split]
        return np.where(self.above[split], code > place, code == place)


@cache
def public_splits(shape: RecordShape) -> Splits:
    """The splits of records of this shape: each threshold of each number, then each level."""
    cuts = len(THRESHOLDS)
    sizes = (*[cuts + 1] * shape.numbers, *shape.levels)
    offered = (*[cuts] * shape.numbers, *shape.levels)
    column = np.repeat(np.arange(shape.columns), offered)
    place = np.concatenate([np.arange(count) for count in (0, *offered)])
    return Splits(column, place, column < shape.numbers, sizes)


def codes(records: Records) -> Whole:
    """The interval between thresholds that a number lies in, and categories, (n, columns)."""
    intervals = np.searchsorted(THRESHOLDS, records.numbers)
    return np.hstack([intervals.reshape(records.numbers.shape), records.categories])


def split_scores(record_codes: Whole, labels: Whole, shape: RecordShape) -> Array:
    """The "max" score of each split for a node's records, shape (splits,); blank ones add 0."""
    sizes = public_splits(shape).sizes
    start = np.cumsum([0, *sizes])
    right = []
    for label in (1, 0):
        each = (record_codes[labels == label] + start[:-1]).ravel()
        counts = np.bincount(each, minlength=start[-1]).astype(float)
        cuts = start[shape.numbers]
        above = (
            counts[:cuts]
            .reshape(shape.numbers, len(THRESHOLDS) + 1)[:, ::-1]
            .cumsum(axis=1)[:, -2::-1]
        )
        right.append(np.concatenate([above.ravel(), counts[cuts:]]))
    (ones, zeros), (all_zeros, all_ones) = right, label_scores(labels)
    return np.asarray(np.maximum(ones, zeros) + np.maximum(all_ones - ones, all_zeros - zeros))


def label_scores(labels: NDArray[np.int64]) -> Array:
    """Number of a leaf's records by label, shape (2,); a blank one has neither."""
    return np.array([np.count_nonzero(labels == label) for label in (0, 1)], dtype=float)


Path = tuple[tuple[int, bool], ...]
"""The splits on the path to a node, with the side taken at each."""


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Exact scores by path, since fits with other noise often reach the same node."""

    shape: RecordShape
    codes: Whole
    labels: Whole
    known: dict[Path, tuple[Whole, Array, Array]] = field(default_factory=dict)

    def at(self, path: Path) -> tuple[Whole, Array, Array]:
        """The places of a node's records, its splits' scores and its labels' scores."""
        if path not in self.known:
            inside = np.arange(len(self.labels))
            if path:
                split, side = path[-1]
                inside = self.at(path[:-1])[0]
                offered = public_splits(self.shape)
                goes = offered.right(self.codes[inside], np.full(len(inside), split))
                inside = inside[goes == side]
            labels = self.labels[inside]
            scored = split_scores(self.codes[inside], labels, self.shape)
            self.known[path] = (inside, scored, label_scores(labels))
        return self.known[path]

    def scores(self, paths: Sequence[Sequence[Path]], part: Literal[1, 2]) -> Array:
        """That part of `at` for the nodes of each run, (runs, nodes, options)."""
        return np.array([[self.at(path)[part] for path in of_run] for of_run in paths])

    def forget(self) -> None:
        """Let go of what other runs seldom reach again: all below the first levels."""
        for path in [path for path in self.known if len(path) > 1]:
            del self.known[path]


@dataclass(frozen=True, eq=False)
class DecisionTree:
    # of each node, level by level, (2^level,)
    splits: list[NDArray[np.int64]]
    # (2^depth,): 0 or 1 for each leaf
    labels: NDArray[np.int64]

    def predict(self, record_codes: Whole, shape: RecordShape) -> NDArray[np.int64]:
        """The label of each record, given its `codes`."""
        node, offered = np.zeros(len(record_codes), dtype=np.int64), public_splits(shape)
        for level in self.splits:
            node = 2 * node + offered.right(record_codes, level[node])
        return np.asarray(self.labels[node])


def learn(training: ModelTraining) -> list[list[DecisionTree]]:
    """A tree for each calibration and run."""
    nodes = _Nodes(training.train.shape, codes(training.train), training.train.labels)
    deepest = max(int(each.settings["depth"]) for each in training.calibrations)
    together = max(1, TOGETHER // (2**deepest * max(2, splits(training.train.shape))))
    trees: list[list[DecisionTree]] = [[] for _ in training.calibrations]
    for first in range(0, training.runs, together):
        runs = range(training.runs)[first : first + together]
        for fits, calibration in zip(trees, training.calibrations, strict=True):
            fits += _grow(nodes, calibration, [generator(training.seed, run) for run in runs])
        nodes.forget()
        done = runs[-1] + 1
        training.progress(done / training.runs, f"tree {done} of {training.runs}")
    return trees


def _grow(
    nodes: _Nodes, calibration: ModelCalibration, draws: Sequence[np.random.Generator]
) -> list[DecisionTree]:
    paths: list[list[Path]] = [[()] for _ in draws]
    levels: list[Whole] = []
    for _ in range(int(calibration.settings["depth"])):
        levels.append(choose(draws, nodes.scores(paths, 1), calibration.noise.scale))
        paths = [
            [
                (*path, (split, side))
                for path, split in zip(of_run, chosen, strict=True)
                for side in (False, True)
            ]
            for of_run, chosen in zip(paths, levels[-1].tolist(), strict=True)
        ]
    labels = choose(draws, nodes.scores(paths, 2), calibration.noises[1].scale)
    return [
        DecisionTree([level[run] for level in levels], labels[run]) for run in range(len(draws))
    ]


def scores(learned: list[list[DecisionTree]], records: Records) -> Array:
    """1 or -1 by the label of a record's leaf, (k, runs, n)."""
    record_codes, shape = codes(records), records.shape
    labels = np.array(
        [[t.predict(record_codes, shape) for t in fits] for fits in learned], dtype=np.int8
    )
    return np.where(labels == 1, 1.0, -1.0)


MODEL = Model(
    key="decision-tree",
    title="Decision tree",
    system="Decision tree by exponential mechanism, Friedman and Schuster [29] (survey III-A-1)",
    paper="Friedman and Schuster 2010",
    words="decision tree",
    idea="Let each question of the tree be drawn, the better ones being the likelier.",
    editions={
        Edition.SOUND: Standing(
            claim=(
                "(ε, 0), the splits chosen by the exponential mechanism and the leaves' counts "
                "blurred."
            ),
            proof=(
                "(ε, 0): every level, and the leaves, choose once with an equal share of ε. "
                "Candidates are public, and a leaf that nobody reaches draws its label too."
            ),
            status=Status.PROVED,
        ),
    },
    plan=plan,
    learn=learn,
    judge=judged_by(scores),
    scores=scores,
    pure=True,
)
