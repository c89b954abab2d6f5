"""The plain summary of a certificate: a few sentences for people who are no experts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcore.accounting.risk import gaussian_advantage, odds
from dpcore.guarantee import Adjacency, PrivacyBudget

DOES, PROMISED, NOT_PROMISED = (
    "What the model does",
    "What is promised to one person",
    "What is not promised",
)
_GIVES = {
    "logistic": "It gives each person a risk.",
    "huber": "It gives a score, which is no risk.",
}
_EVERYONE = (
    "That holds for whoever sees every file of this release, even if they know all other people's "
    "data."
)
_NOT = (
    "The model may be wrong: how often it is was not measured here.",
    "Something may be learned about you without your data: what is true of many people may be true "
    "of you, too.",
    "What was published of the same people elsewhere is not covered.",
)


def plain_summary(document: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Three headings, each with its sentences; the first are a person's own words."""
    facts, proof = document["facts"], document["proof"]
    budget = PrivacyBudget(proof["epsilon"], proof["delta"])
    noise = gaussian_advantage(proof["mu"])
    promise = odds(budget, Adjacency(proof["adjacency"]), noise)
    gives = _GIVES.get(facts["training"].get("loss"), "")
    return [
        (DOES, [_ended(facts["about"]["description"]), *filter(None, [gives])]),
        (PROMISED, [promise.sentence, _EVERYONE]),
        (NOT_PROMISED, list(_NOT)),
    ]


def _ended(text: str) -> str:
    return text if text[-1:] in ".!?" else f"{text}."
