"""Show what the run's ε means for one person in its training data."""

from __future__ import annotations

import streamlit as st

from dpcore.accounting.risk import promise
from pages.plan.answer import CERTIFIED, Answer, covered
from pages.shared import risk_panel
from pages.shared.background import Waiting


def show(answer: Answer) -> Waiting:
    """Draw the card for the least ε certified so far, and the attacker panel."""
    training, guarantee = answer.training, answer.best
    if answer.fast is None and guarantee.epsilon is None:
        st.caption("What ε means for one person comes here.")
        return []
    return risk_panel.run_panels(
        promise("this training run", guarantee, guarantee, training.records),
        guarantee,
        training if covered(training, CERTIFIED) else None,
        f"{training} {answer.certified is None}",
        "plan",
        is_final=answer.certified is not None,
        subject="For this run",
        without="No bound: no accountant here gives a finite ε for this run.",
    )
