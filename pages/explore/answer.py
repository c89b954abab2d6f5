"""Draw Explore's answer: the heading, the main figure, and everything that changes with ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.errors import StreamlitInvalidLayoutContextError

from dpcore.controls.common import LOSSES
from dpcore.controls.explore import BEST, EPSILON, EPSILONS
from dpcore.datasets import OWN
from dpcore.erm.method import COMPLETE_ONLY
from dpcore.errors import InvalidInput
from dpcore.evaluation.marks import ALL_BLANK
from dpcore.figures.clipping_words import mostly_clipped, often_clipped
from dpcore.figures.words import plain
from dpcore.rounding import stop_below
from pages.explore import texts
from pages.explore.controls import Start
from pages.explore.layout import Slots
from pages.shared import downloads, own_table, page_links, view_link
from pages.shared.charts import plot
from pages.shared.numbers import in_grid
from pages.shared.session import control_text, control_value, follow, set_controls, store, stored
from pages.shared.texts import WHERE_HIDDEN
from pages.shared.uploads import MadeUpFile
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.delta_generator import DeltaGenerator

    from dpcore.datasets import Entry
    from dpcore.figures.drawn import Drawn
    from pages.explore.view import View

SLIDER = "epsilon_slider"

QUESTION = "What does privacy cost?"


def title(start: Start) -> DeltaGenerator:
    """Draw the title before the records are read; returns the place of the line below it.

    Preparation may drop records; the number left is remembered from the last run.
    """
    view_link.title(QUESTION)
    place = st.empty()
    dataset = start.entry
    records = stored(_count_name(start)) or start.records
    size = "" if records is None else _counted(dataset, records)
    place.caption(_data_line(dataset, size))
    return place


def _counted(dataset: Entry, records: int) -> str:
    return f"{records:,} {'made-up ' if dataset.made_up else ''}{dataset.records_are}"


def _data_line(dataset: Entry, *parts: str) -> str:
    facts = " · ".join(filter(None, (dataset.title, *parts)))
    return f"{facts}. {verbatim(dataset.task)}"


def _count_name(start: Start) -> str:
    file = start.upload.file_id if start.upload is not None else ""
    return f"records {start.dataset} {start.size} {file}"


def show_refusal(start: Start, line_place: DeltaGenerator, refusal: InvalidInput) -> None:
    """Show the data set's name, and why its records or settings are refused."""
    line_place.caption(start.entry.title)
    if start.entry.key == OWN:
        own_table.refused(start.columns, start.upload, refusal)
    else:
        refuse(refusal)


def heading(start: Start, view: View, line_place: DeltaGenerator) -> None:
    """Draw the line under the title, and what must be known of one's own records."""
    dataset, split = view.split.entry, view.split
    total = split.records + (0 if split.further else split.tested)
    store(_count_name(start), total)
    line_place.caption(_data_line(dataset, _counted(dataset, total), judged_on(view)))
    if not view.records.published:
        st.warning(texts.UPLOADED, icon=":material/lock_open:")
    if isinstance(start.upload, MadeUpFile):
        st.info(start.upload.note, icon=":material/science:")
    if dataset.key == OWN and split.mostly_clipped:
        clipped = verbatim(mostly_clipped(split.mostly_clipped))
        st.warning(clipped, icon=":material/content_cut:")
    for leak in split.leaks:
        st.warning(verbatim(leak), icon=":material/warning:")


def _decisive(view: View) -> list[str]:
    often = view.split.often_clipped if view.split.entry.key == OWN else ()
    notes = {
        "info": ALL_BLANK if view.records.all_blank else "",
        "content_cut": verbatim(often_clipped(often)),
        "group": view.few_cases,
        "straighten": view.rough,
    }
    return [f":material/{icon}: {note}" for icon, note in notes.items() if note]


def judged_on(view: View) -> str:
    """On how many records the models are judged, in words."""
    splits, every = view.splits, view.records.all_splits
    if view.split.further:
        return f"judged on {view.judged:,} others"
    if site := view.split.preparation.held_out:
        return f"judged on the {view.judged:,} of {site}"
    words = f"judged on {view.judged:,} of them"
    if splits < every:
        return f"{words}, in {splits} of {every} splits so far"
    return words + (f", in {splits} splits" if splits > 1 else "")


