"""Answers that take longer than a moment: computed in threads while the page goes on.

One answer is computed once for all sessions, and given up when the last one that waits for it has
left: by asking for another under the same name, by its Stop, or because its browser is gone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import streamlit as st

from dpcore.errors import Cancelled
from pages.shared.job_panel import Line, State
from pages.shared.session import flag, keep, kept, lower_flag, raise_flag
from pages.shared.shared_jobs import me, present

Answer = TypeVar("Answer")
Progress = Callable[[float, str], None]

WORKERS = 2
POLL_SECONDS = 0.15
# A wait shorter than this is not worth a line that comes and goes.
QUIET_SECONDS = 1.0
LOOK_SECONDS, EXPIRES_SECONDS = 1.0, 30.0


class BackgroundTask(Generic[Answer]):
    """One answer on its way.

    Parameters
    ----------
    work : callable
        (progress) -> answer; it may call progress(fraction, message), which ends it once stopped.
    quick : bool
        Whether it is expected within a second or so: it does not queue behind those that take long.
    """

    def __init__(self, work: Callable[[Progress], Answer], *, quick: bool = False) -> None:
        self.began = self._looked = time.monotonic()
        self.share = 0.0
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[Callable[[], bool], float]] = {}
        self.future: Future[Answer] = _threads(quick).submit(work, self._report)

    def _report(self, share: float, message: str) -> None:
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            self._look()
        if self._stopping.is_set():
            raise Cancelled
        self.share = share

    def _look(self) -> None:
        """Forget who has been gone for long."""
        self._looked = now = time.monotonic()
        with self._lock:
            for who, (present, seen) in list(self._waiting.items()):
                self._waiting[who] = present, now if present() else seen
            gone = [who for who, (_, seen) in self._waiting.items() if now - seen > EXPIRES_SECONDS]
        for who in gone:
            self.leave(who)

    def join(self, who: str, present: Callable[[], bool]) -> None:
        """Wait for it.

        Parameters
        ----------
        who : str
        present : callable
            Asked now and then whether they are still there.
        """
        with self._lock:
            self._waiting[who] = present, time.monotonic()

    def leave(self, who: str) -> None:
        """Wait for it no more; with the last one it ends soon, at once where it has not begun."""
        with self._lock:
            self._waiting.pop(who, None)
            last = not self._waiting
        if last:
            self._stopping.set()
            self.future.cancel()

    @property
    def done(self) -> bool:
        """Whether it ended by itself, with an answer or with an error of its own."""
        if not self.future.done() or self.future.cancelled():
            return False
        return not isinstance(self.future.exception(), Cancelled)

    @property
    def stopped(self) -> bool:
        """Whether it was told to stop before it was done."""
        return self._stopping.is_set() and not self.done

    def answer(self, wait: float = 0.0) -> Answer | None:
        """The answer, or ``None`` while it is not there; its own error is raised.

        Parameters
        ----------
        wait : float
            Seconds to wait for it.
        """
        try:
            return self.future.result(timeout=wait)
        except (TimeoutError, CancelledError, Cancelled):
            return None


Waiting = list[tuple[str, str, BackgroundTask[Any]]]
"""Tasks that a page is drawn without: the name each was asked by, what it does, for the line on
screen, and the task."""


@st.cache_resource(show_spinner=False)
def _threads(quick: bool) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(WORKERS, "quick" if quick else "background")


@st.cache_resource(max_entries=300, show_spinner=False)
def _tasks(
    name: str, key: Hashable, _work: Callable[[Progress], Answer], quick: bool
) -> list[BackgroundTask[Answer]]:
    """A box that holds the task: one that was stopped can be replaced."""
    return [BackgroundTask(_work, quick=quick)]


def ask(
    name: str, key: Hashable, work: Callable[[Progress], Answer], *, quick: bool = False
) -> BackgroundTask[Answer]:
    """The task with this name and key, begun if it was not.

    Parameters
    ----------
    name : str
        What is asked; this session's former task of the same name and another key is given up.
    key : hashable
        All that the answer depends on.
    work, quick : callable, bool
        As in `BackgroundTask`.
    """
    before = kept(f"task {name}")
    box: list[BackgroundTask[Answer]] = _tasks(name, key, work, quick)
    if before is not None and before is not box:
        before[0].leave(me())
        lower_flag(f"stopped {name}")
    if not flag(f"stopped {name}"):
        if box[0].stopped:
            box[0] = BackgroundTask(work, quick=quick)
        box[0].join(me(), present())
    keep(f"task {name}", box)
    return box[0]


def missing(name: str, words: str, task: BackgroundTask[Answer], answer: Answer | None) -> Waiting:
    """The task, for `watched`, if the page is drawn without its answer."""
    return [] if answer is not None else [(name, words, task)]


class WatchedAnswers:
    """Answers that the page is drawn without, under one line; see `job_panel.Watched`.

    Parameters
    ----------
    waiting : list of (name, words, task)
        As `missing` gives them.
    """

    name = "answers"
    seconds = POLL_SECONDS

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self.drawn: State = "running" if self._running() else "stopped"

    def _running(self) -> Waiting:
        """Those that this session has not stopped; others may go on with what it has."""
        return [each for each in self._waiting if not flag(f"stopped {each[0]}")]

    def state(self) -> State:
        """As one: done as soon as one of them is there, or ended and has to be asked for anew."""
        running = self._running()
        if any(task.done for _, _, task in self._waiting) or any(
            task.stopped for _, _, task in running
        ):
            return "done"
        return "running" if running else "stopped"

    def line(self) -> Line | None:
        """One line for all; none for what takes but a moment."""
        running = self._running()
        if not running:
            words = "; ".join(words for _, words, _ in self._waiting)
            return Line(f"Stopped: {words}.", button="Go on")
        now = time.monotonic()
        late = [each for each in running if now - each[2].began >= QUIET_SECONDS]
        if not late:
            return None
        _, words, task = late[0]
        more = f" (and {len(running) - 1} more)" if len(running) > 1 else ""
        return Line(f"{words}{more} …", task.share)

    def start(self) -> None:
        """They were begun when they were asked for."""

    def stop(self) -> None:
        """Leave all that are under way."""
        for name, _, task in self._running():
            raise_flag(f"stopped {name}")
            task.leave(me())

    def again(self) -> None:
        """Have the page ask for them anew."""
        for name, _, _ in self._waiting:
            lower_flag(f"stopped {name}")


def watched(waiting: Waiting) -> list[WatchedAnswers]:
    """What a panel watches of them: nothing where the page was drawn with every answer."""
    return [WatchedAnswers(waiting)] if waiting else []
