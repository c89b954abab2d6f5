"""Draw Atlas's sidebar: the filters of the list, whose values the address holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from dpcore.controls.atlas import FILTERS, FORM, LEAF, RUN, SEARCH, SYSTEM, list_command
from dpcore.controls.statement import CONTROLS as CLAIM
from dpcore.controls.verify import CONTROLS as TRIAL
from dpcore.systems import System, register, selected
from pages.shared import address
from pages.shared.session import set_controls
from pages.shared.widgets import ControlForm

IN_SIGHT = (SEARCH.key, "paper", "verdict", SYSTEM.key)
"""Filters beside the list; the others are on demand."""


@dataclass(frozen=True)
class AtlasChoice:
    systems: tuple[System, ...]
    chosen: System | None
    search: str
    command: str


def validate_link() -> str:
    """Check the link; returns all its refusals as one message."""
    return address.validate_link((*FILTERS, FORM, LEAF, *RUN, *TRIAL, *CLAIM))


def sidebar() -> AtlasChoice:
    form = ControlForm(FILTERS)
    with st.sidebar:
        shown = st.container()
        with st.expander("More filters", icon=":material/filter_list:"):
            rest = st.container()
        for control in FILTERS:
            close = partial(choose, None)
            with shown if control.key in IN_SIGHT else rest:
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
