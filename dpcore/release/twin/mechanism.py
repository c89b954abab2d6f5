"""The mechanism of a twin in whole numbers, and everything that is proved from it without data.

First the counts of all d tables, a vector q of whole numbers, are measured as U q + round(σZ), with
U = 2²⁰ units a record. Then, where the rule below says so, the sums of products p of every pair of
columns' signs as W p + round(σZ), at signs that follow from the first. What one record adds is

    zero-out:     1 to one cell of each table, ±1 to each of the d(d - 1)/2 sums
    replace-one:  two cells of each table change by 1; a sum changes by 2 where exactly one of its
                  two signs is another, which are k(d - k) of them for k other signs, at most ⌊d²/4⌋

so that Δ² = U² d + W² d(d - 1)/2, or 2 U² d + 4 W² ⌊d²/4⌋, which both are attained. As sums are
whole, noisy ones are round(s + σZ), which follows from the Gaussian mechanism
(`dpcore.release.mechanism`). Both measurements together are μ-Gaussian DP for μ = Δ/σ, whatever the
first says to the second (Dong, Roth and Su 2022, Corollary 2), with an exact privacy profile (Balle
and Wang 2018, Theorem 8).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from dpcore.datasets.own.description import MAX_COLUMNS
from dpcore.errors import InvalidInput, number, one_of, reject, whole
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon, analytic_sigma
from dpcore.release.ledger import GaussianSpend
from dpcore.release.mechanism import ADJACENCIES, MAX_SIGMA
from dpcore.words import as_set, spaced

UNITS = 2**20
"""Units of one record's count: σ is whole in these, so that it is hardly rounded."""
MAX_PAIR_NOISE = 0.05
"""Standard deviation of a mean product up to which pairs are measured: beyond, they tell less than
the noise that they add to the tables."""


@dataclass(frozen=True)
class Counting:
    """Noisy counts, and noisy sums of products. All values are public."""

    adjacency: str  # zero-out or replace-one; n is public in both
    tables: int  # d, how many tables each record counts in
    units: int  # U, of a count
    weight: int  # W, the units of a product; 0 where pairs are not measured
    sigma: int  # of the noise before it is rounded, in units

    def __post_init__(self) -> None:
        one_of("adjacency", self.adjacency, ADJACENCIES)
        for name in ("tables", "units", "weight", "sigma"):
            value: object = getattr(self, name)
            # A text times a number is a long text.
            if type(value) is not int:
                raise reject(name, value, "a whole number")
        whole("tables", self.tables, at_least=1, at_most=MAX_COLUMNS)
        whole("weight", self.weight, at_least=0, at_most=UNITS)
        whole("sigma", self.sigma, at_least=1, at_most=MAX_SIGMA)
        if self.units != UNITS:
            raise reject("units", self.units, f"{spaced(UNITS)}, the only ones so far")

    @property
    def squared_sensitivity(self) -> int:
        """Δ² in squared units, exact."""
        d, counts, products = self.tables, self.units**2, self.weight**2
        if self.adjacency == Adjacency.REPLACE_ONE:
            return 2 * d * counts + 4 * (d * d // 4) * products
        return d * counts + d * (d - 1) // 2 * products

    @property
    def sensitivity(self) -> float:
        """Δ in units, rounded up."""
        return math.nextafter(math.sqrt(self.squared_sensitivity), math.inf)

    @property
    def noise(self) -> float:
        """Standard deviation of the noise on a count of records."""
        return self.sigma / self.units

    @property
    def mu(self) -> float:
        """μ of Gaussian DP, rounded up."""
        return math.nextafter(self.sensitivity / self.sigma, math.inf)

    @property
    def noise_multiplier(self) -> float:
        """What the ledger is paid for, rounded down: it takes an exchange for twice a blank."""
        change = 2.0 if self.adjacency == Adjacency.REPLACE_ONE else 1.0
        return math.nextafter(change / self.mu, 0.0)

    @property
    def spend(self) -> GaussianSpend:
        """What the ledger is to be paid."""
        return GaussianSpend(self.noise_multiplier)

    def epsilon(self, delta: float) -> float:
        """ε at δ, rounded up."""
        return float(analytic_epsilon(self.sigma, delta, self.sensitivity))

    def delta(self, epsilon: float) -> float:
        """δ at ε, rounded up."""
        return float(analytic_delta(epsilon, self.sigma, self.sensitivity))

    def to_json(self) -> dict[str, Any]:
        """The values that all else follows from."""
        return {**asdict(self), "adjacency": str(self.adjacency)}


def counting_for(
    budget: PrivacyBudget, tables: int, records: int, adjacency: Adjacency | str
) -> Counting:
    """The mechanism with the least noise that keeps a budget.

    Pairs weigh so much that all products of a record are as long as its counts, and are measured
    where the noise on a mean product is then at most `MAX_PAIR_NOISE`.
    """
    if tables > 1:
        weight = min(UNITS, math.isqrt(2 * UNITS**2 // (tables - 1)))
        counting = _least(budget, tables, weight, adjacency)
        if counting.sigma <= MAX_PAIR_NOISE * weight * records:
            return counting
    return _least(budget, tables, 0, adjacency)


def _least(budget: PrivacyBudget, tables: int, weight: int, adjacency: Adjacency | str) -> Counting:
    epsilon = number("epsilon", budget.epsilon, at_least=1e-3, at_most=20.0)
    delta = number("delta", budget.delta, at_least=SMALLEST_DELTA, below=1.0)
    chosen = Adjacency(one_of("adjacency", str(adjacency), ADJACENCIES))
    unit = Counting(chosen, tables, UNITS, weight, 1).sensitivity
    sigma = unit * float(analytic_sigma(epsilon, delta))
    if sigma > MAX_SIGMA / 2:
        raise InvalidInput(f"epsilon is {as_set(epsilon)}, but it must be larger: σ is too large.")
    for margin in (1e-12, 1e-10, 1e-8):
        counting = Counting(chosen, tables, UNITS, weight, math.ceil(sigma * (1 + margin)))
        if counting.epsilon(delta) <= epsilon:
            return counting
    raise AssertionError("the noise of a budget does not keep it")  # beyond all rounding
