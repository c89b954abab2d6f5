"""Work on a Dask cluster, connected to once, in a thread of its own, which nothing waits for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from typing import Any, TypeVar

from dpcore.errors import InvalidInput
from dpcore.settings import SCHEDULER

PATIENCE = 10.0
"""Seconds for one attempt to connect."""
REFUSE_SECONDS = 30.0
"""Seconds after a failed attempt in which there is no other."""

Value = TypeVar("Value")


class WorkLost(BrokenExecutor):
    """Work ended with what was doing it; the message is why, and begins a sentence."""


class Cluster:
    def __init__(self, address: str) -> None:
        self._address = address
        self._queue = ThreadPoolExecutor(1, "cluster")
        self._client: Any = None
        self._attempt: Future[Any] | None = None
        self._refusal = InvalidInput("")
        self._refused_until = 0.0

    def submit(self, work: Callable[[], Value]) -> Future[Value]:
        """Do the work there.

        The future raises `InvalidInput` if there is no cluster, and `WorkLost` if it ended.
        """
        future: Future[Value] = Future()
        self._queue.submit(self._hand_over, future, work)
        return future

    def _hand_over(self, future: Future[Value], work: Callable[[], Value]) -> None:
        try:
            # Not pure: a failed job runs again when it is submitted again.
            inner = self._connected().get_executor(pure=False).submit(work)
        except Exception as error:
            with suppress(InvalidStateError):  # it was cancelled
                future.set_exception(error)
            return
        inner.add_done_callback(partial(_pass_on, future))
        future.add_done_callback(lambda _: inner.cancel())

    def _connected(self) -> Any:
        if self._client is not None and self._client.status == "running":
            return self._client
        if time.monotonic() < self._refused_until:
            raise self._refusal
        # The scheduler may have been lost, and be back.
        self._attempt = self._attempt or _connecting(self._address)
        try:
            self._client = self._attempt.result(PATIENCE)
        except Exception as error:  # what another server answers is read in many ways
            missing = "the package distributed, which it needs, is not installed"
            why = missing if isinstance(error, ImportError) else "no Dask scheduler answers there"
            self._refusal = InvalidInput(f"{SCHEDULER.name} is {self._address!r}, but {why}.")
            self._refused_until = time.monotonic() + REFUSE_SECONDS
            raise self._refusal from None
        finally:
            if self._attempt.done():
                self._attempt = None
        return self._client


def _connecting(address: str) -> Future[Any]:
    """A client, connected in a thread that nothing waits for, as Dask may wait for ever."""
    attempt: Future[Any] = Future()

    def connect() -> None:
        try:
            from distributed import Client

            attempt.set_result(Client(address, timeout=PATIENCE, set_as_default=False))  # type: ignore[no-untyped-call]
        except Exception as error:
            attempt.set_exception(error)

    threading.Thread(target=connect, name="connecting", daemon=True).start()
    return attempt


def _pass_on(future: Future[Value], inner: Future[Value]) -> None:
    with suppress(InvalidStateError):  # it was cancelled, and that passed on
        if inner.cancelled():
            future.set_exception(WorkLost("The connection to the Dask scheduler was lost"))
        elif (error := inner.exception()) is None:
            future.set_result(inner.result())
        elif type(error).__name__ == "KilledWorker":
            future.set_exception(WorkLost("Every worker that began it stopped"))
        else:
            future.set_exception(error)


@cache
def at(address: str) -> Cluster:
    """The cluster of that address."""
    return Cluster(address)
