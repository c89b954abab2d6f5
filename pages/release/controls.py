"""Release's controls; those of texts and ticks stay in the session."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from dpcore.controls.control import Control, Text
from dpcore.controls.release import CONTROLS
from pages.shared import query
from pages.shared.own_table import COLUMNS
from pages.shared.session import once


def validate_link() -> str:
    """All refusals of the link as one message, computed once a session."""
    return once("release_link", lambda: query.validate_link(CONTROLS, others={COLUMNS: None}))


def text(
    control: Control, first: str, place: str, width: int | Literal["stretch"] = "stretch"
) -> str:
    """Draw a text that no address holds, and that is still there when its reader comes back.

    Parameters
    ----------
    control : Control
    first : str
        What it begins with.
    place : str
        Of the table that it is about.
    width : int or "stretch"
    """
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
