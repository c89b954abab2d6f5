"""One Gaussian release by any mechanism, solved for σ, ε or δ; and several that share a budget.

Shares are of ε and δ (basic composition), of ρ (zCDP) or of μ² (PLD, exact Gaussian DP here).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dpcore.accounting.accountants import certify
from dpcore.accounting.concentrated import Concentrated, gaussian_rho, printed_epsilon, rho_for
from dpcore.accounting.concentrated import delta as delta_of
from dpcore.accounting.concentrated import epsilon as epsilon_of
from dpcore.accounting.events import ROUNDED_UP, Gaussian, steps, within_limits
from dpcore.accounting.pld import loss_distributions
from dpcore.errors import InvalidInput, number, one_of, reject, whole
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, Condition, PrivacyBudget, verdicts
from dpcore.mechanisms.gaussian import (
    analytic_delta,
    analytic_epsilon,
    analytic_mu,
    analytic_sigma,
    classical_condition,
    classical_sigma,
)
from dpcore.words import as_set, plain

QUESTIONS = ("sigma", "epsilon", "delta")
THEOREMS = {
    "analytic": "Balle and Wang 2018, Theorem 8 (exact)",
    "classical": "Dwork and Roth 2014, Theorem A.1",
    "zcdp": "Bun and Steinke 2016, Proposition 1.3: ε = ρ + 2√(ρ ln(1/δ))",
    "tcdp": "Bun, Dwork, Rothblum and Steinke 2018, Lemma 3 of paper 003, at ω = ∞",
    "rdp": "Mironov 2017 with Canonne, Kamath and Steinke 2020, Proposition 12",
    "pld": "connect-the-dots privacy loss distribution (Doroshenko et al. 2022)",
}
MECHANISMS = tuple(THEOREMS)
LIMITS = {
    "epsilon": {"at_least": 1e-12, "at_most": 1e16},
    "delta": {"at_least": SMALLEST_DELTA, "below": 1.0},
    "sigma": {"above": 0.0},
}
"""The range in which the accountants are tested."""


def answer(
    question: str,
    mechanism: str,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    sigma: float | None = None,
    sensitivity: float = 1.0,
) -> dict[str, Any]:
    """All results for one Gaussian release: proved, claimed and certified, with reasons."""
    one_of("mechanism", mechanism, MECHANISMS)
    one_of("question", question, QUESTIONS)
    solve = {"analytic": _analytic, "classical": _classical, "rdp": _renyi, "pld": _distribution}
    accounted = mechanism not in ("analytic", "classical")
    values: dict[str, float] = {}
    for name, value in {"epsilon": epsilon, "delta": delta, "sigma": sigma}.items():
        if name == question:
            continue
        if value is None:
            raise InvalidInput(f"{name} is missing, but it is needed to answer for {question}.")
        # A formula has limits of its own.
        values[name] = number(name, value, **LIMITS[name]) if accounted else value
    sensitivity = number("sensitivity", sensitivity, above=0.0)
    if accounted and question != "sigma":
        within_limits("σ over sensitivity", values["sigma"], sensitivity)
    value = values[question] = solve.get(mechanism, _printed)(question, values, sensitivity)
    if accounted and question == "sigma":
        within_limits("σ over sensitivity for this ε and δ", value, sensitivity)
    conditions = _conditions(mechanism, values)
    usable = 0.0 < values["delta"] < 1.0 and values["sigma"] > 0.0
    return {
        question: value if all(condition.met for condition in conditions) else None,
        "question": question,
        "mechanism": mechanism,
        "theorem": THEOREMS[mechanism],
        "adjacency": "that of the sensitivity",
        "sensitivity": sensitivity,
        "mu": sensitivity / values["sigma"] * ROUNDED_UP if values["sigma"] > 0.0 else None,
        "given": {name: values[name] for name in QUESTIONS if name != question},
        "claim": {question: value},
        "conditions": verdicts(conditions),
        "certified_epsilon": (
            analytic_epsilon(values["sigma"], values["delta"], sensitivity) if usable else None
        ),
        "certified_by": "exact Gaussian curve at the same σ and δ",
    }


def ladder(epsilon: float, delta: float, sensitivity: float = 1.0) -> list[dict[str, Any]]:
    """`answer("sigma", ...)` for every mechanism, from the most noise to the least."""
    rows = [
        answer("sigma", mechanism, epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        for mechanism in MECHANISMS
    ]
    return sorted(rows, key=lambda row: -row["claim"]["sigma"])


def _conditions(mechanism: str, values: dict[str, float]) -> tuple[Condition, ...]:
    if mechanism == "analytic":
        return (Condition("any ε and δ: the curve is exact", True),)
    if mechanism != "classical":
        return (Condition("any ε and δ: one Gaussian has every Rényi order", True),)
    delta = values["delta"]
    return (
        classical_condition(values["epsilon"]),
        Condition(
            f"0 < δ < 1 (δ = {plain(delta)})",
            0.0 < delta < 1.0,
            f"The classical formula gives δ = {plain(delta)}, which promises nothing.",
        ),
    )


def _analytic(question: str, values: dict[str, float], sensitivity: float) -> float:
    formulas: dict[str, Callable[..., float]] = {
        "sigma": analytic_sigma,
        "epsilon": analytic_epsilon,
        "delta": analytic_delta,
    }
    return formulas[question](**values, sensitivity=sensitivity)


def _classical(question: str, values: dict[str, float], sensitivity: float) -> float:
    if question == "sigma":
        return classical_sigma(values["epsilon"], values["delta"], sensitivity)
    sigma = number("sigma", values["sigma"], above=0.0)
    if question == "epsilon":
        # σε = Δ√(2 ln(1.25/δ)) is symmetric in σ and ε.
        return classical_sigma(sigma, values["delta"], sensitivity)
    reach = number("epsilon", values["epsilon"], above=0.0) * sigma / sensitivity
    # Rounded up: by a relative 1e-12, and by two of the smallest numbers where that underflows.
    return 1.25 * math.exp(-0.5 * reach * reach) * ROUNDED_UP + 1e-323


def _rho(values: dict[str, float], sensitivity: float) -> Concentrated:
    return Concentrated(gaussian_rho(values["sigma"], sensitivity) * ROUNDED_UP)


def _printed(question: str, values: dict[str, float], sensitivity: float) -> float:
    """ε = ρ + 2√(ρL) with L = ln(1/δ), solved for the unknown."""
    if question == "sigma":
        log_term = -math.log(values["delta"])
        # √ρ = √(L+ε) - √L, without the cancellation.
        root = values["epsilon"] / (math.sqrt(log_term + values["epsilon"]) + math.sqrt(log_term))
        return sensitivity / (math.sqrt(2.0) * root) * ROUNDED_UP
    rho = _rho(values, sensitivity).rho
    if question == "epsilon":
        return printed_epsilon(rho, values["delta"]) * ROUNDED_UP
    if values["epsilon"] <= rho:
        return 1.0
    exponent = (values["epsilon"] - rho) ** 2 / (4.0 * rho)
    return min(1.0, math.exp(-exponent * (1.0 - 1e-12)) + 1e-323)


def _renyi(question: str, values: dict[str, float], sensitivity: float) -> float:
    if question == "sigma":
        rho = rho_for(values["epsilon"], values["delta"])
        return sensitivity / math.sqrt(2.0 * rho) * ROUNDED_UP
    if question == "epsilon":
        return epsilon_of(_rho(values, sensitivity), values["delta"])
    # The smallest positive numbers are added twice, in case the bound underflows.
    return min(1.0, delta_of(_rho(values, sensitivity), values["epsilon"]) + 1e-323)


def _distribution(question: str, values: dict[str, float], sensitivity: float) -> float:
    # The sensitivity includes the adjacency, so any adjacency that moves the sum by C is right.
    adjacency = Adjacency.ZERO_OUT

    def epsilon(sigma: float) -> float:
        event = Gaussian(sigma, sensitivity)
        return certify(event, values["delta"], adjacency, "pld").bound

    if question == "epsilon":
        return epsilon(values["sigma"])
    if question == "sigma":
        # The exact σ is a lower bound, and the grid's error is about 1e-6 of ε.
        low = analytic_sigma(values["epsilon"], values["delta"], sensitivity)
        within_limits("σ over sensitivity for this ε and δ", low, sensitivity)
        high = low * (1.0 + 1e-5)
        while epsilon(high) > values["epsilon"]:
            low, high = high, low + 4.0 * (high - low)
        return high
    # δ at ε: the distribution is composed for an estimate of that δ.
    estimate = analytic_delta(values["epsilon"], values["sigma"], sensitivity)
    event = steps(Gaussian(values["sigma"], sensitivity))
    distributions = loss_distributions(event, adjacency, delta=min(max(estimate, 1e-300), 0.5))
    return max(distribution.delta(values["epsilon"]) for distribution in distributions)


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
