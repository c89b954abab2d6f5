"""The exact minimiser of a convex problem, by damped Newton steps; no privacy here.

With λ = 0 and a radius, the constrained minimiser is the λ-regularised one whose norm is R
(the multiplier of ‖w‖ ≤ R), found by root finding over λ.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

from dpcore.erm.losses import Loss
from dpcore.erm.problem import Problem

Array = NDArray[np.floating]

GRADIENT_TOLERANCE = 1e-9
MOST_STEPS = 200
ROUNDING = 1e-14  # relative, of an objective's value


def minimise(problem: Problem, features: Array, labels: Array) -> Array:
    """Argmin F(w; D), over ‖w‖ ≤ R when λ = 0.

    Parameters
    ----------
    problem : Problem
        Its λ, loss and radius are used.
    features : (n, d) array
    labels : (n,) array of ±1

    Returns
    -------
    (d,) array
        With ‖∇F‖₂ ≤ 1e-9 in the unconstrained case.
    """
    signed = features * labels[:, None]
    loss = problem.function
    if problem.lam > 0.0:
        return _newton(loss, signed, problem.lam, np.zeros(signed.shape[1]))
    radius = problem.solution_radius

    def solution(log_lam: float) -> Array:
        return _newton(loss, signed, math.exp(log_lam), np.zeros(signed.shape[1]))

    def overshoot(log_lam: float) -> float:
        return float(np.linalg.norm(solution(log_lam)) - radius)

    low, high = math.log(1e-9), math.log(2.0 / radius)  # ‖w(λ)‖ ≤ L/λ, so at 2/R it lies inside
    if overshoot(low) <= 0.0:
        return solution(low)
    root = optimize.brentq(overshoot, low, high, xtol=1e-10)
    result = solution(root)
    return np.asarray(result * min(1.0, radius / float(np.linalg.norm(result))))


def ridge_path(loss: Loss, signed: Array, lams: list[float]) -> Array:
    """Minimisers for several λ, each warm-started from the one before.

    Parameters
    ----------
    loss : Loss
    signed : (n, d) array
        Rows yᵢxᵢ.
    lams : list of float
        Each above 0; descending order saves steps.

    Returns
    -------
    (len(lams), d) array
    """
    weights: Array = np.zeros(signed.shape[1])
    path = []
    for lam in lams:
        weights = _newton(loss, signed, lam, weights)
        path.append(weights)
    return np.array(path)


def _newton(loss: Loss, signed: Array, lam: float, weights: Array) -> Array:
    records = len(signed)

    def objective(at: Array) -> float:
        return float(loss.value(signed @ at).mean() + 0.5 * lam * at @ at)

    value = objective(weights)
    for _ in range(MOST_STEPS):
        margins = signed @ weights
        gradient = signed.T @ loss.slope(margins) / records + lam * weights
        if np.linalg.norm(gradient) <= GRADIENT_TOLERANCE:
            break
        bend = loss.bend(margins)
        active = np.flatnonzero(bend)  # the Huber loss bends only near its corner
        rows = signed if len(active) == records else signed[active]
        hessian = (rows * bend[active, None]).T @ rows / records
        hessian[np.diag_indices_from(hessian)] += lam
        step = linalg.solve(hessian, gradient, assume_a="pos")
        decrease = float(gradient @ step)
        length = 1.0
        while length > 1e-10:
            trial = weights - length * step
            trial_value = objective(trial)
            # The last decreases are below what the objective can resolve.
            if trial_value <= value - 1e-4 * length * decrease + ROUNDING * abs(value):
                break
            length *= 0.5
        else:
            break  # no decrease representable: at the minimiser to rounding
        weights, value = trial, trial_value
    return weights
