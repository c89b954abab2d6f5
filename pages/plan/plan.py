"""Plan: what a run costs, and what a budget buys."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from pages.plan import answer as plan_answer
from pages.plan import controls, links, risk, solving, tabs
from pages.shared import background, job_panel, presets, query
from pages.shared.verbatim import refuse

query.tell("plan", links.validate_link())

try:
    training = controls.sidebar()
    plan_answer.title(training)
    answer, waiting = plan_answer.numbers(training)
except InvalidInput as refusal:
    refuse(refusal)
    presets.drawn("plan")
    st.stop()

progress = st.container()
with st.container(border=True):
    waiting += plan_answer.chart(answer)
waiting += plan_answer.claim_and_proof(answer)
waiting += solving.show(answer)
risk.show(answer)
waiting += tabs.show(answer)
with progress:
    job_panel.watch(background.watched(waiting))
presets.drawn("plan")
