"""Presets of Explore: the settings behind a paper's figures."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.explore import CONTROLS, PRESETS
from pages.explore import texts
from pages.shared.session import control_text, control_value, set_controls, store, stored

PENDING = "explore_preset"
EPSILON = {"epsilon": 1.0}
"""Initial ε of a preset; moving the slider does not leave the preset."""

OPEN = {"expert": True}
"""A preset shows what it sets."""


def matching() -> str | None:
    """Title of the preset that the controls match, or None."""
    for title, values in PRESETS.items():
        if all(_is_same(control_value(key), value) for key, value in values.items()):
            return title
    return None


def _is_same(current: object, expected: object) -> bool:
    """Whether a control has this value; a choice of several has no order."""
    if isinstance(current, list) and isinstance(expected, tuple):
        return sorted(current) == sorted(expected)
    return current == expected


def start_from() -> None:
    """Draw the drop-down that sets all controls at once, and shows the matching preset."""
    set_controls({"start_from": matching()})
    st.selectbox(
        "Start from",
        list(PRESETS),
        index=None,
        placeholder="Settings of a paper",
        key="start_from",
        help=texts.START_FROM,
        on_change=_load,
    )


def _load() -> None:
    title = control_text("start_from")
    if title not in PRESETS:
        return
    # The browser writes changes into the address, but not a control's first value.
    for key, value in PRESETS[title].items():
        if control_value(key) is None:
            st.query_params[key] = CONTROLS[key].text(value)
    store(PENDING, {**PRESETS[title], **EPSILON, **OPEN})
    pending()


def pending() -> None:
    """Set the controls of a chosen preset; call this before they are drawn.

    An interrupted run of the page loses values that the browser has never seen. The old ones would
    return with the next event, so the new ones are set again until a run ends.
    """
    values = stored(PENDING) or {}
    set_controls(
        {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
    )


def drawn() -> None:
    """Note that the controls have reached the browser; from now on the reader sets them."""
    store(PENDING, None)
