"""k-means by noisy sums and counts, a fixed number of times (DPLloyd, Su et al. 2016; survey [39]).

Records are points x with ‖x‖ ≤ 1 by public scaling. Each of T steps assigns every point to its
nearest centre and releases, with Gaussian noise, the sum Σx and w times the count of every cluster;
the next centres are computed from these. The first step has one cluster, so that its centre is the
mean of all; the k centres after it lie about that mean in random directions drawn beforehand.

Sensitivity of one step. Blanked out, a point changes one cluster: Δ² = 1 + w². Replaced, it
changes two clusters by that much each, or one by ‖x - x′‖² ≤ (4p + 2q)/(p + q), with p numbers and
q categories, of which Δ² is the larger. The steps are adaptive Gaussian mechanisms: μ = √T Δ/σ.
w = (4d)^(-1/4) minimises the noise of a centre half-way out: (1 + w²)(d + 1/(4w²)).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpcore.guarantee import Adjacency, Edition, PrivacyBudget, Standing, Status
from dpcore.models.model import (
    Array,
    Model,
    ModelMetric,
    ModelTraining,
    NoisePlan,
    gaussian_noise,
    rounded_up,
)
from dpcore.models.records import Records, RecordShape

CLUSTERS, STEPS = 4, 5
START = 0.25
"""Distance of the first centres from the mean."""
ENTRIES = 2**22  # distances held at once


def weight(shape: RecordShape) -> float:
    """w, the factor of counts before noise is added."""
    return float((4.0 * shape.dimension) ** -0.25)


def sensitivity(shape: RecordShape, adjacency: Adjacency) -> float:
    """Δ of all sums and weighted counts of one step, rounded up."""
    square = 1.0 + weight(shape) ** 2
    if adjacency is Adjacency.REPLACE_ONE:
        within = (4.0 * shape.numbers + 2.0 * len(shape.levels)) / shape.columns
        square = max(2.0 * square, within)
    return rounded_up(math.sqrt(square))


def plan(shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency) -> NoisePlan:
    moved = sensitivity(shape, adjacency)
    return NoisePlan(
        [gaussian_noise("sums and counts of a step", moved, budget, STEPS)],
        {"clusters": CLUSTERS, "steps": STEPS},
    )


def step_sums(points: Array, centres: Array, share: float) -> Array:
    """Σx and w times the count of each cluster, without noise."""
    fits, k, d = centres.shape
    sums = np.empty((fits, k, d + 1))
    for part in _parts(fits, len(points) * k):
        near = _distances(points, centres[part]).argmin(axis=2)
        member = (near[:, :, None] == np.arange(k)).astype(float)
        sums[part, :, :d] = np.tensordot(member, points, axes=([1], [0]))
        sums[part, :, d] = share * member.sum(axis=1)
    return sums


def _parts(fits: int, entries: int) -> Iterator[slice]:
    size = max(1, ENTRIES // max(1, entries))
    for start in range(0, fits, size):
        yield slice(start, start + size)


def _distances(points: Array, centres: Array) -> Array:
    """Squared distances less ‖x‖², shape (fits, n, k)."""
    fits, k, d = centres.shape
    flat = centres.reshape(-1, d)
    inner = (points @ flat.T).reshape(len(points), fits, k).transpose(1, 0, 2)
    return np.asarray((flat**2).sum(axis=1).reshape(fits, 1, k) - 2.0 * inner)


def learn(training: ModelTraining) -> Array:
    """The centres, shape (calibrations, runs, k, d); a run's noise is shared by all ε."""
    for number, step in enumerate(steps(training), 1):
        centres = step.after
        training.progress(number / STEPS, f"step {number} of {STEPS}")
    return centres


@dataclass(frozen=True, eq=False)
class LloydStep:
    # (calibrations, runs, k, d): centres; `after` follows from the noisy sums and from `before`
    before: Array
    # (calibrations, runs, k, d + 1): the release itself, Σx and w times the count of each cluster
    noisy: Array
    after: Array


