"""Draw Atlas's sidebar: the filters of the list, whose values the address holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from dpcore.controls.atlas import FILTERS, FORM, LEAF, RUN, SEARCH, SYSTEM, list_command, systems
from dpcore.systems import System, register, selected
from pages.shared import query
from pages.shared.session import once, set_controls
from pages.shared.widgets import ControlForm


@dataclass(frozen=True)
class AtlasChoice:
    systems: tuple[System, ...]
    chosen: System | None
    search: str
    command: str


def validate_link() -> str:
    """Check the link once a session; returns all its refusals as one message."""
    return once("atlas_link", _validate_link)


def _validate_link() -> str:
    titles = systems()
    # The control writes the title into the address; a link may also hold the key.
    value = st.query_params.get(SYSTEM.key, "")
    if value in titles:
        st.query_params[SYSTEM.key] = titles[value]
        st.rerun()  # controls begin with what the address holds at a run's start
    return query.validate_link((*FILTERS, FORM, LEAF, *RUN))


def sidebar() -> AtlasChoice:
    form = ControlForm(FILTERS)
    with st.sidebar:
        for control in FILTERS:
            close = partial(choose, None)
            form.draw(control.key, on_change="rerun" if control is SYSTEM else close)
    values = form.values
    return AtlasChoice(
        selected(**FILTERS.fields(values)),
        register().get(values[SYSTEM.key] or ""),
        values[SEARCH.key],
        list_command(values),
    )


def choose(key: str | None) -> None:
    """Open a system, or the list again; use in a callback."""
    set_controls({SYSTEM.key: key})


def clear(*keys: str) -> None:
    """Reset these filters, by default all; use in a callback."""
    every = [control.key for control in FILTERS if control is not SYSTEM]
    set_controls({key: FILTERS[key].default for key in keys or every})
