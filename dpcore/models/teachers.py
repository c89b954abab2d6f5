"""Teachers on disjoint records, and a student of their votes: the shared parts of both PATEs.

Every training record draws its teacher independently, a blank one too, so that blanking out or
replacing a record changes one teacher and leaves all others as they are. A teacher is any
function of its own records; here ridge regression on the labels ±1. For one public query x the
votes are (n₀(x), n₁(x)); one changed teacher moves them by (∓1, ±1) at most, which is √2 in L2
norm, under either adjacency.

The student learns from public points with the released labels, and never sees a record.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from dpcore.guarantee import Condition
from dpcore.models.model import Array, ModelCalibration, ModelTraining, judged_by, linear_scores
from dpcore.models.records import BLANK, TEST_FRACTION, Records, RecordShape, Whole

PER_QUERY = math.sqrt(2.0) * (1.0 + 1e-15)
"""Sensitivity of the votes on one query."""
PUBLIC = Condition(
    "the half of the test records that is asked about is public: it is nobody's secret",
    True,
    assumed=True,
)
TEACHER_RIDGE = STUDENT_RIDGE = 1.0
MIN_QUERIES = 30

Answers = Callable[
    [Array, Sequence[ModelCalibration], np.random.Generator],
    list[tuple[Whole, Array]],
]
"""(votes on all queries, calibrations, generator) -> by calibration the queries that are answered,
and their labels, ±1: the release itself."""


def teachers(shape: RecordShape) -> int:
    """Number of teachers: √(public size), so each has as many records as there are teachers."""
    return max(2, round(math.sqrt(shape.size)))


def queries(shape: RecordShape, level: float) -> int:
    """Number of queries: the most for which noise stays below a quarter of all votes."""
    public = max(1, math.floor(shape.size * TEST_FRACTION / (1.0 - TEST_FRACTION) / 2.0))
    affordable = (teachers(shape) * level / 4.0) ** 2 / 2.0
    return min(public, max(MIN_QUERIES, math.floor(min(affordable, 1e9))))


def inputs(records: Records) -> Array:
    """Rows of norm at most 1 and a constant 1, (n, d + 1)."""
    return np.hstack([records.rows(), np.ones((len(records), 1))])


def ridge(x: Array, signs: Array, strength: float) -> Array:
    """Ridge regression of ±1 on the rows of `x`, (d,)."""
    gram = x.T @ x + strength * np.eye(x.shape[1])
    return np.asarray(np.linalg.solve(gram, x.T @ signs))


def assigned(count: int, groups: int, generator: np.random.Generator) -> Whole:
    return np.asarray(generator.integers(0, groups, count), dtype=np.int64)


def votes(train: Records, teacher: Whole, groups: int, points: Array) -> Array:
    """Number of teachers that vote for label 0 and 1 on each point, without noise, (points, 2)."""
    is_labelled = train.labels != BLANK
    train, teacher = train[is_labelled], teacher[is_labelled]
    x, signs = inputs(train), train.signs
    order = np.argsort(teacher, kind="stable")
    edges = np.searchsorted(teacher[order], np.arange(groups + 1))
    ones = np.zeros(len(points))
    for start, end in pairwise(edges):
        members = order[start:end]
        ones += points @ ridge(x[members], signs[members], TEACHER_RIDGE) > 0.0
    return np.stack([groups - ones, ones], axis=1)


def labelled(counts: Array, sigma: float, unit: Array) -> Array:
    """The sign of the label with the most noisy votes, ±1 (GNMax), (points,)."""
    noisy = counts + sigma * unit
    return np.where(noisy[:, 1] > noisy[:, 0], 1.0, -1.0)


def scores(learned: Array, records: Records) -> Array:
    """Each student's score of each record, (k, runs, n)."""
    return linear_scores(inputs(records), learned)


judge = judged_by(scores)
"""Accuracy of each student on the test records, (k, runs)."""


def learn(answers: Answers, training: ModelTraining) -> Array:
    """Students' weights, (calibrations, runs, d + 1); a run's teachers are shared by all ε."""
    train, points, groups = (
        training.train,
        inputs(training.unlabelled),
        teachers(training.train.shape),
    )
    weights = np.empty((len(training.calibrations), training.runs, points.shape[1]))
    for run, draw in enumerate(training.generators):
        queries = points[draw.permutation(len(points))]
        counts = votes(train, assigned(len(train), groups, draw), groups, queries)
        for place, (chosen, signs) in enumerate(answers(counts, training.calibrations, draw)):
            weights[place, run] = ridge(queries[chosen], signs, STUDENT_RIDGE)
        training.progress(
            (run + 1) / training.runs, f"teachers of run {run + 1} of {training.runs}"
        )
    return weights
