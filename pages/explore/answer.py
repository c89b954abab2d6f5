"""Explore's answer: the heading, the main figure, and everything that changes with ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.errors import StreamlitInvalidLayoutContextError

from dpcore.controls.common import LOSSES
from dpcore.controls.explore import EPSILON
from dpcore.datasets import OWN
from dpcore.erm.method import COMPLETE_ONLY
from dpcore.errors import InvalidInput
from dpcore.figures.words import plain
from pages.explore import own_table, texts
from pages.explore.controls import Start
from pages.explore.layout import Slots
from pages.shared import downloads, query
from pages.shared.charts import plot
from pages.shared.session import control_text, store, stored
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from pages.explore.view import View


def title(start: Start) -> DeltaGenerator:
    """Draw the title before the records are read; returns its place, to be written again.

    Preparation may drop records; the number left is remembered from the last run.
    """
    dataset = start.entry
    records = stored(_count_name(start)) or start.records
    size = "" if records is None else f"{records:,} {dataset.records_are}"
    loss = "squared" if dataset.predicts == "number" else control_text("loss")
    parts = (dataset.title, size, LOSSES.get(loss, ""))
    return st.title(" · ".join(part for part in parts if part), anchor=False)


def _count_name(start: Start) -> str:
    file = start.upload.file_id if start.upload is not None else ""
    return f"records {start.dataset} {start.size} {file}"


def show_refusal(start: Start, title_place: DeltaGenerator, refusal: InvalidInput) -> None:
    """Show the data set's name, and why its records or settings are refused."""
    title_place.title(start.entry.title, anchor=False)
    if start.entry.key == OWN:
        own_table.refused(start.columns, start.upload, refusal)
    else:
        refuse(refusal)


def heading(
    start: Start, view: View, title_place: DeltaGenerator, notes_place: DeltaGenerator
) -> None:
    """Draw the title with the number of prepared records, and the notes below it."""
    dataset, loss = view.split.entry, LOSSES[view.study.loss]
    total = view.split.records + view.split.tested
    store(_count_name(start), total)
    rule = " by rule" if view.study.lam is None else ""
    title_place.title(f"{dataset.title} · {total:,} {dataset.records_are} · {loss}", anchor=False)
    with notes_place:
        st.caption(
            f"{verbatim(dataset.task)} Trained on {view.split.records:,} records with "
            f"{view.split.dimension} features, tested on {view.split.tested:,}; "
            f"λ = {plain(view.problem.lam)}{rule}."
        )
        if dataset.predicts == "number":
            lower, upper = dataset.target.bounds
            unit = f" {dataset.target.unit}" if dataset.target.unit else ""
            predicted = (
                f"What is predicted: {dataset.target.description}, by its public bounds from "
                f"{plain(lower)} to {plain(upper)}{unit}."
            )
            st.caption(verbatim(predicted))
        if dataset.predicts == "classes":
            st.caption(f"{dataset.classes} classes: {texts.ONE_AGAINST_THE_REST}")
        if view.split.complete:
            st.caption(f":material/rule: About every ε here: {COMPLETE_ONLY}.")
        caution = view.rough
        if caution:
            st.caption(f":material/straighten: {caution}")
        if not view.published:
            st.warning(texts.UPLOADED, icon=":material/lock_open:")
            ranges = (texts.OWN_RANGES,) if dataset.key == OWN else ()
            st.caption(" ".join((*ranges, *map(verbatim, view.split.notes))))
        for leak in view.split.leaks:
            st.warning(verbatim(leak), icon=":material/warning:")


def how_to_get(start: Start) -> None:
    """Show where missing records come from, and how to get them."""
    dataset = start.entry
    if dataset.key == OWN:
        own_table.how_to(start.columns, start.upload)
        return
    st.markdown(dataset.task)
    st.markdown(dataset.how_to_get)
    st.caption(f"Source: {dataset.source}")
    st.caption(f"Licence: {dataset.licence}")
    if start.missing == "upload":
        st.info(
            "Then hand the file over among the controls. It stays on the machine that "
            "runs this page.",
            icon=":material/upload_file:",
        )
    elif st.button("Download it now", icon=":material/download:", key="download"):
        downloads.fetch(dataset.key)


def main_figure(view: View, slots: Slots) -> None:
    """Draw accuracy or error against ε; identical while only ε changes, so that zoom stays."""
    from pages.explore.view import figure

    with slots.main:
        st.subheader(f"{view.quality.title} against ε", anchor=False, help=texts.CURVES)
        plot(figure("quality", view), "accuracy_figure")
        if view.study.edition == "published":
            st.caption("Open markers: as published. Filled: a method with a sound edition only.")


def at_chosen_epsilon(view: View, slots: Slots) -> None:
    """Draw everything that changes with ε in one fragment: nothing else runs then."""
    from pages.explore import detail, numbers

    @st.fragment
    def fragment() -> None:
        try:
            draw()
        except StreamlitInvalidLayoutContextError:
            # An interrupted run of the page has not created all of these places; only a run of the
            # whole page does.
            st.rerun()

    def draw() -> None:
        query.sign()
        with slots.slider:
            epsilon = _slider()
        rows = view.rows_at(epsilon)
        with slots.numbers:
            numbers.show(view, rows, epsilon)
        # Replaced as a whole: a fragment appends to a place outside it, and never clears it.
        with slots.meaning.container():
            detail.meaning(view, rows, epsilon, control_text("focus"))
        detail.at_chosen_epsilon(view, rows, epsilon, slots)

    fragment()


def _slider() -> float:
    with st.container(gap=None):
        epsilon: float = drawn(EPSILON)
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            st.caption("← more private", width="content")
            st.caption("less private →", width="content")
    return epsilon
