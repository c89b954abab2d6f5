"""Naive Bayes from noisy counts and sums (Vaidya, Shafiq, Basu and Hong 2013; survey [26]).

For each class the release holds, with Gaussian noise and all at once: its count, for every category
the counts of its levels, and for every number x ∈ [-1, 1] the sums of T₁(x) = x and
T₂(x) = 2x² - 1, Chebyshev's polynomials. Predictions are computed from these alone.

Sensitivity. With q categories and p numbers a record adds a vector v to its class's block and
nothing to the other. On [-1, 1], T₁² + T₂² ≤ 2, so ‖v‖² ≤ 1 + q + 2p: blanked out,
Δ² = 1 + q + 2p, attained at |x| = 1. Replaced by one of the other class the blocks are disjoint:
2(1 + q + 2p). Replaced within a class the count stays, a category moves by at most √2, and a number
by (x - x′)²(1 + 4(x + x′)²), which on |x + x′| + |x - x′| ≤ 2 is largest at
|x - x′| = (3 - √½)/2, |x + x′| = 2 - |x - x′|, where it is 5.1446…: 2q + 5.1446… p.
"""

from __future__ import annotations

import math

import numpy as np

from dpcore.guarantee import Adjacency, Edition, PrivacyBudget, Standing, Status
from dpcore.models.model import (
    Array,
    Model,
    ModelTraining,
    NoisePlan,
    gaussian_noise,
    judged_by,
    linear_scores,
    rounded_up,
)
from dpcore.models.records import Records, RecordShape

_WORST_DISTANCE = (3.0 - math.sqrt(0.5)) / 2.0
FURTHEST = _WORST_DISTANCE**2 * (1.0 + 4.0 * (2.0 - _WORST_DISTANCE) ** 2)
"""The largest (x - x′)² + 4(x² - x′²)² on [-1, 1]."""
SPREAD = 0.3
"""Assumed distance of class means, with half the range as 1; not taken from the data."""
MIN_VARIANCE = 0.02**2


def sensitivity(shape: RecordShape, adjacency: Adjacency) -> float:
    """Δ of all counts and sums together, as the module docstring derives it; rounded up."""
    numbers, categories = shape.numbers, len(shape.levels)
    square = 1.0 + categories + 2.0 * numbers
    if adjacency is Adjacency.REPLACE_ONE:
        square = max(2.0 * square, 2.0 * categories + FURTHEST * numbers)
    return rounded_up(math.sqrt(square))


def plan(shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency) -> NoisePlan:
    return NoisePlan([gaussian_noise("counts and sums", sensitivity(shape, adjacency), budget)])


def features(records: Records) -> Array:
    """A record's terms in its class's block: 1, T₁ and T₂ of the numbers, levels; (n, f)."""
    shape, x = records.shape, records.numbers
    places = np.cumsum((0, *shape.levels))[:-1] + records.categories
    levels = np.zeros((len(records), sum(shape.levels)))
    np.put_along_axis(levels, places, 1.0, axis=1)
    return np.hstack([np.ones((len(records), 1)), x, 2.0 * x * x - 1.0, levels])


def sums(records: Records) -> Array:
    """The sums over each class without noise, shape (2, f). A blank record is in none."""
    rows = features(records)
    return np.stack([rows[records.labels == label].sum(axis=0) for label in (0, 1)])


def learn(training: ModelTraining) -> Array:
    """Weights of the log-odds on `features`, (k, runs, f); a run's noise is shared by all ε."""
    training.progress(0.1, "counting")
    weights = log_odds(noisy_sums(training), training.scales[:, None], training.train.shape)
    training.progress(1.0, "learned")
    return weights


def noisy_sums(training: ModelTraining) -> Array:
    """The release itself, shape (k, runs, 2, f); the rest is computed from it."""
    exact = sums(training.train)
    draws = np.stack([draw.standard_normal(exact.shape) for draw in training.generators])
    return np.asarray(exact + training.scales[:, None, None, None] * draws)


def log_odds(noisy: Array, sigma: Array, shape: RecordShape) -> Array:
    """From noisy sums (…, 2, f) to the weights of the log-odds (…, f); only post-processing."""
    p, s = shape.numbers, np.asarray(sigma)[..., None, None]
    count = np.maximum(noisy[..., :1], np.maximum(1.0, s))
    share = count / count.sum(axis=-2, keepdims=True)
    first = np.clip(noisy[..., 1 : 1 + p] / count, -1.0, 1.0)
    second = np.clip((noisy[..., 1 + p : 1 + 2 * p] / count + 1.0) / 2.0, 0.0, 1.0)
    blur = (s / count) ** 2  # variance of the noise of a mean
    grand_mean = (share * first).sum(axis=-2, keepdims=True)
    mean = grand_mean + (first - grand_mean) * SPREAD**2 / (SPREAD**2 + blur)
    # A variance is at least as large as its noise would hide.
    variances = np.maximum(second - first**2, MIN_VARIANCE)
    variances = variances + np.sqrt(blur * (0.25 + 4.0 * first**2))
    pooled = (share * variances).sum(axis=-2, keepdims=True)
    variance = pooled + (variances - pooled) * SPREAD**4 / (SPREAD**4 + blur)
    variance = variance + SPREAD**2 * blur / (SPREAD**2 + blur)
    # (x - m)²/2v in terms of T₁ and T₂, with x² = (T₂ + 1)/2.
    constant = -0.5 * np.log(variance) - (mean**2 + 0.5) / (2.0 * variance)
    parts = [np.log(share) + constant.sum(axis=-1, keepdims=True)]
    parts += [mean / variance, -0.25 / variance]
    start = 1 + 2 * p
    for levels in shape.levels:
        counts = np.maximum(noisy[..., start : start + levels], 0.0) + 1.0 + s
        parts.append(np.log(counts / counts.sum(axis=-1, keepdims=True)))
        start += levels
    weights = np.concatenate(parts, axis=-1)
    return np.asarray(weights[..., 1, :] - weights[..., 0, :])


def scores(learned: Array, records: Records) -> Array:
    """The score of each record, (k, runs, n)."""
    return linear_scores(features(records), learned)


MODEL = Model(
    key="naive-bayes",
    title="Naive Bayes",
    system="DP naive Bayes, Vaidya et al. [26] (survey III-A-1)",
    paper="Vaidya, Shafiq, Basu and Hong 2013",
    words="naive Bayes",
    idea="Count every value within each class, blur the counts, and multiply the odds they give.",
    editions={
        Edition.SOUND: Standing(
            claim=(
                "(ε, 0) by Laplace noise on each count, mean and standard deviation, from public "
                "bounds."
            ),
            proof=(
                "(ε, δ) by one Gaussian mechanism on all counts and sums together. Bounds are "
                "public and both classes are always there, so neither a range nor an empty cell "
                "shows through."
            ),
            status=Status.PROVED,
        ),
    },
    plan=plan,
    learn=learn,
    judge=judged_by(scores),
    scores=scores,
    limits=(
        "Columns are taken to be independent within a class, which costs accuracy without "
        "any noise too.",
    ),
)
