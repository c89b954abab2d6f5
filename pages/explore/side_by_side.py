"""Draw σ, the measure and another one side by side, and start the timing of the methods."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpcore.controls.explore import FIGURES_OF_000, PLOTTED, SIDE_BY_SIDE
from dpcore.evaluation.study import as_learned
from dpcore.predictors import predictor_named
from dpcore.questions.cost.figure import MEASURES, SECONDS, plots
from dpcore.questions.times.question import TimesQuestion
from dpcore.words import listed
from pages.explore import controls, curve_jobs, numbers
from pages.explore.layout import Slots
from pages.explore.view import once
from pages.shared import work
from pages.shared.display import show_conclusions, table_behind
from pages.shared.session import control_value
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    from dpcore.figures.picture import Picture
    from dpcore.questions.cost.figure import Series
    from pages.explore.numbers import AtStop
    from pages.explore.view import View

OTHER_OBJECTIVE = (
    "All are measured at the λ that the page states, but {names} learned with a 64th of it. That "
    "is farther from this minimum, which says nothing of accuracy."
)
ARE_TIMED = "Methods are being timed: the line above says how far it is."
TIMED = (
    "Each model was trained alone, once, on the machine that runs this page. Another machine or "
    "another moment gives other seconds, so no command repeats them. They hang on the number of "
    "steps and of features, not on ε itself."
)
OTHER_STEPS = "That number is another at some ε for {names}."
SAME_STEPS = "That number is the same at every ε."
THEIR_BASELINE = (
    "The non-private model of these conclusions has the paper's λ. The dashed line is the better "
    "of a tuned linear model and boosted trees."
)


def jobs(view: View, slots: Slots) -> tuple[work.WatchedJobs, ...]:
    """The job that the tab needs while it shows seconds, and the choice of what is plotted.

    The choice stands outside the fragment of ε, as a job may begin with it.
    """
    if slots.tab != SIDE_BY_SIDE:
        return ()
    with slots.contents:
        drawn(PLOTTED, among=[name for name in MEASURES if name in view.line or name == SECONDS])
    if control_value(PLOTTED.key) != SECONDS:
        return ()
    question = _timed(view)
    return curve_jobs.watched_alone(question.named(), question.doing, question)


def _timed(view: View) -> TimesQuestion:
    """Of the first answer's method and the chosen ones, whether or not their curves are there."""
    methods = dict.fromkeys((view.line["method"].iloc[0], *view.methods))
    return TimesQuestion(replace(view.study, methods=tuple(methods)))


def show(view: View, _: AtStop, epsilon: float) -> None:
    """Draw the tab with its cursor at the chosen ε."""
    measure, series = control_value(PLOTTED.key), view.series
    times = None
    if measure == SECONDS:
        question = _timed(view)
        if curve_jobs.is_done(question):
            times = curve_jobs.results(question)
            series = [(title, method, _with(rows, times)) for title, method, rows in series]
    key = f"plots {view.contents} {measure} {times is None}"
    shown = once(view, key, lambda: _plots(view, series, measure))
    numbers.show_over_epsilon(view, shown, "plots_picture", numbers.stop_at(view, epsilon)[0])
    if measure == SECONDS:
        st.caption(ARE_TIMED if times is None else _about(view, times))
    others = [
        view.titles[method]
        for method in view.methods
        if as_learned(view.study, view.problem, predictor_named(method)).lam != view.problem.lam
    ]
    if others and measure in ("objective", "excess_risk"):
        st.caption(f":material/info: {OTHER_OBJECTIVE.format(names=listed(others))}")
    table_behind(pd.concat([rows for _, _, rows in series]), "plots", "What is drawn")
    _verdicts(view)


def _with(rows: pd.DataFrame, times: pd.DataFrame) -> pd.DataFrame:
    columns = ["method", "edition", "epsilon"]
    return rows.merge(times[[*columns, SECONDS]], on=columns, how="left")


def _about(view: View, times: pd.DataFrame) -> str:
    """How the seconds came about, and whose differ over ε."""
    vary = [
        view.titles[str(method)]
        for method, rows in times.groupby("method", sort=False)
        if rows[SECONDS].nunique() > 1
    ]
    others = OTHER_STEPS.format(names=listed(vary)) if vary else SAME_STEPS
    return f"{TIMED} {others}"


def _plots(view: View, series: list[Series], measure: str) -> Picture:
    first = view.line.iloc[0]
    queries = view.with_method(first["method"]).queries
    name = view.titles[first["method"]]
    return plots(view.decision, view.thin, series, queries, measure, name, view.delta)


def _verdicts(view: View) -> None:
    """Judge the conclusions of the paper whose figure the settings are of, by what is drawn."""
    from dpcore.reproduction import paper_000

    figure, _ = FIGURES_OF_000.get(controls.matching_preset() or "", (0, {}))
    if figure and view.others is None:
        rows = view.table.assign(dataset=view.study.dataset)
        show_conclusions(paper_000.judge(rows, figure), THEIR_BASELINE)
