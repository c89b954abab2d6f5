"""The privacy of a random linear term in the objective, and the noise that it takes.

The release is an approximate minimiser of J(w) = Σᵢ ℓᵢ(w) + (Λ/2)‖w‖² + bᵀw plus a little
output noise. The privacy of both together follows, in sums rather than means; first for losses of
the margin, whose slope has one sign.

Gaussian b ~ N(0, σ² I). The exact minimiser is a smooth one-to-one image of b, so its privacy loss
is that of b and a ratio of determinants. One record adds a matrix of rank one and size at most β
(‖x‖ ≤ 1) to a Hessian of at least Λ I: |ln ratio| ≤ c = ln(1 + β/Λ), for a record blanked out as
for one replaced by another. The rest, (‖b + g‖² - ‖b‖²)/(2σ²) with g = s x and s in [-1, 0], is
convex in s and so at most its larger end: 0, or the loss of a Gaussian of μ = 1/σ. Hence for every
x, δ(x) ≤ δ_G(x - c; 1/σ) + (1 - e^{x-c})₊. Replacing moves two slopes, with four corners: 0, two
single ones and one of ‖g‖ ≤ 2, so δ(x) ≤ 2 δ_G(x - c; 1/σ) + δ_G(x - c; 2/σ) + (1 - e^{x-c})₊.

Losses of the residual have slopes s in [-1, 1]. The larger end is then one of two Gaussian ones, so
δ(x) ≤ 2 δ_G(x - c; 1/σ); replacing has four corners, all of ‖g‖ ≤ 2: δ(x) ≤ 4 δ_G(x - c; 2/σ).

Of several classes each of the K problems has a tilt of its own, so losses add up: K c for the
determinants, and in every corner of all slopes together one Gaussian, whose μ² is the sum of its
classes'. Hence δ(x) is at most the sum of δ_G(x - Kc; μ) over all corners of all classes.

A solver stops at ‖∇J‖ ≤ τ, by Λ-strong convexity within τ/Λ of the exact minimiser. Given that
minimiser, the release is a Gaussian of standard deviation s around a point that a record moves
by at most 2τ/Λ: one more mechanism, of μ₂ = 2τ/(Λs). Averaging over its privacy loss turns
each δ_G(·; μ) into δ_G(·; √(μ² + K μ₂²)), and the corner 0's (1 - e^{Kc-x})₊ into one of them.

Where the loss's second derivative jumps (Huber, squared), gradients are Lipschitz and one-to-one,
and the change of variables holds up to a null set.

Source: Chaudhuri, Monteleoni and Sarwate 2011; Kifer, Smith and Thakurta 2012; Redberg, Koskela and
Wang 2023 (arXiv 2401.00583); Iyengar et al. 2019. The bounds above are derived here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.method import Calibration, Settings, data_conditions
from dpcore.erm.problem import Problem
from dpcore.guarantee import (
    Adjacency,
    Condition,
    Edition,
    Guarantee,
    proved_under,
    verdict,
)
from dpcore.mechanisms.gaussian import analytic_delta, analytic_sigma
from dpcore.words import as_set

Array = NDArray[np.float64]

TOLERANCE = 1e-4
"""τ: the norm at which the gradient of the summed objective counts as zero."""

SLACK = 1.0 / 20.0
"""μ₂ as a share of 1/σ: the output noise is then of little weight in the budget."""

HALVINGS = 100


@dataclass(frozen=True)
class ObjectiveNoise:
    """The noise of an objective perturbation."""

    # of b, in the units of a sum of gradients: a standard deviation, or vector Laplace's scale
    scale: float
    # Λ, of the sum
    ridge: float
    # scale of the noise on the weights, of the same kind as b; 0 for none
    output: float


@dataclass(frozen=True)
class ObjectiveRule:
    """The parts in which kinds of objective perturbation differ."""

    # (problem, ε, δ) -> the noise as in print, and as proved here
    printed: Callable[[Problem, float, float], ObjectiveNoise]
    sound: Callable[[Problem, float, float], ObjectiveNoise]
    # d -> standard deviation of a coordinate of b at scale 1
    deviation: Callable[[int], float]
    # whether δ = 0
    pure: bool
    claim_by: str
    claim_adjacency: Adjacency
    proof_by: str


def calibrate(rule: ObjectiveRule, draft: Calibration, settings: Settings) -> Calibration:
    """The draft with the noise of one rule. Pure; sees public values only."""
    problem, budget, printed = draft.problem, draft.requested, draft.edition is Edition.PUBLISHED
    noise = (rule.printed if printed else rule.sound)(problem, budget.epsilon, budget.delta)
    conditions = (*data_conditions(problem), *((exact_minimiser(),) if printed else ()))
    by = rule.claim_by if printed else rule.proof_by
    proof = proved_under(conditions, budget, problem.adjacency, by, pure=rule.pure)
    claim = Guarantee(
        budget.epsilon, 0.0 if rule.pure else budget.delta, rule.claim_adjacency, rule.claim_by
    )
    return replace(
        draft,
        query="the sum of the gradients, once for the whole training",
        sensitivity=problem.gradient_change,
        sigma=noise.scale * rule.deviation(problem.dimension),
        model_noise=noise.scale,
        conditions=conditions,
        claim=claim if printed else draft.claim,
        proof=proof,
        certified=proof,
        status=verdict(proof),
        ridge=noise.ridge,
        output_noise=noise.output,
    )


def exact_minimiser() -> Condition:
    """The condition of theorems about minimisers that no solver meets."""
    return Condition(
        f"what is released is the exact minimiser (a solver stops at ‖∇J‖ ≤ {as_set(TOLERANCE)})",
        False,
        "The theorem speaks of the exact minimiser; a solver stops near it, and the noise does "
        "not cover the difference.",
    )


def bend(problem: Problem, ridge: float) -> float:
    """The bound c = ln(1 + β/Λ) on a record's change of the log-determinant, rounded up."""
    return math.nextafter(math.log1p(problem.function.curvature / ridge), math.inf) * (1 + 1e-15)


