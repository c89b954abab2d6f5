"""A handle on work that was handed in: how far it is, and who waits for it.

Work ends with its last watcher. One whose browser is gone for a while is no watcher any more.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import cache
from typing import Generic, Literal, NamedTuple, TypeVar

from dpcore.errors import Cancelled
from dpcore.progress import Progress
from dpcore.settings import WATCH_SECONDS

State = Literal["new", "queued", "running", "done", "failed", "cancelled"]
UNDER_WAY: tuple[State, ...] = ("queued", "running")
BEAT_SECONDS = 1.0
EXPIRES_SECONDS = WATCH_SECONDS.seconds
"""Seconds until a watcher expires who is not seen; a page that is reloaded, or reconnects, is back
sooner."""

_log = logging.getLogger(__name__)


class Handle:
    """Work that was handed in; it is told apart from other work by comparison."""

    @property
    def state(self) -> State:
        """What has become of it."""
        raise NotImplementedError

    @property
    def fraction(self) -> float:
        """The share done, 0 to 1."""
        raise NotImplementedError

    @property
    def message(self) -> str:
        """What it does now, what it waits for, or why it failed; one line."""
        raise NotImplementedError

    def cancel(self) -> None:
        """Ask it to stop at its next step, despite watchers; what is queued never starts."""
        raise NotImplementedError

    def watch(self, watcher: str, alive: Callable[[], bool] = lambda: True) -> None:
        """Keep it from ending before this watcher leaves it, or is not `alive` for a while."""
        with one_at_a_time:
            if self.state in UNDER_WAY:
                _watches.setdefault(self, {})[watcher] = _Watch(alive, time.monotonic())
                self._tell([watcher])
                _keeper.wake()

    def leave(self, watcher: str) -> None:
        """End a watch; the last one ends the work."""
        with one_at_a_time:
            watches = _watches.get(self, {})
            watches.pop(watcher, None)
            if not watches and self._seconds_unwatched() >= EXPIRES_SECONDS:
                self.cancel()

    @property
    def watchers(self) -> list[str]:
        """Who watches it in this process."""
        return list(_watches.get(self, ()))

    def _begin(self) -> None:
        """Give signs of life from now on; who watched what has ended counts no more."""
        _watches[self] = {}

    def _tell(self, watchers: Iterable[str]) -> None:
        """Give other processes a sign of life, of it and of these watchers."""

    def _seconds_unwatched(self) -> float:
        """Since when nobody watches it in another process."""
        return math.inf


class _Watch(NamedTuple):
    alive: Callable[[], bool]
    last_seen: float


one_at_a_time = threading.RLock()
_watches: dict[Handle, dict[str, _Watch]] = {}
"""This process's watches of what is under way."""


def watched_by(watcher: str) -> list[Handle]:
    """What somebody watches in this process."""
    with one_at_a_time:
        return [handle for handle, watches in _watches.items() if watcher in watches]


class _Keeper:
    """A thread that looks after watches while there are any."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with one_at_a_time:
                if not _watches:
                    self._thread = None
                    return
                for handle in list(_watches):
                    try:
                        _look_after(handle)
                    except Exception:
                        _log.exception("A watch of some work failed.")
            time.sleep(BEAT_SECONDS)


def _look_after(handle: Handle) -> None:
    now, watches = time.monotonic(), _watches[handle]
    present = {watcher for watcher, watch in watches.items() if watch.alive()}
    watches.update({watcher: _Watch(watches[watcher].alive, now) for watcher in present})
    is_over = handle.state not in UNDER_WAY
    if not is_over:
        handle._tell(present)
    for watcher, watch in list(watches.items()):
        if is_over or now - watch.last_seen >= EXPIRES_SECONDS:
            handle.leave(watcher)
    if is_over:
        del _watches[handle]


_keeper = _Keeper()


Value = TypeVar("Value")

WORKERS = 2


class BackgroundAnswer(Handle, Generic[Value]):
    """An answer that `work` computes, whose calls of its progress end it once it is cancelled.

    A `quick` one takes about a second, and does not queue behind long ones.
    """

    def __init__(self, work: Callable[[Progress], Value], *, quick: bool = False) -> None:
        self.began = time.monotonic()
        self._report = (0.0, "")
        self._is_cancelled = threading.Event()
        self.future: Future[Value] = threads(quick).submit(work, self._progress)

    def _progress(self, fraction: float, message: str) -> None:
        if self._is_cancelled.is_set():
            raise Cancelled
        self._report = fraction, message

    @property
    def state(self) -> State:
        """Done or failed if it ended by itself, even though it was cancelled meanwhile."""
        if not self.future.done():
            return "cancelled" if self._is_cancelled.is_set() else "running"
        if self.future.cancelled() or isinstance(self.future.exception(), Cancelled):
            return "cancelled"
        return "failed" if self.future.exception() else "done"

    @property
    def fraction(self) -> float:
        return self._report[0]

    @property
    def message(self) -> str:
        return self._report[1]

    def cancel(self) -> None:
        self._is_cancelled.set()
        self.future.cancel()

    def result(self, wait: float = 0.0) -> Value | None:
        """Wait for the answer; ``None`` while it is missing. Raises the error of the work."""
        try:
            return self.future.result(timeout=wait)
        except (TimeoutError, CancelledError, Cancelled):
            return None


@cache
def threads(quick: bool) -> ThreadPoolExecutor:
    """The threads for answers."""
    return ThreadPoolExecutor(WORKERS, "quick" if quick else "background")
