"""Answers that take longer than a moment: computed in threads while the page goes on.

One answer is computed once for all sessions, and given up when the last one that waits for it has
left: by asking for another under the same name, by its Stop, or because its browser is gone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import streamlit as st

from dpcore.errors import Cancelled
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


def _stopped(name: str, task: BackgroundTask[object]) -> bool:
    """Whether it is stopped for this session; it may go on for another."""
    return task.stopped or (flag(f"stopped {name}") and not task.done)


def missing(
    name: str, words: str, task: BackgroundTask[Answer], answer: Answer | None
) -> list[tuple[str, str, BackgroundTask[object]]]:
    """The task, for `watch`, if the page is drawn without its answer."""
    waiting: list[tuple[str, str, Any]] = [] if answer is not None else [(name, words, task)]
    return waiting


def watch(tasks: Sequence[tuple[str, str, BackgroundTask[object]]]) -> None:
    """Draw the page anew when one of them is done; one line with a button where it takes long.

    Parameters
    ----------
    tasks : sequence of (name, words, task)
        Those whose answer the page was drawn without: the name it was asked by, and what it does,
        for the line on screen. One that is done by now makes the page be drawn again.
    """
    waiting = list(tasks)
    if not waiting:
        return
    left = [name for name, _, task in waiting if not _stopped(name, task)]
    idle = not left

    @st.fragment(run_every=None if idle else POLL_SECONDS)
    def look() -> None:
        if [name for name, _, task in waiting if not (task.done or _stopped(name, task))] != left:
            st.rerun()
        _line(waiting)

    look()


def _line(waiting: Sequence[tuple[str, str, BackgroundTask[object]]]) -> None:
    """One line for all that is under way, with a button to stop it; or for what was stopped."""
    stopped = [(name, words) for name, words, task in waiting if _stopped(name, task)]
    running = [each for each in waiting if not _stopped(each[0], each[2])]
    late = [each for each in running if time.monotonic() - each[2].began >= QUIET_SECONDS]
    if running and not late:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if late:
            _, words, task = late[0]
            more = f" (and {len(running) - 1} more)" if len(running) > 1 else ""
            st.progress(min(1.0, max(0.0, task.share)), text=f"{words}{more} …")
            if st.button("Stop", key="stop", icon=":material/stop_circle:"):
                for name, _, each in running:
                    raise_flag(f"stopped {name}")
                    each.leave(me())
                st.rerun()
        else:
            st.caption(f"Stopped: {'; '.join(words for _, words in stopped)}.")
            if st.button("Go on", key="again", icon=":material/refresh:"):
                for name, _ in stopped:
                    lower_flag(f"stopped {name}")
                st.rerun()
