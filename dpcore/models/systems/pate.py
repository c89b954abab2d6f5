"""PATE: a student learns from the noisy votes of teachers (Papernot et al. 2017; survey [84]).

Each of Q public queries is answered with the label of the most votes after Gaussian noise on both
counts. One record moves the votes on a query by √2 (`dpcore.models.teachers`), on all Q queries
together by √(2Q): one Gaussian mechanism, μ = √(2Q)/σ, whatever the votes are. The margins of the
votes are not used, which would make ε itself depend on the records.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpcore.guarantee import Adjacency, Status
from dpcore.models import teachers
from dpcore.models.model import (
    ACCURACY,
    Array,
    Model,
    ModelCalibration,
    ModelNoise,
    budgets,
    gaussian_level,
    generator,
    majority,
    proved,
    rounded_up,
)
from dpcore.models.records import Records, RecordShape
from dpcore.progress import Progress, silent

KEY = "pate"


def calibrate(
    shape: RecordShape, epsilons: Sequence[float], delta: float, adjacency: Adjacency
) -> list[ModelCalibration]:
    """One calibration per requested ε. Pure; sees public values only."""
    result = []
    for budget in budgets(epsilons, delta, adjacency, teachers.ADJACENCIES):
        level = gaussian_level(budget)
        queries = teachers.queries(shape, level)
        sigma = rounded_up(teachers.PER_QUERY * math.sqrt(queries) / level)
        result.append(
            proved(
                KEY,
                shape,
                budget,
                adjacency,
                [ModelNoise("votes on a query", "gaussian", teachers.PER_QUERY, sigma, queries)],
                settings={"teachers": teachers.teachers(shape), "queries": queries},
                conditions=[teachers.PUBLIC],
            )
        )
    return result


def answers(
    counts: Array, calibrations: Sequence[ModelCalibration], draw: np.random.Generator
) -> list[Array]:
    """The release itself: each calibration's labels, ±1, of the first queries by their votes."""
    unit = draw.standard_normal(counts.shape)
    return [
        teachers.labelled(counts[:queries], calibration.noise.scale, unit[:queries])
        for calibration in calibrations
        for queries in (calibration.noise.times,)
    ]


def learn(
    train: Records,
    unlabelled: Records,
    calibrations: Sequence[ModelCalibration],
    runs: int,
    seed: int,
    progress: Progress = silent,
) -> Array:
    """Students' weights, (calibrations, runs, d + 1); a run's teachers are shared by all ε."""
    points, groups = teachers.inputs(unlabelled), teachers.teachers(train.shape)
    weights = np.empty((len(calibrations), runs, points.shape[1]))
    for run in range(runs):
        draw = generator(seed, run)
        query_points = points[draw.permutation(len(points))]
        counts = teachers.votes(
            train, teachers.assigned(len(train), groups, draw), groups, query_points
        )
        for place, signs in enumerate(answers(counts, calibrations, draw)):
            weights[place, run] = teachers.student(query_points[: len(signs)], signs)
        progress((run + 1) / runs, f"teachers of run {run + 1} of {runs}")
    return weights


MODEL = Model(
    key=KEY,
    title="PATE",
    system="PATE, Papernot et al. [84] (survey IV-A-2)",
    source="Papernot, Abadi, Erlingsson, Goodfellow and Talwar 2017",
    idea="Many teachers, each with its own patients, vote; a student learns from blurred votes.",
    claim="(ε, δ) by Laplace noise on the votes, with an ε that depends on how clear they were.",
    proof=(
        "(ε, δ) by Gaussian noise on the votes of all queries, composed without looking at them: "
        "a record changes one teacher, and a teacher one vote a query."
    ),
    status=Status.PROVED,
    measure=ACCURACY,
    adjacencies=teachers.ADJACENCIES,
    calibrate=calibrate,
    learn=learn,
    judge=teachers.judge,
    trivial=majority,
    unlabelled=True,
    limits=(
        "Half of the test records serve as public records without labels, which nothing here "
        "protects; the other half judge.",
        "The smaller ε that is printed for clear votes is itself computed from private votes, and "
        "is not claimed here.",
    ),
)
