"""Release's controls; those of texts and ticks stay in the session."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.control import Control, Text
from dpcore.controls.release import CONTROLS
from pages.shared import query
from pages.shared.session import once


def validate_link() -> str:
    """All refusals of the link as one message, computed once a session."""
    return once("release_link", lambda: query.validate_link(CONTROLS))


def text(control: Control, first: str, place: str) -> str:
    """Draw a text that no address holds, and that is still there when its reader comes back.

    Parameters
    ----------
    control : Control
    first : str
        What it begins with.
    place : str
        Of the table that it is about.
    """
    assert isinstance(control.kind, Text)
    value = st.text_input(
        control.label,
        first,
        max_chars=control.kind.most,
        help=control.help or None,
        key=f"{control.key}_{place}",
        persist_state="session",
    )
    return (value or "").strip()
