"""The exact minimiser, without any privacy: the reference for the cost of privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpcore.erm.losses import LOSSES
from dpcore.erm.method import Array, Calibration, Method, MethodStanding, Settings
from dpcore.erm.newton import minimise
from dpcore.erm.problem import Problem
from dpcore.guarantee import Edition, Guarantee, PrivacyBudget, Status
from dpcore.progress import Progress, silent


def calibrate(
    problem: Problem,
    epsilons: Sequence[float],
    delta: float,
    edition: Edition,
    settings: Settings,
) -> list[Calibration]:
    """No noise at any ε."""
    nothing = Guarantee(None, None, problem.adjacency, "none", "No noise is added.")
    return [
        Calibration(
            method="nonprivate",
            title="Non-private",
            edition=edition,
            problem=problem,
            requested=PrivacyBudget(float(epsilon), delta),
            query="",
            sensitivity=math.nan,
            sigma=0.0,
            steps=0,
            learning_rate=math.nan,
            batch=problem.records,
            sampling="all",
            model_noise=0.0,
            conditions=(),
            claim=nothing,
            proof=nothing,
            certified=nothing,
            status=Status.NOT_PRIVATE,
        )
        for epsilon in epsilons
    ]


def release(
    problem: Problem,
    features: Array,
    labels: Array,
    calibrations: Sequence[Calibration],
    runs: int,
    seed: int | None,
    progress: Progress = silent,
) -> Array:
    """The same minimiser for every calibration and run, shape (calibrations, runs, d)."""
    weights = minimise(problem, features, labels)
    return np.broadcast_to(weights, (len(calibrations), runs, len(weights))).copy()


METHOD = Method(
    key="nonprivate",
    title="Non-private",
    paper="000 Ding et al., NonPriv of section V",
    idea="Train on the data as they are.",
    editions={
        Edition.SOUND: MethodStanding(
            claim="None.",
            proof="None: the weights can reveal any record.",
            status=Status.NOT_PRIVATE,
        ),
    },
    calibrate=calibrate,
    release=release,
    closed_form=True,
    losses=LOSSES,
)
