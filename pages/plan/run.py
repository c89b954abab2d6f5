"""Show one run: what it spends, or the setting that keeps the budget, and on demand all else."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.accounting import grid, planner
from dpcore.accounting.accountants import refusal
from dpcore.accounting.planner import Plan
from dpcore.accounting.risk import promise
from dpcore.accounting.training_plan import TrainingPlan, steps_per_epoch
from dpcore.controls.common import DELTAS
from dpcore.controls.plan import LOOKS, MAP, SOLVE, SOLVED, VIEW
from dpcore.errors import InvalidInput
from dpcore.figures import schedule
from dpcore.guarantee import PrivacyBudget
from dpcore.questions.account.usual import of_run
from dpcore.questions.plan import figure, map, told, words
from dpcore.words import at_most, plain, spaced
from pages.plan import accountants, budget, controls, entries
from pages.shared import badges, page_links, presets, risk_panel
from pages.shared.charts import download, on_dark, plot, table_behind
from pages.shared.code import show_command, show_opacus, show_python
from pages.shared.numbers import NARROW, draw_numbers
from pages.shared.session import store, stored
from pages.shared.verbatim import refuse
from pages.shared.widgets import drawn
from pages.shared.work import Waiting, answer_to, is_stopped

MOMENT = 0.5  # seconds that the page waits: most answers take less
PLD = (
    "Adds up the whole privacy loss distribution of the steps, every rounding charged to δ. It is "
    "an upper bound that holds, and the tightest one here."
)


def show() -> Waiting:
    """Draw the question, its answer, and what is chosen to be seen; returns unfinished tasks."""
    presets.apply_stored("plan")
    try:
        waiting = _asked()
    except InvalidInput as refused:
        refuse(refused)
        waiting = []
    presets.drawn("plan")
    return waiting


def _asked() -> Waiting:
    with st.container(horizontal=True, vertical_alignment="top"):
        unknown = drawn(SOLVE, width="content")
        epsilon = controls.target()
    start = controls.sidebar(unknown)
    plan, waiting = answer_to(
        "run",
        f"Solving for {SOLVED[unknown]}",
        (unknown, start, epsilon),
        partial(planner.solve, unknown, start, epsilon, "pld"),
        wait=MOMENT,
        quick=True,
    )
    if plan is None:
        if not is_stopped(waiting):
            st.caption("The answer comes here.")
        return waiting
    waiting = waiting + _answer(plan, start, epsilon)
    run = plan.training
    if run is None:
        return waiting
    looks = (
        partial(accountants.show, plan, start, epsilon),
        partial(_schedule_and_map, run, epsilon),
        partial(_risk, plan, run),
        partial(_code, plan, start, epsilon),
    )
    look = st.pills("Look closer", LOOKS, key=VIEW.key, bind="query-params")
    if look is not None:
        with st.container(key="open_look"):
            waiting += looks[LOOKS.index(look)]()
    script, link = page_links.link_to("Learn", lesson="3")
    st.page_link(
        script,
        label="How many people does it take? Lesson 3 shows what n costs at one ε",
        icon=":material/school:",
        query_params=link,
    )
    return waiting


def _answer(plan: Plan, start: TrainingPlan, epsilon: float) -> Waiting:
    waiting = _sentence(plan, start, epsilon)
    run = plan.training
    if run is None:
        return waiting
    _numbers(plan, run)
    if plan.value is not None:
        waiting += _chart(plan, epsilon)
    st.caption(words.described(run))
    budget.note(PrivacyBudget(epsilon, run.delta), run.adjacency, run.records)
    entry = of_run(planner.to_set(plan) or run)
    if entry is not None:
        entries.offer(entry, run.delta, run.adjacency, run.records)
    return waiting


def _sentence(plan: Plan, start: TrainingPlan, epsilon: float) -> Waiting:
    waiting: Waiting = []
    with st.container(horizontal=True, vertical_alignment="center"):
        sentence = words.spends(plan, start, epsilon)
        st.markdown(f"#### {sentence}", help=planner.precision(plan) or None, width="stretch")
        if plan.unknown != "epsilon":
            _button("Use this value", plan, start)
        elif plan.guarantee.epsilon is not None and plan.guarantee.epsilon > epsilon:
            fitting, waiting = answer_to(
                "fit",
                "Looking for the noise that fits",
                (start, epsilon),
                partial(planner.fit, start, epsilon, "pld"),
                wait=MOMENT,
                quick=True,
            )
            if fitting is not None:
                _button(f"Fit to ε = {plain(epsilon)}", fitting, start)
    run, done = stored("plan set") or (None, "")
    if run == start and plan.unknown == "epsilon":
        st.caption(done)
    return waiting


def _button(label: str, plan: Plan, start: TrainingPlan) -> None:
    usable = planner.to_set(plan)
    if usable is not None and usable.delta <= DELTAS[-1]:
        said = f"Set: {words.found(plan, start)}."
        st.button(label, icon=":material/check:", on_click=_use, args=(usable, said))


def _use(run: TrainingPlan, said: str) -> None:
    """Set the one setting that was found, and note what was done."""
    controls.set_to(run, **{SOLVE.key: "epsilon"})
    store("plan set", (run, said))


def _numbers(plan: Plan, run: TrainingPlan) -> None:
    guarantee, last = plan.guarantee, run.schedule().sigmas[-1]
    per_epoch = steps_per_epoch(run.records, run.batch)
    first = f"; first {plain(run.sigma)}" if run.decay < 1.0 else ""
    held = f"proved · δ = {plain(run.delta)} · {guarantee.adjacency}"
    draw_numbers(
        (
            (
                "ε by PLD",
                "none" if guarantee.epsilon is None else at_most(guarantee.epsilon, words.DIGITS),
                guarantee.reason if guarantee.epsilon is None else held,
                f"{PLD} {badges.statement(guarantee)}",
            ),
            (
                "Steps",
                spaced(run.steps),
                f"{plain(run.steps / per_epoch)} epochs of {spaced(per_epoch)}",
                "How many noisy steps the run takes.",
            ),
            (
                "Last noise σ",
                plain(last),
                f"multiplier σ/C = {plain(last / run.clip)}{first}",
                "Standard deviation of the noise on the sum at the last step, after all decays.",
            ),
        ),
        across=3,
        width=NARROW,
    )


def _chart(plan: Plan, epsilon: float) -> Waiting:
    table, waiting = answer_to(
        "setting curve",
        "Computing the chart",
        plan,
        partial(figure.setting_curve, plan),
        wait=MOMENT,
        quick=True,
    )
    if table is None:
        st.caption("The chart comes here.")
        return waiting
    setting, value = figure.drawn_over(plan)
    plot(figure.setting(table, setting, value, epsilon, dark=on_dark()), "setting_figure")
    renamed = table.rename(columns={"value": figure.AXES[setting], "epsilon": "ε spent"})
    table_behind(renamed, "setting", "ε spent for each value of the setting")
    return waiting


def _schedule_and_map(run: TrainingPlan, epsilon: float) -> Waiting:
    """Draw the noise of every step, and a heat map of ε around the run."""
    plot(schedule.noise(run.schedule(), run.clip, dark=on_dark()), "schedule_figure")
    axis = drawn(MAP, width="content")
    if reason := refusal(run.event(), run.adjacency, "rdp"):
        st.markdown(reason)
        return []
    table, waiting = answer_to(
        "map", "Computing the map", (run, axis), lambda _: grid.table(run, axis)
    )
    if table is None:
        st.caption("The map comes here.")
        return waiting
    drawn_map = map.epsilon(
        table,
        axis,
        sigma=run.sigma,
        value=run.decay if axis == "decay" else run.rate,
        target=epsilon,
        basis=f"Rényi · {run.adjacency} · δ = {plain(run.delta)}",
        dark=on_dark(),
    )
    plot(drawn_map, "map_figure")
    st.caption(
        f"By Rényi accounting, {run.adjacency}, δ = {plain(run.delta)}, on a grid that rounds "
        "towards more ε. Steps stay as they are set. The target is the budget."
    )
    download(table, f"epsilon_over_sigma_and_{axis}", "ε of every setting on the map")
    return waiting


def _risk(plan: Plan, run: TrainingPlan) -> Waiting:
    """Draw the card for the certified ε, and the attacker panel."""
    guarantee = plan.guarantee
    return risk_panel.run_panels(
        promise("this training run", guarantee, guarantee, run.records),
        guarantee,
        None if guarantee.epsilon is None else run,
        str(run),
        "plan",
        is_final=True,
        subject="For this run",
        without="No bound: no accountant here gives a finite ε for this run.",
    )


def _code(plan: Plan, start: TrainingPlan, epsilon: float) -> Waiting:
    """Show the command line, Python and Opacus code, each to copy."""
    run, unknown = plan.training or start, plan.unknown
    commands, snippets = [told.command(run, "pld")], [told.snippet(run, "pld")]
    if unknown != "epsilon":
        commands.append(told.plan_command(start, unknown, epsilon, "pld"))
        snippets.append(told.snippet(start, "pld", unknown, epsilon))
    show_command(*commands)
    show_python(*snippets)
    show_opacus(run)
    return []
