"""Long tasks in worker processes behind `concurrent.futures`: progress, cancel, a result cache.

A job is named by its task's key, and its result is a file of that name, which another page, or the
same after a restart, can find; pages and workers communicate by files in one cache folder. It ends
with its last watcher (`dpcore.evaluation.watchers`), without one when done or cancelled.
"""

from __future__ import annotations

import logging
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
from dpcore.evaluation import executors, waits, watchers, work
from dpcore.evaluation.cluster import WorkLost
from dpcore.evaluation.task import Task

if TYPE_CHECKING:
    import pandas as pd

MAX_UNFINISHED = 40
ALIVE_SECONDS = 15.0
LOST = "The program was restarted while this ran; start it again to retry."
FOLDER = "jobs"
_log = logging.getLogger(__name__)


class QueueFull(Exception):
    """The queue is full; one sentence."""


@dataclass
class _Attempt:
    """One attempt at a job by this process; `name` tells its files from those of other attempts."""

    task: Task | None  # dropped when it has ended: it may hold uploaded records
    key: str
    name: str
    where: Path
    owner: str
    is_sweep: bool = False
    future: Future[None] = field(default_factory=Future)
    cancelled: bool = False
    is_cleared: bool = False
    wait: waits.Wait = field(init=False)

    def __post_init__(self) -> None:
        assert self.task is not None
        self.wait = waits.of(self.task, is_sweep=self.is_sweep)

    def send(self) -> None:
        self.future = executors.submit(
            *(work.work, self.task, self.key, str(self.where), self.name),
            owner=self.owner,
            kind=self.wait.kind,
        )
        self.future.add_done_callback(self._note_end)

    def _note_end(self, future: Future[None]) -> None:
        if not future.cancelled():
            self.wait.ended(finished=future.exception() is None)
        self.clear()

    def clear(self) -> None:
        self.task = None
        if not any(map(os.path.exists, (self.ticket, self.where / f"{self.key}.csv"))):
            self.cancelled = True  # by another process
        work.clear(self.where, self.key, self.name)
        self.is_cleared = True

    @property
    def ticket(self) -> Path:
        """The ticket file; the attempt lives as long as it exists."""
        return self.where / f"{self.name}.job"

    @property
    def ended(self) -> bool:
        return self.future.done() and not os.path.exists(self.ticket)

    @property
    def waited_for(self) -> bool:
        """Whether it counts in the queue; a cancelled one frees its worker at its next step."""
        return not self.cancelled and not self.ended


@dataclass
class _Watch:
    alive: Callable[[], bool]
    last_seen: float = field(default_factory=time.monotonic)


_attempts: dict[str, _Attempt] = {}
_watching: dict[tuple[str, str], _Watch] = {}
"""This process's watches, by job and watcher."""
_one_at_a_time = threading.RLock()


