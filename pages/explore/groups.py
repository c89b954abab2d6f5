"""Draw the tab on what decisions mean to groups of people, and start its job."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.explore import GROUP_BY, GROUP_MEASURE, GROUPS
from dpcore.datasets.grouping import columns
from dpcore.evaluation.clinic.group_task import GroupStudy
from dpcore.evaluation.clinic.rows import REFERENCE
from dpcore.export.explore import group_command, group_snippet
from dpcore.figures.curves import at
from pages.explore import clinic, curve_jobs, texts
from pages.explore.layout import Slots
from pages.explore.view import once
from pages.shared import shared_jobs
from pages.shared.charts import plot, table_behind
from pages.shared.session import control_value, store
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.figures.drawn import Drawn
    from pages.explore.view import View


LAST = "groups compared last"  # kept for the report


def jobs(view: View, slots: Slots) -> tuple[shared_jobs.WatchedJobs, ...]:
    """The job that the tab needs while it is open, and the controls that start another one.

    They stand outside the fragment of ε, as a job begins in a run of the whole page.
    """
    if slots.tab != GROUPS:
        return ()
    if isinstance(clinic.wanted(view, corrected=False), str):
        return ()
    with slots.contents:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            drawn(GROUP_BY, among=columns(view.split.entry), width=240)
            drawn(GROUP_MEASURE, width=240)
        clinic.choose()
    study = wanted(view)
    if isinstance(study, str):
        return ()
    return curve_jobs.watched_alone("groups", "Comparing groups", study)


def wanted(view: View) -> GroupStudy | str:
    """Say what the tab is computed from, for every ε at once; or why not, in a sentence."""
    clinic_study = clinic.wanted(view, corrected=clinic.is_corrected())
    if isinstance(clinic_study, str):
        return clinic_study
    return GroupStudy(
        replace(clinic_study, thresholds=(view.threshold,)), control_value(GROUP_BY.key)
    )


def show(view: View, row: pd.Series, epsilon: float) -> None:
    """Draw the tab for the model on the first screen, at the grid's ε for the chosen one."""
    study = wanted(view)
    if isinstance(study, str):
        st.markdown(study)
        return
    if not curve_jobs.is_done(study):
        st.markdown(texts.GROUPS_ARE_COMPARED)
        return
    store(LAST, study)
    measure = str(control_value(GROUP_MEASURE.key))
    rows = curve_jobs.results(study)
    corrected = study.clinic.corrected
    judged = clinic.line_of(view, corrected)
    chosen = float(row["epsilon"])
    clinic.tell_other(view, row, at(judged, chosen))
    key = f"groups {study.key} {view.contents} {measure} {chosen} {view.dark}"
    model, *figures = once(view, key, lambda: _at(rows, judged, measure, chosen, view.dark))
    for figure, name in zip(figures, ("groups_figure", "gap_figure"), strict=True):
        plot(figure, name)
    clinic.explain(model, at(judged, chosen), epsilon)
    table_behind(
        rows,
        "groups",
        "What deciding by each model means to each group, at every ε",
        lambda: (group_command(study), group_snippet(study)),
    )


def _at(
    rows: pd.DataFrame, judged: pd.DataFrame, measure: str, epsilon: float, dark: bool
) -> tuple[pd.Series, Drawn, Drawn]:
    from dpcore.figures import groups as figures

    without = rows[rows["method"] == REFERENCE]
    line = rows.merge(judged[["method", "epsilon"]])
    model = line[line["epsilon"] == epsilon]
    return (
        model.iloc[0],
        figures.of_groups(model, without, measure, dark=dark),
        figures.gap(line, without, measure, epsilon, dark=dark),
    )
