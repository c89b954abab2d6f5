"""Settings of Explore to start from: those behind a paper's figures."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.explore import CONTROLS, PRESETS
from pages.explore import texts
from pages.shared.session import chosen, held, keep, kept, put

PENDING = "explore_preset"
EPSILON = {"epsilon": 1.0}
"""Where the slider begins; it then moves without leaving the settings."""


def matching() -> str | None:
    """The preset that the controls are at."""
    for title, values in PRESETS.items():
        if all(_same(held(key), value) for key, value in values.items()):
            return title
    return None


def _same(found: object, wanted: object) -> bool:
    """Whether a control says this; what is chosen of several has no order."""
    if isinstance(found, list) and isinstance(wanted, tuple):
        return sorted(found) == sorted(wanted)
    return found == wanted


def start_from() -> None:
    """A drop-down that sets the controls at once, and names the settings they are at."""
    put({"start_from": matching()})
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
    title = chosen("start_from")
    if title not in PRESETS:
        return
    # The browser writes into the address what changes, not what a control begins with.
    for key, value in PRESETS[title].items():
        if held(key) is None:
            st.query_params[key] = CONTROLS[key].text(value)
    keep(PENDING, {**PRESETS[title], **EPSILON})
    pending()


def pending() -> None:
    """Set the controls that were asked for; to be called before they are drawn.

    A run of the page that is cut short may take values with it that the browser has never seen. Its
    old ones would come back with the next event, so until a run ends they are set again.
    """
    said = kept(PENDING) or {}
    put({key: list(each) if isinstance(each, tuple) else each for key, each in said.items()})


def drawn() -> None:
    """The controls have reached the browser: from here on they say what the reader sets."""
    keep(PENDING, None)
