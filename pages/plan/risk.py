"""What the run's ε means for one person in its training data."""

from __future__ import annotations

import streamlit as st

from dpcore.accounting.risk import promise
from dpcore.accounting.tradeoff import PrivacyCurve, from_event
from pages.plan import texts
from pages.plan.answer import CERTIFIED, Answer, covered
from pages.shared import risk_panel


def show(answer: Answer) -> None:
    """Draw the card for the least ε certified so far, and the attacker panel."""
    training, guarantee = answer.training, answer.best
    if answer.fast is None and guarantee.epsilon is None:
        st.caption("What ε means for one person comes here.")
        return
    run_promise = promise("this training run", guarantee, guarantee, training.records)
    with st.container(border=True, width=480):
        if run_promise.budget is None:
            st.markdown(f"**What ε means for one person:** {texts.NO_ODDS}")
        else:
            note = f"For this run: {guarantee.by}."
            if covered(training, CERTIFIED):
                note += f" {risk_panel.FEWER}"
            risk_panel.card(run_promise.budget, training.adjacency, "plan_people_figure", note)

    def exact() -> PrivacyCurve | None:
        # A second accounting of the run would only delay a running certification.
        if answer.certified is None or not covered(training, CERTIFIED):
            return None
        return from_event(training.event(), training.adjacency)

    key = f"{training} {answer.certified is None}"
    st.fragment(risk_panel.attacker_panel)(lambda: run_promise, exact, key)
