"""Draw σ, the measure and another one side by side, and start the timing of the methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpcore.controls.explore import FIGURES_OF_000, PLOTTED, SIDE_BY_SIDE
from dpcore.evaluation.study import Study, as_learned, study_of
from dpcore.evaluation.times import TimesStudy
from dpcore.guarantee import Edition
from dpcore.predictors import predictor_named
from dpcore.questions.cost.figure import MEASURES, SECONDS, plots
from dpcore.words import listed
from pages.explore import curve_jobs, numbers, presets, texts
from pages.explore.layout import Slots
from pages.explore.view import once
from pages.shared import verdicts, work
from pages.shared.charts import table_behind
from pages.shared.session import control_value
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    from dpcore.figures.picture import Picture
    from dpcore.questions.cost.figure import Series
    from pages.explore.view import View


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
    return curve_jobs.watched_alone("times", "Timing the methods", _timed(view))


def _timed(view: View) -> TimesStudy:
    """Of the first answer's method and the chosen ones, whether or not their curves are there."""
    methods = dict.fromkeys((view.line["method"].iloc[0], *view.methods))
    return TimesStudy(tuple(_alone(view, method) for method in methods))


def _alone(view: View, method: str) -> Study:
    is_printed = Edition.PUBLISHED in predictor_named(method).editions
    as_chosen = view.study.edition == Edition.PUBLISHED and is_printed
    return study_of(view.study if as_chosen else view.whole, method)


def show(view: View, epsilon: float) -> None:
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
    numbers.show_over_epsilon(view, shown, "plots_picture", epsilon)
    if measure == SECONDS:
        st.caption(texts.ARE_TIMED if times is None else _about(view, times))
    others = [
        view.titles[method]
        for method in view.methods
        if as_learned(view.study, view.problem, predictor_named(method)).lam != view.problem.lam
    ]
    if others and measure in ("objective", "excess_risk"):
        st.caption(f":material/info: {texts.OTHER_OBJECTIVE.format(names=listed(others))}")
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
    others = texts.OTHER_STEPS.format(names=listed(vary)) if vary else texts.SAME_STEPS
    return f"{texts.TIMED} {others}"


def _plots(view: View, series: list[Series], measure: str) -> Picture:
    first = view.line.iloc[0]
    queries = view.with_method(first["method"]).queries
    name = view.titles[first["method"]]
    return plots(view.decision, view.thin, series, queries, measure, name, view.delta)


def _verdicts(view: View) -> None:
    """Judge the conclusions of the paper whose figure the settings are of, by what is drawn."""
    from dpcore.reproduction import paper_000

    figure, _ = FIGURES_OF_000.get(presets.matching() or "", (0, {}))
    if figure and view.others is None:
        rows = view.table.assign(dataset=view.study.dataset)
        verdicts.show(paper_000.judge(rows, figure), texts.THEIR_BASELINE)
