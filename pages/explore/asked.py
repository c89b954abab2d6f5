"""Draw the open tab of a question about the models of the first answer, and start its job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from dpcore.controls.control import Control, Name, Switch
from dpcore.controls.explore import BEST, CORRECTED
from dpcore.errors import InvalidInput
from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.study import RISK_LOSS, gives_risks, study_of
from dpcore.figures.curves import at, guarantee_at, stand_in_for
from dpcore.questions import register
from dpcore.questions.question import Question
from dpcore.questions.risk_curves.question import RiskCurvesQuestion
from dpcore.questions.risks import RiskQuestion, correction
from dpcore.questions.shown import Chosen, Shown
from dpcore.questions.told import command, snippet
from dpcore.words import plain, spaced
from pages.explore import by_hand, curve_jobs, loaders
from pages.explore.view import once
from pages.shared.display import draw_numbers, plot, table_behind
from pages.shared.session import control_text, control_value, store, stored
from pages.shared.verbatim import verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    import pandas as pd

    from pages.explore.layout import Slots
    from pages.explore.view import View
    from pages.shared.work import WatchedJobs

NO_RISKS = "This needs risks, which only **logistic regression** gives. Choose it under Expert."
MODEL_WITHOUT_RISKS = (
    "{} gives classes, not risks. Methods that fit a **logistic regression** give them: choose one "
    "under Expert."
)
NOTHING_CORRECTED = "No method that is proved here has risks that can be corrected within ε."
CORRECTED_BY = "Corrected within the same ε: risks by {}."
DRAWN_ANEW = "Judged on {runs} models drawn anew; the first screen has the exact mean of all."
LAST = "questions asked so far"
"""Their names and what their controls had last, for the report."""
IN_HAND = "jobs of open and left tabs"


def _draw(question: type[Question], view: View, wanted: Iterable[Control]) -> None:
    among = question.among(view.split.entry)
    switches = [control for control in wanted if isinstance(control.kind, Switch)]
    others = [control for control in wanted if control not in switches]
    if others:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for control in others:
                is_name = isinstance(control.kind, Name)
                more = {"among": among[control.key]} if is_name else {}
                drawn(control, width=240, **more)
    for control in switches:
        drawn(control)


def jobs(view: View, slots: Slots) -> tuple[WatchedJobs, ...]:
    """The job that the open tab needs, and the controls that start another one.

    They stand outside the fragment of ε, as a job begins in a run of the whole page.
    """
    question = register.by_tab().get(slots.tab)
    if question is None or not _has_risks(view):
        return ()
    with slots.contents:
        _draw(question, view, question.drawn(looks=False))
    asked = wanted(view, question)
    if isinstance(asked, str):
        return ()
    watched = curve_jobs.watched_alone(question.named(), question.doing, asked)
    return (*watched, *(by_hand.jobs(asked) if isinstance(asked, RiskCurvesQuestion) else ()))


def _has_risks(view: View) -> bool:
    return view.split.entry.predicts == "class" and view.study.loss == RISK_LOSS


def in_hand(view: View, tab: str, keys: set[str]) -> set[str]:
    """Return these jobs of an open tab, and those begun for tabs that were left.

    Leaving a tab does not end its job; other settings do, and another job that the tab wants.
    """
    about = f"{view.study.key} {control_text('focus')}"
    before, begun = stored(IN_HAND) or ("", dict[str, set[str]]())
    wanted_now = {tab: keys}
    jobs_of_tabs = {**begun, **wanted_now} if before == about else wanted_now
    store(IN_HAND, (about, jobs_of_tabs))
    return set().union(*jobs_of_tabs.values())


def wanted(
    view: View, question: type[Question], values: Mapping[str, Any] | None = None
) -> Question | str:
    """Say what the tab asks, for every ε at once; or why it can't, in a sentence.

    `values` are those of its controls, where they are not drawn.
    """
    if not _has_risks(view):
        return NO_RISKS
    if values is None:
        values = _values(question)
    corrected = values.get(CORRECTED.key) is True
    if view.focus == BEST:
        methods = tuple(dict.fromkeys(_line(view, corrected)["method"]))
        if not methods:
            return NOTHING_CORRECTED
        study = replace(view.whole, methods=methods)
    elif not gives_risks(view.focus):
        return MODEL_WITHOUT_RISKS.format(view.titles[view.focus])
    else:
        refused = loaders.uncorrectable(view.study, view.split, view.focus) if corrected else ""
        if refused:
            return verbatim(refused)
        study = study_of(view.study, view.focus)
    try:
        return question.on_page(study, view.split.entry, values)
    except InvalidInput as refusal:
        return verbatim(str(refusal))


def _values(question: type[Question]) -> dict[str, Any]:
    every = [control for each in question.asked() for control in each.ask.controls]
    return {control.key: control_value(control.key) for control in (*every, *question.looks)}


def _line(view: View, corrected: bool) -> pd.DataFrame:
    """The curve's rows of the model that the tab is about, by ascending ε."""
    return view.corrected_line if corrected else view.line