def notes(view: View) -> None:
    """Draw what else belongs to the data: its preparation."""
    dataset = view.split.entry
    rule = texts.LAMBDA_BY_RULE if view.study.lam is None else ""
    maps = texts.LINES_OR_CURVES if view.split.maps else ""
    st.caption(
        f"{LOSSES[view.study.loss]}, trained on {view.split.records:,} "
        f"records with {view.split.dimension} features{maps}. λ = {plain(view.problem.lam)}{rule}."
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
    if not view.records.published:
        ranges = (texts.OWN_RANGES,) if dataset.key == OWN else ()
        st.caption(" ".join((*ranges, *map(verbatim, view.split.notes))))


def how_to_get(start: Start) -> None:
    """Show where missing records come from, and how to get them."""
    dataset = start.entry
    if dataset.key == OWN:
        own_table.how_to(start.columns, start.upload)
        return
    st.markdown(dataset.how_to_get)
    st.caption(f"Source: {dataset.source}")
    st.caption(f"Licence: {dataset.licence}")
    if start.missing == "upload":
        st.info(
            f"Then hand the file over among the controls {WHERE_HIDDEN}. It stays on the machine "
            "that runs this page.",
            icon=":material/upload_file:",
        )
    elif st.button("Download it now", icon=":material/download:", key="download"):
        downloads.fetch(dataset.key)


def at_chosen_epsilon(view: View, slots: Slots) -> None:
    """Draw everything that changes with ε in one fragment: nothing else runs then."""
    from pages.explore import detail, numbers
    from pages.explore.view import once

    @st.fragment
    def fragment() -> None:
        try:
            draw()
        except StreamlitInvalidLayoutContextError:
            # An interrupted run of the page has not created all of these places; only a run of the
            # whole page does.
            st.rerun()

    def draw() -> None:
        focus = control_text("focus") or BEST
        # In the fragment's own place: what it draws elsewhere is sent anew as a whole.
        sentence_place, grid = st.container(), st.grid(4, min_column_width=150, gap="small")
        with grid.cell():
            epsilon = drawn(EPSILON)
            row = view.row(focus, epsilon)
            numbers.epsilon_note(row, epsilon)
        _slider()
        with sentence_place:
            numbers.sentence(view, row, focus, epsilon)
            for note in _decisive(view):
                st.markdown(note)
        in_grid(grid, numbers.numbers(view, row, focus))
        if row is not None:
            key = f"overview {view.contents} {focus} {row['epsilon']} {view.dark}"
            plot(once(view, key, lambda: _overview(view, row, focus)), "accuracy_figure")
        detail.at_chosen_epsilon(view, row, epsilon, focus, slots)
        page_links.draw_anew()  # last: nobody waits for where the links lead

    with slots.answer:
        fragment()


def _overview(view: View, row: pd.Series, focus: str) -> Drawn:
    from dpcore.figures.overview import overview
    from dpcore.predictors import in_words
    from pages.explore import numbers

    name, method = in_words(row["method"]), view.sought(focus, row["epsilon"])
    so_far = bool(numbers.to_come(view, method))
    if not method:
        name = f"best proved{' so far' if so_far else ''}: {name}"
    return overview(
        view.line(focus),
        view.table,
        row,
        view.cost(row),
        view.references,
        name=name,
        chosen=numbers.chosen_by(view, focus, row),
        titles=view.titles,
        quality=view.quality,
        subject=numbers.line_of(focus),
        so_far=so_far,
        dark=view.dark,
    )


def _slider() -> None:
    """Draw the slider over the chart's axis; it sets ε's field, and follows it."""
    stop = stop_below(EPSILONS, control_value(EPSILON.key) or EPSILON.default)
    follow(SLIDER, stop)
    st.select_slider(
        EPSILON.label,
        EPSILONS,
        # Where a run is interrupted, the browser may first meet the slider in the next one, which
        # does not set it any more.
        value=stop,
        format_func=plain,
        key=SLIDER,
        label_visibility="collapsed",
        on_change=_slid,
    )


def _slid() -> None:
    set_controls({EPSILON.key: control_value(SLIDER)})
