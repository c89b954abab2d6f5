"""Learning from noisy sums alone, and the sums that every contributor blurs: input perturbation.

A loss of the margin is replaced by a + s m + b m² near m = 0, so that the objective needs Σ x xᵀ
and Σ y x only, like the squared loss. The rest is post-processing of the noisy sums: negative
eigenvalues of the first are taken for noise and dropped, and a ridge as large as the width of the
noise's spectrum is added.

The sums that a quadratic loss needs, blurred by every contributor: sound input perturbation.

Contributor i sends S_i = x xᵀ + E_i and t_i = y x + e_i. E_i is symmetric with variance τ² on the
diagonal and τ²/2 off it, e_i has variance (τ/c)². Their sums S and t are exactly one Gaussian
mechanism on (svec Σ x xᵀ, c Σ y x) with σ = τ√n; svec takes off-diagonals √2 times, so that its
norm is Frobenius'. (ε, δ) holds against an observer of the sums only, the far larger local ε
against one of single messages, and an ε between the two against one of all messages in random
order and without names.

Sensitivity, ‖x‖ ≤ 1 and |y| ≤ 1. Blanked out: Δ² = ‖x xᵀ‖² + c²‖y x‖² ≤ 1 + c². Replaced: the
squared distance is convex in y, so |y| = 1; with t = y y′ cos(x, x′) and unit norms it is
2 - 2t² + 2c² - 2c²t, largest at t = -c²/2: Δ² = 2(1 + c²/2)² for c² ≤ 2, else 4c².

Source: paper 002 (Fukuchi, Tran, Sakuma 2017) for the idea; the mechanism is our own,
the paper's theorem not being proved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting.shuffling import shuffled_gaussian_epsilon
from dpcore.erm.losses import RESIDUAL_LOSSES, loss_named
from dpcore.erm.method import Training
from dpcore.erm.problem import Problem
from dpcore.erm.rounding import NORM_ROUNDING, of_sum, shortened
from dpcore.errors import InvalidInput, number, whole
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon, analytic_sigma
from dpcore.words import spaced

BALANCE = {Adjacency.ZERO_OUT: 1.0, Adjacency.REPLACE_ONE: 0.91}
"""Weight c of the linear part, with which both parts get about the same noise."""


def sensitivity(weight: float, adjacency: Adjacency, records: int = 0) -> float:
    """Δ of (svec Σ x xᵀ, c Σ y x), rounded up; `weight` is c.

    It includes the rounding of a sum of so many `records` that noise is added to
    (`dpcore.erm.rounding`); 0 where every contributor adds their own beforehand.
    """
    square = number("weight", weight, above=0.0) ** 2
    if adjacency is Adjacency.ZERO_OUT:
        exact = math.sqrt(1.0 + square)
    elif adjacency is Adjacency.REPLACE_ONE:
        exact = math.sqrt(2.0) * (1.0 + square / 2.0) if square <= 2.0 else 2.0 * weight
    else:
        raise InvalidInput(
            "adjacency is add-remove, but a contributor who stays away takes noise along: it must "
            "be zero-out or replace-one."
        )
    return (exact + of_sum(records, records) * math.sqrt(1.0 + square)) * (1.0 + 1e-15)


@dataclass(frozen=True)
class Protocol:
    """The public settings that every contributor gets beforehand."""

    contributors: int  # n
    epsilon: float  # of the sums
    delta: float
    adjacency: Adjacency = Adjacency.REPLACE_ONE
    missing: int = 0  # may stay away or reveal their noise without breaking the promise

    def __post_init__(self) -> None:
        whole("contributors", self.contributors, at_least=1)
        whole("missing", self.missing, at_least=0, at_most=self.contributors - 1)
        number("epsilon", self.epsilon, above=0.0)
        number("delta", self.delta, above=0.0, below=1.0)
        sensitivity(self.weight, self.adjacency)

    @property
    def weight(self) -> float:
        """Weight of the linear part, called c above."""
        return BALANCE.get(self.adjacency, 1.0)

    @property
    def sigma(self) -> float:
        """The noise on the sum of x xᵀ that the promise needs, in its units."""
        moved = sensitivity(self.weight, self.adjacency, self.contributors)
        return float(analytic_sigma(self.epsilon, self.delta, moved))

    @property
    def share(self) -> float:
        """τ, each contributor's own noise; that of those who stay is enough together."""
        present = self.contributors - self.missing
        return math.nextafter(self.sigma / math.sqrt(present), math.inf) * (1.0 + 1e-15)

    @property
    def local_epsilon(self) -> float:
        """ε at the same δ of one single message, against any other record in its place."""
        moved = sensitivity(self.weight, Adjacency.REPLACE_ONE)
        return float(analytic_epsilon(self.share, self.delta, moved))

    @property
    def shuffled_epsilon(self) -> float:
        """ε at the same δ of all messages in random order, against one record replaced."""
        mu = math.nextafter(sensitivity(self.weight, Adjacency.REPLACE_ONE) / self.share, math.inf)
        mixed = shuffled_gaussian_epsilon(mu, self.contributors - self.missing, self.delta)
        return min(mixed, self.local_epsilon)

    def randomise(self, x: Array, y: float, generator: np.random.Generator) -> Message:
        """Make one contributor's message; nothing else need leave their device.

        A record with ‖x‖₂ > 1, or y outside [-1, 1], is refused.
        """
        number("‖x‖₂", float(np.linalg.norm(x)), at_least=0.0, at_most=1.0 + NORM_ROUNDING)
        number("y", y, at_least=-1.0, at_most=1.0)
        square, linear = noise(generator, len(x))
        x = shortened(len(x)) * x
        return Message(
            np.outer(x, x) + self.share * square, y * x + self.share / self.weight * linear
        )


@dataclass(frozen=True)
class Message:
    """A contributor's x xᵀ (d, d) and y x (d,) with noise, or the sums of many."""

    square: Array
    linear: Array


def aggregate(messages: Iterable[Message]) -> Message:
    """Add up messages: the sums are all that learning needs."""
    total: Message | None = None
    for message in messages:
        total = (
            message
            if total is None
            else Message(total.square + message.square, total.linear + message.linear)
        )
    if total is None:
        raise InvalidInput("messages is empty, but there must be at least one.")
    return total


def noise(generator: np.random.Generator, dimension: int) -> tuple[Array, Array]:
    """One draw of unit size: symmetric with variance 1 on the diagonal and 1/2 off it; a vector."""
    square = generator.standard_normal((dimension, dimension))
    return (square + square.T) / 2.0, generator.standard_normal(dimension)


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
