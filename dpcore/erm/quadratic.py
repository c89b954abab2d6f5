"""Learning from noisy sums alone: the engine of input perturbation.

A loss of the margin is replaced by a + s m + b m² near m = 0, so that the objective needs Σ x xᵀ
and Σ y x only, like the squared loss. The rest is post-processing of the noisy sums: negative
eigenvalues of the first are taken for noise and dropped, and a ridge as large as the width of the
noise's spectrum is added.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.losses import RESIDUAL_LOSSES, loss_named
from dpcore.erm.method import Training
from dpcore.erm.problem import Problem
from dpcore.erm.sufficient_statistics import BALANCE, noise
from dpcore.words import spaced

Array = NDArray[np.floating]

MARGIN = 2.0
"""Margins up to which the quadratic is fitted: most of what regularised models reach."""


@cache
def approximation(loss: str, huber_width: float) -> tuple[float, float]:
    """(s, b): slope and curvature of the least-squares quadratic for |m| ≤ `MARGIN`.

    At Chebyshev points; for the logistic loss s = -1/2 exactly, because its odd part is linear.
    """
    if loss in RESIDUAL_LOSSES:
        return -1.0, 0.5
    points = MARGIN * np.cos(np.pi * (np.arange(200) + 0.5) / 200)
    _, slope, curvature = np.polynomial.polynomial.polyfit(
        points, loss_named(loss, huber_width).value(points), 2
    )
    return float(slope), float(curvature)


def release(training: Training) -> Array:
    """Minimisers of the noisy quadratic, shape (calibrations, runs, d).

    A run's draw is shared by all ε and never by two runs. Seeded: for exploration only.
    """
    sigma, problem = training.scales, training.problem
    width = sigma * math.sqrt(2.0 * problem.dimension)
    return from_sums(
        training,
        sums(training),
        noise,
        (sigma, sigma / BALANCE[problem.adjacency]),
        lambda generator: width,
        "input perturbation",
    )


def sums(training: Training) -> tuple[Array, Array]:
    """Σ x xᵀ and Σ y x of checked records, without noise."""
    training.check()
    rows = training.problem.within(training.features)
    return rows.T @ rows, rows.T @ training.labels


def from_sums(
    training: Training,
    exact: tuple[Array, Array],
    draw: Callable[[np.random.Generator, int], tuple[Array, Array]],
    scales: tuple[Array, Array],
    width: Callable[[np.random.Generator], Array],
    name: str,
) -> Array:
    """The models of every calibration and run from blurred sums, (calibrations, runs, d)."""
    square, linear = exact
    problem, runs = training.problem, training.runs
    result = np.empty((len(training.calibrations), runs, problem.dimension))
    for run, generator in enumerate(training.generators):
        square_noise, linear_noise = draw(generator, problem.dimension)
        result[:, run] = minimisers(
            problem,
            square + scales[0][:, None, None] * square_noise,
            linear + scales[1][:, None] * linear_noise,
            width(generator),
        )
        training.progress((run + 1) / runs, f"{name}, run {spaced(run + 1)} of {spaced(runs)}")
    return result


def minimisers(problem: Problem, square: Array, linear: Array, width: Array) -> Array:
    """The models that noisy sums give: post-processing, which costs no privacy."""
    slope, curvature = approximation(problem.loss, problem.huber_width)
    ridge = problem.records * problem.lam + 2.0 * curvature * width
    height, basis = np.linalg.eigh(square)
    bend = 2.0 * curvature * np.maximum(height, 0.0) + ridge[:, None]
    coefficients = np.einsum("cij,ci->cj", basis, -slope * linear) / bend
    models: Array = np.einsum("cij,cj->ci", basis, coefficients)
    if problem.lam == 0.0:
        problem.project(models, axis=1)
    return models
