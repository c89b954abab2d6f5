"""Show what the run's ε means for one person in its training data."""

from __future__ import annotations

from dpcore.accounting.risk import promise
from pages.plan.answer import Answer
from pages.shared import risk_panel
from pages.shared.work import Waiting


def show(answer: Answer) -> Waiting:
    """Draw the card for the certified ε, and the attacker panel."""
    training, guarantee = answer.training, answer.plan.guarantee
    return risk_panel.run_panels(
        promise("this training run", guarantee, guarantee, training.records),
        guarantee,
        None if guarantee.epsilon is None else training,
        str(training),
        "plan",
        is_final=True,
        subject="For this run",
        without="No bound: no accountant here gives a finite ε for this run.",
    )
