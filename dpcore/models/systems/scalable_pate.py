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
from functools import partial

import numpy as np

from dpcore.guarantee import Adjacency, Edition, PrivacyBudget, Standing, Status
from dpcore.models import teachers
from dpcore.models.model import (
    Array,
    Model,
    ModelCalibration,
    ModelNoise,
    NoisePlan,
    gaussian_level,
    rounded_up,
)
from dpcore.models.records import RecordShape, Whole

CHECKS = 0.2
"""Share of μ² that is spent on checking."""
AGREEMENT = 0.7
"""Share of the teachers that has to agree."""


def plan(shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency) -> NoisePlan:
    level, per_query = gaussian_level(budget), teachers.PER_QUERY
    checked = teachers.queries(shape, math.sqrt(2.0) * level)
    answered = max(1, math.ceil(0.5 * checked))
    first = rounded_up(math.sqrt(checked / CHECKS) / level)
    second = rounded_up(per_query * math.sqrt(answered / (1.0 - CHECKS)) / level)
    return NoisePlan(
        [
            ModelNoise("votes on an answered query", "gaussian", per_query, second, answered),
            ModelNoise("largest count of a query", "gaussian", 1.0, first, checked),
        ],
        {
            "teachers": teachers.teachers(shape),
            "queries checked": checked,
            "queries answered at most": answered,
        },
        conditions=[teachers.PUBLIC],
    )


def answers(
    counts: Array, calibrations: Sequence[ModelCalibration], draw: np.random.Generator
) -> list[tuple[Whole, Array]]:
    """The release itself, by calibration: the answered queries and their labels, ±1."""
    unit, check = draw.standard_normal(counts.shape), draw.standard_normal(len(counts))
    releases = []
    for calibration in calibrations:
        votes, largest = calibration.noises
        few, groups = slice(largest.times), teachers.teachers(calibration.shape)
        clear = agreed(counts[few], groups, largest.scale, check[few])[: votes.times]
        releases.append((clear, teachers.labelled(counts[clear], votes.scale, unit[clear])))
    return releases


def agreed(counts: Array, groups: int, sigma: float, unit: Array) -> Whole:
    """The places of the queries whose largest noisy count passes the threshold."""
    return np.flatnonzero(counts.max(axis=1) + sigma * unit >= AGREEMENT * groups)


MODEL = Model(
    key="scalable-pate",
    title="Scalable PATE",
    system="Scalable PATE (SPATE), Papernot et al. [86] (survey IV-A-2)",
    paper="Papernot, Song, Mironov, Raghunathan, Talwar and Erlingsson 2018",
    words="noisy votes of teachers who agree",
    idea="As PATE, but only where the teachers agree; the student does without the rest.",
    editions={
        Edition.SOUND: Standing(
            claim=(
                "(ε, δ) by Gaussian noise on checks and votes, with an ε that depends on the votes."
            ),
            proof=(
                "(ε, δ) for all checks and the most answers there can be, composed without looking "
                "at the votes."
            ),
            status=Status.PROVED,
        ),
    },
    plan=plan,
    learn=partial(teachers.learn, answers),
    judge=teachers.judge,
    scores=teachers.scores,
    unlabelled=True,
    limits=(
        "Half of the test records serve as public records without labels, which nothing here "
        "protects; the other half judge.",
        "Without an ε that depends on the votes, an unanswered query saves nothing: agreement only "
        "makes the labels cleaner.",
    ),
)
