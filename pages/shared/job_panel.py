"""What is under way, whoever computes it: how far it is, Stop and Go on, and the page drawn anew.

The one place that polls. A page hands over what it was drawn without, or what it draws again and
again meanwhile; threads (`background`) and jobs in workers (`shared_jobs`)
are watched alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import streamlit as st

State = Literal["new", "running", "stopping", "stopped", "failed", "done"]
"""Waiting for a click; under way, or for its turn; stopped while the last of what it leaves still
comes; stopped by the person; ended with a reason; there."""


@dataclass(frozen=True)
class Line:
    """What the panel says of one thing.

    Parameters
    ----------
    words : str
        What is being done and how far it is, or why it is not; Markdown.
    share : float or None
        The share that is done; ``None`` where it is not under way.
    button : str
        What stops it, or has it go on; empty for no button.
    """

    words: str
    share: float | None = None
    button: str = "Stop"


class Watched(Protocol):
    """Something that takes its time.

    Parameters
    ----------
    name : str
        For the keys of its buttons.
    drawn : str
        The state that the page is drawn with.
    seconds : float
        Between two looks.
    """

    name: str
    drawn: State
    seconds: float

    def state(self) -> State:
        """The state now."""

    def line(self) -> Line | None:
        """What is said of it; ``None`` while it is not worth a line."""

    def start(self) -> None:
        """Have it begun if it was not: called at each look while it is under way."""

    def stop(self) -> None:
        """Give it up, because the person said so."""

    def again(self) -> None:
        """Begin, or go on, because the person said so."""


def watch(things: Sequence[Watched], draw: Callable[[bool], None] | None = None) -> None:
    """Draw a line for each, and the page anew once the state of one is not as it was drawn.

    Looks again and again while anything is under way.

    Parameters
    ----------
    things : sequence of Watched
    draw : callable, optional
        Draws the lines (`show`), and all else that changes meanwhile, at each look. Given whether
        it stays as it is: while it is drawn again and again, a table's file would be gone before
        it is fetched.
    """
    if not things:
        return
    moving = [thing.seconds for thing in things if thing.drawn in ("running", "stopping")]

    @st.fragment(run_every=min(moving, default=None))
    def look() -> None:
        # A button in here runs nothing but this fragment.
        if any(thing.state() != thing.drawn for thing in things):
            st.rerun()
        for thing in things:
            if thing.drawn == "running":
                thing.start()
        if draw is not None:
            draw(not moving)
            return
        for thing in things:
            show(thing)

    look()


def show(thing: Watched) -> None:
    """The line of one thing, with its button."""
    line = thing.line()
    if line is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if line.share is not None:
            st.progress(min(1.0, max(0.0, line.share)), text=line.words)
            key, icon, act = "stop", ":material/stop_circle:", thing.stop
        else:
            st.caption(line.words)
            key, icon, act = "start", ":material/play_arrow:", thing.again
        if line.button:
            st.button(line.button, key=f"{thing.name}_{key}", icon=icon, on_click=act)
