"""Show one run: what it spends, or the setting that keeps the budget, and on demand all else."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.accounting import planner
from dpcore.controls.plan import LOOKS, SOLVE, SOLVED, VIEW
from dpcore.errors import InvalidInput
from pages.plan import accountants, answer, controls, maps, risk, take_along, texts
from pages.plan.answer import MOMENT, Answer
from pages.shared import page_links, presets
from pages.shared.verbatim import refuse
from pages.shared.widgets import drawn
from pages.shared.work import Waiting, answer_to, is_stopped

DRAW = dict(zip(LOOKS, (accountants.show, maps.show, risk.show, take_along.show), strict=True))


def show() -> Waiting:
    """Draw the question, its answer, and what is chosen to be seen; returns unfinished tasks."""
    presets.apply_stored("plan")
    try:
        waiting = _answer()
    except InvalidInput as refusal:
        refuse(refusal)
        waiting = []
    presets.drawn("plan")
    return waiting


def _answer() -> Waiting:
    with st.container(horizontal=True, vertical_alignment="top"):
        unknown = drawn(SOLVE, width="content")
        budget = controls.target()
    start = controls.sidebar(unknown)
    plan, waiting = answer_to(
        "run",
        f"Solving for {SOLVED[unknown]}",
        (unknown, start, budget),
        partial(planner.solve, unknown, start, budget, "pld"),
        wait=MOMENT,
        quick=True,
    )
    if plan is None:
        if not is_stopped(waiting):
            st.caption("The answer comes here.")
        return waiting
    shown = Answer(plan, start, budget)
    waiting = waiting + answer.show(shown)
    if plan.training is None:
        return waiting
    look = st.pills("Look closer", LOOKS, key=VIEW.key, bind="query-params")
    if look is not None:
        with st.container(key="open_look"):
            waiting += DRAW[look](shown)
    script, link = page_links.link_to("Learn", lesson="3")
    st.page_link(script, label=texts.HOW_MANY, icon=":material/school:", query_params=link)
    return waiting
