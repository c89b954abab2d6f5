"""Explore's answer: its places on the page, the main figure, and everything that moves with ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.errors import StreamlitInvalidLayoutContextError

from dpcore.controls.common import LOSSES
from dpcore.controls.explore import EPSILON
from dpcore.datasets import OWN
from dpcore.erm.method import COMPLETE_ONLY
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency, PrivacyBudget
from pages.explore import own_table, texts
from pages.explore.controls import Start
from pages.explore.layout import Slots
from pages.shared import downloads, query, risk_panel
from pages.shared.charts import plot
from pages.shared.session import chosen, recall, remember
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from pages.explore.view import View


def title(first: Start) -> DeltaGenerator:
    """What is looked at, in one line, before the records are read; the place to write it again.

    Preparation may leave out records; how many it leaves is known from the last time.
    """
    found = first.found
    records = recall(_counted(first)) or first.records
    size = "" if records is None else f"{records:,} {found.records_are}"
    loss = "squared" if found.predicts == "number" else chosen("loss")
    parts = (found.title, size, LOSSES.get(loss, ""))
    return st.title(" · ".join(part for part in parts if part), anchor=False)


def _counted(first: Start) -> str:
    file = first.upload.file_id if first.upload is not None else ""
    return f"records {first.dataset} {first.size} {file}"


def refused(first: Start, written: DeltaGenerator, sentence: str) -> None:
    """Records or settings that cannot be followed: the name of the data set, and why."""
    written.title(first.found.title, anchor=False)
    refuse(sentence)


def heading(first: Start, view: View, written: DeltaGenerator, said: DeltaGenerator) -> None:
    """The title again, with the records that are left; what has to be said about it, under it."""
    found, loss = view.split.entry, LOSSES[view.study.loss]
    total = view.split.records + view.split.tested
    remember(_counted(first), total)
    rule = " by rule" if view.study.lam is None else ""
    written.title(f"{found.title} · {total:,} {found.records_are} · {loss}", anchor=False)
    with said:
        st.caption(
            f"{verbatim(found.task)} Trained on {view.split.records:,} records with "
            f"{view.split.dimension} features, tested on {view.split.tested:,}; "
            f"λ = {plain(view.problem.lam)}{rule}."
        )
        if found.predicts == "number":
            lower, upper = found.target.bounds
            unit = f" {found.target.unit}" if found.target.unit else ""
            predicted = (
                f"What is predicted: {found.target.description}, by its public bounds from "
                f"{plain(lower)} to {plain(upper)}{unit}."
            )
            st.caption(verbatim(predicted))
        if found.predicts == "classes":
            st.caption(f"{found.classes} classes: {texts.ONE_AGAINST_THE_REST}")
        if view.split.complete:
            st.caption(f":material/rule: About every ε here: {COMPLETE_ONLY}.")
        rough = view.rough
        if rough:
            st.caption(f":material/straighten: {rough}")
        if not view.published:
            st.warning(texts.UPLOADED, icon=":material/lock_open:")
            ranges = (texts.OWN_RANGES,) if found.key == OWN else ()
            st.caption(" ".join((*ranges, *map(verbatim, view.split.notes))))
        for leak in view.split.leaks:
            st.warning(verbatim(leak), icon=":material/warning:")


def how_to_get(first: Start) -> None:
    """Records that are not here yet: where they come from, and the one thing to do."""
    found = first.found
    if found.key == OWN:
        own_table.how_to(first.columns)
        return
    st.markdown(found.task)
    st.markdown(found.how_to_get)
    st.caption(f"Source: {found.source}")
    st.caption(f"Licence: {found.licence}")
    if first.missing == "upload":
        st.info(
            "Then hand the file over among the controls. It stays on the machine that "
            "runs this page.",
            icon=":material/upload_file:",
        )
    elif st.button("Download it now", icon=":material/download:", key="download"):
        downloads.fetch(found.key)


def main_figure(view: View, slots: Slots) -> None:
    """Accuracy or error against ε; identical while only ε moves, so that zoom is kept."""
    from pages.explore.view import figure

    with slots.main:
        st.subheader(f"{view.quality.title} against ε", anchor=False, help=texts.CURVES)
        plot(figure("quality", view), "accuracy_figure")
        if view.study.edition == "published":
            st.caption("Open markers: as published. Filled: a method with a sound edition only.")


def at_chosen_epsilon(first: Start, view: View, slots: Slots) -> None:
    """Everything that moves with ε, in one fragment: nothing else runs when ε moves."""
    from pages.explore import detail, numbers

    @st.fragment
    def moving() -> None:
        try:
            everything()
        except StreamlitInvalidLayoutContextError:
            # A run of the page was cut short before it came to all of these places; only a run of
            # the whole page gives them one.
            st.rerun()

    def everything() -> None:
        query.sign()
        with slots.slider:
            epsilon = _slider()
        rows = view.rows_at(epsilon)
        with slots.numbers:
            numbers.show(view, rows, epsilon)
        with slots.methods:
            numbers.every_method(view, rows, epsilon)
        focus = chosen("focus")
        held, note = detail.promised_here(view, rows, epsilon, focus)
        _risk(first, held, slots, "people_figure", note)
        # Replaced as a whole: a fragment adds to a place outside it, and never clears it.
        with slots.meaning.container():
            detail.attacker_panel(view, rows, epsilon, focus)
        detail.at_chosen_epsilon(view, rows, epsilon, slots)

    moving()


def _slider() -> float:
    with st.container(gap=None):
        epsilon: float = drawn(EPSILON)
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            st.caption("← more private", width="content")
            st.caption("less private →", width="content")
    return epsilon


def _risk(first: Start, budget: PrivacyBudget | None, slots: Slots, key: str, note: str) -> None:
    """What ε means for one person; drawn before the data are read, so it needs none."""
    with slots.risk.container():
        risk_panel.card(budget, Adjacency(first.adjacency), key, note)
