"""What a link asked for and could not get: hostile or outdated values, one plain sentence each."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import streamlit as st


def quoted(value: str) -> str:
    """A value from outside, short and without anything that could act as markup."""
    kept = re.sub(r"[^\w .,:;+\-−–·()/²]", "", value)[:40].strip()
    return f"“{kept}”" if kept else "something unreadable"


def asked() -> dict[str, list[str]]:
    """All that the link asks for, by name.

    Streamlit replaces values it does not know by the default and drops them from the address, so
    this must be called before any control is drawn, on the session's first run.
    """
    return {name: st.query_params.get_all(name) for name in st.query_params}


def complaints(
    link: Mapping[str, Sequence[str]],
    allowed: Mapping[str, tuple[str, Collection[str], str]],
    clearable: Collection[str] = (),
) -> list[str]:
    """One sentence for each value in the link that is not among those allowed.

    Parameters
    ----------
    link : mapping
        What the link asks for.
    allowed : mapping
        Link name to (name on screen, values allowed, the value used instead in words).
    clearable : collection of str
        Link names that may be empty: nothing chosen.
    """
    sentences = []
    for name, (title, values, fallback) in allowed.items():
        for value in link.get(name, ()):
            if value not in values and not (value == "" and name in clearable):
                sentences.append(
                    f"The link asks for {title} {quoted(value)}, which this page does not offer; "
                    f"it uses {fallback}."
                )
    return sentences


def outside(
    link: Mapping[str, Sequence[str]], names: Sequence[tuple[str, str, float, float]]
) -> list[str]:
    """The same for numbers typed freely: (link name, name on screen, least, most)."""
    sentences = []
    for name, title, least, most in names:
        for value in link.get(name, ()):
            try:
                fits = least <= float(value) <= most
            except ValueError:
                fits = False
            if not fits and value:
                sentences.append(
                    f"The link asks for {title} {quoted(value)}, but it must be a number from "
                    f"{least:,g} to {most:,g}; it is left out."
                )
    return sentences
