"""Postpones garbage collection while a new server draws its first page."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_first_run = threading.Lock()
"""Acquired by the first page run of the process, and never released."""


@contextmanager
def put_off() -> Iterator[None]:
    """Disable collection during the first page run of the process; later runs are unaffected.

    Loading the libraries leaves some hundred thousand permanent objects. Scanning them again and
    again took a seventh of the processor time up to the first answer.
    """
    if not _first_run.acquire(blocking=False):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        # Makes all objects old. As new ones they would be scanned at once, while the end of the
        # answer is being sent to the browser.
        gc.freeze()
        gc.unfreeze()
        gc.enable()