def show(view: View, tab: str, first: ModelAtEpsilon, epsilon: float) -> None:
    """Draw the tab for the model on the first screen, at the grid's ε for the chosen one."""
    question = register.by_tab()[tab]
    asked = wanted(view, question)
    if isinstance(asked, str):
        st.markdown(asked)
        return
    if not curve_jobs.is_done(asked):
        st.markdown(f"{question.doing}: the line above says how far it is.")
        return
    _draw(question, view, question.drawn(looks=True))
    values = _values(question)
    names, before = stored(LAST) or ((), {})
    store(LAST, (dict.fromkeys([*names, question.named()]), {**before, **values}))
    asked = question.on_page(asked.study, view.split.entry, values)  # with what only looks
    line = _line(view, values.get(CORRECTED.key) is True)
    model = ModelAtEpsilon.of(at(line, epsilon))
    if model.method != first.method:
        words = CORRECTED_BY.format(view.titles[model.method])
        st.caption(f":material/info: {words}")
    chosen = Chosen(line, model.method, model.epsilon, view.split.entry, values, view.dark)
    key = f"{asked.key} {sorted(map(str, values.items()))} {chosen.epsilon} {view.dark}"
    rows = curve_jobs.results(asked)
    shown = once(view, f"{key} {view.contents}", lambda: asked.shown(rows, chosen))
    _draw_shown(shown, asked.named())
    if isinstance(asked, RiskQuestion):
        _explain(shown.model, model)
    if model.epsilon != epsilon:
        nearest = f"{stand_in_for(model.epsilon, epsilon)} {plain(epsilon)}"
        st.caption(f":material/info: Counted at {nearest}.")
    told = asked.told(values)
    table_behind(shown.table, asked.named(), asked.table_is, lambda: (command(told), snippet(told)))
    if isinstance(asked, RiskCurvesQuestion):
        by_hand.show(view, asked, rows, chosen)


def _draw_shown(shown: Shown, name: str) -> None:
    if shown.numbers:
        draw_numbers(shown.numbers, across=4)
    for sentence in shown.sentences:
        st.markdown(verbatim(sentence))
    for place, figure in enumerate(shown.figures):
        plot(figure, f"{name}_figure_{place}" if place else f"{name}_figure")
    for note in shown.notes:
        st.caption(f":material/info: {note}")


def _explain(judged: ModelAtEpsilon, model: ModelAtEpsilon) -> None:
    """Say what correcting costs, or why counts are not those of the first screen."""
    if judged.is_corrected:
        st.markdown(verbatim(correction(judged)), help=guarantee_at(judged))
    elif model.source == "closed form":
        st.caption(f":material/info: {DRAWN_ANEW.format(runs=spaced(judged.runs))}")
