"""Executors of jobs: a Dask cluster, or worker processes of this machine."""

from __future__ import annotations

import atexit
import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor, Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar

from dpcore.confined import THREADS, end_with
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


IDLE_SECONDS = 600
MAX_IN_SIGHT = 4
"""Jobs at once that somebody looks at: of tabs, pages and people."""
MAX_OWNERS = 100
"""Owners whose last turn is remembered."""
REMEMBERED = 8
"""Work of a kind whose mean time is told."""
MIN_SHARE = 0.02
"""Share of running work from which its own pace tells the rest."""
NICENESS = {False: 10, True: 15}
"""Niceness of workers by whether their jobs can wait: a picture gets .75 of a core."""


class Kind(NamedTuple):
    """Tell one worker's jobs from another's."""

    is_long: bool = False  # may take minutes
    is_sweep: bool = False  # is one of many that nobody looks at one by one


IN_SIGHT = Kind()


@dataclass(eq=False)
class Turn:
    """Work that waits for its owner's turn, or has it."""

    owner: str
    work: Callable[[], Any]
    alike: str = ""  # what takes about as long
    future: Future[Any] = field(default_factory=Future)
    begun: float | None = None


class Worker:
    """Hands a process, or a few, one job at a time; a process that dies loses one job only."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._queue = ThreadPoolExecutor(1 if any(kind) else MAX_IN_SIGHT, "worker")
        self._waiting: list[Turn] = []
        self._running: list[Turn] = []
        self._served: deque[str] = deque(maxlen=MAX_OWNERS)
        self._processes: list[Any] = []
        self._idle: list[Any] = []  # those of them that do nothing, the last one last

    def submit(self, turn: Turn) -> Future[Any]:
        """Do the work when it is the owner's turn."""
        with _one_at_a_time:
            self._waiting.append(turn)
        self._queue.submit(self._next)
        return turn.future

    def ahead(self, future: Future[Any]) -> list[Turn]:
        """What is done before that work, the running first; nothing once it has begun."""
        with _one_at_a_time:
            waiting = self._in_turn()
            places = [place for place, turn in enumerate(waiting) if turn.future is future]
            return [*self._running, *waiting[: places[0]]] if places else []

    def empty(self) -> None:
        """Cancel the jobs that wait."""
        with _one_at_a_time:
            waiting, self._waiting = self._waiting, []
        for turn in waiting:
            turn.future.cancel()

    def shutdown(self) -> None:
        """End the processes as soon as their current jobs have ended."""
        self._queue.shutdown()
        for process in self._processes:
            process.shutdown(wait=True)

    def _in_turn(self) -> list[Turn]:
        self._waiting = [turn for turn in self._waiting if not turn.future.cancelled()]
        places = in_turn([turn.owner for turn in self._waiting], list(self._served))
        return [self._waiting[place] for place in places]

    def _next(self) -> None:
        with _one_at_a_time:
            turn = next(iter(self._in_turn()), None)
            if turn is None:
                return
            self._waiting.remove(turn)
            if not turn.future.set_running_or_notify_cancel():
                return
            with suppress(ValueError):
                self._served.remove(turn.owner)
            self._served.append(turn.owner)
            self._running.append(turn)
        turn.begun = begun = time.monotonic()
        try:
            outcome = self._do(turn.work)
        except BaseException as error:
            turn.future.set_exception(error)
        else:
            times = _times.setdefault(turn.alike, deque(maxlen=REMEMBERED))
            times.append(time.monotonic() - begun)
            turn.future.set_result(outcome)
        finally:
            self._running.remove(turn)

    def _do(self, work: Callable[[], Value]) -> Value:
        process = self._taken()
        try:
            try:
                future: Future[Value] = process.submit(work)
            except BrokenExecutor:  # it died while idle
                self._end(process)
                process = self._taken()
                future = process.submit(work)
            return future.result()
        except BrokenExecutor as error:
            self._end(process)
            raise WorkLost(f"The worker stopped ({_how(error)})") from None
        finally:
            if process in self._processes:
                self._idle.append(process)

    def _taken(self) -> Any:
        """The process that worked last, as it may still have the models that are asked of next."""
        with _one_at_a_time:
            if self._idle:
                return self._idle.pop()
        from loky import ProcessPoolExecutor

        process = ProcessPoolExecutor(
            max_workers=1,
            timeout=IDLE_SECONDS,
            initializer=_stand_back,
            initargs=(NICENESS[any(self._kind)], os.getpid()),
            env={} if self._kind.is_long else _all_but_one_core(),
        )
        self._processes.append(process)
        return process

    def _end(self, process: Any) -> None:
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
_times: dict[str, deque[float]] = {}
"""How long the last of each kind took, in seconds."""
_one_at_a_time = threading.RLock()


def submit(
    work: Callable[..., Value],
    *given: object,
    owner: str = "",
    kind: Kind = IN_SIGHT,
    alike: str = "",
) -> Future[Value]:
    """Do the work on the cluster that `DPCORE_SCHEDULER` names, or else on this machine.

    `alike` names what takes about as long.
    """
    if SCHEDULER.text:
        return at(SCHEDULER.text).submit(partial(work, *given))
    with _one_at_a_time:
        if not _local:
            atexit.register(close)
        if kind not in _local:
            _local[kind] = Worker(kind)
        return _local[kind].submit(Turn(owner, partial(work, *given), alike))


@cache
def make_ready() -> None:
    """Start, once, the first process of what is in sight: to load libraries takes it seconds."""
    submit(_load)


def _load() -> None:
    import pandas  # noqa: F401
    import scipy.special  # noqa: F401


def ahead(future: Future[Any], kind: Kind) -> list[Turn]:
    """What a worker of this machine does before it comes to that work."""
    worker = _local.get(kind)
    return worker.ahead(future) if worker else []


def seconds(turns: Iterable[tuple[Turn, float]]) -> float | None:
    """About how long these still take together, one by one, by the share that each has done.

    ``None`` where none of its likes was done here before.
    """
    total = 0.0
    for turn, share in turns:
        elapsed = 0.0 if turn.begun is None else time.monotonic() - turn.begun
        if share >= MIN_SHARE:
            total += elapsed * (1.0 - share) / share
        elif times := _times.get(turn.alike):
            total += max(0.0, sum(times) / len(times) - elapsed)
        else:
            return None
    return total


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


def _all_but_one_core() -> dict[str, str]:
    """What leaves a core to the page and its browser, unless the environment limits threads."""
    unset = [name for name in THREADS if name not in os.environ]
    return dict.fromkeys(unset, str(max(1, (os.cpu_count() or 1) - 1)))


def _stand_back(niceness: int, server: int) -> None:
    end_with(server)
    if hasattr(os, "nice"):
        os.nice(niceness)
