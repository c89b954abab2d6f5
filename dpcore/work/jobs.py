"""Jobs: tasks in worker processes, with progress, rows so far, and results that stay.

A job is named by its task's key, and its result is a file of that name, which another page, or the
same after a restart, can find; pages and workers communicate by files in one cache folder. It ends
with its last watcher, without one when done or cancelled.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.datasets import cache
from dpcore.errors import Cancelled, InvalidInput, reject
from dpcore.work import executors, files, worker
from dpcore.work.executors import WorkLost
from dpcore.work.handle import UNDER_WAY, Handle, State, one_at_a_time
from dpcore.work.task import Task

if TYPE_CHECKING:
    import pandas as pd

MAX_UNFINISHED = 40
ALIVE_SECONDS = 15.0
LOST = "The program was restarted while this ran; start it again to retry."
PROCESS = "process"
"""The watcher of a job that was submitted without one."""


class QueueFull(Exception):
    """The queue is full; one sentence."""


class _Attempt:
    """One start of a job by this process; `name` tells its files from those of other starts."""

    def __init__(self, task: Task, owner: str, kind: executors.Kind) -> None:
        self.key, self.kind = task.key, kind
        self.name = f"{task.key}-{secrets.token_hex(4)}"
        self.where = cache.folder() / files.FOLDER
        self.future: Future[None] = Future()
        self.error: BaseException | None = None
        self.is_cancelled = self.is_deleted = self.has_ended = False
        try:
            self.where = cache.place(files.FOLDER)
            for stale in files.matching(self.where, f"{self.key}-*.job"):  # by an ended program
                files.clear(self.where, self.key, stale.stem)
            cache.write(self.ticket, lambda _: None, f"{self.name}.")
            function = getattr(task, "work", type(task))
            self.future = executors.submit(
                *(worker.work, task, self.key, str(self.where), self.name),
                owner=owner,
                kind=kind,
                alike=f"{function.__module__}.{function.__qualname__}",
            )
        except (InvalidInput, OSError) as error:
            self.error = error
            if isinstance(error, OSError):
                self.error = InvalidInput(cache.sentence(error))
            self.future.cancel()
        except BaseException:
            files.clear(self.where, self.key, self.name)
            raise
        self.future.add_done_callback(self._end)

    def _end(self, future: Future[None]) -> None:
        # Without its ticket it was cancelled, maybe by another process.
        if not future.cancelled() and os.path.exists(self.ticket):
            error = future.exception()
            self.error = None if isinstance(error, Cancelled) else error
        files.clear(self.where, self.key, self.name)
        self.has_ended = True
        with one_at_a_time:
            if self.is_deleted and _attempts.get(self.key) is self:  # and was not started anew
                files.remove(*files.of_job(self.key))

    @property
    def ticket(self) -> Path:
        """The ticket file; the attempt lives as long as it exists."""
        return self.where / f"{self.name}.job"

    @property
    def is_waited_for(self) -> bool:
        """Whether it counts in the queue; a cancelled one frees its worker at its next step."""
        return not (self.is_cancelled or self.has_ended)


_attempts: dict[str, _Attempt] = {}
"""The latest of this process, by their job's key."""


