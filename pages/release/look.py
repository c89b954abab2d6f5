"""Step 3: how one may look before, and what the noise costs on made-up records."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.controls.release import STAND_IN
from dpcore.figures.words import percent
from dpcore.progress import Progress
from dpcore.release.plan import Plan
from dpcore.release.price import Price
from dpcore.release.rehearsal import Rehearsed, rehearse
from pages.release import texts
from pages.release.steps import Step
from pages.shared import background, doors, job_panel
from pages.shared.session import store, stored
from pages.shared.widgets import Form

ASKED = "release rehearsal"


def draw(form: Form) -> Step:
    """Draw the choice."""
    look = form.draw("release_look")
    st.caption(texts.LOOKS[look])
    return Step("done", texts.LOOKED[look])


def show(form: Form, price: Price | None) -> None:
    """Draw the ways to look at made-up records, once it is known what is released."""
    if form.values["release_look"] != STAND_IN:
        return
    asked = "" if price is None else str(price.plan)
    with st.container(horizontal=True, vertical_alignment="center"):
        if price is not None and stored(ASKED) != asked:
            st.button(
                texts.REHEARSE,
                key="release_rehearse",
                icon=":material/science:",
                on_click=store,
                args=(ASKED, asked),
            )
        script, link = doors.door_to("What does it cost?", data="Synthetic clinical cohort")
        st.page_link(
            script, label=texts.EXPLORE, icon=":material/arrow_forward:", query_params=link
        )
    if price is not None and stored(ASKED) == asked:
        _rehearsal(price.plan, asked)


def _rehearsal(made: Plan, asked: str) -> None:
    found, waiting = background.answer_to(
        "rehearsal", texts.REHEARSING, asked, partial(_rehearsed, made), quick=True
    )
    job_panel.watch(background.watched(waiting, "rehearsal"))
    if found is not None:
        st.markdown(_told(found))
        st.caption(texts.REHEARSED)


def _rehearsed(made: Plan, progress: Progress) -> Rehearsed:
    return rehearse(made, progress=progress)


def _told(found: Rehearsed) -> str:
    runs = found.runs
    return (
        f"Of made-up records {percent(found.without)} are told right without noise, "
        f"{percent(found.mean)} with it ({percent(min(runs))} to {percent(max(runs))} in "
        f"{len(runs)} runs)."
    )
