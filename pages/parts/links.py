"""What a link asked for and could not get: hostile or outdated values, one plain sentence each."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import streamlit as st


def quoted(value: str) -> str:
    """A value from outside, short and without anything that could act as markup."""
    kept = re.sub(r"[^\w .,:;+\-−–·()/²]", "", value)[:40].strip()
    return f"“{kept}”" if kept else "something unreadable"


def complaints(
    allowed: Mapping[str, tuple[str, Collection[str], str]], clearable: Collection[str] = ()
) -> list[str]:
    """One sentence for each link value that is not among those allowed.

    Parameters
    ----------
    allowed : mapping
        Link name to (name on screen, values allowed, the value used instead in words).
    clearable : collection of str
        Link names that may be empty: nothing chosen.

    Notes
    -----
    Streamlit replaces such values by the default and drops them from the address, so this must be
    called before any control is drawn, on the session's first run.
    """
    sentences = []
    for name, (title, values, fallback) in allowed.items():
        for asked in st.query_params.get_all(name):
            if asked not in values and not (asked == "" and name in clearable):
                sentences.append(
                    f"The link asks for {title} {quoted(asked)}, which this page does not offer; "
                    f"it uses {fallback}."
                )
    return sentences


def outside(names: Sequence[tuple[str, str, float, float]]) -> list[str]:
    """The same for numbers typed freely: (link name, name on screen, least, most)."""
    sentences = []
    for name, title, least, most in names:
        for asked in st.query_params.get_all(name):
            try:
                fits = least <= float(asked) <= most
            except ValueError:
                fits = False
            if not fits and asked:
                sentences.append(
                    f"The link asks for {title} {quoted(asked)}, but it must be a number from "
                    f"{least:,g} to {most:,g}; it is left out."
                )
    return sentences
