"""The watchers of a job as files beside it, so that a job ends with its last watcher.

A watch is a file of the job's and its watcher's name, touched every second while the watcher is
there. One that was not touched for a while does not count: its watcher's process is gone.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

SECONDS = "DPCORE_WATCH_SECONDS"
EXPIRES_SECONDS = float(os.environ.get(SECONDS) or 30.0)
"""Seconds that a job goes on for a watcher without a sign of life: a page that is reloaded, or
whose connection breaks, is back within them."""


def put(where: Path, key: str, watcher: str) -> None:
    """Watch the job of that key, or go on watching it.

    Parameters
    ----------
    where : Path
        Folder of the job's files.
    key : str
        Key of the job.
    watcher : str
        Letters and digits.
    """
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

    By its own clock: neither a worker's that differs from the page's nor the time that a machine
    slept ends a job.
    """

    def __init__(self, where: Path, key: str) -> None:
        self._where, self._key = where, key
        self._sign, self._since = 0.0, time.monotonic()

    def __call__(self) -> bool:
        """Whether no watcher has given a sign of life for too long."""
        sign, now = _latest(self._where, self._key), time.monotonic()
        if sign != self._sign:
            self._sign, self._since = sign, now
        return now - self._since >= EXPIRES_SECONDS


def _latest(where: Path, key: str) -> float:
    """Time of the last sign of life of the job's watchers."""
    latest = 0.0
    with suppress(OSError):
        for path in where.glob(f"{key}-*.watch"):
            with suppress(OSError):
                latest = max(latest, path.stat().st_mtime)
    return latest


def _path(where: Path, key: str, watcher: str) -> Path:
    return where / f"{key}-{watcher}.watch"
