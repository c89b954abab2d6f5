"""One query about a Gaussian mechanism, with proved, claimed and certified results and reasons.

σ from (ε, δ), ε from (σ, δ), or δ from (ε, σ), by the classical or the analytic mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dpcore.errors import InvalidInput, number, one_of
from dpcore.guarantee import Condition
from dpcore.mechanisms.gaussian import (
    analytic_delta,
    analytic_epsilon,
    analytic_sigma,
    classical_condition,
    classical_sigma,
)

MECHANISMS = ("analytic", "classical")
QUESTIONS = ("sigma", "epsilon", "delta")
THEOREMS = {
    "analytic": "Balle and Wang 2018, Theorem 8 (exact)",
    "classical": "Dwork and Roth 2014, Theorem A.1",
}


def answer(
    question: str,
    mechanism: str,
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    sigma: float | None = None,
    sensitivity: float = 1.0,
) -> dict[str, Any]:
    """All results for one Gaussian release.

    Parameters
    ----------
    question : str
        "sigma", "epsilon" or "delta": the unknown; the other two must be given.
    mechanism : str
        "analytic" or "classical".
    epsilon, delta, sigma, sensitivity : float
        As usual; σ and the sensitivity in the query's units. The adjacency is the one that the
        sensitivity was computed for.

    Returns
    -------
    dict
        The proved value under the question's own name (``None`` when a condition is unmet), the
        formula's value under "claim", the conditions with verdicts, the exact ε of the same noise
        at the same δ under "certified_epsilon", and the query itself.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """
    one_of("question", question, QUESTIONS)
    one_of("mechanism", mechanism, MECHANISMS)
    inputs = {"epsilon": epsilon, "delta": delta, "sigma": sigma}
    for name, value in inputs.items():
        if name != question and value is None:
            raise InvalidInput(f"{name} is missing, but it is needed to answer for {question}.")
    number("sensitivity", sensitivity, above=0.0)
    values = {
        name: value for name, value in inputs.items() if name != question and value is not None
    }
    values[question] = _formula(question, mechanism, values, sensitivity)
    return report(
        question,
        mechanism,
        THEOREMS[mechanism],
        values,
        sensitivity,
        _conditions(mechanism, values),
    )


def report(
    question: str,
    mechanism: str,
    theorem: str,
    known: dict[str, float],
    sensitivity: float,
    conditions: Sequence[Condition],
) -> dict[str, Any]:
    """The full answer, given all three of ε, δ and σ in `known`; keys as for `answer`."""
    value = known[question]
    met = all(condition.met for condition in conditions)
    usable = 0.0 < known["delta"] < 1.0 and known["sigma"] > 0.0
    return {
        question: value if met else None,
        "question": question,
        "mechanism": mechanism,
        "theorem": theorem,
        "adjacency": "that of the sensitivity",
        "sensitivity": sensitivity,
        "given": {name: known[name] for name in QUESTIONS if name != question},
        "claim": {question: value},
        "conditions": verdicts(conditions),
        "certified_epsilon": (
            float(analytic_epsilon(known["sigma"], known["delta"], sensitivity)) if usable else None
        ),
        "certified_by": "exact Gaussian curve at the same σ and δ",
    }


def verdicts(conditions: Sequence[Condition]) -> list[dict[str, Any]]:
    """Each condition: whether it is met, whether that is the user's assumption, and why not."""
    return [
        {
            "condition": condition.text,
            "met": condition.met,
            "assumed": condition.assumed,
            "why": "" if condition.met else condition.consequence,
        }
        for condition in conditions
    ]


def _formula(question: str, mechanism: str, values: dict[str, float], sensitivity: float) -> float:
    if mechanism == "analytic":
        if question == "sigma":
            return float(analytic_sigma(values["epsilon"], values["delta"], sensitivity))
        if question == "epsilon":
            return float(analytic_epsilon(values["sigma"], values["delta"], sensitivity))
        return float(analytic_delta(values["epsilon"], values["sigma"], sensitivity))
    if question == "sigma":
        return float(classical_sigma(values["epsilon"], values["delta"], sensitivity))
    sigma = number("sigma", values["sigma"], above=0.0)
    if question == "epsilon":
        # σε = Δ√(2 ln(1.25/δ)) is symmetric in σ and ε.
        return float(classical_sigma(sigma, values["delta"], sensitivity))
    epsilon = number("epsilon", values["epsilon"], above=0.0)
    reach = epsilon * sigma / sensitivity
    # Rounded up: by a relative 1e-12, and by two of the smallest numbers where that underflows.
    return 1.25 * math.exp(-0.5 * reach * reach) * (1.0 + 1e-12) + 1e-323


def _conditions(mechanism: str, values: dict[str, float]) -> tuple[Condition, ...]:
    if mechanism == "analytic":
        return (Condition("any ε and δ: the curve is exact", True),)
    delta = values["delta"]
    return (
        classical_condition(values["epsilon"]),
        Condition(
            f"0 < δ < 1 (δ = {delta:.3g})",
            0.0 < delta < 1.0,
            f"The classical formula gives δ = {delta:.3g}, which promises nothing.",
        ),
    )
