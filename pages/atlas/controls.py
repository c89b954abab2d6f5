"""Atlas's sidebar: the filters of the list. The address bar holds their values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

import streamlit as st

from dpcore.controls.atlas import ALL, FILTERS, FORM, LEAF, NEIGHBOUR, RUN, SYSTEM, systems
from dpcore.controls.common import ADJACENCIES
from dpcore.export.atlas import list_command
from dpcore.systems import PAPERS, System, register, runs_here, standing
from pages.shared import query
from pages.shared.session import once, set_controls
from pages.shared.widgets import Form


@dataclass(frozen=True)
class AtlasChoice:
    """Values of the controls.

    Parameters
    ----------
    systems : tuple of System
        Those that match the filters.
    chosen : System or None
        The opened one.
    command : str
        The command line that lists them, with the filters it supports.
    """

    systems: tuple[System, ...]
    chosen: System | None
    command: str


def validate_link() -> str:
    """All refusals of the link as one message, computed once a session."""
    # Models keep the adjacency of old links.
    query.upgrade_link("atlas", NEIGHBOUR.key, ADJACENCIES, lambda _: None)
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
    """Draw the controls and read them."""
    form = Form(FILTERS)
    with st.sidebar:
        for control in FILTERS:
            close = partial(choose, None)
            form.draw(control.key, on_change="rerun" if control is SYSTEM else close)
    paper, kind, verdict = (form.values[key] for key in ("paper", "kind", "verdict"))
    runnable, failures, search = (form.values[key] for key in ("runnable", "failures", "search"))
    chosen = form.values[SYSTEM.key]
    search_words = (search or "").split()
    matches = tuple(
        system
        for system in register().values()
        if paper in (ALL, PAPERS[system.paper])
        and kind in (ALL, str(system.family))
        and verdict in (ALL, str(standing(system).status))
        and (runs_here(system) or not runnable)
        and (system.breaks or not failures)
        and all(_has_word_prefix(word, _text(system)) for word in search_words)
    )
    return AtlasChoice(matches, register().get(chosen or ""), list_command(form.values))


def _text(system: System) -> str:
    """The text that a search looks through."""
    return f"{system.key} {system.title} {system.source} {system.family} {system.what}"


def _has_word_prefix(word: str, text: str) -> bool:
    """Whether a word of the text starts with this; inner capitals start one too (DPGAN)."""
    return re.search(rf"(?:(?<!\w)|(?=[A-Z]))(?i:{re.escape(word)})", text) is not None


def choose(key: str | None) -> None:
    """Open a system, or the list again; use in a callback."""
    set_controls({SYSTEM.key: key})


def clear() -> None:
    """Reset the filters; use in a callback."""
    set_controls({control.key: control.default for control in FILTERS if control is not SYSTEM})
