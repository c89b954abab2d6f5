"""What the run's ε means for one person whose record it is trained on."""

from __future__ import annotations

import streamlit as st

from dpcore.accounting.risk import promise
from dpcore.accounting.tradeoff import PrivacyCurve, from_event
from pages.plan import texts
from pages.plan.answer import CERTIFIED, Answer, covered
from pages.shared import risk_panel


def show(answer: Answer) -> None:
    """The card for the least ε certified so far, and what someone could find out."""
    training, best = answer.training, answer.best
    if answer.fast is None and best.epsilon is None:
        st.caption("What ε means for one person comes here.")
        return
    promised = promise("this training run", best, best, training.records)
    with st.container(border=True, width=480):
        if promised.budget is None:
            st.markdown(f"**What ε means for one person:** {texts.NO_ODDS}")
        else:
            note = f"For this run: {best.by}."
            if covered(training, CERTIFIED):
                note += f" {risk_panel.FEWER}"
            risk_panel.card(promised.budget, training.adjacency, "plan_people_figure", note)

    def exact() -> PrivacyCurve | None:
        # While ε is still being certified, a second accounting of the run would only delay it.
        if answer.certified is None or not covered(training, CERTIFIED):
            return None
        return from_event(training.event(), training.adjacency)

    risk_panel.attacker_panel(lambda: promised, exact, f"{training} {answer.certified is None}")
