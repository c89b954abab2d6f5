"""Gaussian noise on whole sums, rounded: what σ and the sensitivity prove of one measurement.

As sums s are whole, s + round(σZ) = round(s + σZ): post-processing of the Gaussian mechanism, so
μ-Gaussian DP for μ = Δ/σ, whose privacy profile is exact (Balle and Wang 2018, Theorem 8).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Protocol, TypeVar

from dpcore.errors import InvalidInput, number
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon, analytic_sigma
from dpcore.words import as_set

ADJACENCIES = (Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE)
MAX_SIGMA = 2**50
UNITS = 2**20
"""Units of one record's count: σ is whole in these, so that it is hardly rounded."""


class WholeGaussian(ABC):
    """What is proved of one measurement by its adjacency, squared sensitivity and σ, in units."""

    adjacency: str
    sigma: int  # of the noise before it is rounded

    @property
    @abstractmethod
    def squared_sensitivity(self) -> int:
        """Δ² in squared units, exact or rounded up."""

    @property
    def sensitivity(self) -> float:
        """Δ in units, rounded up."""
        return math.nextafter(math.sqrt(self.squared_sensitivity), math.inf)

    @property
    def mu(self) -> float:
        """μ of Gaussian DP, rounded up."""
        return math.nextafter(self.sensitivity / self.sigma, math.inf)

    @property
    def noise_multiplier(self) -> float:
        """What a ledger is paid for, rounded down: it takes an exchange for twice a blank."""
        change = 2.0 if self.adjacency == Adjacency.REPLACE_ONE else 1.0
        return math.nextafter(change / self.mu, 0.0)

    def epsilon(self, delta: float) -> float:
        """ε at δ, rounded up."""
        return float(analytic_epsilon(self.sigma, delta, self.sensitivity))

    def delta(self, epsilon: float) -> float:
        """δ at ε, rounded up."""
        return float(analytic_delta(epsilon, self.sigma, self.sensitivity))


class Costing(Protocol):
    """A mechanism has an ε."""

    def epsilon(self, delta: float) -> float:
        """ε at δ."""


AnyMechanism = TypeVar("AnyMechanism", bound=Costing)


def least_noise(
    budget: PrivacyBudget, sensitivity: float, of_sigma: Callable[[int], AnyMechanism]
) -> AnyMechanism:
    """The mechanism with the least noise that keeps a budget.

    Parameters
    ----------
    budget : PrivacyBudget
        ε from 10⁻³ to 20, and δ above 0.
    sensitivity : float
        Of all that is measured, in units.
    of_sigma : callable
        The mechanism of a σ in units.

    Raises
    ------
    InvalidInput
        If ε or δ is outside its range, or σ would be.
    """
    epsilon = number("epsilon", budget.epsilon, at_least=1e-3, at_most=20.0)
    delta = number("delta", budget.delta, at_least=SMALLEST_DELTA, below=1.0)
    sigma = sensitivity * float(analytic_sigma(epsilon, delta))
    if sigma > MAX_SIGMA / 2:
        raise InvalidInput(f"epsilon is {as_set(epsilon)}, but it must be larger: σ is too large.")
    for margin in (1e-12, 1e-10, 1e-8):
        mechanism = of_sigma(math.ceil(sigma * (1 + margin)))
        if mechanism.epsilon(delta) <= epsilon:
            return mechanism
    raise AssertionError("the noise of a budget does not keep it")  # beyond all rounding
