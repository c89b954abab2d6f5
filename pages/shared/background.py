"""Compute slow answers in threads while the page goes on.

An answer is computed once for all sessions, and cancelled when the last session that waits for it
leaves: by asking for another under the same name, by Stop, or because its browser is gone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import streamlit as st

from dpcore.errors import Cancelled
from dpcore.progress import Progress
from pages.shared.job_panel import JobLine, State
from pages.shared.session import store, stored
from pages.shared.shared_jobs import me, present

Value = TypeVar("Value")

WORKERS = 2
POLL_SECONDS = 0.15
# Seconds that a page waits for an answer before it goes on without it: most are done by then.
PATIENCE = 0.05
# A shorter wait shows no line on the page.
QUIET_SECONDS = 1.0
LOOK_SECONDS, EXPIRES_SECONDS = 1.0, 30.0


class BackgroundTask(Generic[Value]):
    """Compute one answer by `work`, whose calls of its progress end it once it is stopped.

    A `quick` task takes about a second, and does not queue behind long ones.
    """

    def __init__(self, work: Callable[[Progress], Value], *, quick: bool = False) -> None:
        self.began = self._checked_at = time.monotonic()
        self.share = 0.0
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[Callable[[], bool], float]] = {}
        self.future: Future[Value] = _threads(quick).submit(work, self._report)

    def _report(self, share: float, message: str) -> None:
        if time.monotonic() - self._checked_at >= LOOK_SECONDS:
            self._drop_absent()
        if self._stopping.is_set():
            raise Cancelled
        self.share = share

    def _drop_absent(self) -> None:
        """Drop sessions whose browser has been gone for `EXPIRES_SECONDS`."""
        self._checked_at = now = time.monotonic()
        with self._lock:
            for session, (is_present, last_seen) in list(self._waiting.items()):
                self._waiting[session] = is_present, now if is_present() else last_seen
            expired = [
                session
                for session, (_, last_seen) in self._waiting.items()
                if now - last_seen > EXPIRES_SECONDS
            ]
        for session in expired:
            self.leave(session)

    def join(self, session: str, is_present: Callable[[], bool]) -> None:
        """Register a session that waits for the answer, as long as `is_present` says so."""
        with self._lock:
            self._waiting[session] = is_present, time.monotonic()

    def leave(self, session: str) -> None:
        """Stop waiting; the last session to leave ends the task, at once if it has not begun."""
        with self._lock:
            self._waiting.pop(session, None)
            was_last = not self._waiting
        if was_last:
            self._stopping.set()
            self.future.cancel()

    @property
    def done(self) -> bool:
        """Whether it ended without a stop, with an answer or an error of its own."""
        if not self.future.done() or self.future.cancelled():
            return False
        return not isinstance(self.future.exception(), Cancelled)

    @property
    def stopped(self) -> bool:
        """Whether it was stopped before it was done."""
        return self._stopping.is_set() and not self.done

    def answer(self, wait: float = 0.0) -> Value | None:
        """Wait for the answer; ``None`` while it is missing. Raises the error of the work."""
        try:
            return self.future.result(timeout=wait)
        except (TimeoutError, CancelledError, Cancelled):
            return None


Waiting = list[tuple[str, str, BackgroundTask[Any]]]
"""Tasks whose answers the page is drawn without: the name each was asked for by, what it does in
words for the screen, and the task."""


@st.cache_resource(show_spinner=False)
def _threads(quick: bool) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(WORKERS, "quick" if quick else "background")


@st.cache_resource(max_entries=300, show_spinner=False)
def _tasks(
    name: str, key: Hashable, _work: Callable[[Progress], Value], quick: bool
) -> list[BackgroundTask[Value]]:
    """A one-element list with the task, so that a stopped task can be replaced."""
    return [BackgroundTask(_work, quick=quick)]


def ask(
    name: str, key: Hashable, work: Callable[[Progress], Value], *, quick: bool = False
) -> BackgroundTask[Value]:
    """Return the task with this name and key; starts it if needed.

    The session leaves its former task of this name and another key.
    """
    previous = stored(f"task {name}")
    box: list[BackgroundTask[Value]] = _tasks(name, key, work, quick)
    if previous is not None and previous is not box:
        previous[0].leave(me())
        store(f"stopped {name}", False)
    if not stored(f"stopped {name}"):
        if box[0].stopped:
            box[0] = BackgroundTask(work, quick=quick)
        box[0].join(me(), present())
    store(f"task {name}", box)
    return box[0]


def missing(name: str, words: str, task: BackgroundTask[Value], answer: Value | None) -> Waiting:
    """The task in a list for `watched`, empty if its answer is there."""
    return [] if answer is not None else [(name, words, task)]


def answer_to(
    name: str,
    words: str,
    key: Hashable,
    work: Callable[[Progress], Value],
    *,
    wait: float = PATIENCE,
    quick: bool = False,
) -> tuple[Value | None, Waiting]:
    """Return the answer if it comes within `wait` seconds; else its task is to be watched."""
    task = ask(name, key, work, quick=quick)
    answer = task.answer(wait)
    return answer, missing(name, words, task, answer)


def is_stopped(waiting: Waiting) -> bool:
    """Whether one of the tasks was stopped before it was done."""
    return any(task.stopped for _, _, task in waiting)


class WatchedAnswers:
    seconds = POLL_SECONDS

    def __init__(self, waiting: Waiting, name: str = "answers") -> None:
        self.name = name
        self._waiting = waiting
        self.drawn: State = "running" if self._running() else "stopped"

    def _running(self) -> Waiting:
        """Tasks this session has not stopped; other sessions may still wait for a stopped one."""
        return [entry for entry in self._waiting if not stored(f"stopped {entry[0]}")]

    def state(self) -> State:
        """Joint state: done once one answer is there, or must be requested again."""
        running = self._running()
        if any(task.done for _, _, task in self._waiting) or any(
            task.stopped for _, _, task in running
        ):
            return "done"
        return "running" if running else "stopped"

    def has_news(self) -> bool:
        """Return ``False``: each that is done ends the state."""
        return False

    def line(self) -> JobLine | None:
        """One line for all tasks; ``None`` during the first `QUIET_SECONDS`."""
        running = self._running()
        if not running:
            words = "; ".join(words for _, words, _ in self._waiting)
            return JobLine(f"Stopped: {words}.", button="Go on")
        now = time.monotonic()
        late = [entry for entry in running if now - entry[2].began >= QUIET_SECONDS]
        if not late:
            return None
        _, words, task = late[0]
        more = f" (and {len(running) - 1} more)" if len(running) > 1 else ""
        return JobLine(f"{words}{more} …", task.share)

    def start(self) -> None:
        """Do nothing: tasks start when they are asked for."""

    def stop(self) -> None:
        """Leave all running tasks."""
        for name, _, task in self._running():
            store(f"stopped {name}", True)
            task.leave(me())

    def again(self) -> None:
        """Let the page ask for them again."""
        for name, _, _ in self._waiting:
            store(f"stopped {name}", False)


def watched(waiting: Waiting, name: str = "answers") -> list[WatchedAnswers]:
    """Missing answers for the job panel; empty if the page has every answer."""
    return [WatchedAnswers(waiting, name)] if waiting else []
