"""Watcher files: a job stops with its last watcher.

A watcher's file is touched every second; one that was not for a while does not count.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from dpcore.settings import WATCH_SECONDS

EXPIRES_SECONDS = WATCH_SECONDS.seconds
"""Seconds after its last heartbeat until a watcher expires; a page that is reloaded, or reconnects,
is back sooner."""


def put(where: Path, key: str, watcher: str) -> None:
    """Register or renew a watcher of the job of that key."""
    with suppress(OSError):
        _path(where, key, watcher).touch(mode=0o600)


def take(where: Path, key: str, watcher: str) -> None:
    """Remove a watch."""
    with suppress(OSError):
        _path(where, key, watcher).unlink()


def watched(where: Path, key: str) -> bool:
    """Whether anybody watches the job."""
    return time.time() - _latest(where, key) < EXPIRES_SECONDS


class Expiry:
    """A repeated check whether the last watcher of a job has gone.

    Age is by a monotonic clock: neither a clock unlike the page's nor a machine's sleep ends a job.
    """

    def __init__(self, where: Path, key: str) -> None:
        self._where, self._key = where, key
        self._sign, self._since = 0.0, time.monotonic()

    def __call__(self) -> bool:
        """Whether the last heartbeat of every watcher has expired."""
        sign, now = _latest(self._where, self._key), time.monotonic()
        if sign != self._sign:
            self._sign, self._since = sign, now
        return now - self._since >= EXPIRES_SECONDS


def _latest(where: Path, key: str) -> float:
    latest = 0.0
    with suppress(OSError):
        for path in where.glob(f"{key}-*.watch"):
            with suppress(OSError):
                latest = max(latest, path.stat().st_mtime)
    return latest


def _path(where: Path, key: str, watcher: str) -> Path:
    return where / f"{key}-{watcher}.watch"
