"""PCA with δ = 0: the covariance plus noise of density ∝ e^{-‖Z‖/b} in Frobenius' norm.

Sensitivity and release are in `dpcore.models.covariance`. Shifting S by at most Δ changes the
log-density by at most Δ/b = ε, which is the whole proof. The norm of the noise is
Gamma(d(d + 1)/2, b), its direction that of symmetric Gaussian noise. It stands beside the Wishart
mechanism (survey [45]), whose proof of the same (ε, 0) fails (`pca_wishart`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcore.guarantee import Adjacency, Status
from dpcore.mechanisms.laplace import laplace_scale
from dpcore.models import covariance
from dpcore.models.model import (
    Array,
    Model,
    ModelCalibration,
    ModelNoise,
    budgets,
    generator,
    proved,
)
from dpcore.models.records import Records, RecordShape
from dpcore.progress import Progress, silent

KEY = "pca-pure"


def calibrate(
    shape: RecordShape, epsilons: Sequence[float], delta: float, adjacency: Adjacency
) -> list[ModelCalibration]:
    """One calibration per requested ε. Pure; sees public values only."""
    moved = covariance.sensitivity(adjacency)
    return [
        proved(
            KEY,
            shape,
            budget,
            adjacency,
            [ModelNoise("second moments", "laplace", moved, laplace_scale(budget.epsilon, moved))],
            by="vector-Laplace mechanism (Chaudhuri, Monteleoni and Sarwate 2011)",
            pure=True,
            settings={"components": covariance.COMPONENTS},
        )
        for budget in budgets(epsilons, delta, adjacency, covariance.ADJACENCIES)
    ]


def noise(shape: RecordShape, runs: int, seed: int) -> list[Array]:
    """Noise of each run at b = 1."""
    rows, draws = covariance.side(shape), []
    for run in range(runs):
        draw = generator(seed, run)
        direction = covariance.symmetric(draw, rows)
        direction /= np.linalg.norm(direction)
        draws.append(direction * draw.gamma(rows * (rows + 1) / 2.0))
    return draws


def learn(
    train: Records,
    unlabelled: Records,
    calibrations: Sequence[ModelCalibration],
    runs: int,
    seed: int,
    progress: Progress = silent,
) -> Array:
    """Components, shape (calibrations, runs, d, components); a run's noise is shared by all ε."""
    del unlabelled
    return covariance.learned(train, calibrations, noise(train.shape, runs, seed), progress)


MODEL = Model(
    key=KEY,
    title="PCA, δ = 0",
    system="the pure-ε goal of the Wishart mechanism, Jiang et al. [45] (survey III-A-2)",
    source="Chaudhuri, Monteleoni and Sarwate 2011, for the noise",
    idea="Blur the covariance matrix with heavier noise, whose promise never fails.",
    claim="None: this edition is not in print.",
    proof="(ε, 0): moving the matrix by Δ changes the noise's log-density by at most Δ/b = ε.",
    status=Status.PROVED,
    measure=covariance.MEASURE,
    adjacencies=covariance.ADJACENCIES,
    calibrate=calibrate,
    learn=learn,
    judge=covariance.judge,
    trivial=covariance.random_share,
    uses_labels=False,
    pure=True,
    limits=("Its noise grows with the square of the number of features; δ = 0 is dear here.",),
)
