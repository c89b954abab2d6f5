"""Show one run: its cost by every accountant, and the question asked backwards."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from pages.plan import answer as run_answer
from pages.plan import controls, risk, solving, tabs
from pages.shared import presets
from pages.shared.background import Waiting
from pages.shared.verbatim import refuse


def show() -> Waiting:
    """Draw the controls of a run, its cost, and all that follows; returns unfinished tasks."""
    try:
        training, is_compared = controls.sidebar()
        run_answer.title(training)
        answer, waiting = run_answer.numbers(training, is_compared)
    except InvalidInput as refusal:
        refuse(refusal)
        presets.drawn("plan")
        return []
    with st.container(border=True):
        waiting += run_answer.chart(answer)
    waiting += run_answer.claim_and_proof(answer)
    solving.show(answer)
    waiting += risk.show(answer)
    waiting += tabs.show(answer)
    presets.drawn("plan")
    return waiting
