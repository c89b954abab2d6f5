"""The controls beside Atlas: which systems to see. Their values live in the address bar."""

from __future__ import annotations

import re
from dataclasses import dataclass

import streamlit as st

from app_pages.parts import atlas_run, links
from app_pages.parts import atlas_words as words
from app_pages.parts.plan_controls import ADJACENCIES
from app_pages.parts.state import once, put
from dpcore.models.register import register as models
from dpcore.systems import PAPERS, STATUSES, Family, System, register, runs_here, standing

ALL = "All"
OPENED = "system"
MOST_LETTERS = 80
PAPER_TITLES = list(PAPERS.values())
FAMILIES = [str(family) for family in Family]
SWITCHED = ("true", "false", "True", "False")
VERDICTS = [str(status) for status in STATUSES]


@dataclass(frozen=True)
class Asked:
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


def heed() -> str:
    """What the link asked for in vain, as one message; found once a session."""
    # Models kept their own neighbour.
    links.renewed("atlas", atlas_run.NEIGHBOUR, ADJACENCIES, lambda _: None)
    return once("atlas_link", _heed)


def _heed() -> str:
    titles = {key: system.title for key, system in register().items()}
    # The control's own addresses hold the title; a link may name the key as well.
    named = st.query_params.get(OPENED, "")
    if named in titles:
        st.query_params[OPENED] = titles[named]
        st.rerun()  # controls begin with what the address holds at a run's start
    link = links.asked()
    allowed = {
        "paper": ("the paper", (ALL, *PAPER_TITLES), "all papers"),
        "kind": ("the kind", (ALL, *FAMILIES), "all kinds"),
        "verdict": ("the verdict", (ALL, *VERDICTS), "all verdicts"),
        "runnable": ("what runs here", SWITCHED, "everything"),
        "failures": ("known failures", SWITCHED, "everything"),
        OPENED: ("the system", {*register(), *titles.values()}, "the whole list"),
        "form": ("to run", [model.title for model in models().values()], "the first form"),
        **atlas_run.allowed(),
    }
    refused = (
        links.unknown(link, allowed)
        + links.outside(link, [("leaf", "a page of", 1, len(register()))])
        + links.strangers(link, {*allowed, "search", "leaf"})
    )
    links.drop(link, refused)
    return links.told(refused)


def sidebar() -> Asked:
    """Draw the controls and read them."""
    with st.sidebar:
        search = st.text_input(
            "Search",
            key="search",
            max_chars=MOST_LETTERS,
            placeholder="k-means, Abadi, synthetic …",
            help=words.SEARCH,
            icon=":material/search:",
            bind="query-params",
            on_change=choose,
            args=(None,),
        )
        paper = _among("Paper", PAPER_TITLES, "paper", words.PAPER)
        kind = _among("Kind", FAMILIES, "kind", words.KIND)
        verdict = _among("Verdict", VERDICTS, "verdict", words.VERDICT)
        runnable = _only("Runs here", "runnable", words.RUNNABLE)
        failures = _only("Known failures", "failures", words.FAILURES)
        chosen = st.selectbox(
            "Open a system",
            list(register()),
            index=None,
            format_func=lambda key: register()[key].title,
            placeholder="by its name",
            key=OPENED,
            help=words.SYSTEM,
            bind="query-params",
        )
    asked = (search or "")[:MOST_LETTERS].split()
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
    return Asked(found, register().get(chosen or ""), _command(paper, verdict, failures))


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


def _among(label: str, options: list[str], key: str, help_text: str) -> str:
    picked: str | None = st.selectbox(
        label,
        [ALL, *options],
        key=key,
        help=help_text,
        bind="query-params",
        on_change=choose,
        args=(None,),
    )
    return picked or ALL


def _only(label: str, key: str, help_text: str) -> bool:
    return st.toggle(
        label, key=key, help=help_text, bind="query-params", on_change=choose, args=(None,)
    )


def _text(system: System) -> str:
    """All that a search looks through."""
    return f"{system.key} {system.title} {system.source} {system.family} {system.what}"


def _begins(word: str, text: str) -> bool:
    """Whether a word of the text begins so; capitals within a name begin one too (DPGAN)."""
    return re.search(rf"(?:(?<!\w)|(?=[A-Z]))(?i:{re.escape(word)})", text) is not None


def choose(key: str | None) -> None:
    """Open a system, or the list again; in a callback."""
    put({OPENED: key})


def clear() -> None:
    """Let every system be seen again; in a callback."""
    chosen = dict.fromkeys(("paper", "kind", "verdict"), ALL)
    put({"search": "", **chosen, "runnable": False, "failures": False})
