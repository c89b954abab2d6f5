"""A claim or a proof in one line, as pages and reports write it."""

from __future__ import annotations

from dpcore.guarantee import Guarantee
from dpcore.words import at_most


def statement(guarantee: Guarantee) -> str:
    """ε, δ, adjacency and accountant, or why there is no number."""
    if guarantee.epsilon is None:
        return f"No number. {guarantee.reason}".strip()
    sentence = f"ε = {at_most(guarantee.epsilon)}"
    if guarantee.delta is not None:
        sentence += f", δ = {at_most(guarantee.delta)}"
        if guarantee.vacuous:
            sentence += " (vacuous: δ ≥ 1 holds for every algorithm)"
    tail = f" {guarantee.reason}" if guarantee.reason else ""
    return f"{sentence} · {guarantee.adjacency} · {guarantee.by}.{tail}"
