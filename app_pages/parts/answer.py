"""Explore's answer: its places on the page, the main figure, and everything that moves with ε."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.errors import StreamlitInvalidLayoutContextError

from app_pages.parts import explanations as words
from app_pages.parts import links, meaning, own_table
from app_pages.parts.controls import EPSILONS, Start, tabs_for
from app_pages.parts.drawing import plot
from app_pages.parts.state import chosen, recall, remember
from app_pages.parts.verbatim import refuse, verbatim
from dpcore.datasets import OWN
from dpcore.erm.method import COMPLETE_ONLY
from dpcore.figures.words import plain
from dpcore.guarantee import Adjacency, PrivacyBudget

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from app_pages.parts.view import View

START = 1.0  # ε of the first view
# Seconds in which the browser shows the new numbers before it gets figures to draw; without them
# the numbers wait for the figures (about 170 ms from key press to changed text instead of 70).
HEAD_START = 0.04


@dataclass(frozen=True)
class Slots:
    """Places on the page, in reading order, that different parts of a run fill."""

    slider: DeltaGenerator
    numbers: DeltaGenerator
    main: DeltaGenerator
    training: DeltaGenerator
    risk: DeltaGenerator
    methods: DeltaGenerator
    meaning: DeltaGenerator
    waiting: tuple[DeltaGenerator, ...]
    tabs: Mapping[str, Any]


def layout(first: Start) -> Slots:
    """Claim the places for everything under the heading, top to bottom."""
    above, numbers = st.container(), st.container()
    main, training = st.container(border=True), st.container()
    risk, methods = st.columns([2, 3], border=True)
    meaning = st.empty()
    waiting = main.empty(), methods.empty()
    tabs = tabs_for(first.found)
    opened = st.tabs(tabs, key="view", on_change="rerun", bind="query-params")
    return Slots(
        above,
        numbers,
        main,
        training,
        risk.empty(),
        methods,
        meaning,
        waiting,
        dict(zip(tabs, opened, strict=True)),
    )


def title(first: Start) -> DeltaGenerator:
    """What is looked at, in one line, before the records are read; the place to write it again.

    Preparation may leave out records; how many it leaves is known from the last time.
    """
    found = first.found
    records = recall(_counted(first)) or first.records
    size = "" if records is None else f"{records:,} {found.records_are}"
    loss = "squared" if found.predicts == "number" else chosen("loss")
    parts = (found.title, size, words.LOSS_TITLES.get(loss, ""))
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
    found, loss = view.split.entry, words.LOSS_TITLES[view.study.loss]
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
            st.caption(f"{found.classes} classes: {words.ONE_AGAINST_THE_REST}")
        if view.split.complete:
            st.caption(f":material/rule: About every ε here: {COMPLETE_ONLY}.")
        rough = view.rough
        if rough:
            st.caption(f":material/straighten: {rough}")
        if not view.published:
            st.warning(words.UPLOADED, icon=":material/lock_open:")
            ranges = (words.OWN_RANGES,) if found.key == OWN else ()
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
        from app_pages.parts import loaders

        loaders.download(found.key)


def main_figure(view: View, slots: Slots) -> None:
    """Accuracy or error against ε; identical while only ε moves, so that zoom is kept."""
    from app_pages.parts.view import figure

    for place in slots.waiting:
        place.empty()
    with slots.main:
        st.subheader(f"{view.quality.title} against ε", anchor=False, help=words.CURVES)
        plot(figure("quality", view), "accuracy_figure")
        if view.study.edition == "published":
            st.caption("Open markers: as published. Filled: a method with a sound edition only.")


def early(first: Start, slots: Slots) -> None:
    """The risk to one person on a session's first run, before the slider that will replace it.

    It needs no data, so a new page draws it, and gets the browser's chart library, while the data
    are read.
    """
    asked = links.asked().get("epsilon", [""])[-1]
    epsilon = next((value for value in EPSILONS if plain(value) == asked), START)
    _risk(
        first,
        PrivacyBudget(epsilon, first.delta),
        slots,
        "early_people_figure",
        words.ODDS_CONDITION,
    )
    slots.waiting[0].caption("The figure against ε comes here.")
    slots.waiting[1].caption("Every method at the chosen ε comes here.")


def at_chosen_epsilon(first: Start, view: View, slots: Slots) -> None:
    """Everything that moves with ε, in one fragment: nothing else runs when ε moves."""
    from app_pages.parts import detail, numbers

    @st.fragment
    def moving() -> None:
        try:
            everything()
        except StreamlitInvalidLayoutContextError:
            # A run of the page was cut short before it came to all of these places; only a run of
            # the whole page gives them one.
            st.rerun()

    def everything() -> None:
        links.sign()
        with slots.slider:
            epsilon = _slider()
        rows = view.rows_at(epsilon)
        with slots.numbers:
            numbers.show(view, rows, epsilon)
        time.sleep(HEAD_START)
        with slots.methods:
            numbers.every_method(view, rows, epsilon)
        focus = chosen("focus")
        held, note = detail.promised_here(view, rows, epsilon, focus)
        _risk(first, held, slots, "people_figure", note)
        # Replaced as a whole: a fragment adds to a place outside it, and never clears it.
        with slots.meaning.container():
            detail.find_out(view, rows, epsilon, focus)
        detail.at_chosen_epsilon(view, rows, epsilon, slots)

    moving()


def _slider() -> float:
    with st.container(gap=None):
        epsilon: float = st.select_slider(
            "Privacy loss ε",
            EPSILONS,
            value=START,
            format_func=plain,
            key="epsilon",
            help=words.EPSILON,
            bind="query-params",
        )
        with st.container(horizontal=True, horizontal_alignment="distribute"):
            st.caption("← more private", width="content")
            st.caption("less private →", width="content")
    return epsilon


def _risk(first: Start, budget: PrivacyBudget | None, slots: Slots, key: str, note: str) -> None:
    """What ε means for one person; drawn before the data are read, so it needs none."""
    with slots.risk.container():
        meaning.card(budget, Adjacency(first.adjacency), key, note)
