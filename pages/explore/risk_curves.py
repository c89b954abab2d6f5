"""Draw the tab on what the model says about each column, and start its job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.explore import CURVE_AS, CURVE_OF, RISK_CURVES
from dpcore.errors import InvalidInput
from dpcore.evaluation.clinic.column_curves import (
    MAX_TOGETHER,
    ColumnStudy,
    curve_part,
    term_part,
)
from dpcore.evaluation.clinic.rows import REFERENCE
from dpcore.export.explore import curve_command, curve_snippet
from pages.explore import by_hand, clinic, curve_jobs, texts
from pages.explore.layout import Slots
from pages.explore.view import once
from pages.shared import shared_jobs
from pages.shared.charts import plot, table_behind
from pages.shared.session import control_value
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.figures.drawn import Drawn
    from pages.explore.view import View


def jobs(view: View, slots: Slots) -> tuple[shared_jobs.WatchedJobs, ...]:
    """The job that the tab needs while it is open, and the choice of a column.

    The choice stands outside the fragment of ε, as a job may begin with it.
    """
    if slots.tab != RISK_CURVES:
        return ()
    if isinstance(clinic.wanted(view, corrected=False), str):
        return ()
    with slots.contents:
        drawn(CURVE_OF, among=[column.name for column in view.split.entry.used], width=240)
    study = wanted(view)
    if isinstance(study, str):
        return ()
    return (
        *curve_jobs.watched_alone("risk curves", "Drawing risk curves", study),
        *by_hand.jobs(study),
    )


def wanted(view: View) -> ColumnStudy | str:
    """Say what the tab is computed from, for every ε at once; or why not, in a sentence."""
    clinic_study = clinic.wanted(view, corrected=False)
    if isinstance(clinic_study, str):
        return clinic_study
    chosen = control_value(CURVE_OF.key)
    columns = (chosen,) if len(view.split.entry.used) > MAX_TOGETHER else ()
    try:
        return ColumnStudy(clinic_study.study, columns)
    except InvalidInput as refusal:
        return verbatim(str(refusal))


def show(view: View, row: pd.Series, epsilon: float) -> None:
    """Draw the tab for the model on the first screen, at the grid's ε for the chosen one."""
    study = wanted(view)
    if isinstance(study, str):
        st.markdown(study)
        return
    if not curve_jobs.is_done(study):
        st.markdown(texts.CURVES_ARE_DRAWN)
        return
    from dpcore.figures.curves import at

    column = str(control_value(CURVE_OF.key))
    results = curve_jobs.results(study)
    key = f"risk curves {study.key}"
    rows, terms = once(view, key, lambda: (curve_part(results), term_part(results)))
    chosen = float(row["epsilon"])
    judged = at(view.line, chosen)
    clinic.tell_other(view, row, judged)
    model = str(judged["method"])
    measure = drawn(CURVE_AS, width=320)
    key = f"risk curve {study.key} {column} {measure} {model} {chosen} {view.dark}"
    figure = once(view, key, lambda: _figure(view, rows, column, measure, model, chosen))
    plot(figure, "curve_figure")
    clinic.tell_nearest(chosen, epsilon)
    key = f"risk curves {study.key} {column}"
    table_behind(
        once(view, key, lambda: rows[rows["column"] == column]),
        "risk_curve",
        "What each model says about the column, at every ε",
        lambda: (curve_command(study.study, column), curve_snippet(study.study, column)),
    )
    by_hand.show(view, study, lambda: clinic.of_model(terms, model, chosen), column)


def _figure(
    view: View, rows: pd.DataFrame, column: str, measure: str, method: str, epsilon: float
) -> Drawn:
    from dpcore.figures.column_curves import column_curve

    others = clinic.of_model(rows, method, epsilon)
    here = rows[rows["column"] == column]
    alike = here["feature_map"] == others["feature_map"].iloc[0]
    return column_curve(
        others[others["column"] == column],
        here[(here["method"] == REFERENCE) & alike],
        view.split.entry,
        measure=measure,
        others=others,
        fills=view.split.preparation.missing == "impute",
        dark=view.dark,
    )
