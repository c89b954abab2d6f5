"""Long tasks in worker processes behind `concurrent.futures`: progress, cancel, a result cache.

A job is a task being worked on. It is named by the task's key, and its result is a file of that
name, so the page that started it can leave and another, or the same after a restart, can find it
again. The oldest results go when they take too much room. Pages and workers communicate by small
files too (`dpcore.evaluation.work`), so workers elsewhere have to see the same cache folder.

Many may wait for one job. Each watches it (`dpcore.evaluation.watchers`), and it ends with its last
watcher; a job submitted without a watcher ends when it is done or cancelled.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.datasets import cache
from dpcore.errors import Cancelled, InvalidInput, reject
from dpcore.evaluation import watchers, work
from dpcore.evaluation.executors import executor
from dpcore.evaluation.task import Task

if TYPE_CHECKING:
    import pandas as pd

MOST_UNFINISHED = 40
ALIVE_SECONDS = 15.0
LOST = "The program was restarted while this ran; start it again to retry."
FOLDER = "jobs"


class QueueFull(Exception):
    """The queue is full; one sentence."""


@dataclass
class _Start:
    """One start of a job by this process; `name` tells its files from those of other starts."""

    task: Task | None  # dropped when it has ended: it may hold uploaded records
    key: str
    name: str
    where: Path
    future: Future[None] = field(default_factory=Future)
    cancelled: bool = False

    def send(self) -> None:
        """Submit the start to the workers."""
        self.future = executor().submit(work.work, self.task, self.key, str(self.where), self.name)
        self.future.add_done_callback(lambda _: self.clear())

    def clear(self) -> None:
        """Remove the start's files."""
        self.task = None
        if not any(map(os.path.exists, (self.ticket, self.where / f"{self.key}.csv"))):
            self.cancelled = True  # by another process
        work.clear(self.where, self.key, self.name)

    @property
    def ticket(self) -> Path:
        """The ticket file; the start lives as long as it exists."""
        return self.where / f"{self.name}.job"

    @property
    def ended(self) -> bool:
        """Whether it has ended for good: its ticket is removed last."""
        return self.future.done() and not os.path.exists(self.ticket)

    @property
    def waited_for(self) -> bool:
        """Whether later jobs wait for it; a stopped one makes room at its next step."""
        return not self.cancelled and not self.ended


@dataclass
class _Watch:
    """A watcher of this process: whether it is alive, and when it was last seen."""

    alive: Callable[[], bool]
    seen: float = field(default_factory=time.monotonic)


_starts: dict[str, _Start] = {}
_watching: dict[tuple[str, str], _Watch] = {}
"""This process's watches, by job and watcher."""
_one_at_a_time = threading.RLock()


