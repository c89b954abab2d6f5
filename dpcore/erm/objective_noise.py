"""Minimising many randomly tilted objectives at once: the engine of objective perturbation.

Column j minimises J_j(w) = Σᵢ ℓᵢ(w) + (Λ_j/2)‖w‖² + b_jᵀw. All columns share their matrix
products, and one preconditioner: in the eigenbasis of β XᵀX, which bounds every Hessian of the
losses, it is diagonal for every Λ. Steps are those of L-BFGS, in which each column has a memory of
its own; where one lengthens the gradient, the plain preconditioned step is taken, which never does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.gradient import BatchGradient, accelerator, batch_gradient
from dpcore.erm.method import Training
from dpcore.erm.objective_perturbation import TOLERANCE
from dpcore.erm.problem import Problem
from dpcore.erm.rounding import UNIT, of_descent, of_sum
from dpcore.mechanisms import laplace
from dpcore.progress import Progress, silent
from dpcore.words import plain, spaced

Array = NDArray[np.floating]
Draw = Callable[[np.random.Generator, int], Array]
"""(generator, d) -> one draw of unit scale."""

MEMORY = 8
MAX_STEPS = 2_000
ROUGH, ROUGH_STEPS = 1e-5, 40
"""Products are in single precision down to this gradient a record, or for so many steps."""


def gaussian(generator: np.random.Generator, dimension: int) -> Array:
    """N(0, I)."""
    return generator.standard_normal(dimension)


def vector_laplace(generator: np.random.Generator, dimension: int) -> Array:
    """Density ∝ e^{-‖z‖}."""
    return np.asarray(laplace.vector_laplace(generator, dimension, 1.0)[0])


def release(draw: Draw, training: Training) -> Array:
    """Minimisers up to a gradient of `TOLERANCE`, plus output noise; (calibrations, runs, d).

    A run's two draws are shared by all ε and never by two runs. Seeded: for exploration only.

    Raises
    ------
    ArithmeticError
        If a gradient does not come below the tolerance; nothing is released then.
    """
    training.check()
    problem, runs, dimension = training.problem, training.runs, training.problem.dimension
    draws = [[draw(generator, dimension) for _ in range(2)] for generator in training.generators]
    tilts, blurs = np.swapaxes(np.array(draws), 0, 1)
    output = np.array([calibration.output_noise for calibration in training.calibrations])
    ridge = np.array([calibration.ridge for calibration in training.calibrations])
    weights = minimisers(
        problem,
        training.features,
        training.labels,
        np.repeat(ridge, runs),
        (training.scales[:, None, None] * tilts).reshape(-1, dimension).T,
        TOLERANCE,
        training.progress,
    )
    models = weights.T.reshape(len(ridge), runs, dimension)
    return np.asarray(models + output[:, None, None] * blurs)


def minimisers(
    problem: Problem,
    features: Array,
    labels: Array,
    ridge: Array,
    tilt: Array,
    tolerance: float,
    progress: Progress = silent,
) -> Array:
    """Weights with ‖∇J_j‖₂ ≤ `tolerance`, for every column j; else `ArithmeticError`.

    Λ_j = `ridge` takes the place of the problem's λ; `tilt` is b_j, (d, columns).
    """
    records = len(labels)
    spread, basis = np.linalg.eigh(features.T @ features)
    bound = problem.function.curvature * np.maximum(spread, 0.0)[:, None] + ridge
    rotated = features @ basis
    target = 0.9 * tolerance  # the rest is for rounding and is checked at the end
    weights = np.zeros_like(tilt)
    turned = basis.T @ tilt
    report = _Report(target, progress)
    for precision, goal, most in (
        (np.float32, max(ROUGH * records, target), ROUGH_STEPS),
        (np.float64, target, MAX_STEPS),
    ):
        losses = batch_gradient(problem, rotated, labels, accelerator(), precision, precision)
        weights, largest = _descend(
            losses, records, bound, ridge, turned, weights, goal, most, report
        )
    if largest > target:
        raise ArithmeticError(
            f"after {spaced(MAX_STEPS)} steps the gradient is {plain(largest)}, above "
            f"{plain(target)}"
        )
    solution = np.asarray(basis @ weights)
    _check(problem, features, labels, ridge, tilt, solution, tolerance)
    return solution


def _check(
    problem: Problem,
    features: Array,
    labels: Array,
    ridge: Array,
    tilt: Array,
    solution: Array,
    tolerance: float,
) -> None:
    """Refuse minimisers whose exact gradient, on the records, may be above `tolerance`."""
    records, dimension = features.shape
    losses = batch_gradient(
        problem, features, labels, accelerator(), margins=np.float64, sums=np.float64
    )
    gradient_norms = np.linalg.norm(records * losses(solution) + ridge * solution + tilt, axis=0)
    for norm, weight, length, blur in zip(
        gradient_norms.tolist(),
        ridge.tolist(),
        np.linalg.norm(solution, axis=0).tolist(),
        np.linalg.norm(tilt, axis=0).tolist(),
        strict=True,
    ):
        slopes = of_descent(dimension, problem.function.curvature, length, math.inf, 0.0)
        rounding_error = 0.5 * of_sum(records, records) + records * slopes
        rounding_error += 8.0 * UNIT * (weight * length + blur + norm)
        if not norm + rounding_error <= tolerance:
            raise ArithmeticError(
                f"the gradient is {plain(norm)} and off by up to {plain(rounding_error)}, above "
                f"{plain(tolerance)}"
            )


@dataclass
class _StepHistory:
    steps: list[tuple[Array, Array, Array]]

    def keep(self, columns: NDArray[np.bool_]) -> _StepHistory:
        """The memory of some of the columns."""
        return _StepHistory(
            [
                (step[:, columns], change[:, columns], curvature[columns])
                for step, change, curvature in self.steps
            ]
        )

    def note(self, step: Array, change: Array) -> None:
        """Add a step; columns without curvature along it ignore it."""
        curvature = np.einsum("ij,ij->j", step, change)
        self.steps.append((step, change, np.where(curvature > 0.0, curvature, np.inf)))
        del self.steps[:-MEMORY]

    def direction(self, gradient: Array, bound: Array) -> Array:
        """The two loops of L-BFGS, from the preconditioner `bound`."""
        result, shares = gradient.copy(), []
        for step, change, curvature in reversed(self.steps):
            share = np.einsum("ij,ij->j", step, result) / curvature
            result -= share * change
            shares.append(share)
        result /= bound
        for (step, change, curvature), share in zip(self.steps, reversed(shares), strict=True):
            result += (share - np.einsum("ij,ij->j", change, result) / curvature) * step
        return result


@dataclass
class _Report:
    goal: float
    progress: Progress
    first: float = 0.0
    share: float = 0.0
    steps: int = 0

    def __call__(self, largest: float) -> None:
        self.first, self.steps = self.first or largest, self.steps + 1
        if self.first > self.goal:
            done = math.log(self.first / max(largest, self.goal)) / math.log(self.first / self.goal)
            self.share = max(self.share, min(1.0, done))
        self.progress(self.share, f"minimising, step {spaced(self.steps)}")


def _descend(
    losses: BatchGradient,
    records: int,
    bound: Array,
    ridge: Array,
    tilt: Array,
    start: Array,
    goal: float,
    step_limit: int,
    report: Callable[[float], None],
) -> tuple[Array, float]:
    weights, live = start.copy(), np.arange(start.shape[1])

    def gradient_at(w: Array) -> Array:
        return np.asarray(records * losses(w) + ridge[live] * w + tilt[:, live], dtype=float)

    points = weights[:, live]
    gradient = gradient_at(points)
    memory = _StepHistory([])
    plain = np.zeros(len(live), dtype=bool)
    for _ in range(step_limit):
        norms = np.linalg.norm(gradient, axis=0)
        report(float(norms.max()))
        done = norms <= goal
        if done.any():
            weights[:, live[done]] = points[:, done]
            unfinished = ~done
            if not unfinished.any():
                return weights, goal
            live, points, gradient, plain = (
                live[unfinished],
                points[:, unfinished],
                gradient[:, unfinished],
                plain[unfinished],
            )
            memory = memory.keep(unfinished)
        height = np.linalg.norm(gradient / np.sqrt(bound[:, live]), axis=0)
        newton = memory.direction(gradient, bound[:, live])
        move = np.where(plain, gradient / bound[:, live], newton)
        trial = points - move
        trial_gradient = gradient_at(trial)
        worse = np.linalg.norm(trial_gradient / np.sqrt(bound[:, live]), axis=0) > height
        memory.note(-move, trial_gradient - gradient)
        # A column that was sent too far stays where it was, and takes the plain step next.
        plain = worse & ~plain
        points = np.where(plain, points, trial)
        gradient = np.where(plain, gradient, trial_gradient)
    weights[:, live] = points
    return weights, float(np.linalg.norm(gradient, axis=0).max())