def steps(training: ModelTraining) -> Iterator[LloydStep]:
    """The steps in order; all noise is drawn here."""
    points, share = training.train.known.points(), weight(training.train.shape)
    fits, d, draws = (
        (len(training.calibrations), training.runs),
        points.shape[1],
        training.generators,
    )
    directions = np.stack([draw.standard_normal((CLUSTERS, d)) for draw in draws])
    directions *= START / np.linalg.norm(directions, axis=2, keepdims=True)
    sigma = training.scales[:, None, None, None]
    centres = np.zeros((*fits, 1, d))
    for step in range(STEPS):
        k = centres.shape[2]
        exact = step_sums(points, centres.reshape(-1, k, d), share)
        noise = np.stack([draw.standard_normal((k, d + 1)) for draw in draws])
        noisy = exact.reshape(*fits, k, d + 1) + sigma * noise
        after = updated(centres, noisy, share, sigma)
        if step == 0:
            after = after + directions
        yield LloydStep(centres, noisy, after)
        centres = after


def updated(centres: Array, noisy: Array, share: float, sigma: Array) -> Array:
    """The next centres from noisy sums and counts: post-processing.

    A centre moves towards its cluster's noisy mean by the share of the way that is not noise (James
    and Stein 1961), and stays in the ball that holds all points. A centre whose count does not
    exceed its own noise stays in place.
    """
    count = noisy[..., -1:] / share
    counted = count > np.maximum(0.5, sigma / share)
    move = noisy[..., :-1] / np.where(counted, count, 1.0) - centres
    blur = move.shape[-1] * (sigma / np.where(counted, count, 1.0)) ** 2
    square = np.einsum("...d,...d->...", move, move)[..., None]
    signal_share = np.maximum(0.0, 1.0 - blur / np.maximum(square, 1e-300))
    moved = centres + np.where(counted, signal_share, 0.0) * move
    return np.asarray(moved / np.maximum(1.0, np.linalg.norm(moved, axis=-1, keepdims=True)))


def judge(learned: Array, test: Records) -> Array:
    """Mean squared distance to the nearest centre over that to the test mean, (k, runs)."""
    if not test.vary:
        return np.full(learned.shape[:2], np.nan)
    points = test.points()
    fits, result = learned.reshape(-1, *learned.shape[2:]), np.empty(learned[..., 0, 0].size)
    squares = np.einsum("nd,nd->n", points, points)
    for part in _parts(len(fits), len(points) * fits.shape[1]):
        nearest = _distances(points, fits[part]).min(axis=2)
        result[part] = (nearest + squares).mean(axis=1)
    return np.asarray((result / spread(points)).reshape(learned.shape[:2]))


def spread(points: Array) -> float:
    return float(np.mean(np.sum((points - points.mean(axis=0)) ** 2, axis=1)))


def one_centre(train: Records, test: Records) -> float:
    return float(judge(train.known.points().mean(axis=0)[None, None, None], test)[0, 0])


MODEL = Model(
    key="k-means",
    title="k-means",
    system="DPLloyd, Su et al. [39] (survey III-A-2)",
    paper="Su, Cao, Li, Bertino and Jin 2016",
    idea="Let every cluster move to a blurred mean of its members, a few times.",
    editions={
        Edition.SOUND: Standing(
            claim=(
                "(ε, 0) by Laplace noise on every cluster's sum and count, ε split over the steps."
            ),
            proof=(
                "(ε, δ) by a Gaussian mechanism on all sums and counts of a step, over a fixed "
                "number of steps. The first gives the mean of all. The centres start about it in "
                "directions drawn without the records."
            ),
            status=Status.PROVED,
        ),
    },
    measure=ModelMetric(
        "inertia",
        "Spread left within clusters (share of all)",
        False,
        "one centre, the mean",
        one_centre,
    ),
    plan=plan,
    learn=learn,
    judge=judge,
    uses_labels=False,
)
