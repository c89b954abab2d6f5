"""Right risks from a private linear model: counts of its scores by class, with Gaussian noise.

A model w that was trained with noise is released, and so public. Its score s = wᵀx of each training
record falls between two of `KNOTS` knots, which depend on w and d alone (`knots`). The record adds
(1 - u, u) to the two knots' cells in the row of its class, u being where s lies between them, so
that Σ of a row is a count and Σ of cells times knots is the sum of scores. The 2 · `KNOTS` sums are
released with noise N(0, σ²) each; `dpcore.erm.recalibration` makes a curve of risks of them, which
is post-processing.

Sensitivity, exact and attained. What a record adds is v ≥ 0 with ‖v‖₂ ≤ ‖v‖₁ = 1, and nothing where
it is blank; scores beyond the outer knots count as these. Zero-out: ‖v‖ ≤ 1, attained at a knot.
Replace-one: ‖v - v'‖² = ‖v‖² + ‖v'‖² - 2 vᵀv' ≤ 2, attained at two knots, or at one by the two
classes. u is a multiple of 2⁻²⁰, so that every sum is exact in double precision and rounding adds
nothing.

Composition. The training is μ₁-Gaussian DP and, whatever it released, the counts are μ₂-Gaussian DP
with μ₂ = Δ/σ: together they are √(μ₁² + μ₂²)-Gaussian DP (Dong, Roth, Su 2022, Corollary 2, which
allows the second to depend on the first), exactly. So the requested (ε, δ) with its μ² is divided:
`share_for` for the counts, the rest for the training. That the training records are used twice is
what the composition counts; it is no condition of it.

From noisy counts of scores by class to a curve that turns scores into risks.

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
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy import special

from dpcore.erm.method import Calibration, Training
from dpcore.errors import InvalidInput, reject, whole
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, Guarantee, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_epsilon, analytic_mu
from dpcore.words import as_set

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
        theta, _ = fit(design, knots, share * trials, share * successes, precision)
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


Array = NDArray[np.float64]

MAX_STEPS = 100
LONGEST_STEP = 5.0
"""Most that one Newton step moves any log odds: far from the minimum its length is no guide."""
CONVERGED = 1e-8
"""The last step moves log odds by less; the error that is left is of the order of its square."""
MIN_SHARE = 2.0**-30
"""Smallest share of a Newton step that is tried."""
LEVELLING = 1e-12
"""Relative addition to the diagonal of Hessians, so that none is singular to rounding."""


def fit(
    design: Array, offset: Array, trials: Array, successes: Array, precision: Array
) -> tuple[Array, NDArray[np.bool_]]:
    """The θ that minimises Σⱼ (Nⱼ softplus(ηⱼ) - tⱼ ηⱼ) + ½ θᵀPθ with η = offset + Xθ.

    For k data sets: Xᵀ (k, q, m), N and t (k, m), P positive semidefinite (k, q, q). Gives θ (k, q)
    and where the steps came to an end (k,); elsewhere there may be no minimum.
    """
    sets, columns, _ = design.shape
    theta = np.zeros((sets, columns))
    eta = offset.copy()
    objective = _objective(eta, theta, trials, successes, precision)
    done = np.zeros(sets, dtype=bool)
    diagonal = np.arange(columns)
    for _ in range(MAX_STEPS):
        risks = special.expit(eta)
        gradient = (design @ (trials * risks - successes)[:, :, None])[:, :, 0]
        gradient += np.einsum("kqr,kr->kq", precision, theta)
        curvature = (trials * risks * (1.0 - risks))[:, None] * design
        hessian = curvature @ design.transpose(0, 2, 1) + precision
        level = hessian[:, diagonal, diagonal].max(axis=1) * LEVELLING + np.finfo(float).tiny
        hessian[:, diagonal, diagonal] += level[:, None]
        step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        move = (step[:, None] @ design)[:, 0]
        longest = np.abs(move).max(axis=1)
        done |= longest < CONVERGED
        if done.all():
            return theta + step, done  # near the minimum a Newton step squares the error
        slope = np.einsum("kq,kq->k", gradient, step)
        share = np.where(done, 0.0, np.minimum(1.0, LONGEST_STEP / np.maximum(longest, 1e-300)))
        while True:
            tried = theta + share[:, None] * step
            tried_eta = eta + share[:, None] * move
            value = _objective(tried_eta, tried, trials, successes, precision)
            rounding = 1e-14 * (1.0 + np.abs(objective)) * (share > 0.0)
            worse = value > objective + 1e-4 * share * slope + rounding
            if not worse.any():
                break
            share = np.where(worse, 0.5 * share, share)
            share[share < MIN_SHARE] = 0.0
        theta, eta, objective = tried, tried_eta, value
    return theta, done


def _objective(
    eta: Array, theta: Array, trials: Array, successes: Array, precision: Array
) -> Array:
    penalty = 0.5 * np.einsum("kq,kqr,kr->k", theta, precision, theta)
    softplus = np.log1p(np.exp(-np.abs(eta))) + np.maximum(eta, 0.0)
    return np.asarray((trials * softplus - successes * eta).sum(axis=1) + penalty)


Floats = NDArray[np.float64]

KNOTS = 32
GRID = 2.0**20
MAX_SHARE = 0.05
"""Largest share of the budget's μ² for the counts; the training's σ then grows by 2.6 %."""
FINE = 1_500
"""The share is smaller where a smaller one already brings the noise on a count to n/`FINE`."""
LARGEST = 1e100
"""Largest weight of a model; the square of one that is much larger overflows."""
ROUNDING = 1e-9
"""Relative share of μ that is left for rounding."""
COUNT_STREAM = 0x436E7473
"""Any number but those of other streams (`noise_generator`)."""


@dataclass(frozen=True)
class Recalibration:
    """Everything decided before the counts are drawn, for one training for `training_budget`."""

    training: Calibration
    # the total (ε, δ), of training and counts together
    requested: PrivacyBudget
    # Δ of the counts, and the σ of the noise on each, in records
    sensitivity: float
    sigma: float
    # of both together, rounded up, under the training's adjacency
    gaussian_mu: float
    proof: Guarantee

    @property
    def alone(self) -> Guarantee:
        """What the counts alone cost, at the requested δ; the training costs the rest."""
        delta, adjacency = self.requested.delta, self.proof.adjacency
        epsilon = analytic_epsilon(self.sigma, delta, self.sensitivity)
        return Guarantee(epsilon, delta, adjacency, "one Gaussian release of the counts")


def share_for(budget: PrivacyBudget, records: int) -> float:
    """The share of μ² that the counts get: a fixed rule in n, ε and δ.

    So much that the noise on a count is n/1,500 (zero-out), and 5 % at most. A δ below
    `SMALLEST_DELTA` or an n below 2 is refused.
    """
    if budget.delta < SMALLEST_DELTA:
        raise reject("delta", budget.delta, f"at least {as_set(SMALLEST_DELTA)}")
    known = whole("number of records", records, at_least=2)
    noise = FINE / (known * float(analytic_mu(budget.epsilon, budget.delta)))
    return min(MAX_SHARE, noise**2)


def training_budget(requested: PrivacyBudget, records: int) -> PrivacyBudget:
    """The (ε, δ) of the requested total that the training may spend, to leave the counts some."""
    rest = math.sqrt(1.0 - share_for(requested, records)) * (1.0 - ROUNDING)
    mu = float(analytic_mu(requested.epsilon, requested.delta)) * rest
    epsilon = float(analytic_epsilon(1.0 / mu, requested.delta)) * (1.0 - ROUNDING)
    if epsilon <= 0.0:
        raise reject(
            "epsilon",
            requested.epsilon,
            f"larger, as δ = {as_set(requested.delta)} alone covers less",
        )
    return PrivacyBudget(min(epsilon, requested.epsilon), requested.delta)


@lru_cache(maxsize=256)  # splits of one size share it
def recalibrate(training: Calibration, requested: PrivacyBudget) -> Recalibration:
    """The noise of the counts for a calibrated training. Pure; sees public values only.

    A training is refused that is not for two classes, is not proved by one Gaussian's curve, or
    leaves nothing of the requested total.
    """
    problem = training.problem
    if problem.classes != 2 or problem.function.residual:
        predicted = "a number" if problem.function.residual else f"{problem.classes} classes"
        raise reject("what the model predicts", predicted, "two classes, whose risks are corrected")
    mu = training.gaussian_mu
    if mu is None or training.proof.epsilon is None:
        reason = f": {training.proof.reason}" if training.proof.reason else "."
        raise InvalidInput(
            f"method is {training.method!r}, but it must be proved by the curve of one Gaussian, "
            f"as DP-GD is, for its risks to be corrected within the same ε{reason}"
        )
    share = share_for(requested, problem.records)
    total = float(analytic_mu(requested.epsilon, requested.delta))
    left = max(0.0, (total - mu) * (total + mu))
    counted = min(math.sqrt(share) * total, math.sqrt(left)) * (1.0 - ROUNDING)
    both = math.hypot(mu, counted) * (1.0 + 1e-15)
    if counted == 0.0 or both > total:
        raise reject(
            "ε of the training",
            training.requested.epsilon,
            f"below the total ε = {as_set(requested.epsilon)}, of which the correction takes its "
            "share",
        )
    sensitivity = math.sqrt(2.0) if problem.adjacency is Adjacency.REPLACE_ONE else 1.0
    by = f"{training.proof.by}; and one Gaussian release of counts, composed exactly (Gaussian DP)"
    return Recalibration(
        training,
        requested,
        sensitivity,
        sensitivity / counted * (1.0 + 1e-15),
        both,
        Guarantee(requested.epsilon, requested.delta, problem.adjacency, by),
    )


def knots(model: NDArray[np.floating]) -> Floats:
    """Where scores of a released model are counted: `KNOTS` values from -‖w‖ to ‖w‖, ascending.

    No score is larger, as ‖x‖ ≤ 1. Scores mostly lie within ‖w‖/√d or so, around which the knots
    are densest: there evenly, further out as logarithms.
    """
    length = float(np.linalg.norm(model)) or 1.0
    reach = math.sqrt(len(model))
    return length / reach * np.sinh(np.linspace(-1.0, 1.0, KNOTS) * math.asinh(reach))


def noisy_counts(
    training: Training, plans: Sequence[Recalibration], models: NDArray[np.floating]
) -> Floats:
    """Counts of scores by class, with their noise: all that is learned from the records.

    Shape (calibrations, runs, 2, KNOTS): of the negatives, then of the positives. Plans, models
    (calibrations, runs, d) and records that are not those of the training are refused.
    """
    training.check()
    expected = (len(training.calibrations), training.runs, training.problem.dimension)
    if [plan.training for plan in plans] != list(training.calibrations):
        raise InvalidInput("plans hold another training, but must be made for this one.")
    if np.shape(models) != expected:
        raise reject("shape of the models", np.shape(models), f"{expected}, as trained")
    if not np.max(np.abs(models)) <= LARGEST:
        raise InvalidInput(
            f"models hold a weight beyond {as_set(LARGEST)}, but none must be so large."
        )
    rows = training.problem.within(training.features)
    result = np.empty((*expected[:2], 2, KNOTS))
    for place, plan in enumerate(plans):
        for run in range(training.runs):
            # A generator each: of two models that are kept, neither has noise of the other's.
            noise = training.generator(run, COUNT_STREAM).standard_normal((2, KNOTS))
            exact = _counts(rows, training.labels, models[place, run])
            result[place, run] = exact + plan.sigma * noise
    return result


def _counts(
    rows: NDArray[np.floating], labels: NDArray[np.floating], model: NDArray[np.floating]
) -> Floats:
    """Each record's two shares of 1, added up by class and knot; blank records add nothing."""
    where = np.interp(rows @ model, knots(model), np.arange(KNOTS, dtype=np.float64))
    lower = np.minimum(where.astype(np.int64), KNOTS - 2)
    upper = np.floor((where - lower) * GRID) / GRID
    counted = labels != 0.0
    cell = (lower + KNOTS * (labels > 0.0))[counted]
    shares = upper[counted]
    lower_sums = np.bincount(cell, 1.0 - shares, 2 * KNOTS)
    upper_sums = np.bincount(cell + 1, shares, 2 * KNOTS)
    return np.asarray(lower_sums + upper_sums, dtype=np.float64).reshape(2, KNOTS)


def release(
    training: Training, plans: Sequence[Recalibration], models: NDArray[np.floating]
) -> RiskCurves:
    """Curves that turn the scores of released models into risks; for arguments `noisy_counts`.

    The curves of shape (calibrations, runs) and the models may leave the program together, at the
    ε of `Recalibration.proof` for each model.
    """
    counts = noisy_counts(training, plans, models)
    places = np.array([[knots(model) for model in runs] for runs in models])
    return curves(counts, places, np.array([[plan.sigma] for plan in plans]))
