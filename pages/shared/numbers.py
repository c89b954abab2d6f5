"""Draw the line of big numbers of an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from pages.shared.verbatim import unbroken, verbatim

Number = tuple[str, str | int, str | Callable[[], None], str]
"""Label, value, plain text below it (or what draws it; "" for nothing), its meaning on hover."""


WIDEST_LABEL = 150  # pixels of "Claim not supported" and its definition
NARROW = 100  # three side by side on a phone


def draw_numbers(numbers: Iterable[Number], across: int, width: int = WIDEST_LABEL) -> None:
    """Draw numbers side by side, at most so many in a row, each at least so many pixels wide."""
    grid = st.grid(across, min_column_width=width, gap="small")
    for label, value, note, meaning in numbers:
        if callable(note):
            with grid.cell():
                st.metric(label, value, help=meaning)
                note()
        else:
            grid.metric(
                label, value, help=meaning, delta_description=unbroken(verbatim(note)) or None
            )
