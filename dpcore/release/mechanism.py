"""The mechanism of a release in whole numbers, all that is proved from it, and training by it.

T noisy sums of whole vectors, each s + round(σZ) with Z normal and s moved by at most Δ by one
record. As s is whole, s + round(σZ) = round(s + σZ): the rounding is post-processing of the
Gaussian mechanism with noise multiplier σ/Δ, though no number with a fraction is ever made. T of
them, each chosen on the sums before, are μ-Gaussian DP for μ = √T Δ/σ (Dong, Roth and Su 2022,
Corollary 2), whose privacy profile is exact (Balle and Wang 2018, Theorem 8). All of that is proved
without data; gradient descent on the sums (`descend`) is the only step that draws noise for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from dpcore.accounting.events import MAX_CHOSEN
from dpcore.datasets.persons import Persons
from dpcore.erm.methods.dpgd import MOMENTUM
from dpcore.errors import one_of, reject, whole
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon
from dpcore.mechanisms.whole_gaussian import ADJACENCIES, MAX_SIGMA, least_noise
from dpcore.progress import Progress, silent
from dpcore.release import grid
from dpcore.release.grid import Array
from dpcore.release.ledger import GaussianSpend
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.scorer import Scorer
from dpcore.words import spaced

PROFILE = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Each ε that the privacy profile is given at."""
MAX_STEPS = 10_000
"""Sums of one training; those of all that it was chosen among are together in a proof."""
Draw = Callable[[int, int], list[int]]


@dataclass(frozen=True)
class Mechanism:
    """Noisy sums on a grid. All values are public."""

    adjacency: str  # zero-out or replace-one; n is public in both
    dimension: int  # d, of all weights, the intercept's among them
    units: int  # of the grid in the clipping norm C = 1; its step is C/units
    sigma: int  # of the noise before it is rounded, in units
    steps: int  # T

    def __post_init__(self) -> None:
        one_of("adjacency", self.adjacency, ADJACENCIES)
        for field, most in (
            ("dimension", grid.MAX_FEATURES),
            ("units", grid.UNITS),
            ("sigma", MAX_SIGMA),
            ("steps", MAX_STEPS * MAX_CHOSEN),
        ):
            value = getattr(self, field)
            if not isinstance(value, int) or isinstance(value, bool):
                raise reject(field, value, "a whole number")
            whole(field, value, at_least=1, at_most=most)
        if self.units != grid.UNITS:
            raise reject("units", self.units, f"{spaced(grid.UNITS)}, the only grid so far")

    @property
    def bound(self) -> int:
        """R, the greatest length of what one record adds, in units."""
        return grid.bound(self.dimension)

    @property
    def sensitivity(self) -> int:
        """Δ in units: R under zero-out, 2R under replace-one."""
        return self.bound * (2 if self.adjacency == Adjacency.REPLACE_ONE else 1)

    def times(self, count: int) -> Mechanism:
        """So many trainings by this one, the settings of each chosen on the sums before.

        All their sums together are sums of this mechanism. A choice among them by what they
        released is post-processing.
        """
        return replace(self, steps=self.steps * count)

    @property
    def noise_multiplier(self) -> float:
        """σ/R, rounded down: what the ledger is paid for, whatever the adjacency."""
        return math.nextafter(self.sigma / self.bound, 0.0)

    @property
    def spend(self) -> GaussianSpend:
        """What the ledger is to be paid."""
        return GaussianSpend(self.noise_multiplier, self.steps)

    @property
    def _one_step(self) -> float:
        """The σ of one sum that is worth all T of them, in units, rounded down."""
        return self.sigma / math.sqrt(self.steps) * (1.0 - 1e-15)

    @property
    def mu(self) -> float:
        """μ of Gaussian DP, rounded up."""
        return self.sensitivity / self._one_step * (1.0 + 1e-15)

    def epsilon(self, delta: float) -> float:
        """ε at δ, rounded up."""
        return float(analytic_epsilon(self._one_step, delta, self.sensitivity))

    def delta(self, epsilon: float) -> float:
        """δ at ε, rounded up."""
        return float(analytic_delta(epsilon, self._one_step, self.sensitivity))

    def to_json(self) -> dict[str, Any]:
        """The values that all else follows from."""
        return {**asdict(self), "adjacency": str(self.adjacency)}


def mechanism_for(
    budget: PrivacyBudget, dimension: int, steps: int, adjacency: Adjacency | str
) -> Mechanism:
    """The mechanism with the least noise that keeps a budget."""
    whole("number of features", dimension, at_least=1, at_most=grid.MAX_FEATURES)
    chosen = Adjacency(one_of("adjacency", str(adjacency), ADJACENCIES))

    def of_sigma(sigma: int) -> Mechanism:
        return Mechanism(chosen, dimension, grid.UNITS, sigma, steps)

    return least_noise(budget, math.sqrt(steps) * of_sigma(1).sensitivity, of_sigma)


@dataclass(frozen=True)
class Path:
    """How the sums are used; public, and without influence on what is proved."""

    scorer: Scorer
    lam: float  # λ of (λ/2)‖w‖²
    learning_rate: float
    records: int  # n, the divisor of each sum
    count_sums: int = 0  # how many of the mechanism's sums are counts of scores instead
    score_sums: int = 0  # how many score the try instead, where several are made

    def facts(self) -> dict[str, Any]:
        """What a certificate says of it."""
        return {
            "loss": self.scorer.loss,
            "lam": self.lam,
            "learning_rate": self.learning_rate,
            "records": self.records,
            "count_sums": self.count_sums,
            **({"score_sums": self.score_sums} if self.score_sums else {}),
            **self.scorer.facts(),
        }


def noisy_means(exact: Sequence[int], mechanism: Mechanism, sums: int, draw: Draw) -> list[float]:
    """The means of m noisy sums of the same units, in records."""
    drawn = [draw(mechanism.sigma, len(exact)) for _ in range(sums)]
    # Python's whole numbers have no end, so no draw overflows.
    noisy = [value * sums + sum(more) for value, *more in zip(exact, *drawn, strict=True)]
    scale = sums * mechanism.units
    return [value / scale for value in noisy]


def descend(
    signed: Array,
    mechanism: Mechanism,
    path: Path,
    draw: Draw = rounded_gaussians,
    progress: Progress = silent,
    persons: Persons | None = None,
) -> Array:
    """The last iterate, shape (parameters,): v ← 0.9 v + (sum + noise)/n + λw, w ← w - ηv.

    `signed`, shape (d, rows), has norm at most 1 a row, times the label; without `persons` each row
    is a record. Another `draw` than the usual one is for made-up records only.
    """
    weights = path.scorer.start()
    velocity = np.zeros_like(weights)
    steps = mechanism.steps - path.count_sums - path.score_sums
    for step in range(steps):
        progress(step / steps, f"Step {spaced(step + 1)} of {spaced(steps)}")
        exact = grid.total(signed, weights, path.scorer.gradients, persons).tolist()
        noise = draw(mechanism.sigma, mechanism.dimension)
        # Python's whole numbers have no end, so no draw overflows.
        noisy = [value + more for value, more in zip(exact, noise, strict=True)]
        scale = mechanism.units * path.records
        velocity = MOMENTUM * velocity + np.array([value / scale for value in noisy])
        velocity += path.lam * weights
        weights = weights - path.learning_rate * velocity
    progress(1.0, "Trained")
    return weights
