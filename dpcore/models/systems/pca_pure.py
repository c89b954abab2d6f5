"""PCA with δ = 0: the covariance plus noise of density ∝ e^{-‖Z‖/b} in Frobenius' norm.

Sensitivity and release are in `dpcore.models.covariance`. Shifting S by at most Δ changes the
log-density by at most Δ/b = ε, which is the whole proof. The norm of the noise is
Gamma(d(d + 1)/2, b), its direction that of symmetric Gaussian noise. It stands beside the Wishart
mechanism (survey [45]), whose proof of the same (ε, 0) fails (`pca_wishart`).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dpcore.guarantee import Adjacency, Edition, PrivacyBudget, Standing, Status
from dpcore.mechanisms.laplace import laplace_scale
from dpcore.models import covariance
from dpcore.models.model import Array, Model, ModelNoise, NoisePlan
from dpcore.models.records import RecordShape


def plan(shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency) -> NoisePlan:
    moved = covariance.sensitivity(adjacency)
    return NoisePlan(
        [ModelNoise("second moments", "laplace", moved, laplace_scale(budget.epsilon, moved))],
        covariance.SETTINGS,
        by="vector-Laplace mechanism (Chaudhuri, Monteleoni and Sarwate 2011)",
    )


def noise(generator: np.random.Generator, rows: int) -> Array:
    """One draw at b = 1."""
    direction = covariance.symmetric(generator, rows)
    direction /= np.linalg.norm(direction)
    return np.asarray(direction * generator.gamma(rows * (rows + 1) / 2.0))


MODEL = Model(
    key="pca-pure",
    title="PCA, δ = 0",
    system="the pure-ε goal of the Wishart mechanism, Jiang et al. [45] (survey III-A-2)",
    paper="Chaudhuri, Monteleoni and Sarwate 2011, for the noise",
    idea="Blur the covariance matrix with heavier noise, whose promise never fails.",
    editions={
        Edition.SOUND: Standing(
            proof=(
                "(ε, 0): moving the matrix by Δ changes the noise's log-density by at most Δ/b = ε."
            ),
            status=Status.PROVED,
        ),
    },
    measure=covariance.MEASURE,
    plan=plan,
    learn=partial(covariance.learn, noise),
    judge=covariance.judge,
    uses_labels=False,
    pure=True,
    limits=("Its noise grows with the square of the number of features; δ = 0 is dear here.",),
)
