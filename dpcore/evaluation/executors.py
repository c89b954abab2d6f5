"""Executors of jobs: a Dask cluster, or worker processes of this machine."""

from __future__ import annotations

import atexit
import os
import re
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

from dpcore.confined import THREADS, end_with
from dpcore.evaluation import cluster
from dpcore.evaluation.cluster import WorkLost
from dpcore.settings import SCHEDULER

IDLE_SECONDS = 600
MAX_IN_SIGHT = 4
"""Jobs at once that somebody looks at: of tabs, pages and people."""
MAX_OWNERS = 100
"""Owners whose last turn is remembered."""
NICENESS = {False: 10, True: 15}
"""Niceness of workers by whether their jobs can wait: a picture gets .75 of a core."""


class Kind(NamedTuple):
    """Tell one worker's jobs from another's."""

    is_long: bool = False  # may take minutes
    is_sweep: bool = False  # is one of many that nobody looks at one by one


IN_SIGHT = Kind()
Value = TypeVar("Value")


class Worker:
    """Hands a process, or a few, one job at a time; a process that dies loses one job only."""

    def __init__(self, niceness: int, threads: int | None = None, processes: int = 1) -> None:
        self._queue = ThreadPoolExecutor(processes, "worker")
        self._waiting: list[tuple[str, Future[Any], Callable[[], Any]]] = []
        self._served: deque[str] = deque(maxlen=MAX_OWNERS)
        self._niceness = niceness
        self._threads = threads
        self._own = threading.local()  # each thread's process
        self._processes: list[Any] = []

    def submit(self, owner: str, work: Callable[[], Value]) -> Future[Value]:
        """Do the work when it is the owner's turn."""
        future: Future[Value] = Future()
        with _one_at_a_time:
            self._waiting.append((owner, future, work))
        self._queue.submit(self._next)
        return future

    def order(self, owners: Sequence[str]) -> list[int]:
        """As `in_turn`, after those who have had their turn."""
        return in_turn(owners, list(self._served))

    def empty(self) -> None:
        """Cancel the jobs that wait."""
        with _one_at_a_time:
            waiting, self._waiting = self._waiting, []
        for _, future, _ in waiting:
            future.cancel()

    def shutdown(self) -> None:
        """End the process as soon as its current job has ended; no other job begins."""
        self.empty()
        self._queue.shutdown()
        for process in self._processes:
            process.shutdown(wait=True)

    def _next(self) -> None:
        with _one_at_a_time:
            self._waiting = [each for each in self._waiting if not each[1].cancelled()]
            if not self._waiting:
                return
            place = self.order([owner for owner, _, _ in self._waiting])[0]
            owner, future, work = self._waiting.pop(place)
            with suppress(ValueError):
                self._served.remove(owner)
            self._served.append(owner)
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(self._do(work))
            except BaseException as error:
                future.set_exception(error)

    def _do(self, work: Callable[[], Value]) -> Value:
        try:
            future: Future[Value] = self._ready().submit(work)
        except BrokenExecutor:  # it died while idle
            self._end()
            future = self._ready().submit(work)
        try:
            return future.result()
        except BrokenExecutor as error:
            self._end()
            raise WorkLost(f"The worker stopped ({_how(error)})") from None

    def _ready(self) -> Any:
        process = getattr(self._own, "process", None)
        if process is None:
            from loky import ProcessPoolExecutor

            process = self._own.process = ProcessPoolExecutor(
                max_workers=1,
                timeout=IDLE_SECONDS,
                initializer=_stand_back,
                initargs=(self._niceness, os.getpid()),
                env=_limits(self._threads),
            )
            self._processes.append(process)
        return process

    def _end(self) -> None:
        process, self._own.process = self._own.process, None
        process.shutdown(wait=True)
        self._processes.remove(process)


def _how(error: BrokenExecutor) -> str:
    ended = re.findall(r"SIG[A-Z]+|EXIT\(\d+\)", str(error)) or [type(error).__name__]
    return f"{ended[0]}, maybe for want of memory" if ended[0] == "SIGKILL" else ended[0]


def in_turn(owners: Sequence[str], served: Sequence[str] = ()) -> list[int]:
    """Order waiting jobs, first handed in first, so that owners take turns."""
    had, left, order = list(served), list(range(len(owners))), []
    while left:
        place = min(left, key=lambda each: had.index(owners[each]) if owners[each] in had else -1)
        left.remove(place)
        order.append(place)
        had = [owner for owner in had if owner != owners[place]] + [owners[place]]
    return order


_local: dict[Kind, Worker] = {}
"""This machine's workers."""
_one_at_a_time = threading.RLock()


def submit(
    work: Callable[..., Value], *given: object, owner: str = "", kind: Kind = IN_SIGHT
) -> Future[Value]:
    """Do the work on the cluster that `DPCORE_SCHEDULER` names, or else on this machine."""
    if SCHEDULER.text:
        return cluster.at(SCHEDULER.text).submit(partial(work, *given))
    with _one_at_a_time:
        if not _local:
            atexit.register(close)
        if kind not in _local:
            threads = None if kind.is_long else _all_but_one()
            processes = 1 if any(kind) else MAX_IN_SIGHT
            _local[kind] = Worker(NICENESS[any(kind)], threads, processes)
        return _local[kind].submit(owner, partial(work, *given))


@cache
def make_ready() -> None:
    """Start, once, the first process of what is in sight: to load libraries takes it seconds."""
    submit(_load)


def _load() -> None:
    import pandas  # noqa: F401
    import scipy.special  # noqa: F401


def order(owners: Sequence[str], kind: Kind) -> list[int]:
    """The places of jobs that wait for one worker, in the order in which they begin."""
    worker = _local.get(kind)
    return worker.order(owners) if worker else list(range(len(owners)))


def close() -> None:
    """End this machine's workers as soon as their current jobs have ended; no other job begins."""
    atexit.unregister(close)
    with _one_at_a_time:
        workers = list(_local.values())
        _local.clear()
    # One waits for its current job while the others would go on with theirs.
    for worker in workers:
        worker.empty()
    for worker in workers:
        worker.shutdown()


def _all_but_one() -> int:
    """Cores besides the one that the page and its browser need."""
    return max(1, (os.cpu_count() or 1) - 1)


def _limits(threads: int | None) -> dict[str, str]:
    """What limits a process to so many threads, besides what the environment says already."""
    unset = [name for name in THREADS if name not in os.environ]
    return {} if threads is None else dict.fromkeys(unset, str(threads))


def _stand_back(niceness: int, server: int) -> None:
    end_with(server)
    if hasattr(os, "nice"):
        os.nice(niceness)