@dataclass(frozen=True)
class Job:
    """Handle one task; all state lives in files and in this process's futures."""

    key: str

    def __post_init__(self) -> None:
        if not _is_key(self.key):
            raise reject("job", self.key, "a name of letters and digits")

    @property
    def state(self) -> str:
        """One of "queued", "running", "done", "failed" and "cancelled"."""
        if os.path.exists(_path(self.key, "csv")):
            return "done"
        attempt, name = _attempts.get(self.key), self._started()
        if name is None or (attempt and attempt.cancelled):
            return "cancelled"
        if attempt is None and time.time() - _last_beat(name) >= ALIVE_SECONDS:
            return "failed"
        if attempt and attempt.ended:
            future = attempt.future
            # Done without an error and without a file: the cache was cleared meanwhile.
            stopped = future.cancelled() or isinstance(future.exception(), Cancelled | None)
            return "cancelled" if stopped else "failed"
        return "running" if os.path.exists(_path(name, "progress")) else "queued"

    @property
    def progress(self) -> float:
        """The share done, 0 to 1."""
        return 1.0 if self.state == "done" else float(self._report()[0])

    @property
    def ahead(self) -> int:
        """How many jobs its worker does before this one, the running one included."""
        return len(self._ahead())

    @property
    def waiting_seconds(self) -> float | None:
        """About how long the jobs in front of this one still take; ``None`` if unknown."""
        ahead = ((attempt.wait, Job(attempt.key).progress) for attempt in self._ahead())
        return waits.seconds(ahead)

    def _ahead(self) -> list[_Attempt]:
        mine = _attempts.get(self.key)
        if mine is None or self.state != "queued":
            return []
        alike = [
            each
            for each in list(_attempts.values())
            if each.waited_for and each.wait.kind == mine.wait.kind
        ]
        waiting = [each for each in alike if Job(each.key).state == "queued"]
        order = executors.order([each.owner for each in waiting], mine.wait.kind)
        keys = [waiting[place].key for place in order]
        sooner = set(keys[: keys.index(self.key) if self.key in keys else 0])
        # The running one comes first.
        return sorted(
            (each for each in alike if each.key in sooner or each.key not in keys),
            key=lambda each: keys.index(each.key) if each.key in keys else -1,
        )

    @property
    def message(self) -> str:
        """The current activity, the length of the queue, or why the job failed; one line."""
        state = self.state
        if state == "failed":
            attempt = _attempts.get(self.key)
            error = attempt.future.exception() if attempt else None
            if isinstance(error, InvalidInput):
                return str(error)
            if error is None:
                return LOST
            lost = isinstance(error, WorkLost)
            why = error if lost else f"The worker stopped ({type(error).__name__})"
            return f"{why}; start it again to retry."
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
        """File-name prefix of the current attempt, or of what an ended one left."""
        name = self._started()
        return name if name and os.path.exists(_path(name, "job")) else self.key

    def _started(self) -> str | None:
        attempt = _attempts.get(self.key)
        return attempt.name if attempt else _started_elsewhere(self.key)

    def cancel(self) -> None:
        """Ask the worker to stop at its next step, despite watchers; a queued job never starts."""
        if self.state in ("queued", "running"):
            attempt, name = _attempts.get(self.key), self._started()
            if attempt is not None:
                attempt.cancelled = True
                attempt.future.cancel()
            if name is not None:
                work.remove(_path(name, "job"))

    def watch(self, watcher: str, alive: Callable[[], bool] = lambda: True) -> None:
        """Keep the job from ending before this watcher leaves it."""
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
        attempt = _attempts.get(self.key)
        return attempt.where if attempt else _path(self._name(), "job").parent

    def partial(self) -> pd.DataFrame | None:
        """The rows so far, also of a job that was stopped; ``None`` while there are none."""
        places = [(self.key, "csv"), (self._name(), "partial")]
        if os.path.exists(_path(self.key, work.STATE)):  # a resumed attempt appends to earlier rows
            places.append((self.key, "partial"))
        for name, ending in places:
            with suppress(OSError):
                return _rows(_path(name, ending))
        return None

    @property
    def stopping(self) -> bool:
        """Whether it was stopped and its worker has not noticed yet."""
        attempt = _attempts.get(self.key)
        return attempt is not None and attempt.cancelled and not attempt.ended

    @property
    def at_work(self) -> bool:
        """Whether files may still come, also after its result, and after it was stopped."""
        attempt = _attempts.get(self.key)
        return attempt is not None and not (attempt.future.done() and attempt.is_cleared)

    @property
    def attempt(self) -> str:
        """Name of this process's latest attempt at it; empty if there was none."""
        attempt = _attempts.get(self.key)
        return attempt.name if attempt else ""

    def remove_files(self, attempt: str) -> None:
        """Remove all its files, unless another attempt than this is the latest."""
        with _one_at_a_time:
            if self.attempt == attempt:
                for path in files(self.key):
                    work.remove(path)

    @property
    def resumable(self) -> bool:
        """Whether it was stopped, or failed, and has a saved state to resume from."""
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

        `timeout` is in seconds. Raises `Cancelled`, `TimeoutError`, or `InvalidInput` that says why
        the task can't be done.
        """
        attempt = _attempts.get(self.key)
        if attempt is not None and not os.path.exists(_path(self.key, "csv")):
            try:
                attempt.future.result(timeout)
            except CancelledError:
                raise Cancelled from None
        try:
            return _rows(_path(self.key, "csv"))
        except OSError:
            raise Cancelled from None


def submit(
    task: Task,
    *,
    watcher: str | None = None,
    alive: Callable[[], bool] = lambda: True,
    owner: str = "",
    is_sweep: bool = False,
) -> Job:
    """Let a worker do the task, or return the job that already runs or has run.

    It resumes from the saved state of an earlier attempt. Without a watcher it goes on until it is
    done or cancelled. Owners take turns; jobs of a sweep do not hold up others, and one that still
    waits leaves the sweep once somebody asks for it alone. Where no worker is available, or nothing
    can be written, the job has failed, and its message says why. `QueueFull` is raised if too many
    jobs are unfinished.
    """
    with _one_at_a_time:
        job, attempt = find(task.key), _attempts.get(task.key)
        if attempt is not None and attempt.is_sweep and not is_sweep:
            attempt.future.cancel()  # does nothing once it has begun
        if job is None or job.state not in ("queued", "running", "done"):
            if full():
                raise QueueFull(
                    f"{task.title} has to wait: {_unfinished()} jobs are in the queue, as many as "
                    "it holds; try again in a while."
                )
            _begin(task, work.WATCHED if watcher else "", owner, is_sweep)
            job = Job(task.key)
        elif watcher is None:
            with suppress(OSError):  # a watcher that leaves now does not end it
                os.truncate(_path(job._name(), "job"), 0)
        if watcher is not None:
            job.watch(watcher, alive)
    return job


def _begin(task: Task, ticket: str, owner: str, is_sweep: bool) -> None:
    key, name = task.key, f"{task.key}-{secrets.token_hex(4)}"
    attempt = _Attempt(task, key, name, cache.folder() / FOLDER, owner, is_sweep)
    for watch in [watch for watch in _watching if watch[0] == key]:
        del _watching[watch]  # of an attempt that has ended
    try:
        attempt.where = where = cache.place(FOLDER)
        for stale in work.matching(where, f"{key}-*.job"):  # by an ended program
            work.clear(where, key, stale.stem)
        cache.write(attempt.ticket, lambda file: file.write(ticket.encode()), f"{name}.")
        attempt.send()
    except (InvalidInput, OSError) as error:
        refusal = InvalidInput(cache.sentence(error)) if isinstance(error, OSError) else error
        attempt.future.set_exception(refusal)
        attempt.clear()
        attempt.cancelled = False
    except BaseException:
        attempt.clear()
        raise
    _attempts.pop(key, None)  # to the end of the queue
    _attempts[key] = attempt
    _keeper.wake()


def files(key: str) -> list[Path]:
    """All files of the job of that key."""
    return [path for where in cache.places(FOLDER) for path in work.matching(where, f"{key}*")]


def full() -> bool:
    """Whether the queue is full."""
    return _unfinished() >= MAX_UNFINISHED


def find(key: str) -> Job | None:
    """The job of that key: started by any process, or with its result or its state in the cache."""
    if not _is_key(key):
        return None
    has_file = any(os.path.exists(_path(key, ending)) for ending in ("csv", work.STATE))
    return Job(key) if has_file or key in _attempts or _started_elsewhere(key) else None


def _unfinished() -> int:
    return sum(attempt.waited_for for attempt in list(_attempts.values()))


def _is_key(key: str) -> bool:
    """Whether a key can't lead out of the folder or match many files."""
    return key.isascii() and key.isalnum()


