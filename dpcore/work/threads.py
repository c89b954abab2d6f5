"""Answers that threads of this process compute."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import cache
from typing import Generic, TypeVar

from dpcore.errors import Cancelled
from dpcore.progress import Progress
from dpcore.work.handle import Handle, State

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
