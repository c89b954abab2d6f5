"""Find a setting for the budget: a training's epochs, noise or batch, or the noise of releases."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.accounting import planner
from dpcore.accounting.budget import BudgetSplit, split
from dpcore.accounting.entries import MAX_COUNT, AccountEntry
from dpcore.accounting.planner import Plan
from dpcore.accounting.setting_curve import release_curve, setting_curve
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.controls.account import (
    FIND,
    FIND_BATCH,
    FIND_BUDGET,
    FIND_EPOCHS,
    FIND_NOISE,
    FIND_RELEASES,
    FIND_SENSITIVITY,
    FIND_STEPS,
    QUESTION,
)
from dpcore.errors import InvalidInput, whole
from dpcore.export.plan import plan_command, snippet, split_command, split_snippet
from dpcore.figures.plan import sentences
from dpcore.figures.plan import setting as figure
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.rounding import raised
from pages.plan import budget, controls, entries, texts
from pages.shared import page_links
from pages.shared.background import Waiting, answer_to, is_stopped
from pages.shared.charts import on_dark, plot, table_behind
from pages.shared.code import show_command, show_opacus, show_python
from pages.shared.session import set_controls
from pages.shared.verbatim import refuse
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    import pandas as pd

MOMENT = 0.5  # seconds that the page waits: most answers take less
TYPED_SETTINGS = {
    "epochs": (FIND_BATCH, FIND_NOISE),
    "sigma": (FIND_BATCH, FIND_EPOCHS),
    "batch": (FIND_NOISE, FIND_STEPS),
    "release": (FIND_SENSITIVITY, FIND_RELEASES),
}
"""The settings that are typed, by the one that is looked for."""


def show() -> Waiting:
    """Draw the question and its answer; returns unfinished tasks."""
    unknown = drawn(FIND, width="content")
    place = st.container(horizontal=True, vertical_alignment="bottom")
    answer_place = st.container()
    script, link = page_links.link_to("Learn", lesson="3")
    st.page_link(script, label=texts.HOW_MANY, icon=":material/school:", query_params=link)
    try:
        with place:
            typed = budget.typed(FIND_BUDGET, budget.of_account(), TYPED_SETTINGS[unknown])
        with answer_place:
            if unknown == "release":
                _releases(typed)
                return []
            return _training(unknown, _start(typed), typed.limit, typed.people)
    except InvalidInput as refusal:
        with answer_place:
            refuse(refusal)
        return []


def _start(typed: budget.TypedBudget) -> TrainingPlan:
    people, settings = typed.people, typed.others
    usual = FIND_BATCH.usual(people)
    batch = whole("batch size", settings.get(FIND_BATCH.key, usual), at_least=1, at_most=people)
    epochs = whole("epochs", settings.get(FIND_EPOCHS.key, FIND_EPOCHS.default), at_least=1)
    steps = settings.get(FIND_STEPS.key, epochs * steps_per_epoch(people, batch))
    return TrainingPlan(
        float(settings.get(FIND_NOISE.key) or FIND_NOISE.default),
        people,
        batch,
        whole("steps", steps, at_least=1),
        typed.limit.delta,
        adjacency=typed.adjacency,
    )


def _training(unknown: str, start: TrainingPlan, limit: PrivacyBudget, people: int) -> Waiting:
    epsilon = limit.epsilon
    plan, waiting = answer_to(
        "setting",
        f"Looking for {texts.SOUGHT[unknown]}",
        (unknown, start, epsilon),
        partial(planner.solve, unknown, start, epsilon, "pld"),
        wait=MOMENT,
        quick=True,
    )
    if plan is None:
        if not is_stopped(waiting):
            st.caption("The answer comes here.")
        return waiting
    answer, reason = sentences.setting(plan, epsilon)
    st.markdown(f"#### {answer}")
    if plan.value is not None:
        table, drawing = answer_to(
            "setting curve",
            "Computing the chart",
            (unknown, start, epsilon),
            partial(setting_curve, plan),
            wait=MOMENT,
            quick=True,
        )
        waiting = waiting + drawing
        _chart(table, unknown, plan.value, epsilon)
    st.markdown(reason)
    budget.note(limit, start.adjacency, people)
    training = planner.to_set(plan)
    if training is not None:
        _use(training)
    _code(plan, unknown, start, epsilon)
    return waiting


def _chart(table: pd.DataFrame | None, unknown: str, answer: float, epsilon: float) -> None:
    if table is None:
        st.caption("The chart comes here.")
        return
    plot(figure.setting(table, unknown, answer, epsilon, dark=on_dark()), "setting_figure")
    shown = table.rename(columns={"value": figure.AXES[unknown], "epsilon": "ε spent"})
    table_behind(shown, "setting", "ε spent for each value of the setting")


def _use(training: TrainingPlan) -> None:
    per_epoch = steps_per_epoch(training.records, training.batch)
    with st.container(horizontal=True):
        if training.steps % per_epoch == 0:
            entry = AccountEntry(
                "training",
                every="quarter",
                noise=training.sigma,
                records=training.records,
                batch=training.batch,
                epochs=training.steps // per_epoch,
            )
            _offer(entry, training.delta, training.adjacency, training.records)
        st.button(
            "See this run in detail",
            icon=":material/search:",
            on_click=_open,
            args=(training,),
        )


def _offer(entry: AccountEntry, delta: float, adjacency: Adjacency, people: int) -> None:
    """Draw a button that adds the entry to the account, or say why that can't be.

    The entry says for which n and δ it was found, where the account has others.
    """
    account_delta, account_adjacency, account_people = budget.account_counts()
    if adjacency is not account_adjacency:
        st.caption(texts.OTHER_UNIT.format(account_adjacency, adjacency))
        return
    if (delta, people) != (account_delta, account_people):
        entry = replace(entry, what=f"Found at n = {people:,}, δ = {plain(delta)}")
        st.caption(texts.OTHER_BUDGET.format(account_people, plain(account_delta)))
    st.button(
        "Add it to my account",
        icon=":material/playlist_add:",
        on_click=_add,
        args=(entry,),
    )


def _add(entry: AccountEntry) -> None:
    entries.add_dated(entry)
    entries.write()
    set_controls({QUESTION.key: "account"})


def _open(training: TrainingPlan) -> None:
    controls.set_to(training)
    set_controls({QUESTION.key: "run"})


def _code(plan: Plan, unknown: str, start: TrainingPlan, epsilon: float) -> None:
    with st.expander("Take along: command line, Python", icon=":material/file_save:"):
        show_command(plan_command(start, unknown, epsilon, "pld"))
        show_python(snippet(start, "pld", unknown, epsilon))
        if plan.training is not None:
            show_opacus(plan.training)


def _releases(typed: budget.TypedBudget) -> None:
    limit, adjacency, people = typed.limit, typed.adjacency, typed.people
    count = whole("how many releases", typed.others[FIND_RELEASES.key], at_least=1, at_most=10_000)
    sensitivity = typed.others[FIND_SENSITIVITY.key]
    budget_split: BudgetSplit = split(limit, count, "pld", sensitivity)
    answer, reason = sentences.releases(budget_split, limit, sensitivity, adjacency)
    st.markdown(f"#### {answer}")
    table = release_curve(budget_split, limit, adjacency, sensitivity)
    _chart(table, "release", budget_split.portions[0].sigma, limit.epsilon)
    st.markdown(reason)
    budget.note(limit, adjacency, people)
    if count <= MAX_COUNT:
        noise = raised(budget_split.portions[0].noise_multiplier, 5)
        _offer(AccountEntry("release", count=count, noise=noise), limit.delta, adjacency, people)
    with st.expander("Take along: command line, Python", icon=":material/file_save:"):
        show_command(split_command(limit, count, sensitivity))
        show_python(split_snippet(limit, count, sensitivity))
