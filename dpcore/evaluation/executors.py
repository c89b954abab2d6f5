"""Executors of long jobs: one worker process of this machine, or a Dask cluster."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from functools import cache, partial
from typing import Any, ParamSpec, TypeVar

from dpcore.errors import InvalidInput

SCHEDULER = "DPCORE_SCHEDULER"
IDLE_SECONDS = 600
PATIENCE = "10s"

Given = ParamSpec("Given")
Value = TypeVar("Value")


class Worker(Executor):
    """One process, which uses every core in its matrix products and gets one job at a time.

    Waiting jobs are held here and not in the process's own queue, so that a process that dies
    loses one job only, and the next job gets a new process once the old one has ended. Any thread
    may submit a job; only the one thread in here talks to the process.
    """

    def __init__(self) -> None:
        self._queue = ThreadPoolExecutor(1, "worker")
        self._process: Any = None

    def submit(
        self, fn: Callable[Given, Value], /, *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Value]:
        """As `Executor.submit`; the future raises `BrokenExecutor` if the process dies."""
        return self._queue.submit(self._do, partial(fn, *args, **kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As `Executor.shutdown`; the process ends when its current job has."""
        self._queue.shutdown(wait, cancel_futures=cancel_futures)
        if wait:
            self._end()

    def _do(self, work: Callable[[], Value]) -> Value:
        try:
            future: Future[Value] = self._ready().submit(work)
        except BrokenExecutor:  # it died while idle
            self._end()
            future = self._ready().submit(work)
        try:
            return future.result()
        except BrokenExecutor:
            self._end()
            raise

    def _ready(self) -> Any:
        if self._process is None:
            from loky import ProcessPoolExecutor

            self._process = ProcessPoolExecutor(
                max_workers=1, timeout=IDLE_SECONDS, initializer=_yield_to_the_page
            )
        return self._process

    def _end(self) -> None:
        """End the process and wait for it."""
        process, self._process = self._process, None
        if process is not None:
            process.shutdown(wait=True)


_local: Worker | None = None
_one_at_a_time = threading.Lock()


def executor() -> Executor:
    """The cluster whose address `DPCORE_SCHEDULER` holds, or else the worker of this machine.

    Raises
    ------
    InvalidInput
        If the cluster can't be reached, or its package is not installed.
    """
    address = os.environ.get(SCHEDULER, "").strip()
    if address:
        client = _client(address)
        if client.status != "running":  # the scheduler was lost; it may be back
            _client.cache_clear()
            client = _client(address)
        # Not pure: a failed job runs again when it is submitted again.
        cluster: Executor = client.get_executor(pure=False)
        return cluster
    global _local
    with _one_at_a_time:
        if _local is None:
            _local = Worker()
            atexit.register(close)
        return _local


def close() -> None:
    """End this machine's worker as soon as its current job has ended; no other job begins."""
    global _local
    atexit.unregister(close)
    with _one_at_a_time:
        worker, _local = _local, None
    if worker is not None:
        worker.shutdown(cancel_futures=True)


@cache
def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise InvalidInput(
            f"{SCHEDULER} is {address!r}, but the package distributed, which it needs, is not "
            "installed."
        ) from None
    try:
        return Client(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError):
        raise InvalidInput(
            f"{SCHEDULER} is {address!r}, but no Dask scheduler answers there."
        ) from None


def _yield_to_the_page() -> None:
    """The worker runs at low priority, so that the page answers at once on a small machine."""
    if hasattr(os, "nice"):
        os.nice(10)
