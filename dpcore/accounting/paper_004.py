"""Paper 004 (Xiang et al.): the accounting of equations (8) to (12) as printed, and checked.

Printed: noise with Σ Δ_i²/σ_i² ≤ τ = 2ε + (2/λ) ln δ makes one step (ε, δ)-private. The moment of
the privacy loss c ~ N(S/2, S) is exp(λS/2 + λ²S/2); the paper leaves out the second term, so its
noise is too small. The true guarantee is known exactly: S is the square of a Gaussian mechanism's
μ, whatever the direction of Δ, when every σ_i is the same.
"""

from __future__ import annotations

import math
from typing import Any

from dpcore.errors import number, whole
from dpcore.guarantee import Condition
from dpcore.mechanisms.gaussian import analytic_delta
from dpcore.words import as_set, plain

LARGEST_COMPOSED = 0.9
"""ε up to which equation (12) follows from the cited composition theorem."""

FLOOR = 1e-6
"""Least |w_i| over the largest: at w_i = 0, which the paper does not treat, noise is infinite."""

MIN = FLOOR ** (1.0 / 3.0)
"""No σ_i is below this multiple of α/√τ, whatever w is; see `shares`."""


def shares(weights: Any) -> Any:
    """σ_i over α/√τ where the paper's Δ_i is read as α/√d: √(mean_j |w_j|^⅔) |w_i|^(-⅓).

    Least Σ |w_i| σ_i under Σ (α²/d)/σ_i² = τ: by Lagrange |w_i| = 2μ(α²/d)/σ_i³, so that
    σ_i = κ|w_i|^(-⅓), and the constraint gives κ² = (α²/τ) mean_j |w_j|^⅔. A record may put all of
    α on one coordinate, so S reaches α²/min σ_i²: more than τ unless all |w_i| are equal.
    """
    largest = weights.max()
    if not largest > 0.0:
        return weights * 0.0 + 1.0
    raised = (weights / largest).clip(FLOOR)
    return (raised ** (2.0 / 3.0)).mean() ** 0.5 * raised ** (-1.0 / 3.0)


def a_step(epsilon: float, delta: float, rate: float, steps: int) -> tuple[float, float]:
    """(ε^t, δ^t) that equation (12) allots to each of `steps` steps at sampling rate q."""
    whole("steps", steps, at_least=1)
    share = 16.0 * rate**2 * steps * math.log(math.e + epsilon / delta)
    return epsilon / math.sqrt(share), delta / (2.0 * steps)


def bound(epsilon: float, delta: float, order: float | None = None) -> float:
    """τ = 2ε + (2/λ) ln δ of equation (9), for λ = `order`; ``None`` for λ → ∞."""
    if order is None:
        return 2.0 * epsilon
    return 2.0 * epsilon + 2.0 * math.log(delta) / number("λ", order, above=0.0)


def noise(tau: float, lot: int, *, clip: float = 1.0, noise_on_mean: bool = False) -> float | None:
    """σ = α/√τ on the sum of a lot, times `lot` where it is meant for the mean; None if τ ≤ 0."""
    return clip / math.sqrt(tau) * (lot if noise_on_mean else 1) if tau > 0.0 else None


def claimed(
    sigma: float,
    delta: float,
    records: int,
    lot: int,
    steps: int,
    *,
    clip: float = 1.0,
    order: float | None = None,
    noise_on_mean: bool = False,
) -> float:
    """The total ε for which equations (9) and (12) require this σ on the sum."""
    sigma = number("σ", sigma, above=0.0)
    step_delta = a_step(1.0, delta, lot / records, steps)[1]
    tau = (clip * (lot if noise_on_mean else 1) / sigma) ** 2
    # Equation (9): add back what λ takes away from τ.
    step = 0.5 * (tau - bound(0.0, step_delta, order))
    # ε = ε^t √(16 q² k ln(e + ε/δ)) increases in ε; above its value at 0 it contracts by 1/2.
    factor = step * 4.0 * lot / records * math.sqrt(steps)
    epsilon = factor
    for _ in range(60):
        epsilon = factor * math.sqrt(math.log(math.e + epsilon / delta))
    return epsilon


def conditions(epsilon: float, step: tuple[float, float], shift: float) -> tuple[Condition, ...]:
    """The conditions of the printed proof, for one record that moves the sum by `shift` times σ."""
    step_epsilon, step_delta = step
    # Without sampling, by the exact Gaussian profile.
    true = analytic_delta(step_epsilon, 1.0 / shift, 1.0)
    return (
        Condition(
            f"one step is (ε^t, δ^t)-private (ε^t = {plain(step_epsilon)}, δ^t = "
            f"{plain(step_delta)})",
            true <= step_delta,
            "The moment bound of equation (9) leaves out λ²S/2: at ε^t = "
            f"{plain(step_epsilon)} this noise has δ = {plain(true)}, not {plain(step_delta)}.",
        ),
        Condition(
            f"ε ≤ {as_set(LARGEST_COMPOSED)} (ε = {as_set(epsilon)})",
            epsilon <= LARGEST_COMPOSED,
            "Equation (12) is a simplified composition theorem for ε up to "
            f"{as_set(LARGEST_COMPOSED)}.",
        ),
    )
