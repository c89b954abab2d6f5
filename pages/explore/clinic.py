"""Hold what the tabs on decisions, calibration and groups share: job, switch and model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.controls.explore import BEST, CALIBRATION, CORRECTED, NET_BENEFIT
from dpcore.evaluation.clinic.study import LOSS, ClinicStudy, gives_risks
from dpcore.figures.calibration import correction
from dpcore.figures.curves import at, stand_in_for
from dpcore.figures.words import plain
from pages.explore import curve_jobs, loaders, numbers, texts
from pages.explore.layout import Slots
from pages.shared import shared_jobs
from pages.shared.session import control_text, control_value, store, stored
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    import pandas as pd

    from pages.explore.view import View

TABS = (NET_BENEFIT, CALIBRATION)
LAST = "whether risks were corrected last"  # kept for the report
IN_HAND = "jobs of open and left tabs"


@dataclass(frozen=True)
class Shown:
    study: ClinicStudy
    line: pd.DataFrame
    row: pd.Series
    rows: pd.DataFrame


def jobs(view: View, slots: Slots) -> tuple[shared_jobs.WatchedJobs, ...]:
    """Return the job of an open tab, and its switch, before the job's rows are looked for."""
    if slots.tab not in TABS:
        return ()
    if view.study.loss == LOSS:
        # Outside the fragment of ε: what is to be computed changes with it.
        with slots.contents:
            choose()
    study = wanted(view, corrected=is_corrected())
    if isinstance(study, str):
        return ()
    return curve_jobs.watched_alone("decisions", "Judging risks", study)


def in_hand(view: View, tab: str, keys: set[str]) -> set[str]:
    """Return these jobs of an open tab, and those begun for tabs that were left.

    Leaving a tab does not end its job; other settings do, and another job that the tab wants.
    """
    about = f"{view.study.key} {control_text('focus')}"
    before, begun = stored(IN_HAND) or ("", dict[str, set[str]]())
    # The tabs on risks have one job.
    wanted_now = {"risks" if tab in TABS else tab: keys}
    jobs_of_tabs = {**begun, **wanted_now} if before == about else wanted_now
    store(IN_HAND, (about, jobs_of_tabs))
    return set().union(*jobs_of_tabs.values())


def wanted(view: View, *, corrected: bool) -> ClinicStudy | str:
    """Say what the tabs are computed from, for every ε at once; or why not, in a sentence."""
    if view.split.entry.predicts != "class" or view.study.loss != LOSS:
        return texts.NO_RISKS
    if view.focus != BEST:
        if not gives_risks(view.focus):
            return texts.MODEL_WITHOUT_RISKS.format(view.titles[view.focus])
        refused = loaders.uncorrectable(view.study, view.split, view.focus) if corrected else ""
        alone = curve_jobs.trained_study(view.study, view.focus)
        return verbatim(refused) or ClinicStudy(alone, corrected=corrected)
    methods = tuple(dict.fromkeys(line_of(view, corrected)["method"]))
    if not methods:
        return texts.NOTHING_CORRECTED
    return ClinicStudy(replace(view.whole, methods=methods), corrected=corrected)


def shown(view: View, first: pd.Series, epsilon: float) -> Shown | None:
    """Return what the tab is about, or ``None`` once a sentence says why there is nothing yet."""
    study = wanted(view, corrected=is_corrected())
    if isinstance(study, str):
        st.markdown(study)
        return None
    if not curve_jobs.is_done(study):
        st.markdown(texts.RISKS_ARE_JUDGED)
        return None
    line = line_of(view, study.corrected)
    row = at(line, epsilon)
    tell_other(view, first, row)
    return Shown(study, line, row, curve_jobs.results(study))


def tell_other(view: View, first: pd.Series, row: pd.Series) -> None:
    """Say where what a tab is about is not the method that the first screen is about."""
    if row["method"] != first["method"]:
        words = texts.CORRECTED_BY.format(view.titles[row["method"]])
        st.caption(f":material/info: {words}")


def explain(chosen: pd.Series, row: pd.Series, epsilon: float) -> None:
    """Say what correcting costs, why counts are not those of the first screen, and at which ε."""
    if chosen["training_epsilon"] == chosen["training_epsilon"]:
        st.markdown(verbatim(correction(chosen)), help=numbers.guarantee_at(chosen))
    elif row["source"] == "closed form":
        st.caption(f":material/info: {texts.DRAWN_ANEW.format(runs=int(chosen['runs']))}")
    tell_nearest(row["epsilon"], epsilon)


def tell_nearest(counted: float, epsilon: float) -> None:
    """Say at which ε all this is, where it is not the chosen one."""
    if counted != epsilon:
        st.caption(f":material/info: Counted at {stand_in_for(counted, epsilon)} {plain(epsilon)}.")


def choose() -> None:
    """Draw the switch of corrected risks, before what is to be computed is looked for."""
    store(LAST, drawn(CORRECTED))


def is_corrected() -> bool:
    """Whether the open tab is about corrected risks."""
    return control_value(CORRECTED.key) is True


def was_corrected() -> bool:
    """Whether the tab that was open last of those about risks was."""
    return stored(LAST) is True


def of_model(rows: pd.DataFrame, method: str, epsilon: float) -> pd.DataFrame:
    """Select from a job's rows those of one method at one ε."""
    return rows[(rows["method"] == method) & (rows["epsilon"] == epsilon)]


def line_of(view: View, corrected: bool) -> pd.DataFrame:
    """The curve's rows of the model that the tabs are about, by ascending ε."""
    return view.corrected_line if corrected else view.line
