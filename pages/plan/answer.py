"""Draw the answer on one run: a sentence, three numbers and a chart, with ways to use it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from dpcore.accounting import planner
from dpcore.accounting.planner import Plan
from dpcore.accounting.presets import matching
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.controls.common import DELTAS
from dpcore.controls.plan import SOLVE
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.questions.account.usual import of_run
from dpcore.questions.plan import figure, words
from dpcore.words import at_most, plain, spaced
from pages.plan import budget, controls, texts
from pages.plan.offer import offer_entry
from pages.shared import badges
from pages.shared.charts import on_dark, plot, table_behind
from pages.shared.numbers import NARROW, draw_numbers
from pages.shared.session import store, stored
from pages.shared.work import Waiting, answer_to

MOMENT = 0.5  # seconds that the page waits: most answers take less


@dataclass(frozen=True)
class Answer:
    """Hold what is known of the run, and what was asked."""

    plan: Plan
    start: TrainingPlan  # as it is set
    budget: float  # ε

    @property
    def training(self) -> TrainingPlan:
        """The run that is shown: with the setting that was found."""
        return self.plan.training or self.start


def show(shown: Answer) -> Waiting:
    """Draw the answer; returns unfinished tasks."""
    plan, training = shown.plan, shown.training
    waiting = _sentence(shown)
    if plan.training is None:
        return waiting
    _numbers(plan, training)
    if plan.value is not None:
        table, drawing = answer_to(
            "setting curve",
            "Computing the chart",
            plan,
            partial(figure.setting_curve, plan),
            wait=MOMENT,
            quick=True,
        )
        waiting += drawing
        if table is None:
            st.caption("The chart comes here.")
        else:
            setting, value = figure.drawn_over(plan)
            plot(
                figure.setting(table, setting, value, shown.budget, dark=on_dark()),
                "setting_figure",
            )
            renamed = {"value": figure.AXES[setting], "epsilon": "ε spent"}
            table_behind(
                table.rename(columns=renamed), "setting", "ε spent for each value of the setting"
            )
    _in_words(training)
    budget.note(PrivacyBudget(shown.budget, training.delta), training.adjacency, training.records)
    entry = of_run(planner.to_set(plan) or training)
    if entry is not None:
        offer_entry(entry, training.delta, training.adjacency, training.records)
    return waiting


def _sentence(shown: Answer) -> Waiting:
    plan = shown.plan
    waiting: Waiting = []
    with st.container(horizontal=True, vertical_alignment="center"):
        sentence = words.spends(plan, shown.start, shown.budget)
        st.markdown(f"#### {sentence}", help=planner.precision(plan) or None, width="stretch")
        if plan.unknown != "epsilon":
            _button("Use this value", plan, shown.start)
        elif plan.guarantee.epsilon is not None and plan.guarantee.epsilon > shown.budget:
            fitting, waiting = answer_to(
                "fit",
                "Looking for the noise that fits",
                (shown.start, shown.budget),
                partial(planner.fit, shown.start, shown.budget, "pld"),
                wait=MOMENT,
                quick=True,
            )
            if fitting is not None:
                _button(f"Fit to ε = {plain(shown.budget)}", fitting, shown.start)
    run, done = stored("plan set") or (None, "")
    if run == shown.start and plan.unknown == "epsilon":
        st.caption(done)
    return waiting


def _button(label: str, plan: Plan, start: TrainingPlan) -> None:
    usable = planner.to_set(plan)
    if usable is not None and usable.delta <= DELTAS[-1]:
        said = f"Set: {words.found(plan, start)}."
        st.button(label, icon=":material/check:", on_click=_use, args=(usable, said))


def _use(training: TrainingPlan, said: str) -> None:
    """Set the one setting that was found, and note what was done."""
    controls.set_to(training, **{SOLVE.key: "epsilon"})
    store("plan set", (training, said))


def _numbers(plan: Plan, training: TrainingPlan) -> None:
    guarantee, last = plan.guarantee, training.schedule().sigmas[-1]
    per_epoch = steps_per_epoch(training.records, training.batch)
    first = f"; first {plain(training.sigma)}" if training.decay < 1.0 else ""
    held = f"proved · δ = {plain(training.delta)} · {guarantee.adjacency}"
    draw_numbers(
        (
            (
                "ε by PLD",
                "none" if guarantee.epsilon is None else at_most(guarantee.epsilon, words.DIGITS),
                guarantee.reason if guarantee.epsilon is None else held,
                f"{texts.PLD_NUMBER} {badges.statement(guarantee)}",
            ),
            (
                "Steps",
                spaced(training.steps),
                f"{plain(training.steps / per_epoch)} epochs of {spaced(per_epoch)}",
                "How many noisy steps the run takes.",
            ),
            (
                "Last noise σ",
                plain(last),
                f"multiplier σ/C = {plain(last / training.clip)}{first}",
                "Standard deviation of the noise on the sum at the last step, after all decays.",
            ),
        ),
        across=3,
        width=NARROW,
    )


def _in_words(training: TrainingPlan) -> None:
    preset = matching(training)
    note = "" if preset is None else f" These are settings of paper 003: {preset.title}."
    is_nominal = training.adjacency is Adjacency.ADD_REMOVE
    records = spaced(training.records)
    population = f"a public size of {records}" if is_nominal else f"{records} records"
    st.caption(
        f"{spaced(training.steps)} steps on batches of {spaced(training.batch)} of "
        f"{population} (q = {plain(training.rate)}), clipped to "
        f"{plain(training.clip)}, noise {training.schedule().name}.{note}"
    )
