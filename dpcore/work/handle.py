"""A handle on work that was handed in: how far it is, and who waits for it.

Work ends with its last watcher. One whose browser is gone for a while is no watcher any more.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

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
