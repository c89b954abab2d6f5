"""One release with Gaussian noise: σ from (ε, δ), ε from (σ, δ) or δ from (ε, σ), by any mechanism.

It adds to `dpcore.mechanisms.answers` (classical, analytic) the methods that use an accountant:
zCDP and tCDP by their printed conversion, Rényi by the modern one, and privacy loss distributions.
For one Gaussian without sampling ω is infinite, so tCDP has no condition to fail.
"""

from __future__ import annotations

import math
from typing import Any

from dpcore.accounting.accountants import bounds
from dpcore.accounting.concentrated import Concentrated, printed_epsilon, rho_for
from dpcore.accounting.concentrated import delta as delta_of
from dpcore.accounting.concentrated import epsilon as epsilon_of
from dpcore.accounting.events import LARGEST_MULTIPLIER, LEAST_MULTIPLIER, Gaussian, steps
from dpcore.accounting.losses import loss_distributions
from dpcore.errors import InvalidInput, number, one_of
from dpcore.guarantee import SMALLEST_DELTA, Adjacency, Condition
from dpcore.mechanisms.answers import MECHANISMS as DIRECT
from dpcore.mechanisms.answers import QUESTIONS, report
from dpcore.mechanisms.answers import answer as direct_answer
from dpcore.mechanisms.gaussian import analytic_delta, analytic_sigma

MECHANISMS = (*DIRECT, "zcdp", "tcdp", "rdp", "pld")
THEOREMS = {
    "zcdp": "Bun and Steinke 2016, Proposition 1.3: ε = ρ + 2√(ρ ln(1/δ))",
    "tcdp": "Bun, Dwork, Rothblum and Steinke 2018, Lemma 3 of paper 003, at ω = ∞",
    "rdp": "Mironov 2017 with Canonne, Kamath and Steinke 2020, Proposition 12",
    "pld": "connect-the-dots privacy loss distribution (Doroshenko et al. 2022)",
}
UP = 1.0 + 1e-12
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
    """All results for one Gaussian release, in the form of `dpcore.mechanisms.answers`.

    Parameters
    ----------
    question : str
        "sigma", "epsilon" or "delta": the unknown; the other two must be given.
    mechanism : str
        One of `MECHANISMS`.
    epsilon, delta, sigma, sensitivity : float
        As usual; σ and the sensitivity in the query's units. The adjacency is the one that the
        sensitivity was computed for.

    Returns
    -------
    dict
        With the keys of that module's `answer`. σ, ε and δ are rounded to the safe side.
        Through an accountant, ε and δ must be within `LIMITS` and σ over the sensitivity within
        those of `dpcore.accounting.events`.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """
    one_of("mechanism", mechanism, MECHANISMS)
    inputs = {"epsilon": epsilon, "delta": delta, "sigma": sigma}
    if mechanism in DIRECT:
        return direct_answer(question, mechanism, **inputs, sensitivity=sensitivity)
    one_of("question", question, QUESTIONS)
    values: dict[str, float] = {}
    for name, value in inputs.items():
        if name == question:
            continue
        if value is None:
            raise InvalidInput(f"{name} is missing, but it is needed to answer for {question}.")
        values[name] = number(name, value, **LIMITS[name])
    sensitivity = number("sensitivity", sensitivity, above=0.0)
    if "sigma" in values:
        _multiplier("", values["sigma"], sensitivity)
    solve = {"zcdp": _printed, "tcdp": _printed, "rdp": _renyi, "pld": _distribution}[mechanism]
    values[question] = solve(question, values, sensitivity)
    if question == "sigma":
        _multiplier(" for this ε and δ", values["sigma"], sensitivity)
    condition = Condition("any ε and δ: one Gaussian has every Rényi order", True)
    return report(question, mechanism, THEOREMS[mechanism], values, sensitivity, (condition,))


def ladder(epsilon: float, delta: float, sensitivity: float = 1.0) -> list[dict[str, Any]]:
    """`answer("sigma", ...)` for every mechanism, from the most noise to the least."""
    rows = [
        answer("sigma", mechanism, epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        for mechanism in MECHANISMS
    ]
    return sorted(rows, key=lambda row: -row["claim"]["sigma"])


def _multiplier(why: str, sigma: float, sensitivity: float) -> None:
    number(
        f"σ over sensitivity{why}",
        # A subnormal sensitivity would overflow the ratio or lose its digits.
        sigma / sensitivity if sensitivity >= 1e-300 else math.inf,
        at_least=LEAST_MULTIPLIER,
        at_most=LARGEST_MULTIPLIER,
    )


def _rho(values: dict[str, float], sensitivity: float) -> Concentrated:
    return Concentrated(0.5 * (sensitivity / values["sigma"]) ** 2 * UP)


def _printed(question: str, values: dict[str, float], sensitivity: float) -> float:
    """ε = ρ + 2√(ρL) with L = ln(1/δ), solved for the unknown."""
    if question == "sigma":
        log_term = -math.log(values["delta"])
        # √ρ = √(L+ε) - √L, without the cancellation.
        root = values["epsilon"] / (math.sqrt(log_term + values["epsilon"]) + math.sqrt(log_term))
        return sensitivity / (math.sqrt(2.0) * root) * UP
    rho = _rho(values, sensitivity).rho
    if question == "epsilon":
        return printed_epsilon(rho, values["delta"]) * UP
    if values["epsilon"] <= rho:
        return 1.0
    exponent = (values["epsilon"] - rho) ** 2 / (4.0 * rho)
    return min(1.0, math.exp(-exponent * (1.0 - 1e-12)) + 1e-323)


def _renyi(question: str, values: dict[str, float], sensitivity: float) -> float:
    if question == "sigma":
        return sensitivity / math.sqrt(2.0 * rho_for(values["epsilon"], values["delta"])) * UP
    if question == "epsilon":
        return epsilon_of(_rho(values, sensitivity), values["delta"])
    # The smallest positive numbers are added twice, in case the bound underflows.
    return min(1.0, delta_of(_rho(values, sensitivity), values["epsilon"]) + 1e-323)


def _distribution(question: str, values: dict[str, float], sensitivity: float) -> float:
    def epsilon(sigma: float, delta: float) -> float:
        # The sensitivity includes the adjacency, so any adjacency that moves the sum by C is right.
        return bounds(Gaussian(sigma, sensitivity), delta, Adjacency.ZERO_OUT)[1]

    if question == "epsilon":
        return epsilon(values["sigma"], values["delta"])
    if question == "sigma":
        # The exact σ is a lower bound, and the grid's error is about 1e-6 of ε.
        low = float(analytic_sigma(values["epsilon"], values["delta"], sensitivity))
        _multiplier(" for this ε and δ", low, sensitivity)
        high = low * (1.0 + 1e-5)
        while epsilon(high, values["delta"]) > values["epsilon"]:
            low, high = high, low + 4.0 * (high - low)
        return high
    # δ at ε: the distribution is composed for an estimate of that δ.
    estimate = float(analytic_delta(values["epsilon"], values["sigma"], sensitivity))
    distributions = loss_distributions(
        steps(Gaussian(values["sigma"], sensitivity)),
        Adjacency.ZERO_OUT,
        delta=min(max(estimate, 1e-300), 0.5),
    )
    return max(distribution.delta(values["epsilon"]) for distribution in distributions)
