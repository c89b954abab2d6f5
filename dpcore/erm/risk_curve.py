"""From noisy counts of scores by class to a curve that turns scores into risks.

All of it is post-processing of what was released with noise (`dpcore.erm.recalibration`).

Platt (1999) fits logit P(y = 1 | s) = a + b s. Here the curve is s + a + b z + Σ cⱼ (z - zⱼ)₊, with
z the standardised score and a bend cⱼ at each inner knot: a straight line in log odds where noise
hides more, and as many bends as the counts can show. Normal priors hold a, b and c around 0, where
the model's own log odds stay as they are; the sum of many small bends is Brownian, so that the
number of knots does not matter.

A knot's residual r = q t₁ - p t₀, of its counts t₁ and t₀ of positives and negatives at p = 1 - q,
has the variance N p q + σ² (p² + q²). The best linear estimating equations weigh it by the inverse
(Godambe 1960), which multiplies the knot's likelihood by ω = N p q/(N p q + σ² (p² + q²)): knots
without records count for nothing, however many there are. N is known with noise only; for ω it is
smoothed over neighbours and lowered by a standard deviation, so that noise alone weighs little.

The curve never falls: where it would, neighbouring knots are pooled (isotonic regression), so that
nobody with a larger score has a smaller risk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from dpcore.erm import logistic

Floats = NDArray[np.float64]

LEVEL, SLOPE, BEND = 0.5, 0.3, 0.5
"""Standard deviations of the priors: of the log odds at the mean score; of their change over one
standard deviation of the scores, as a share of the model's own (or as it is where that is below 1);
and of the change of their slope over one standard deviation. Fixed on Cardio, Heart and the
cohort."""
ROUNDS = 3
"""ω depends on p: the fit is repeated with the p of the last one."""
SMOOTHED = (0.25, 0.5, 0.25)


@dataclass(frozen=True, eq=False)
class RiskCurves:
    """Log odds (..., knots) as functions of scores, straight between knots and constant beyond."""

    knots: Floats
    log_odds: Floats

    def at(self, scores: NDArray[np.floating]) -> Floats:
        """Log odds of people by their scores, both (..., m); risks are their `expit`."""
        result = np.empty(np.shape(scores))
        for model in np.ndindex(self.knots.shape[:-1]):
            result[model] = np.interp(scores[model], self.knots[model], self.log_odds[model])
        return result


def curves(counts: Floats, knots: Floats, sigmas: Floats) -> RiskCurves:
    """The curves that noisy counts (..., 2, knots) of negatives and positives tell of."""
    places = knots.shape[-1]
    flat = knots.reshape(-1, places)
    negative, positive = np.moveaxis(counts.reshape(-1, 2, places), 1, 0)
    sigma = np.broadcast_to(sigmas, knots.shape[:-1]).reshape(-1, 1)
    fitted = _fitted(negative, positive, flat, sigma)
    return RiskCurves(knots, fitted.reshape(knots.shape))


def _fitted(negative: Floats, positive: Floats, knots: Floats, sigma: Floats) -> Floats:
    trials = np.maximum(negative + positive, 0.0)
    successes = np.clip(positive, 0.0, trials)
    weight = _lowered(negative + positive, sigma)
    design, precision = _design(knots, weight)
    share = np.ones_like(knots)
    eta = knots
    for _ in range(ROUNDS):
        spread = scipy.special.expit(eta) * scipy.special.expit(-eta)
        own, added = weight * spread, sigma**2 * (1.0 - 2.0 * spread)
        share = np.divide(own, own + added, out=np.zeros_like(own), where=own > 0.0)
        theta, _ = logistic.fit(design, knots, share * trials, share * successes, precision)
        eta = knots + (theta[:, None] @ design)[:, 0]
    sure = share * trials
    sure += 1e-6 * (1.0 + sure.sum(axis=1, keepdims=True))
    pooled = [
        scipy.optimize.isotonic_regression(row, weights=mass).x
        for row, mass in zip(eta, sure, strict=True)
    ]
    return np.array(pooled)


def _lowered(totals: Floats, sigma: Floats) -> Floats:
    """Numbers of records around each knot, smoothed and lowered by a standard deviation."""
    padded = np.pad(totals, ((0, 0), (1, 1)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, len(SMOOTHED), axis=1)
    deviation = math.sqrt(2.0) * math.hypot(*SMOOTHED) * sigma
    return np.asarray(np.maximum(windows @ np.array(SMOOTHED) - deviation, 0.0))


def _design(knots: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Xᵀ (models, knots, knots): level, slope and bends at each knot; and the prior's precision."""
    total = np.maximum(weight.sum(axis=1, keepdims=True), 1e-9)
    middle = (weight * knots).sum(axis=1, keepdims=True) / total
    variance = (weight * (knots - middle) ** 2).sum(axis=1, keepdims=True) / total
    # Scores that all lie at one knot, or nowhere, have no width of their own.
    width = np.maximum(np.sqrt(variance), 2.0 * np.diff(knots).min(axis=1, keepdims=True))
    standard = (knots - middle) / width
    bends = np.maximum(standard[:, None] - standard[:, 1:-1, None], 0.0)
    # A bend alone changes neither the level nor the slope that the records see.
    for line in (np.ones_like(standard), standard):
        shadow = (bends @ (weight * line)[:, :, None])[:, :, 0]
        squares = np.maximum((weight * line**2).sum(axis=1, keepdims=True), 1e-9)
        bends -= (shadow / squares)[:, :, None] * line[:, None]
    design = np.concatenate([np.ones_like(standard)[:, None], standard[:, None], bends], axis=1)
    gaps = np.diff(standard, axis=1)
    deviations = np.concatenate(
        [
            np.full_like(width, LEVEL),
            SLOPE * np.maximum(width, 1.0),
            BEND * np.sqrt(0.5 * (gaps[:, 1:] + gaps[:, :-1])),
        ],
        axis=1,
    )
    return design, (deviations**-2.0)[:, :, None] * np.eye(knots.shape[1])
