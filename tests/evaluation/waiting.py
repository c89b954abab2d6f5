"""Waiting for a worker, and what it leaves."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0


def wait_for(what: Callable[[], bool]) -> None:
    """Look again and again until it holds."""
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.02)


def names(cache: Path) -> set[str]:
    """Of the files that jobs have in that cache folder."""
    return {path.name for path in (cache / "jobs").iterdir()}