def _path(name: str, ending: str) -> Path:
    return cache.path_of(f"{FOLDER}/{name}.{ending}")


def _rows(path: Path) -> pd.DataFrame:
    import pandas as pd

    columns = pd.read_csv(path, nrows=0).columns
    missing = {name: [work.MISSING] for name in columns if name not in work.NAMES}
    texts = {name: str for name in columns if name in work.NAMES}
    return pd.read_csv(path, keep_default_na=False, na_values=missing, dtype=texts)


def _started_elsewhere(key: str) -> str | None:
    """Another process's attempt of the job, the one with the latest sign of life."""
    names = [path.stem for path in work.matching(cache.folder() / FOLDER, f"{key}-*.job")]
    return max(names, key=_last_beat, default=None)


def _last_beat(name: str) -> float:
    for ending in ("progress", "job"):
        with suppress(OSError):
            return _path(name, ending).stat().st_mtime
    return 0.0


class _Keeper:
    """A thread that writes heartbeats while any are needed."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None

    def wake(self) -> None:
        with _one_at_a_time:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            with _one_at_a_time:
                unfinished = [attempt for attempt in _attempts.values() if not attempt.ended]
                if not (unfinished or _watching):
                    self._thread = None
                    return
                try:
                    _beat(unfinished)
                except Exception:
                    _log.exception("A heartbeat of the jobs failed.")
            time.sleep(work.BEAT_SECONDS)


def _beat(unfinished: list[_Attempt]) -> None:
    for attempt in unfinished:
        with suppress(OSError):
            os.utime(attempt.ticket)
    for (key, watcher), watch in list(_watching.items()):
        now, job = time.monotonic(), Job(key)
        if watch.alive():
            watch.last_seen = now
            watchers.put(job._where(), key, watcher)
        is_expired = now - watch.last_seen >= watchers.EXPIRES_SECONDS
        if is_expired or job.state not in ("queued", "running"):
            job.leave(watcher)


_keeper = _Keeper()
