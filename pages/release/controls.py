"""Draw Release's controls; those of texts and ticks stay in the session."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from dpcore.controls.control import Control, Text
from dpcore.controls.release import CONTROLS
from dpcore.datasets.own.description import restated
from pages.shared import query
from pages.shared.own_table import COLUMNS
from pages.shared.session import once, set_controls, store, stored


def validate_link() -> str:
    """Check the link once a session; returns all its refusals as one message."""

    def validate() -> str:
        _leave_persons_open()
        return query.validate_link(CONTROLS, others={COLUMNS: None})

    return once("release_link", validate)


def _leave_persons_open() -> None:
    """Drop what a link says of persons: each session says in step 2 what one person is.

    Whoever sends a link to a table with several rows a person could else have them protected row
    by row.
    """
    # On Explore, which asks nobody what one person is, it may have come by a link as well.
    if elsewhere := stored(COLUMNS):
        elsewhere = restated(elsewhere, None)
        store(COLUMNS, elsewhere)
        set_controls({COLUMNS: elsewhere})
    linked = st.query_params.get(COLUMNS, "")
    unsaid = restated(linked, None)
    if unsaid != linked:
        st.query_params[COLUMNS] = unsaid
        st.rerun()  # controls begin with what the address holds at a run's start


def text(
    control: Control, first: str, place: str, width: int | Literal["stretch"] = "stretch"
) -> str:
    """Draw a text that no address holds, and that is still there when its reader comes back."""
    assert isinstance(control.kind, Text)
    value = st.text_input(
        control.label,
        first,
        max_chars=control.kind.most,
        help=control.help or None,
        key=f"{control.key}_{place}",
        persist_state="session",
        width=width,
    )
    return (value or "").strip()