def gaussian_delta(
    problem: Problem, epsilon: float, noise: ObjectiveNoise, tolerance: float
) -> float:
    """An upper bound on δ at ε for Gaussian noise on objective and output (module docstring).

    Parameters
    ----------
    problem : Problem
        Its loss and adjacency: replace-one or zero-out.
    tolerance : float
        τ; 0 for an exact minimiser, which needs no output noise.

    Returns
    -------
    float
        1 where ε ≤ c: nothing is proved there.
    """
    remainder = (epsilon - problem.parts * bend(problem, noise.ridge)) * (1.0 - 1e-15)
    if remainder <= 0.0:
        return 1.0
    slack = 0.0 if tolerance == 0.0 else 2.0 * tolerance / (noise.ridge * noise.output)
    squares, counts = corners(problem.function.residual, problem.adjacency, problem.parts)
    mu = np.sqrt(squares / noise.scale**2 + problem.parts * slack**2) * (1.0 + 1e-15)
    counts, mu = counts[mu > 0.0], mu[mu > 0.0]
    with np.errstate(divide="ignore"):  # the logarithm of a δ that is 0
        log_terms = counts + np.log(analytic_delta(remainder, 1.0 / mu * (1.0 - 4e-16)))
    # The logarithms of the corner counts are rounded, too.
    return min(1.0, float(np.exp(np.minimum(log_terms, 0.0)).sum()) * (1.0 + 1e-12))


@cache
def corners(residual: bool, adjacency: Adjacency, parts: int) -> tuple[Array, Array]:
    """Squared lengths, ascending, of the shifts of b at the ends of all slopes; ln of their counts.

    A `residual` has slopes of either sign; `parts` problems with the record have a tilt each.
    """
    replaced = adjacency is Adjacency.REPLACE_ONE
    if residual:
        single = {4: 4} if replaced else {1: 2}
    else:
        single = {0: 1, 1: 2, 4: 1} if replaced else {0: 1, 1: 1}
    combined = {0: 1}
    for _ in range(parts):
        longer: dict[int, int] = {}
        for square, count in combined.items():
            for added, times in single.items():
                longer[square + added] = longer.get(square + added, 0) + count * times
        combined = longer
    squares = sorted(combined)
    return np.array(squares, dtype=float), np.array(
        [math.log(combined[square]) for square in squares]
    )


def gaussian_noise(problem: Problem, epsilon: float, delta: float) -> ObjectiveNoise:
    """The least noise within (ε, δ) under the fixed rule for Λ, to a billionth and never less.

    Λ = max(nλ, β/(e^{ε/2} - 1), √d σ/r): the problem's own ridge; the one that leaves half of ε to
    the Gaussian; the one that keeps the minimiser within the loss's reach r. It depends on n, d, ε
    and δ only. Of K classes each leaves half of its K-th of ε.
    """

    def at(sigma: float) -> ObjectiveNoise:
        ridge = least_ridge(problem, epsilon / problem.parts, math.sqrt(problem.dimension) * sigma)
        return ObjectiveNoise(sigma, ridge, 2.0 * TOLERANCE * sigma / (ridge * SLACK))

    def enough(sigma: float) -> bool:
        return gaussian_delta(problem, epsilon, at(sigma), TOLERANCE) <= delta

    low = float(analytic_sigma(epsilon, delta))
    high = 2.0 * low
    while not enough(high):
        low, high = high, 2.0 * high
    for _ in range(HALVINGS):
        middle = math.sqrt(low * high)
        if high <= low * (1.0 + 1e-9):
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return at(high)


def pure_noise(problem: Problem, epsilon: float) -> ObjectiveNoise:
    """Vector-Laplace noise for (ε, 0): ε = c + change/scale + 2τ/(Λ·output).

    The density of b is e^{-‖b‖/scale}; a record moves b by 1 (zero-out) or 2 (replace-one), the
    minimiser's image of it as above. The output takes a hundredth of ε.
    """
    change, output_share = problem.gradient_change, epsilon / 100.0

    def scale(ridge: float) -> float:
        left = (epsilon - output_share - bend(problem, ridge)) * (1.0 - 1e-14)
        return math.nextafter(change / left, math.inf)

    # E‖b‖ = d·scale. The scale falls as Λ grows, so the first Λ that is large enough is the rule's.
    ridge = least_ridge(problem, epsilon, 0.0)
    ridge = least_ridge(problem, epsilon, problem.dimension * scale(ridge))
    return ObjectiveNoise(
        scale(ridge), ridge, math.nextafter(2.0 * TOLERANCE / (ridge * output_share), math.inf)
    )


def least_ridge(problem: Problem, epsilon: float, expected_norm: float) -> float:
    """Λ by the rule of `gaussian_noise`; `expected_norm` is E‖b‖."""
    half = problem.function.curvature / math.expm1(epsilon / 2.0)
    return max(problem.records * problem.lam, half, expected_norm / problem.function.reach)
