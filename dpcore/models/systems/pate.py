"""PATE: a student learns from the noisy votes of teachers (Papernot et al. 2017; survey [84]).

Each of Q public queries is answered with the label of the most votes after Gaussian noise on both
counts. One record moves the votes on a query by √2 (`dpcore.models.teachers`), on all Q queries
together by √(2Q): one Gaussian mechanism, μ = √(2Q)/σ, whatever the votes are. The margins of the
votes are not used, which would make ε itself depend on the records.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from dpcore.guarantee import Adjacency, Edition, PrivacyBudget, Standing, Status
from dpcore.models import teachers
from dpcore.models.model import (
    Array,
    Model,
    ModelCalibration,
    NoisePlan,
    gaussian_level,
    gaussian_noise,
)
from dpcore.models.records import RecordShape, Whole


def plan(shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency) -> NoisePlan:
    queries = teachers.queries(shape, gaussian_level(budget))
    return NoisePlan(
        [gaussian_noise("votes on a query", teachers.PER_QUERY, budget, queries)],
        {"teachers": teachers.teachers(shape), "queries": queries},
        conditions=[teachers.PUBLIC],
    )


def answers(
    counts: Array, calibrations: Sequence[ModelCalibration], draw: np.random.Generator
) -> list[tuple[Whole, Array]]:
    """The release itself, by calibration: the first queries and their labels, ±1."""
    unit, releases = draw.standard_normal(counts.shape), []
    for calibration in calibrations:
        first = np.arange(len(counts))[: calibration.noise.times]
        signs = teachers.labelled(counts[first], calibration.noise.scale, unit[first])
        releases.append((first, signs))
    return releases


MODEL = Model(
    key="pate",
    title="PATE",
    system="PATE, Papernot et al. [84] (survey IV-A-2)",
    paper="Papernot, Abadi, Erlingsson, Goodfellow and Talwar 2017",
    words="noisy votes of teachers",
    idea="Many teachers, each with its own patients, vote; a student learns from blurred votes.",
    editions={
        Edition.SOUND: Standing(
            claim=(
                "(ε, δ) by Laplace noise on the votes, with an ε that depends on how clear they "
                "were."
            ),
            proof=(
                "(ε, δ) by Gaussian noise on the votes of all queries, composed without looking at "
                "them. A record changes one teacher, and a teacher one vote a query."
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
        "The smaller ε that is printed for clear votes is itself computed from private votes, and "
        "is not claimed here.",
    ),
)
