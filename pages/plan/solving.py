"""Solve the inverse question: which setting keeps the run within a target ε."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.accounting import planner
from dpcore.accounting.accountants import ACCOUNTANTS
from dpcore.accounting.planner import Plan
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.controls.common import DELTAS
from dpcore.controls.plan import SOLVE, SOLVED, TARGET
from dpcore.errors import InvalidInput
from dpcore.figures.plan import sentences
from pages.plan.answer import CERTIFIED, FAST, Answer, covered
from pages.plan.controls import set_to
from pages.plan.controls import target as typed_target
from pages.shared import job_panel
from pages.shared.background import Waiting, answer_to, is_stopped, watched
from pages.shared.badges import statement
from pages.shared.verbatim import refuse
from pages.shared.widgets import drawn


def show(answer: Answer) -> None:
    """Draw the question, its answers with their progress, and buttons to use them."""
    with st.container(border=True):
        st.subheader("The question asked backwards", anchor=False)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            unknown = drawn(SOLVE, width="content")
            drawn(TARGET, width=180)
        try:
            target = typed_target()
            if unknown == "epsilon":
                # The numbers above already hold it.
                for guarantee in (answer.fast, answer.certified):
                    if guarantee is not None:
                        st.markdown(statement(guarantee))
            else:
                waiting = _answers(answer.training, unknown, target)
                job_panel.watch(watched(waiting, "solving"))
        except InvalidInput as refusal:
            refuse(refusal)


def _answers(training: TrainingPlan, unknown: str, target: float) -> Waiting:
    plans: list[Plan] = []
    waiting: Waiting = []
    keys = [key for key in (FAST, CERTIFIED) if covered(training, key)] or [FAST]
    for key in keys:
        title = ACCOUNTANTS[key].title
        plan, pending = answer_to(
            f"solve {key}",
            f"Solving for {SOLVED[unknown]} by {title}",
            (unknown, training, target),
            partial(planner.solve, unknown, training, target, key),
            quick=key == FAST,
        )
        waiting += pending
        if plan is not None:
            plans.append(plan)
        elif not is_stopped(pending):
            st.caption(f"The answer by {title} comes here.")
    per_epoch = steps_per_epoch(training.records, training.batch)
    for plan in plans:
        _answer(plan, target, per_epoch)
    if len([plan for plan in plans if plan.value is not None]) > 1:
        st.caption(
            "Both answers are proved. Use the one by PLD: it adds up the same noise more tightly, "
            "so the same ε buys more. Rényi's comes sooner."
        )
    return waiting


def _answer(plan: Plan, target: float, per_epoch: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        sentence = sentences.answered(plan, target, per_epoch)
        st.markdown(f"{sentence} {planner.precision(plan)}".strip(), width="stretch")
        usable = planner.to_set(plan)
        if usable is None:
            return
        st.button(
            "Use this value",
            key=f"use {plan.guarantee.by}",
            icon=":material/check:",
            on_click=set_to,  # δ as the next power of ten, which is also safe
            args=(usable,),
            disabled=plan.unknown == "delta" and usable.delta > DELTAS[-1],
        )
