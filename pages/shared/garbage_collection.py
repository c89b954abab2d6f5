"""Garbage collection, put off while a fresh server draws its first answer."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_first = threading.Lock()
"""Taken by the process's first run, and kept."""


@contextmanager
def put_off() -> Iterator[None]:
    """No collection during the process's first run of a page; nothing in any other.

    Libraries that are loaded leave some hundred thousand objects that stay. Looking through them
    time and again was a seventh of the processor time up to the first answer.
    """
    if not _first.acquire(blocking=False):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        # All that there is counts as old now. Taken for new, it would be looked through at once,
        # while the last of the answer is on its way to the browser.
        gc.freeze()
        gc.unfreeze()
        gc.enable()
