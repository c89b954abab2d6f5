"""The controls beside Atlas: which systems to see. Their values live in the address bar."""

from __future__ import annotations

import re
from dataclasses import dataclass

import streamlit as st

from dpcore.controls.atlas import ALL, FILTERS, FORM, LEAF, NEIGHBOUR, RUN, SYSTEM, systems
from dpcore.controls.common import ADJACENCIES
from dpcore.systems import PAPERS, System, register, runs_here, standing
from pages.shared import query
from pages.shared.session import once, put
from pages.shared.widgets import Form


@dataclass(frozen=True)
class AtlasChoice:
    """What the controls say.

    Parameters
    ----------
    systems : tuple of System
        Those that fit.
    chosen : System or None
        The one that is opened.
    command : str
        The command line that lists them, as far as it knows the filters.
    """

    systems: tuple[System, ...]
    chosen: System | None
    command: str


def validate_link() -> str:
    """What the link asked for in vain, as one message; found once a session."""
    # Models kept their own neighbour.
    query.upgrade_link("atlas", NEIGHBOUR.key, ADJACENCIES, lambda _: None)
    return once("atlas_link", _validate_link)


def _validate_link() -> str:
    titles = systems()
    # The control's own addresses hold the title; a link may name the key as well.
    named = st.query_params.get(SYSTEM.key, "")
    if named in titles:
        st.query_params[SYSTEM.key] = titles[named]
        st.rerun()  # controls begin with what the address holds at a run's start
    return query.validate_link((*FILTERS, FORM, LEAF, *RUN))


def sidebar() -> AtlasChoice:
    """Draw the controls and read them."""
    form = Form(FILTERS)
    with st.sidebar:
        for control in FILTERS:
            closes = control is not SYSTEM
            form.draw(control.key, on_change=_close if closes else "rerun")
    paper, kind, verdict = (form.values[key] for key in ("paper", "kind", "verdict"))
    runnable, failures, search = (form.values[key] for key in ("runnable", "failures", "search"))
    chosen = form.values[SYSTEM.key]
    asked = (search or "").split()
    found = tuple(
        system
        for system in register().values()
        if paper in (ALL, PAPERS[system.paper])
        and kind in (ALL, str(system.family))
        and verdict in (ALL, str(standing(system).status))
        and (runs_here(system) or not runnable)
        and (system.breaks or not failures)
        and all(_begins(word, _text(system)) for word in asked)
    )
    return AtlasChoice(found, register().get(chosen or ""), _command(paper, verdict, failures))


def _command(paper: str, verdict: str, failures: bool) -> str:
    """The list on the command line; a search and kinds are left to the reader there."""
    number = next((key for key, title in PAPERS.items() if title == paper), "")
    return " ".join(
        [
            "python -m dpcore methods",
            *([f"--paper {number}"] if number else []),
            *([f'--status "{verdict}"'] if verdict != ALL else []),
            *(["--failures"] if failures else []),
            "--json",
        ]
    )


def _text(system: System) -> str:
    """All that a search looks through."""
    return f"{system.key} {system.title} {system.source} {system.family} {system.what}"


def _begins(word: str, text: str) -> bool:
    """Whether a word of the text begins so; capitals within a name begin one too (DPGAN)."""
    return re.search(rf"(?:(?<!\w)|(?=[A-Z]))(?i:{re.escape(word)})", text) is not None


def choose(key: str | None) -> None:
    """Open a system, or the list again; in a callback."""
    put({SYSTEM.key: key})


def _close() -> None:
    choose(None)


def clear() -> None:
    """Let every system be seen again; in a callback."""
    put({control.key: control.default for control in FILTERS if control is not SYSTEM})
