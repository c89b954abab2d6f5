"""Show a picture that moves in the browser, and hear where its cursor rests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from dpcore.figures.picture import Picture, payload
from pages.shared.session import control_value

ASSETS = Path(__file__).parents[2] / "assets"
MOST_MOVES = 1_000_000_000
"""More than a browser counts of one page's moves."""
_draw = st.components.v2.component(
    "picture",
    js=(ASSETS / "picture.js").read_text("utf-8"),
    css=(ASSETS / "picture.css").read_text("utf-8"),
)


def show(picture: Picture, *, key: str, stop: int, on_move: Callable[[int], None]) -> None:
    """Show a picture with its cursor at a stop.

    `on_move` is called with a stop's place in the row once the reader has left the cursor there,
    before the page runs again. Until then what the page says of another stop does not move it.
    """

    def hear() -> None:
        moved = heard(control_value(key), "stop", len(picture.stops) - 1)
        if moved is not None:
            on_move(moved)

    n = heard(control_value(key), "n", MOST_MOVES) or 0
    _draw(
        key=key,
        data=payload(picture) | {"stop": stop, "n": n},
        on_moved_change=hear,
        width="stretch",
    )


def heard(state: object, name: str, most: int) -> int | None:
    """A whole number from 0 to `most` of the last move; None for all else that a browser sends."""
    moved = state.get("moved") if isinstance(state, dict) else None
    value = moved.get(name) if isinstance(moved, dict) else None
    return value if type(value) is int and 0 <= value <= most else None
