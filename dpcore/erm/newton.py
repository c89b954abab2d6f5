"""The exact minimiser of a convex problem, by damped Newton steps; no privacy here.

With λ = 0 and a radius, the constrained minimiser is the λ-regularised one whose norm is R
(the multiplier of ‖w‖ ≤ R), found by root finding over λ.

Where many features are steps of numbers, a Hessian takes most of the time. Steps are then found by
conjugate gradients: its products with vectors are quick (`dpcore.erm.gradient`), and the matrix
(κ/n) XᵀX + λI, which lies above every Hessian and is the same for all labels, is factored once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from dpcore.erm.gradient import Cells, row_blocks
from dpcore.erm.losses import Forms, Loss
from dpcore.erm.problem import Problem

Array = NDArray[np.floating]

GRADIENT_TOLERANCE = 1e-9
MAX_STEPS = 200
ROUNDING = 1e-14  # relative, of an objective's value
START_RECORDS = 10_000  # the warm start is solved on this many
MANY_FEATURES = 256  # from so many on, steps are found by conjugate gradients
MAX_PRODUCTS = 60  # so many products take longer than the Hessian


@dataclass(frozen=True, eq=False)
class Majorant:
    """The Cholesky factor of (κ/n) XᵀX + λI, and X for quick products."""

    # (d, d): lower triangular; the rest is not used
    factor: Array
    # a Hessian is the same for rows times their labels of ±1
    cells: Cells

    @classmethod
    def of(cls, problem: Problem, features: Array) -> Majorant | None:
        """That of some features; ``None`` where Hessians are made faster."""
        records, dimension = features.shape
        if dimension < MANY_FEATURES or problem.lam == 0.0:
            return None
        rows = problem.within(features)
        cells = Cells.of(rows, features)
        if not cells.groups:
            return None
        squares = rows.T @ rows
        squares *= problem.function.curvature / records
        squares.flat[:: len(squares) + 1] += problem.lam  # the diagonal
        factor, _ = scipy.linalg.cho_factor(squares, lower=True, overwrite_a=True)
        return cls(factor, cells)

    def solve(self, vector: Array) -> Array:
        """The matrix's inverse times a vector."""
        return np.asarray(scipy.linalg.cho_solve((self.factor, True), vector, check_finite=False))


def minimise(
    problem: Problem, features: Array, labels: Array, majorant: Majorant | None = None
) -> Array:
    """Argmin F(w; D), over ‖w‖ ≤ R when λ = 0; otherwise ‖∇F‖₂ ≤ 1e-9 there."""
    forms = problem.forms(features, labels)
    loss = problem.function
    start: Array = np.zeros(features.shape[1])
    if majorant is not None:
        quick = _conjugate_gradients(problem, majorant)
        return _newton(loss, forms, problem.lam, start, quick)
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
    """Minimisers for several λ > 0, each warm-started from the one before: best descending."""
    weights: Array = np.zeros(forms.rows.shape[1]) if start is None else start
    path = []
    for lam in lams:
        weights = _newton(loss, forms, lam, weights)
        path.append(weights)
    return np.array(path)


def _newton(
    loss: Loss, forms: Forms, lam: float, weights: Array, quick: _Step | None = None
) -> Array:
    """The minimiser by Newton steps from `weights`."""
    blocks = row_blocks(forms)
    point = _look(loss, blocks, lam, weights)
    for _ in range(MAX_STEPS):
        if np.linalg.norm(point.gradient) <= GRADIENT_TOLERANCE:
            break
        step = quick(point) if quick else None
        if step is None:
            quick = None
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
    weights: Array
    value: float
    gradient: Array
    margins: Sequence[Array]


_Step = Callable[[_Point], Array | None]


def _conjugate_gradients(problem: Problem, majorant: Majorant) -> _Step:
    """Newton steps as exact as their place asks for; ``None`` after `MAX_PRODUCTS`."""
    loss, lam, cells = problem.function, problem.lam, majorant.cells

    def step(point: _Point) -> Array | None:
        bend = loss.bend(np.concatenate(point.margins))

        def product(vector: Array) -> Array:
            sums = cells.sums(bend * cells.times(cells.turned(vector)))
            return cells.turned_back(sums) / len(bend) + lam * vector

        size = float(np.linalg.norm(point.gradient))
        # The error left makes the next gradient: convergence stays faster than linear.
        close = max(0.1 * GRADIENT_TOLERANCE, min(0.1, math.sqrt(size)) * size)
        result, residual = np.zeros_like(point.gradient), point.gradient.copy()
        solved = direction = majorant.solve(residual)
        for _ in range(MAX_PRODUCTS):
            moved, along = product(direction), float(residual @ solved)
            length = along / float(direction @ moved)
            result += length * direction
            residual -= length * moved
            if np.linalg.norm(residual) <= close:
                return result
            solved = majorant.solve(residual)
            direction = solved + float(residual @ solved) / along * direction
        return None

    return step


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
