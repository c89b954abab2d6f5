"""Draw Explore's answer: the heading, the main figure, and everything that changes with ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.errors import StreamlitInvalidLayoutContextError

from dpcore.controls.common import LOSSES
from dpcore.controls.explore import BEST, EPSILON
from dpcore.controls.release import TABLE as RELEASED
from dpcore.datasets import OWN
from dpcore.datasets.own.clipped import mostly_clipped
from dpcore.erm.method import COMPLETE_ONLY
from dpcore.errors import InvalidInput
from dpcore.words import percent, plain, spaced
from pages.explore.controls import Start
from pages.explore.layout import Places, Slots
from pages.shared import frame, own_table, work
from pages.shared.page_links import WHERE_HIDDEN, draw_anew, link_to
from pages.shared.session import ACTING, store, stored
from pages.shared.uploads import MadeUpFile
from pages.shared.verbatim import refuse, verbatim
from pages.shared.widgets import drawn

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from dpcore.datasets import Entry, Split
    from dpcore.figures.picture import Picture
    from pages.explore.loaders import PreparedRecords
    from pages.explore.view import Pending, View

ONE_AGAINST_THE_REST = (
    "one model for each tells it from all others, and the surest one decides. Every record is in "
    "all of these models, so each has a share of the privacy budget only."
)
OWN_RANGES = "Every proof here takes the ranges and lists of your description to be public."
UPLOADED = (
    "These are your own records. The curves on this page are computed from them and are **not "
    "private**. Treat every number and picture here like the records themselves."
)
LINES_OR_CURVES = ", each number a curve, or a straight line where noise is large"
LAMBDA_BY_RULE = (
    ", by rule. Methods whose noise does not grow with a smaller λ learn with a 64th of it"
)
LEAVE = "May it leave?"
ACTING_FROM = "Acting from a risk of {} on."
QUESTION = "What does privacy cost?"
HEIGHTS = {"numbers": 130, "picture": 330}


def title(start: Start) -> DeltaGenerator:
    """Draw the title before the records are read; returns the place of the line below it.

    Preparation may drop records; the number left is remembered from the last run.
    """
    frame.title(QUESTION)
    place = st.empty()
    dataset = start.entry
    records = stored(_count_name(start)) or start.records
    size = "" if records is None else _counted(dataset, records)
    place.caption(_data_line(dataset, size))
    return place


def _counted(dataset: Entry, records: int) -> str:
    return f"{spaced(records)} {'made-up ' if dataset.made_up else ''}{dataset.records_are}"


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


def heading(start: Start, view: View | Pending, line_place: DeltaGenerator) -> None:
    """Draw the line under the title."""
    split = view.records.first
    total = split.records + (0 if split.further else split.tested)
    store(_count_name(start), total)
    judged = judged_on(split, view.records)
    private = "" if view.records.published else "not private"
    line_place.caption(_data_line(split.entry, _counted(split.entry, total), judged, private))


def warnings(start: Start, view: View | Pending, large_delta: str) -> None:
    """Draw what must be known of the records and of δ; under the picture, as it is no answer."""
    split = view.records.first
    if large_delta:
        st.warning(large_delta, icon=":material/warning:")
    if not view.records.published:
        st.warning(UPLOADED, icon=":material/lock_open:")
    if isinstance(start.upload, MadeUpFile):
        st.info(start.upload.note, icon=":material/science:")
    if split.entry.key == OWN and split.mostly_clipped:
        clipped = verbatim(mostly_clipped(split.mostly_clipped))
        st.warning(clipped, icon=":material/content_cut:")
    for leak in split.leaks:
        st.warning(verbatim(leak), icon=":material/warning:")


def judged_on(split: Split, records: PreparedRecords) -> str:
    if split.further:
        return f"judged on {spaced(records.judged)} others"
    if site := split.preparation.held_out:
        return f"judged on the {spaced(records.judged)} of {site}"
    is_all = records.judged >= split.records + split.tested
    words = "judged on all" if is_all else f"judged on {spaced(records.judged)} of them"
    return words + (f", {records.splits} splits" if records.splits > 1 else "")


def notes(view: View) -> None:
    """Draw what else belongs to the data: its preparation."""
    dataset = view.split.entry
    rule = LAMBDA_BY_RULE if view.study.lam is None else ""
    maps = LINES_OR_CURVES if view.split.maps else ""
    st.caption(
        f"{LOSSES[view.study.loss]}, trained on {spaced(view.split.records)} "
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
        st.caption(f"{dataset.classes} classes: {ONE_AGAINST_THE_REST}")
    if view.split.complete:
        st.caption(f":material/rule: About every ε here: {COMPLETE_ONLY}.")
    if not view.records.published:
        ranges = (OWN_RANGES,) if dataset.key == OWN else ()
        st.caption(" ".join((*ranges, *map(verbatim, view.split.notes))))


def leave(view: View) -> None:
    """Draw the way on to a release, which takes the table and ε along."""
    settings = {}
    if view.study.dataset == OWN:
        settings["release_table"] = str(RELEASED.text("own"))
    script, link = link_to(LEAVE, **settings)
    st.page_link(script, label=LEAVE, icon=":material/output:", query_params=link)


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
        work.download(dataset.key)


def _under_the_picture() -> DeltaGenerator:
    """The row of ε's field."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="medium")


def skeleton(places: Places) -> None:
    """Draw the places of the first answer while it is computed: no number is final before.

    ε's field is where it will be, in a fragment: a browser that has to draw it anew elsewhere no
    longer writes it into the address.
    """

    @st.fragment
    def draw() -> None:
        with st.container():
            for name, height in HEIGHTS.items():
                st.container(height=height, border=False, key=f"skeleton_{name}")
        with _under_the_picture():
            drawn(EPSILON, width=150)

    with places.answer:
        draw()


def at_chosen_epsilon(view: View, slots: Slots) -> None:
    """Draw everything that changes with ε in one fragment: nothing else runs then."""
    from pages.explore import detail, numbers
    from pages.explore.view import once

    is_counted = view.decision.outcomes is not None
    store(ACTING, ACTING_FROM.format(percent(view.threshold, 0)) if is_counted else "")

    @st.fragment
    def fragment() -> None:
        try:
            draw()
        except StreamlitInvalidLayoutContextError:
            # An interrupted run of the page has not created all of these places; only a run of the
            # whole page does.
            st.rerun()

    def draw() -> None:
        above = st.container()
        with _under_the_picture():
            epsilon = drawn(EPSILON, width=150)  # before the picture, which follows it
            place, stop = numbers.stop_at(view, epsilon)
            numbers.as_risk(view, stop)
            numbers.whose(view, stop, epsilon)
        shown = once(view, f"picture {view.contents}", lambda: _picture(view))
        with above:
            numbers.show_over_epsilon(view, shown, "cost_picture", place)
        numbers.under_the_picture(stop)
        detail.at_chosen_epsilon(view, stop, epsilon, slots)
        with slots.leave.empty().container():
            leave(view)
        draw_anew()  # last: nobody waits for where the links lead

    with slots.answer:
        fragment()


def _picture(view: View) -> Picture:
    from dpcore.questions.cost.figure import picture

    return picture(
        view.decision, view.thin, view.split.entry, view.titles, by_rule=view.focus == BEST
    )
