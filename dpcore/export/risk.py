"""What ε means for one person, as a command line."""

from __future__ import annotations

from dpcore.controls.options import exactly
from dpcore.guarantee import Adjacency, PrivacyBudget


def command(budget: PrivacyBudget, adjacency: Adjacency, prior: float, rate: float) -> str:
    """The command line that prints what follows from (ε, δ) alone."""
    return (
        f"python -m dpcore risk --epsilon {budget.epsilon!r} --delta {budget.delta!r} "
        f"--adjacency {adjacency} --prior {exactly(prior)} --fpr {exactly(rate)}"
    )