@dataclass(frozen=True)
class Job:
    """A handle on one task; all state lives in files and in this process's futures.

    Parameters
    ----------
    key : str
        The task's key.

    Raises
    ------
    InvalidInput
        If no task has such a key.
    """

    key: str

    def __post_init__(self) -> None:
        if not _is_key(self.key):
            raise reject("job", self.key, "a name of letters and digits")

    @property
    def state(self) -> str:
        """One of "queued", "running", "done", "failed" and "cancelled"."""
        if os.path.exists(_path(self.key, "csv")):
            return "done"
        start = _starts.get(self.key)
        if start is None:
            name = _started_elsewhere(self.key)
            if name is None:
                return "cancelled"
            if time.time() - _last_beat(name) >= ALIVE_SECONDS:
                return "failed"
            return "running" if os.path.exists(_path(name, "progress")) else "queued"
        if start.cancelled:
            return "cancelled"
        future = start.future
        if start.ended:
            # Done without an error and without a file: the cache was cleared meanwhile.
            stopped = future.cancelled() or isinstance(future.exception(), Cancelled | None)
            return "cancelled" if stopped else "failed"
        return "running" if os.path.exists(_path(start.name, "progress")) else "queued"

    @property
    def progress(self) -> float:
        """The share done, 0 to 1."""
        return 1.0 if self.state == "done" else float(self._report()[0])

    @property
    def ahead(self) -> int:
        """How many jobs are in front of this one in the queue, the running ones included."""
        count = 0
        for key, start in list(_starts.items()):
            if key == self.key:
                return count if self.state == "queued" else 0
            count += start.waited_for
        return 0

    @property
    def message(self) -> str:
        """The current activity, the length of the queue, or why the job failed; one line."""
        state = self.state
        if state == "failed":
            start = _starts.get(self.key)
            error = start.future.exception() if start else None
            if isinstance(error, InvalidInput):
                return str(error)
            if error is None:
                return LOST
            return f"The worker stopped ({type(error).__name__}); start it again to retry."
        if state == "queued":
            ahead = self.ahead
            jobs = f"{ahead} job{'' if ahead == 1 else 's'} before this one"
            return jobs if ahead else "next in the queue"
        return self._report()[1] if state == "running" else state

    def _report(self) -> tuple[str, str]:
        try:
            fraction, message = _path(self._name(), "progress").read_text("utf-8").split("\t", 1)
        except (OSError, ValueError):
            return "0", "starting"
        return fraction, message

    def _name(self) -> str:
        """Name of the files of its start, or of those left by an ended start."""
        start = _starts.get(self.key)
        name = start.name if start else _started_elsewhere(self.key)
        return name if name and os.path.exists(_path(name, "job")) else self.key

    def cancel(self) -> None:
        """Ask the worker to stop at its next step, despite watchers; a queued job never starts."""
        if self.state in ("queued", "running"):
            start = _starts.get(self.key)
            name = start.name if start else _started_elsewhere(self.key)
            if start is not None:
                start.cancelled = True
                start.future.cancel()
            if name is not None:
                work.remove(_path(name, "job"))

    def watch(self, watcher: str, alive: Callable[[], bool] = lambda: True) -> None:
        """Keep the job from ending before this watcher leaves it.

        Parameters
        ----------
        watcher : str
            Letters and digits.
        alive : callable
            Called every second; whether the watcher is still there.
        """
        if not _is_key(watcher):
            raise reject("watcher", watcher, "a name of letters and digits")
        with _one_at_a_time:
            if self.state in ("queued", "running"):
                watchers.put(self._where(), self.key, watcher)
                _watching[self.key, watcher] = _Watch(alive)
                _keeper.wake()

    def leave(self, watcher: str) -> None:
        """End a watch; without another, a job submitted with a watcher is cancelled."""
        with _one_at_a_time:
            where = self._where()
            _watching.pop((self.key, watcher), None)
            watchers.take(where, self.key, watcher)
            is_watched = any(key == self.key for key, _ in _watching)
            if is_watched or watchers.watched(where, self.key):
                return
            with suppress(OSError):
                if _path(self._name(), "job").read_text("utf-8") == work.WATCHED:
                    self.cancel()

    def _where(self) -> Path:
        """The folder of its start's files."""
        start = _starts.get(self.key)
        return start.where if start else _path(self._name(), "job").parent

    def partial(self) -> pd.DataFrame | None:
        """The rows so far, also of a job that was stopped; ``None`` while there are none."""
        places = [(self.key, "csv"), (self._name(), "partial")]
        if os.path.exists(
            _path(self.key, work.STATE)
        ):  # a start that goes on adds to the rows of the last
            places.append((self.key, "partial"))
        for name, ending in places:
            with suppress(OSError):
                return _rows(_path(name, ending))
        return None

    @property
    def stopping(self) -> bool:
        """Whether it was stopped and its worker has not noticed yet: files may still come."""
        start = _starts.get(self.key)
        return start is not None and start.cancelled and not start.ended

    @property
    def resumable(self) -> bool:
        """Whether it was stopped, or failed, and can go on from there."""
        return self.state in ("cancelled", "failed") and os.path.exists(_path(self.key, work.STATE))

    def file(self, name: str) -> bytes | None:
        """The task's file of that name; ``None`` if there is none."""
        if not _is_key(name.replace(".", "")):
            return None
        with suppress(OSError):
            return _path(self.key, name).read_bytes()
        return None

    def result(self, timeout: float | None = None) -> pd.DataFrame:
        """The task's rows, waiting for them if this process started it.

        Raises
        ------
        Cancelled
            If the job was cancelled.
        InvalidInput
            If the task can't be done; the sentence says why.
        TimeoutError
            If it is not done `timeout` seconds from now.
        """
        start = _starts.get(self.key)
        if start is not None and not os.path.exists(_path(self.key, "csv")):
            try:
                start.future.result(timeout)
            except CancelledError:
                raise Cancelled from None
        try:
            return _rows(_path(self.key, "csv"))
        except OSError:
            raise Cancelled from None


