"""A forest of random trees whose leaves choose their label (Fletcher and Islam 2017; survey [33]).

The splits of a tree are drawn at random from public bounds, independently of the records: a column,
then a threshold within the rest of its interval, or a random half of a category's levels. Every
leaf, also one that no record reaches, then draws its label by the exponential mechanism; a label's
score is the number of the leaf's records with it.

Sensitivity. Each record lies in one leaf of each tree. Blanked out, it moves one score of that leaf
by 1: range R = 1. Replaced, it changes two leaves by a range of 1 each, or one leaf's two
scores by +1 and -1, R = 2, which is the worse. T trees on the same records are T adaptive choices:
they compose to (Tε₀, 0), and to T ε₀²/8-zCDP; of the two the calibration takes the one that allows
the larger ε₀. (Disjoint records for each tree would allow ε₀ = ε, but T times fewer records in each
leaf: the same signal as Tε₀, and more chance.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting.concentrated import rho_for
from dpcore.guarantee import Adjacency, Edition, PrivacyBudget, Standing, Status
from dpcore.mechanisms.exponential import choose, exponential_epsilon, exponential_rate
from dpcore.models.model import (
    Array,
    Model,
    ModelCalibration,
    ModelNoise,
    ModelTraining,
    NoisePlan,
    judged_by,
)
from dpcore.models.records import Records, RecordShape

TREES, DEEPEST = 64, 10
RANGE = {Adjacency.ZERO_OUT: 1.0, Adjacency.REPLACE_ONE: 2.0}
CLEAR = 0.2
"""Target of a leaf's records times the rate: small, as votes average the leaves' noise."""


def plan(shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency) -> NoisePlan:
    pure = budget.epsilon / TREES
    mixed = exponential_epsilon(rho_for(budget.epsilon, budget.delta) / TREES)
    rate = exponential_rate(max(pure, mixed) * (1.0 - 1e-14), RANGE[adjacency])
    depth = math.log2(max(2.0, rate * shape.size / CLEAR))
    return NoisePlan(
        [ModelNoise("label of a leaf", "exponential", RANGE[adjacency], rate, TREES)],
        {"trees": TREES, "depth": int(min(DEEPEST, max(1.0, depth)))},
        by="zCDP of the exponential mechanism (Cesar and Rogers 2021), composed over the trees"
        if mixed > pure
        else "exponential mechanism (McSherry and Talwar 2007), ε added over the trees",
    )


@dataclass(frozen=True, eq=False)
class RandomTree:
    """A complete binary tree of random splits; node i has the children 2i + 1 and 2i + 2."""

    # (nodes,): numbers first, then categories
    column: NDArray[np.int64]
    # (nodes,): for a number, those above it go right
    threshold: Array
    # (nodes, most levels): for a category, whether a level goes right
    right: NDArray[np.bool_]

    def leaves(self, records: Records, depth: int) -> NDArray[np.int64]:
        """The leaf, 0 to 2^depth - 1, that each record reaches."""
        node = np.zeros(len(records), dtype=np.int64)
        # Flat arrays are read several times as fast as those with two indices.
        values = np.hstack([records.numbers, records.categories])
        start = np.arange(len(records)) * values.shape[1]
        values, right, p = values.ravel(), self.right.ravel(), records.shape.numbers
        for _ in range(depth):
            column = self.column.take(node)
            value = values.take(start + column)
            goes = value > self.threshold.take(node)
            if records.shape.levels:
                of_levels = np.flatnonzero(column >= p)
                place = node.take(of_levels) * self.right.shape[1]
                goes[of_levels] = right.take(place + value.take(of_levels).astype(np.int64))
            node += node + 1 + goes
        return np.asarray(node - (2**depth - 1))


def grow(shape: RecordShape, depth: int, draw: np.random.Generator) -> RandomTree:
    """A tree of random splits from public bounds alone, level by level."""
    p, widest = shape.numbers, max((1, *shape.levels))
    parts: list[tuple[NDArray[np.int64], Array, NDArray[np.bool_]]] = []
    # The rest of each number's interval at a node: a threshold outside would split nothing.
    low, high = np.full((1, p), -1.0), np.full((1, p), 1.0)
    counts = np.array([1] * p + list(shape.levels))
    for level in range(depth):
        nodes = np.arange(2**level)
        column = draw.integers(0, shape.columns, len(nodes))
        share = draw.random(len(nodes))
        threshold = np.zeros(len(nodes))
        # Half of the column's levels, those that come first in a random order, go right.
        order = draw.random((len(nodes), widest))
        order[np.arange(widest) >= counts[column][:, None]] = 2.0
        rank = order.argsort(axis=1).argsort(axis=1)
        right = rank < (counts[column][:, None] + 1) // 2
        low, high = np.repeat(low, 2, axis=0), np.repeat(high, 2, axis=0)
        split = nodes[column < p]
        if len(split):
            at, children = column[split], 2 * split
            threshold[split] = low[children, at] + share[split] * (
                high[children, at] - low[children, at]
            )
            high[children, at] = low[children + 1, at] = threshold[split]
        parts.append((column, threshold, right))
    columns, thresholds, rights = zip(*parts, strict=True)
    return RandomTree(np.concatenate(columns), np.concatenate(thresholds), np.concatenate(rights))


@dataclass(frozen=True, eq=False)
class Forests:
    # by run; all ε share them
    trees: list[list[RandomTree]]
    depths: list[int]
    # by calibration and run: (trees, leaves) of 0 and 1
    labels: list[list[NDArray[np.int8]]]


def scores(tree: RandomTree, records: Records, depth: int) -> Array:
    """The scores: number of records by leaf and label, shape (leaves, 2)."""
    records = records.known
    place = 2 * tree.leaves(records, depth) + records.labels
    return np.bincount(place, minlength=2 ** (depth + 1)).reshape(-1, 2).astype(float)


def answers(
    counts: Array, calibration: ModelCalibration, draw: np.random.Generator
) -> NDArray[np.int64]:
    """The release itself: the label that each leaf draws by its `scores`, (trees, leaves)."""
    return choose(draw, counts, calibration.noise.scale)


def learn(training: ModelTraining) -> Forests:
    """Grow the trees without the records, and draw the label of every leaf with them."""
    train, calibrations = training.train, training.calibrations
    depths = [int(calibration.settings["depth"]) for calibration in calibrations]
    deepest = max(depths)
    grown: list[list[RandomTree]] = []
    labels: list[list[NDArray[np.int8]]] = [[] for _ in calibrations]
    for run, draw in enumerate(training.generators, 1):
        forest = [grow(train.shape, deepest, draw) for _ in range(TREES)]
        counts = np.stack([scores(tree, train, deepest) for tree in forest])
        for place, (calibration, depth) in enumerate(zip(calibrations, depths, strict=True)):
            merged = counts.reshape(TREES, 2**depth, -1, 2).sum(axis=2)
            # A byte each: a thousand fits have millions of leaves.
            labels[place].append(answers(merged, calibration, draw).astype(np.int8))
        grown.append(forest)
        training.progress(run / training.runs, f"forest {run} of {training.runs}")
    return Forests(grown, depths, labels)


def votes(learned: Forests, records: Records) -> Array:
    """By how much the share of trees for label 1 is above ½, (k, runs, n)."""
    deepest = max(learned.depths)
    shares = np.empty((len(learned.depths), len(learned.trees), len(records)))
    for run, forest in enumerate(learned.trees):
        leaves = np.stack([tree.leaves(records, deepest) for tree in forest])
        for place, depth in enumerate(learned.depths):
            at = leaves >> (deepest - depth)
            shares[place, run] = np.take_along_axis(learned.labels[place][run], at, axis=1).mean(0)
    shares -= 0.5
    return shares


MODEL = Model(
    key="random-forest",
    title="Random forest",
    system="DP random decision forest, Fletcher and Islam [33] (survey III-A-1)",
    paper="Fletcher and Islam 2017",
    words="random forest",
    idea="Split at random without looking at anyone, then let every leaf draw its label.",
    editions={
        Edition.SOUND: Standing(
            claim=(
                "(ε, 0) by the exponential mechanism in the leaves of trees on disjoint records, "
                "with its smooth sensitivity."
            ),
            proof=(
                "(ε, δ) from the trees' choices on all records, composed by the better of two "
                "theorems. Splits see no record, and a leaf that nobody reaches draws its label "
                "too."
            ),
            status=Status.PROVED,
        ),
    },
    plan=plan,
    learn=learn,
    judge=judged_by(votes),
    scores=votes,
    limits=("A leaf's label is one bit: where one class is rare, most leaves answer the other.",),
)
