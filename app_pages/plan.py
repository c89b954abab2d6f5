"""Plan: what a run costs, and what a budget buys."""

from __future__ import annotations

import streamlit as st

from app_pages.parts import (
    background,
    links,
    plan_answer,
    plan_controls,
    plan_link,
    plan_meaning,
    plan_solve,
    plan_tabs,
)
from app_pages.parts.verbatim import refuse
from dpcore.errors import InvalidInput

message = plan_link.heed()
if message:
    st.warning(message, icon=":material/link_off:")
links.tell_restated("plan")

try:
    asked = plan_controls.sidebar()
    plan_answer.title(asked)
    answer, waiting = plan_answer.numbers(asked)
except InvalidInput as refusal:
    refuse(refusal)
    plan_controls.drawn()
    st.stop()

progress = st.container()
with st.container(border=True):
    waiting += plan_answer.chart(answer)
waiting += plan_answer.claim_and_proof(answer)
waiting += plan_solve.show(answer)
plan_meaning.show(answer)
waiting += plan_tabs.show(answer)
with progress:
    background.watch(waiting)
plan_controls.drawn()