@dataclass(frozen=True)
class Job(Handle):
    """Handle one task; all state lives in files and in this process's attempts."""

    key: str

    def __post_init__(self) -> None:
        if not _is_key(self.key):
            raise reject("job", self.key, "a name of letters and digits")

    @property
    def _attempt(self) -> _Attempt | None:
        return _attempts.get(self.key)

    @property
    def _name(self) -> str | None:
        """Name of its latest start, by this process or another; ``None`` if there is none."""
        return self._attempt.name if self._attempt else files.started(self.key)

    @property
    def state(self) -> State:
        """New if nothing is left of it, done as soon as its result is there, whoever did it."""
        if files.exists(self.key, "csv"):
            return "done"
        attempt, name = self._attempt, self._name
        if name is None:
            return "cancelled" if files.exists(self.key, files.STATE) else "new"
        if attempt and attempt.is_cancelled:
            return "cancelled"
        if attempt is None and files.seconds_since(files.last_sign(name)) >= ALIVE_SECONDS:
            return "failed"
        if attempt and attempt.has_ended:
            # Ended without an error and without a file: the cache was cleared meanwhile.
            return "failed" if attempt.error else "cancelled"
        return "running" if files.exists(name, "progress") else "queued"

    @property
    def fraction(self) -> float:
        return 1.0 if self.state == "done" else float(self._report()[0])

    @property
    def message(self) -> str:
        state = self.state
        if state == "failed":
            return self._why_failed()
        if state == "queued":
            ahead = len(self.ahead)
            jobs = f"{ahead} job{'' if ahead == 1 else 's'} before this one"
            return jobs if ahead else "next in the queue"
        return self._report()[1] if state == "running" else state

    def _why_failed(self) -> str:
        error = self._attempt.error if self._attempt else None
        if isinstance(error, InvalidInput):
            return str(error)
        if error is None:
            return LOST
        lost = isinstance(error, WorkLost)
        why = error if lost else f"The worker stopped ({type(error).__name__})"
        return f"{why}; start it again to retry."

    def _report(self) -> tuple[str, str]:
        try:
            report = files.path(self._name or self.key, "progress").read_text("utf-8")
            fraction, message = report.split("\t", 1)
        except (OSError, ValueError):
            return "0", "starting"
        return fraction, message

    @property
    def ahead(self) -> list[executors.Turn]:
        """What its worker does before this one while it is queued, the running included."""
        attempt = self._attempt
        if attempt is None or self.state != "queued":
            return []
        return executors.ahead(attempt.future, attempt.kind)

    @property
    def waiting_seconds(self) -> float | None:
        """About how long the jobs in front of this one still take; ``None`` if unknown."""
        shares = {each.future: Job(each.key).fraction for each in list(_attempts.values())}
        return executors.seconds((turn, shares.get(turn.future, 0.0)) for turn in self.ahead)

    def partial(self) -> pd.DataFrame | None:
        """The rows so far, also of a job that was stopped; ``None`` while there are none."""
        names = [(self.key, "csv"), (self._name or self.key, "partial")]
        if self.state not in UNDER_WAY or files.exists(self.key, files.STATE):
            names.append((self.key, "partial"))  # to which a resumed attempt appends
        for name, ending in names:
            with suppress(OSError):
                return files.read(files.path(name, ending))
        return None

    def file(self, name: str) -> bytes | None:
        """The task's file of that name; ``None`` if there is none."""
        if not _is_key(name.replace(".", "")):
            return None
        with suppress(OSError):
            return files.path(self.key, name).read_bytes()
        return None

    def result(self) -> pd.DataFrame:
        """The task's rows, once it is done; raises `Cancelled` if they are lost."""
        try:
            return files.read(files.path(self.key, "csv"))
        except OSError:
            raise Cancelled from None

    @property
    def done_at(self) -> datetime | None:
        """When its result was written; ``None`` while there is none."""
        with suppress(OSError):
            return datetime.fromtimestamp(files.path(self.key, "csv").stat().st_mtime)
        return None

    @property
    def stopping(self) -> bool:
        """Whether it was stopped and its worker has not noticed yet."""
        attempt = self._attempt
        return attempt is not None and attempt.is_cancelled and not attempt.has_ended

    @property
    def resumable(self) -> bool:
        """Whether it was stopped, or failed, and has a saved state to resume from."""
        return self.state in ("cancelled", "failed") and files.exists(self.key, files.STATE)

    def cancel(self) -> None:
        attempt, name = self._attempt, self._name
        if name is None or self.state not in UNDER_WAY:
            return
        if attempt is not None:
            attempt.is_cancelled = True
            attempt.future.cancel()
        files.remove(files.path(name, "job"))

    def delete(self) -> None:
        """End it and remove its files, also those that its worker writes until it notices."""
        self.cancel()
        if self._attempt:
            self._attempt.is_deleted = True
        files.remove(*files.of_job(self.key))

    def watch(self, watcher: str, alive: Callable[[], bool] = lambda: True) -> None:
        """As `Handle.watch`; other processes, too, are told of the watcher."""
        if not _is_key(watcher):
            raise reject("watcher", watcher, "a name of letters and digits")
        super().watch(watcher, alive)

    def leave(self, watcher: str) -> None:
        """As `Handle.leave`, which other processes are told."""
        with one_at_a_time:
            files.remove(self._watch_of(watcher))
            super().leave(watcher)

    @property
    def _where(self) -> Path:
        return files.path(self._name or self.key, "job").parent

    def _watch_of(self, watcher: str) -> Path:
        return self._where / f"{self.key}-{watcher}.watch"

    def _tell(self, watchers: Iterable[str]) -> None:
        with suppress(OSError):
            if self._attempt:
                os.utime(self._attempt.ticket)
            for watcher in watchers:
                self._watch_of(watcher).touch(mode=0o600)

    def _seconds_unwatched(self) -> float:
        return files.seconds_since(files.last_watch(self._where, self.key))


def submit(
    task: Task,
    *,
    watcher: str = PROCESS,
    alive: Callable[[], bool] = lambda: True,
    owner: str = "",
    is_sweep: bool = False,
) -> Job:
    """Let a worker do the task, or return the job that already runs or has run.

    It resumes from the saved state of an earlier attempt. Without a watcher it goes on until it is
    done or cancelled, or this process ends. Owners take turns; jobs of a sweep do not hold up
    others, and one that still waits leaves the sweep once somebody asks for it alone. Where no
    worker is available, or nothing can be written, the job has failed, and its message says why.
    `QueueFull` is raised if too many jobs are unfinished.
    """
    with one_at_a_time:
        job, attempt = Job(task.key), _attempts.get(task.key)
        if attempt is not None and attempt.kind.is_sweep and not is_sweep:
            attempt.future.cancel()  # does nothing once it has begun
        if job.state not in (*UNDER_WAY, "done"):
            if full():
                raise QueueFull(
                    f"{task.title} has to wait: {_unfinished()} jobs are in the queue, as many as "
                    "it holds; try again in a while."
                )
            attempt = _Attempt(task, owner, executors.Kind(task.is_long, is_sweep))
            _attempts.pop(task.key, None)  # to the end of the queue
            _attempts[task.key] = attempt
            job._begin()
        job.watch(watcher, alive)
    return job


def full() -> bool:
    """Whether the queue is full."""
    return _unfinished() >= MAX_UNFINISHED


def _unfinished() -> int:
    return sum(attempt.is_waited_for for attempt in list(_attempts.values()))


def _is_key(key: str) -> bool:
    """Whether a key can't lead out of the folder or match many files."""
    return key.isascii() and key.isalnum()
