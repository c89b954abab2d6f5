"""Show running work: progress, Stop and Go on, and redraw the page when it ends.

The only place that polls. A page passes what it still waits for, or what it redraws meanwhile;
threads (`background`) and jobs in workers (`shared_jobs`) are watched alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import streamlit as st

State = Literal["new", "running", "stopping", "stopped", "failed", "done"]
"""Waiting for a click; running or queued; stopped, with its last rows still to come; stopped by the
person; ended with a reason; finished."""


@dataclass(frozen=True)
class JobLine:
    """What a job does and how far it is, or why it rests (Markdown), and its button's label.

    `share` is ``None`` where it is not running; without a label there is no button.
    """

    words: str
    share: float | None = None
    button: str = "Stop"


class Watched(Protocol):
    """A job, or a group of jobs, that the panel shows.

    Parameters
    ----------
    name : str
        For the keys of its buttons.
    drawn : str
        The state in which the page was drawn.
    seconds : float
        Seconds between two polls.
    """

    name: str
    drawn: State
    seconds: float

    def state(self) -> State:
        """The current state."""

    def has_news(self) -> bool:
        """Whether the page is to be drawn anew in the same state: more of it is there."""

    def line(self) -> JobLine | None:
        """Its line; ``None`` while it needs none."""

    def start(self) -> None:
        """Start it if needed; called at each poll while it is running."""

    def stop(self) -> None:
        """Stop it at the person's request."""

    def again(self) -> None:
        """Start or continue it at the person's request."""


def watch(
    jobs: Sequence[Watched],
    lines: Sequence[Watched] | None = None,
    draw: Callable[[bool], None] | None = None,
) -> None:
    """Draw a line for each job, and redraw the page once a state differs from the drawn one.

    Polls while any job is running. `draw` draws the lines and all else that changes meanwhile, at
    each poll; its argument says whether this is the last drawing: while it is redrawn, a table's
    file would be gone before it is fetched. Several jobs may share one of the `lines`.
    """
    if not jobs:
        return
    poll_seconds = [job.seconds for job in jobs if job.drawn in ("running", "stopping")]

    @st.fragment(run_every=min(poll_seconds, default=None))
    def poll() -> None:
        # A button in here reruns only this fragment.
        if any(job.state() != job.drawn or job.has_news() for job in jobs):
            st.rerun()
        for job in jobs:
            if job.drawn == "running":
                job.start()
        if draw is not None:
            draw(not poll_seconds)
            return
        for job in jobs if lines is None else lines:
            show(job)

    poll()


def show(job: Watched) -> None:
    """Draw the line of one job, with its button."""
    line = job.line()
    if line is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if line.share is not None:
            st.progress(min(1.0, max(0.0, line.share)), text=line.words)
            key, icon, action = "stop", ":material/stop_circle:", job.stop
        else:
            if job.state() == "failed":
                st.warning(line.words, icon=":material/error:")
            else:
                st.caption(line.words)
            key, icon, action = "start", ":material/play_arrow:", job.again
        if line.button:
            st.button(line.button, key=f"{job.name}_{key}", icon=icon, on_click=action)
