"""A budget split over several Gaussian releases (sums or means with noise).

Shares are of ε and δ (basic composition), of ρ (zCDP) or of μ² (PLD, exact Gaussian DP here).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dpcore.accounting.accountant import ROUNDED_UP
from dpcore.accounting.concentrated import rho_for
from dpcore.errors import InvalidInput, number, one_of, reject, whole
from dpcore.guarantee import PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_epsilon, analytic_mu, analytic_sigma
from dpcore.words import as_set

COMPOSITIONS = ("basic", "zcdp", "pld")
SMALLEST_SHARE = 1e-9
"""Relative to the sum of all shares; a smaller one has useless, finally infinite noise."""


@dataclass(frozen=True)
class Portion:
    share: float  # in (0, 1]; all shares add up to 1
    sigma: float  # in the units of the release
    noise_multiplier: float
    epsilon_alone: float  # exact, at the δ of the whole budget; rounded up


@dataclass(frozen=True)
class BudgetSplit:
    """A budget split over releases."""

    composition: str  # one of `COMPOSITIONS`
    portions: tuple[Portion, ...]
    certified_epsilon: float  # exact, of all together at the budget's δ, rounded up; at most its ε


def split(
    budget: PrivacyBudget,
    shares: int | Sequence[float],
    composition: str,
    sensitivity: float = 1.0,
) -> BudgetSplit:
    """Find the noise of Gaussian releases, by number or by weights, that together keep a budget.

    `sensitivity` is the L2 sensitivity of each release for the budget's adjacency; δ is above 0.
    """
    one_of("composition", composition, COMPOSITIONS)
    number("delta", budget.delta, above=0.0, below=1.0)
    sensitivity = number("sensitivity", sensitivity, above=0.0)
    if isinstance(shares, int):
        weights = [1.0] * whole("releases", shares, at_least=1, at_most=10_000)
    else:
        weights = [number("share", share, above=0.0) for share in shares]
    if not weights:
        raise InvalidInput("shares are empty, but there must be at least one release.")
    try:
        total = math.fsum(weights)
    except OverflowError:
        total = math.inf
    if min(weights) < SMALLEST_SHARE * total:
        raise reject(
            "share", min(weights), f"at least {as_set(SMALLEST_SHARE)} of the sum of all shares"
        )
    portion_of = {}
    for weight in set(weights):
        # Rounded down, so that the shares never sum to more than 1.
        share = weight / total / ROUNDED_UP
        multiplier = _multiplier(budget, share, composition)
        epsilon_alone = analytic_epsilon(multiplier, budget.delta)
        portion_of[weight] = Portion(
            weight / total, multiplier * sensitivity * ROUNDED_UP, multiplier, epsilon_alone
        )
    portions = [portion_of[weight] for weight in weights]
    precision = math.fsum(portion.noise_multiplier**-2 for portion in portions)
    exact = analytic_epsilon(math.sqrt(1.0 / precision) / ROUNDED_UP, budget.delta)
    return BudgetSplit(composition, tuple(portions), min(exact, budget.epsilon))


def _multiplier(budget: PrivacyBudget, share: float, composition: str) -> float:
    if composition == "basic":
        return analytic_sigma(share * budget.epsilon, share * budget.delta)
    if composition == "zcdp":
        return ROUNDED_UP / math.sqrt(2.0 * share * rho_for(budget.epsilon, budget.delta))
    return ROUNDED_UP / (math.sqrt(share) * analytic_mu(budget.epsilon, budget.delta))
