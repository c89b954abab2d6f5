"""Scalable PATE: only where the teachers agree (Papernot et al. 2018; survey [86]).

First each of Q public queries is checked: is the largest count, plus noise N(0, σ₁²), above a
threshold? One record moves the largest count by at most 1. Then the first A queries that passed
are answered as in PATE, with noise σ₂; a record moves the votes on each by √2. Q checks and A
answers are Gaussian mechanisms whose noise is fixed beforehand, so that their adaptive
composition costs μ² = Q/σ₁² + 2A/σ₂² at most, also where fewer than A pass. (Checking and answering
in turn until A are answered would need a theorem on filters; two phases need none.)
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
from dpcore.models.records import Records, RecordShape, Whole
from dpcore.progress import Progress, silent

KEY = "scalable-pate"
CHECKS = 0.2
"""Share of μ² that is spent on checking."""
AGREEMENT = 0.7
"""Share of the teachers that has to agree."""


def calibrate(
    shape: RecordShape, epsilons: Sequence[float], delta: float, adjacency: Adjacency
) -> list[ModelCalibration]:
    """One calibration per requested ε. Pure; sees public values only."""
    result = []
    for budget in budgets(epsilons, delta, adjacency, teachers.ADJACENCIES):
        level = gaussian_level(budget)
        checked = teachers.queries(shape, math.sqrt(2.0) * level)
        answered = max(1, math.ceil(0.5 * checked))
        first = rounded_up(math.sqrt(checked / CHECKS) / level)
        second = rounded_up(teachers.PER_QUERY * math.sqrt(answered / (1.0 - CHECKS)) / level)
        result.append(
            proved(
                KEY,
                shape,
                budget,
                adjacency,
                [
                    ModelNoise(
                        "votes on an answered query",
                        "gaussian",
                        teachers.PER_QUERY,
                        second,
                        answered,
                    ),
                    ModelNoise("largest count of a query", "gaussian", 1.0, first, checked),
                ],
                settings={
                    "teachers": teachers.teachers(shape),
                    "queries checked": checked,
                    "queries answered at most": answered,
                },
                conditions=[teachers.PUBLIC],
            )
        )
    return result


def answers(
    counts: Array, groups: int, calibrations: Sequence[ModelCalibration], draw: np.random.Generator
) -> list[tuple[Whole, Array]]:
    """The release itself, by calibration: the answered queries and their labels, ±1."""
    unit, check = draw.standard_normal(counts.shape), draw.standard_normal(len(counts))
    releases = []
    for calibration in calibrations:
        votes, largest = calibration.noises
        few = slice(largest.times)
        clear = agreed(counts[few], groups, largest.scale, check[few])[: votes.times]
        releases.append((clear, teachers.labelled(counts[clear], votes.scale, unit[clear])))
    return releases


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
        for place, (clear, signs) in enumerate(answers(counts, groups, calibrations, draw)):
            weights[place, run] = teachers.student(query_points[clear], signs)
        progress((run + 1) / runs, f"teachers of run {run + 1} of {runs}")
    return weights


def agreed(counts: Array, groups: int, sigma: float, unit: Array) -> Whole:
    """The places of the queries whose largest noisy count passes the threshold."""
    return np.flatnonzero(counts.max(axis=1) + sigma * unit >= AGREEMENT * groups)


MODEL = Model(
    key=KEY,
    title="Scalable PATE",
    system="Scalable PATE (SPATE), Papernot et al. [86] (survey IV-A-2)",
    source="Papernot, Song, Mironov, Raghunathan, Talwar and Erlingsson 2018",
    idea="As PATE, but only where the teachers agree; the student does without the rest.",
    claim="(ε, δ) by Gaussian noise on checks and votes, with an ε that depends on the votes.",
    proof=(
        "(ε, δ) for all checks and the most answers there can be, composed without looking at the "
        "votes."
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
        "Without an ε that depends on the votes, an unanswered query saves nothing: agreement only "
        "makes the labels cleaner.",
    ),
)
