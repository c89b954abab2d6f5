"""The exact minimiser of a convex problem, by damped Newton steps; no privacy here.

With λ = 0 and a radius, the constrained minimiser is the λ-regularised one whose norm is R
(the multiplier of ‖w‖ ≤ R), found by root finding over λ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from dpcore.erm.forms import Forms
from dpcore.erm.gradient import row_blocks
from dpcore.erm.losses import Loss
from dpcore.erm.problem import Problem

Array = NDArray[np.floating]

GRADIENT_TOLERANCE = 1e-9
MOST_STEPS = 200
ROUNDING = 1e-14  # relative, of an objective's value
START_RECORDS = 10_000  # the warm start is solved on this many


def minimise(problem: Problem, features: Array, labels: Array) -> Array:
    """Argmin F(w; D), over ‖w‖ ≤ R when λ = 0.

    Parameters
    ----------
    problem : Problem
        Its λ, loss and radius are used.
    features : (n, d) array
    labels : (n,) array

    Returns
    -------
    (d,) array
        With ‖∇F‖₂ ≤ 1e-9 in the unconstrained case.
    """
    forms = problem.forms(features, labels)
    loss = problem.function
    start: Array = np.zeros(features.shape[1])
    if problem.lam > 0.0:
        if len(forms) >= 2 * START_RECORDS:
            some = forms[:: len(forms) // START_RECORDS].contiguous(np.float64)
            start = _newton(loss, some, problem.lam, start)
        return _newton(loss, forms, problem.lam, start)
    radius = problem.solution_radius

    def solution(log_lam: float) -> Array:
        return _newton(loss, forms, math.exp(log_lam), start)

    def overshoot(log_lam: float) -> float:
        return float(np.linalg.norm(solution(log_lam)) - radius)

    low, high = math.log(1e-9), math.log(2.0 / radius)  # ‖w(λ)‖ ≤ L/λ, so at 2/R it lies inside
    if overshoot(low) <= 0.0:
        return solution(low)
    root = scipy.optimize.brentq(overshoot, low, high, xtol=1e-10)
    result = solution(root)
    return np.asarray(result * min(1.0, radius / float(np.linalg.norm(result))))


def ridge_path(
    loss: Loss, forms: Forms, lams: Sequence[float], start: Array | None = None
) -> Array:
    """Minimisers for several λ, each warm-started from the one before.

    Parameters
    ----------
    loss : Loss
    forms : Forms
        Of n records with d features.
    lams : sequence of float
        Each above 0; descending order saves steps.
    start : (d,) array, optional
        Start of the first search; 0 by default.

    Returns
    -------
    (len(lams), d) array
    """
    weights: Array = np.zeros(forms.rows.shape[1]) if start is None else start
    path = []
    for lam in lams:
        weights = _newton(loss, forms, lam, weights)
        path.append(weights)
    return np.array(path)


def _newton(loss: Loss, forms: Forms, lam: float, weights: Array) -> Array:
    blocks = row_blocks(forms)
    point = _look(loss, blocks, lam, weights)
    for _ in range(MOST_STEPS):
        if np.linalg.norm(point.gradient) <= GRADIENT_TOLERANCE:
            break
        step = np.linalg.solve(_hessian(loss, blocks, lam, point), point.gradient)
        decrease = float(point.gradient @ step)
        length = 1.0
        while length > 1e-10:
            trial = _look(loss, blocks, lam, point.weights - length * step)
            # The last decreases are below what the objective can resolve.
            allowed = point.value - 1e-4 * length * decrease + ROUNDING * abs(point.value)
            if trial.value <= allowed:
                break
            length *= 0.5
        else:
            break  # no decrease representable: at the minimiser to rounding
        point = trial
    return point.weights


@dataclass(frozen=True)
class _Point:
    """F and ∇F at some weights, and the margins of each block there."""

    weights: Array
    value: float
    gradient: Array
    margins: Sequence[Array]


def _look(loss: Loss, blocks: list[Forms], lam: float, weights: Array) -> _Point:
    value, gradient, margins = 0.0, np.zeros(len(weights)), []
    for block in blocks:
        at = block.at(weights)
        value += float(loss.value(at).sum())
        gradient += loss.slope(at) @ block.rows
        margins.append(at)
    records = sum(len(block) for block in blocks)
    value = value / records + 0.5 * lam * float(weights @ weights)
    return _Point(weights, value, gradient / records + lam * weights, margins)


def _hessian(loss: Loss, blocks: list[Forms], lam: float, point: _Point) -> Array:
    total = np.zeros((len(point.weights), len(point.weights)))
    for block, margins in zip(blocks, point.margins, strict=True):
        rows, bend = block.rows, loss.bend(margins)
        if not bend.all():  # the Huber loss bends only near its corner
            active = np.flatnonzero(bend)
            rows, bend = rows[active], bend[active]
        scaled = rows * np.sqrt(bend)[:, None]
        total += scaled.T @ scaled  # one array and its transpose: half the work
    total /= sum(len(block) for block in blocks)
    total.flat[:: len(total) + 1] += lam  # the diagonal
    return total
