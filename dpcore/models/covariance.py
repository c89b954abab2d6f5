"""Principal components of a noisy covariance matrix: the shared parts of the PCA systems.

A point x, ‖x‖ ≤ 1, is released within z = (x, w), so that S = Σ z zᵀ holds the second moments, the
sum w Σx and the count w² n at once; mean and covariance follow from S plus noise alone.

Sensitivity in Frobenius' norm. Blanked out: ‖z zᵀ‖ = ‖z‖² ≤ 1 + w². Replaced:
‖z zᵀ - z′z′ᵀ‖² = ‖z‖⁴ + ‖z′‖⁴ - 2(zᵀz′)² ≤ 2(1 + w²)², reached where zᵀz′ = 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from dpcore.guarantee import Adjacency
from dpcore.models.model import Array, ModelCalibration, ModelMetric, ModelTraining, rounded_up
from dpcore.models.records import Records

WEIGHT = 0.5
"""w: the mean needs little noise beside that of d² second moments."""
COMPONENTS = 3
SETTINGS: dict[str, float] = {"components": COMPONENTS}


def sensitivity(adjacency: Adjacency) -> float:
    """Sensitivity of S in Frobenius' norm, rounded up."""
    norm = 1.0 + WEIGHT**2
    return rounded_up(norm * (math.sqrt(2.0) if adjacency is Adjacency.REPLACE_ONE else 1.0))


def second_moments(records: Records) -> Array:
    """S without noise, shape (d + 1, d + 1)."""
    points = records.known.points()
    z = np.hstack([points, np.full((len(points), 1), WEIGHT)])
    return np.asarray(z.T @ z)


def symmetric(generator: np.random.Generator, rows: int) -> Array:
    """Standard noise of one size in Frobenius' geometry: variance 1 on the diagonal, 1/2 off it."""
    square = generator.standard_normal((rows, rows))
    return (square + square.T) / 2.0


def released(exact: Array, calibration: ModelCalibration, draws: Sequence[Array]) -> Array:
    """The release itself: S plus each draw of unit noise, scaled; (runs, d + 1, d + 1)."""
    return np.asarray(exact + calibration.noise.scale * np.asarray(draws))


def components(noisy: Array) -> Array:
    """The leading directions of the covariance in a noisy S, (d, k): post-processing."""
    count = max(1.0, float(noisy[-1, -1]) / WEIGHT**2)
    mean = noisy[:-1, -1] / (WEIGHT * count)
    covariance = noisy[:-1, :-1] / count - np.outer(mean, mean)
    _, vectors = np.linalg.eigh((covariance + covariance.T) / 2.0)
    return np.asarray(vectors[:, ::-1][:, :COMPONENTS])


def learn(noise: Callable[[np.random.Generator, int], Array], training: ModelTraining) -> Array:
    """Components, shape (calibrations, runs, d, components); a run's noise is shared by all ε."""
    exact, calibrations = second_moments(training.train), training.calibrations
    draws = [noise(generator, len(exact)) for generator in training.generators]
    result = []
    for place, calibration in enumerate(calibrations):
        result.append([components(noisy) for noisy in released(exact, calibration, draws)])
        training.progress((place + 1) / len(calibrations), "decomposing")
    return np.array(result)


def judge(learned: Array, test: Records) -> Array:
    """Share of the test points' variance about their mean within the components, (k, runs)."""
    if not test.vary:
        return np.full(learned.shape[:2], np.nan)
    centred = test.points()
    centred -= centred.mean(axis=0)
    covariance = centred.T @ centred
    inside = np.einsum("...dk,de,...ek->...", learned, covariance, learned, optimize=True)
    return np.asarray(inside / float(np.trace(covariance)))


def random_share(train: Records, test: Records) -> float:
    """The mean share of variance in random directions, whatever the covariance."""
    return min(COMPONENTS, train.shape.dimension) / train.shape.dimension if test.vary else np.nan


MEASURE = ModelMetric(
    "captured",
    f"Variance captured by {COMPONENTS} components",
    True,
    "random components",
    random_share,
)
