"""PCA of a covariance with Gaussian noise (Dwork, Talwar, Thakurta and Zhang 2014; survey [28]).

Sensitivity and release are in `dpcore.models.covariance`. The noise is symmetric and the same in
every direction of Frobenius' geometry (off the diagonal its variance is half of that on it), so the
release is one Gaussian mechanism on S written as a vector of d(d + 1)/2 coordinates. The usual full
variance off the diagonal would be more noise than necessary.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpcore.guarantee import Adjacency, Status
from dpcore.models import covariance
from dpcore.models.model import (
    Array,
    Model,
    ModelCalibration,
    ModelNoise,
    budgets,
    gaussian_level,
    generator,
    proved,
    rounded_up,
)
from dpcore.models.records import Records, RecordShape
from dpcore.progress import Progress, silent

KEY = "pca-gaussian"


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
            [
                ModelNoise(
                    "second moments", "gaussian", moved, rounded_up(moved / gaussian_level(budget))
                )
            ],
            settings={"components": covariance.COMPONENTS},
        )
        for budget in budgets(epsilons, delta, adjacency, covariance.ADJACENCIES)
    ]


def noise(shape: RecordShape, runs: int, seed: int) -> list[Array]:
    """Unit noise of each run."""
    rows = covariance.side(shape)
    return [covariance.symmetric(generator(seed, run), rows) for run in range(runs)]


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
    title="PCA, Gaussian covariance",
    system="SuLQ-PCA, Blum et al. [28] (survey III-A-2), in the form of Analyze Gauss",
    source="Blum, Dwork, McSherry and Nissim 2005; Dwork, Talwar, Thakurta and Zhang 2014",
    idea="Blur the covariance matrix once, then take its leading directions.",
    claim="(ε, δ) by Gaussian noise on every entry of the second-moment matrix, for ε below 1.",
    proof=(
        "(ε, δ) by one Gaussian mechanism, at any ε, on second moments, sum and count together; "
        "points are within the unit ball by public bounds."
    ),
    status=Status.PROVED,
    measure=covariance.MEASURE,
    adjacencies=covariance.ADJACENCIES,
    calibrate=calibrate,
    learn=learn,
    judge=covariance.judge,
    trivial=covariance.random_share,
    uses_labels=False,
)