def submit(
    task: Task,
    *,
    afresh: bool = False,
    watcher: str | None = None,
    alive: Callable[[], bool] = lambda: True,
) -> Job:
    """Let a worker do the task, or return the job that already runs or has run.

    Where no worker is available, or nothing can be written, the job has failed, and its message
    says why.

    Parameters
    ----------
    task : Task
        One that is `Resumable` goes on from where an earlier start of it was stopped.
    afresh : bool
        Begin anew a job that was stopped or failed.
    watcher, alive : str, callable
        As for `Job.watch`; without one the job goes on until it is done or cancelled.

    Raises
    ------
    QueueFull
        If too many jobs are unfinished.
    """
    with _one_at_a_time:
        job = find(task.key)
        if job is None or job.state not in ("queued", "running", "done"):
            if full():
                raise QueueFull(
                    f"{task.title} has to wait: {_unfinished()} jobs are in the queue, as many as "
                    "it holds; try again in a while."
                )
            _begin(task, afresh, work.WATCHED if watcher else "")
            job = Job(task.key)
        elif watcher is None:
            with suppress(OSError):  # a watcher that leaves now does not end it
                os.truncate(_path(job._name(), "job"), 0)
        if watcher is not None:
            job.watch(watcher, alive)
    return job


def _begin(task: Task, afresh: bool, ticket: str) -> None:
    key, name = task.key, f"{task.key}-{secrets.token_hex(4)}"
    start = _Start(task, key, name, cache.folder() / FOLDER)
    for watch in [watch for watch in _watching if watch[0] == key]:
        del _watching[watch]  # of a start that has ended
    try:
        start.where = where = cache.place(FOLDER)
        if afresh:
            for ending in (work.STATE, "partial"):
                work.remove(_path(key, ending))
        for stale in work.matching(where, f"{key}-*.job"):  # by an ended program
            work.clear(where, key, stale.stem)
        cache.write(start.ticket, lambda file: file.write(ticket.encode()), f"{name}.")
        start.send()
    except (InvalidInput, OSError) as error:
        refusal = InvalidInput(cache.sentence(error)) if isinstance(error, OSError) else error
        start.future.set_exception(refusal)
        start.clear()
        start.cancelled = False
    except BaseException:
        start.clear()
        raise
    _starts.pop(key, None)  # to the end of the queue
    _starts[key] = start
    _keeper.wake()


def files(key: str) -> list[Path]:
    """All files of the job of that key."""
    return [path for where in cache.places(FOLDER) for path in work.matching(where, f"{key}*")]


def full() -> bool:
    """Whether the queue is full."""
    return _unfinished() >= MOST_UNFINISHED


def find(key: str) -> Job | None:
    """The job of that key: started by any process, or with its result or its state in the cache."""
    if not _is_key(key):
        return None
    has_file = any(os.path.exists(_path(key, ending)) for ending in ("csv", work.STATE))
    return Job(key) if has_file or key in _starts or _started_elsewhere(key) else None


def _unfinished() -> int:
    return sum(start.waited_for for start in list(_starts.values()))


def _is_key(key: str) -> bool:
    """Whether a key can't lead out of the folder or match many files."""
    return key.isascii() and key.isalnum()


def _path(name: str, ending: str) -> Path:
    return cache.path_of(f"{FOLDER}/{name}.{ending}")


def _rows(path: Path) -> pd.DataFrame:
    import pandas as pd

    return pd.read_csv(path, keep_default_na=False, na_values=[work.MISSING])


def _started_elsewhere(key: str) -> str | None:
    """Another process's start of the job, the one with the latest sign of life."""
    names = [path.stem for path in work.matching(cache.folder() / FOLDER, f"{key}-*.job")]
    return max(names, key=_last_beat, default=None)


def _last_beat(name: str) -> float:
    """Time of the last sign of life of its worker, or before that of its queue."""
    for ending in ("progress", "job"):
        with suppress(OSError):
            return _path(name, ending).stat().st_mtime
    return 0.0


class _Keeper:
    """A thread that gives signs of life while they are needed.

    They are for the jobs in this process's queue and for its live watchers; a watcher that has
    been gone for long leaves its jobs.
    """

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        """Begin, if the thread is idle."""
        with _one_at_a_time:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            with _one_at_a_time:
                unfinished = [start for start in _starts.values() if not start.ended]
                if not (unfinished or _watching):
                    self._thread = None
                    return
                for start in unfinished:
                    with suppress(OSError):
                        os.utime(start.ticket)
                for (key, watcher), watch in list(_watching.items()):
                    now, job = time.monotonic(), Job(key)
                    if watch.alive():
                        watch.seen = now
                        watchers.put(job._where(), key, watcher)
                    is_expired = now - watch.seen >= watchers.EXPIRES_SECONDS
                    if is_expired or job.state not in ("queued", "running"):
                        job.leave(watcher)
            time.sleep(work.BEAT_SECONDS)


_keeper = _Keeper()
