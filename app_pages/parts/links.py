"""What a link asked for and could not get: hostile or outdated values, one plain sentence each."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from app_pages.parts.verbatim import verbatim
from dpcore.errors import meant

MOST_TOLD = 12
MOST_LETTERS = 40


def quoted(value: str) -> str:
    """A value from outside, short, as Markdown that shows its letters and common signs."""
    kept = re.sub(r"[^\w .,:;+\-−–·()/²]", "", value)[:MOST_LETTERS].strip()
    return f"“{verbatim(kept)}”" if kept else "something unreadable"


def asked() -> dict[str, list[str]]:
    """All that the link asks for, by name.

    Streamlit replaces values it does not know by the default and drops them from the address, so
    this must be called before any control is drawn, on the session's first run.
    """
    return {name: st.query_params.get_all(name) for name in st.query_params}


@dataclass(frozen=True)
class Refusal:
    """A value of the link that the page cannot follow.

    Parameters
    ----------
    name, value : str
        As in the link.
    sentence : str
        What the page does instead, beginning with what was asked for.
    """

    name: str
    value: str
    sentence: str


def unknown(
    link: Mapping[str, Sequence[str]],
    allowed: Mapping[str, tuple[str, Collection[str], str]],
    clearable: Collection[str] = (),
) -> list[Refusal]:
    """The values in the link that are not among those allowed.

    Parameters
    ----------
    link : mapping
        What the link asks for.
    allowed : mapping
        Link name to (name on screen, values allowed, the value used instead in words).
    clearable : collection of str
        Link names that may be empty: nothing chosen.
    """
    return [
        Refusal(
            name,
            value,
            f"{title} {quoted(value)}, which this page does not offer"
            f"{meant(value[:MOST_LETTERS], values)}; it uses {fallback}.",
        )
        for name, (title, values, fallback) in allowed.items()
        for value in link.get(name, ())
        if value not in values and not (value == "" and name in clearable)
    ]


def outside(
    link: Mapping[str, Sequence[str]], names: Sequence[tuple[str, str, float, float]]
) -> list[Refusal]:
    """The same for numbers typed freely: (link name, name on screen, least, most)."""
    refused = []
    for name, title, least, most in names:
        for value in link.get(name, ()):
            try:
                fits = least <= float(value) <= most
            except ValueError:
                fits = False
            if not fits and value:
                sentence = (
                    f"{title} {quoted(value)}, but it must be a number from {least:,} to "
                    f"{most:,}; it is left out."
                )
                refused.append(Refusal(name, value, sentence))
    return refused


def strangers(link: Mapping[str, Sequence[str]], known: Collection[str]) -> list[Refusal]:
    """The names in the link that no control of the page has.

    Streamlit keeps its own, such as ``embed``, to itself.
    """
    return [
        Refusal(name, value, f"the setting {quoted(name)}, which this page does not have.")
        for name, values in link.items()
        if name not in known
        for value in values
    ]


def drop(link: Mapping[str, Sequence[str]], refused: Sequence[Refusal]) -> None:
    """Take the refused values out of the address, so that no copied link passes them on.

    Only before the controls are drawn: an address that a control is bound to is not ours to change.
    """
    for name in {one.name for one in refused}:
        gone = {one.value for one in refused if one.name == name}
        kept = [value for value in link[name] if value not in gone]
        if kept:
            st.query_params[name] = kept
        else:
            del st.query_params[name]


def told(refused: Sequence[Refusal]) -> str:
    """All refusals as one message; empty where there is none."""
    sentences = list(dict.fromkeys(one.sentence for one in refused))
    if len(sentences) < 2:
        return "".join(f"The link asks for {sentence}" for sentence in sentences)
    more = len(sentences) - MOST_TOLD
    lines = sentences[:MOST_TOLD] + ([f"… and {more:,} more."] if more > 0 else [])
    return "The link asks for:\n\n" + "\n".join(f"- {line}" for line in lines)
