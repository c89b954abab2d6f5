"""One question to a Gaussian mechanism, answered whole: proved, claimed, certified, and why.

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
    """Everything there is to say about one Gaussian release.

    Parameters
    ----------
    question : str
        "sigma", "epsilon" or "delta": the unknown; the other two must be given.
    mechanism : str
        "analytic" or "classical".
    epsilon, delta, sigma, sensitivity : float
        In the usual meanings; σ and the sensitivity in the query's units. The adjacency is the
        one the sensitivity was computed for.

    Returns
    -------
    dict
        The proved value under the question's own name (``None`` when a condition is unmet), the
        formula's value under "claim", the conditions with verdicts, the exact ε of that very noise
        at the same δ under "certified_epsilon", and what was asked.

    Raises
    ------
    InvalidInput
        Naming the field, the value and what is allowed.
    """
    one_of("question", question, QUESTIONS)
    one_of("mechanism", mechanism, MECHANISMS)
    given = {"epsilon": epsilon, "delta": delta, "sigma": sigma}
    for name, value in given.items():
        if name != question and value is None:
            raise InvalidInput(f"{name} is missing, but it is needed to answer for {question}.")
    number("sensitivity", sensitivity, above=0.0)
    known = {name: value for name, value in given.items() if name != question and value is not None}
    known[question] = _formula(question, mechanism, known, sensitivity)
    return report(
        question, mechanism, THEOREMS[mechanism], known, sensitivity, _conditions(mechanism, known)
    )


def report(
    question: str,
    mechanism: str,
    theorem: str,
    known: dict[str, float],
    sensitivity: float,
    conditions: Sequence[Condition],
) -> dict[str, Any]:
    """The answer in full, once all three of ε, δ and σ are in `known`; keys as `answer` says."""
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
    """Each condition, whether it is met, whether that is the user's word, and why not if not."""
    return [
        {
            "condition": c.text,
            "met": c.met,
            "assumed": c.assumed,
            "why": "" if c.met else c.consequence,
        }
        for c in conditions
    ]


def _formula(question: str, mechanism: str, known: dict[str, float], sensitivity: float) -> float:
    if mechanism == "analytic":
        if question == "sigma":
            return float(analytic_sigma(known["epsilon"], known["delta"], sensitivity))
        if question == "epsilon":
            return float(analytic_epsilon(known["sigma"], known["delta"], sensitivity))
        return float(analytic_delta(known["epsilon"], known["sigma"], sensitivity))
    if question == "sigma":
        return float(classical_sigma(known["epsilon"], known["delta"], sensitivity))
    sigma = number("sigma", known["sigma"], above=0.0)
    if question == "epsilon":
        # σε = Δ√(2 ln(1.25/δ)) is symmetric in σ and ε.
        return float(classical_sigma(sigma, known["delta"], sensitivity))
    epsilon = number("epsilon", known["epsilon"], above=0.0)
    reach = epsilon * sigma / sensitivity
    # Rounded up: by a relative 1e-12, and by two of the smallest numbers where that underflows.
    return 1.25 * math.exp(-0.5 * reach * reach) * (1.0 + 1e-12) + 1e-323


def _conditions(mechanism: str, known: dict[str, float]) -> tuple[Condition, ...]:
    if mechanism == "analytic":
        return (Condition("any ε and δ: the curve is exact", True),)
    delta = known["delta"]
    return (
        classical_condition(known["epsilon"]),
        Condition(
            f"0 < δ < 1 (δ = {delta:.3g})",
            0.0 < delta < 1.0,
            f"The classical formula gives δ = {delta:.3g}, which promises nothing.",
        ),
    )
