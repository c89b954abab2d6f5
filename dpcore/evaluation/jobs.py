"""Long tasks in worker processes behind `concurrent.futures`: progress, cancel, a result cache.

A job is a task being worked on. It is named by the task's key, and its result is a file of that
name, so the page that started it can leave and another, or the same after a restart, can find it
again. The oldest results go when they take too much room.

What else passes between a page and a worker are small files too. They belong to one start of the
job, so that a job cancelled and started again is not taken for the old one, and are removed when
that start ends, however it ends: a ticket, without which the worker stops; how far it is, which the
worker touches every second while it lives; and the rows so far. Workers elsewhere therefore have to
see the same cache folder. What a stopped task needs to go on is kept under the job's name until
there is a result.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.datasets import cache
from dpcore.errors import Cancelled, InvalidInput, reject
from dpcore.evaluation.executors import executor
from dpcore.evaluation.task import Outcome, Partial, Report, Resumable, Task

if TYPE_CHECKING:
    import pandas as pd

MOST_UNFINISHED = 40
WRITE_EVERY_SECONDS = 0.1
BEAT_SECONDS, ALIVE_SECONDS = 1.0, 15.0
MOST_BYTES = 200_000_000  # of all results together: more than ten thousand of the page's jobs
STATE = "state"  # of a task that was stopped, to go on from
MISSING = "nan"  # in a result's file: there, an empty field is an empty text
LOST = "The program was restarted while this ran; start it again to retry."


class QueueFull(Exception):
    """As many jobs wait as may; one sentence."""


class WorkerStopped(Exception):
    """The worker that had begun a job is gone."""


@dataclass
class _Start:
    """One start of a job by this process; `name` tells its files from those of other starts."""

    task: Task | None  # not kept when it has ended: it may hold uploaded records
    key: str
    name: str
    where: Path
    future: Future[None] = field(default_factory=Future)
    cancelled: bool = False

    def send(self) -> None:
        """Hand it to the workers."""
        self.future = executor().submit(_work, self.task, self.key, str(self.where), self.name)
        self.future.add_done_callback(lambda _: self.clear())

    def clear(self) -> None:
        """Remove what it needed."""
        self.task = None
        _clear(self.where, self.key, self.name)

    @property
    def ended(self) -> bool:
        """Whether it has ended for good: its ticket is removed last."""
        return self.future.done() and not (self.where / f"{self.name}.job").exists()

    @property
    def waited_for(self) -> bool:
        """Whether those behind it wait for it; one that was stopped makes room at its next step."""
        return not self.cancelled and not self.ended


_starts: dict[str, _Start] = {}
_one_at_a_time = threading.Lock()


def folder() -> Path:
    """Where results are kept: `DPCORE_CACHE` if set, otherwise the user's cache folder."""
    path = cache.folder() / "jobs"
    path.mkdir(parents=True, exist_ok=True)
    return path


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
        if _path(self.key, "csv").exists():
            return "done"
        start = _starts.get(self.key)
        if start is None:
            name = _started_elsewhere(self.key)
            if name is None:
                return "cancelled"
            return "running" if time.time() - _last_beat(name) < ALIVE_SECONDS else "failed"
        if start.cancelled:
            return "cancelled"
        future = start.future
        if start.ended:
            # Done without an error and without a file: the cache was cleared meanwhile.
            stopped = future.cancelled() or isinstance(future.exception(), Cancelled | None)
            return "cancelled" if stopped else "failed"
        return "running" if _path(start.name, "progress").exists() else "queued"

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
        """What is being done, how long the queue is, or why it failed; one line."""
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
        except (FileNotFoundError, ValueError):
            return "0", "starting"
        return fraction, message

    def _name(self) -> str:
        """Of the files of its start, or of what a start that ended left."""
        start = _starts.get(self.key)
        name = start.name if start else _started_elsewhere(self.key)
        return name if name and _path(name, "job").exists() else self.key

    def cancel(self) -> None:
        """Ask the worker to stop at its next step; a queued job never starts."""
        if self.state in ("queued", "running"):
            start = _starts.get(self.key)
            name = start.name if start else _started_elsewhere(self.key)
            if start is not None:
                start.cancelled = True
                start.future.cancel()
            if name is not None:
                _path(name, "job").unlink(missing_ok=True)

    def partial(self) -> pd.DataFrame | None:
        """The rows so far, also of a job that was stopped; ``None`` while there are none."""
        places = [(self.key, "csv"), (self._name(), "partial")]
        if _path(self.key, STATE).exists():  # a start that goes on adds to the rows of the last
            places.append((self.key, "partial"))
        for name, ending in places:
            with suppress(FileNotFoundError):
                return _rows(_path(name, ending))
        return None

    @property
    def stopping(self) -> bool:
        """Whether it was stopped and its worker has not noticed yet: what it leaves still comes."""
        start = _starts.get(self.key)
        return start is not None and start.cancelled and not start.ended

    @property
    def resumable(self) -> bool:
        """Whether it was stopped, or failed, and would go on from there."""
        return self.state in ("cancelled", "failed") and _path(self.key, STATE).exists()

    def file(self, name: str) -> bytes | None:
        """What the task left under that name; ``None`` if it is not there."""
        if not _is_key(name.replace(".", "")):
            return None
        with suppress(FileNotFoundError):
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
        if start is not None and not _path(self.key, "csv").exists():
            try:
                start.future.result(timeout)
            except CancelledError:
                raise Cancelled from None
        try:
            return _rows(_path(self.key, "csv"))
        except FileNotFoundError:
            raise Cancelled from None


def submit(task: Task, *, afresh: bool = False) -> Job:
    """Let a worker do the task, or return the job that already runs or has run.

    Where there are no workers to be had, the job has failed, and its message says why.

    Parameters
    ----------
    task : Task
        One that is `Resumable` goes on from where an earlier start of it was stopped.
    afresh : bool
        Begin anew a job that was stopped or failed.

    Raises
    ------
    QueueFull
        If too many jobs are unfinished.
    """
    with _one_at_a_time:
        job = find(task.key)
        if job is not None and job.state in ("queued", "running", "done"):
            return job
        if full():
            raise QueueFull(
                f"{task.title} has to wait: {_unfinished()} jobs are in the queue, as many as it "
                "holds; try again in a while."
            )
        where = folder()
        if afresh:
            for ending in (STATE, "partial"):
                _path(task.key, ending).unlink(missing_ok=True)
        for left in where.glob(f"{task.key}-*.job"):  # by a program that is no more
            _clear(where, task.key, left.stem)
        start = _Start(task, task.key, f"{task.key}-{secrets.token_hex(4)}", where)
        _path(start.name, "job").touch()
        try:
            start.send()
        except InvalidInput as refusal:
            start.future.set_exception(refusal)
            start.clear()
        except BaseException:
            start.clear()
            raise
        _starts.pop(task.key, None)  # to the end of the queue
        _starts[task.key] = start
    return Job(task.key)


def full() -> bool:
    """Whether the queue holds as many jobs as it may."""
    return _unfinished() >= MOST_UNFINISHED


def find(key: str) -> Job | None:
    """The job of that key: started by any process, or with its result or its state in the cache."""
    if not _is_key(key):
        return None
    there = any(_path(key, ending).exists() for ending in ("csv", STATE))
    return Job(key) if there or key in _starts or _started_elsewhere(key) else None


def _unfinished() -> int:
    return sum(start.waited_for for start in list(_starts.values()))


def _is_key(key: str) -> bool:
    """Nothing that could lead out of the folder or stand for many files."""
    return key.isascii() and key.isalnum()


def _path(name: str, ending: str) -> Path:
    return folder() / f"{name}.{ending}"


def _rows(path: Path) -> pd.DataFrame:
    import pandas as pd

    return pd.read_csv(path, keep_default_na=False, na_values=[MISSING])


def _started_elsewhere(key: str) -> str | None:
    """Another process's start of the job, the last that gave a sign of life."""
    names = [path.stem for path in folder().glob(f"{key}-*.job")]
    return max(names, key=_last_beat, default=None)


def _last_beat(name: str) -> float:
    try:
        return _path(name, "progress").stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _clear(where: Path, key: str, name: str) -> None:
    """Remove the files of a start that has ended; without a result, its last rows are kept."""
    with suppress(FileNotFoundError):
        os.replace(where / f"{name}.partial", where / f"{key}.partial")
    if (where / f"{key}.csv").exists():
        for ending in ("partial", STATE):
            (where / f"{key}.{ending}").unlink(missing_ok=True)
    for ending in ("progress", "job"):
        (where / f"{name}.{ending}").unlink(missing_ok=True)


def _work(task: Task | None, key: str, where: str, name: str) -> None:
    """In the worker: do the task and leave its result."""
    if task is None or task.key != key:
        raise InvalidInput("The program's files have changed since it was started; start it anew.")
    base = Path(where)
    ticket, report_file = base / f"{name}.job", base / f"{name}.progress"
    result = base / f"{key}.csv"
    if result.exists():  # an earlier start, cancelled too late, came first
        return
    if not ticket.exists():
        raise InvalidInput(
            f"The worker does not see {ticket}; DPCORE_CACHE must name a folder that every worker "
            "shares with the page."
        )
    if report_file.exists():  # a cluster gives what one worker dropped to the next
        raise WorkerStopped
    reported = written = 0.0
    waiting: pd.DataFrame | None = None

    def report(fraction: float, message: str) -> None:
        nonlocal reported
        now = time.monotonic()
        if now - reported >= WRITE_EVERY_SECONDS:
            reported = now
            _write(report_file, f"{fraction:.4f}\t{message}")

    def partial(rows: pd.DataFrame) -> None:
        nonlocal written, waiting
        now, waiting = time.monotonic(), rows
        if now - written >= WRITE_EVERY_SECONDS:
            written, waiting = now, None
            _write(base / f"{name}.partial", _text(rows))

    _write(report_file, "0\tstarting")
    try:
        with _heartbeat(report_file):
            outcome = _done(task, base / f"{key}.{STATE}", report, partial, ticket)
            for ending, contents in outcome.files.items():
                _write(base / f"{key}.{ending}", contents)
            _write(result, _text(outcome.rows))
    finally:
        if waiting is not None:
            _write(base / f"{name}.partial", _text(waiting))
        # Of an error the page is told first.
        if result.exists() or not ticket.exists():
            _clear(base, key, name)
    cache.prune(base, MOST_BYTES)


def _done(task: Task, state: Path, report: Report, partial: Partial, ticket: Path) -> Outcome:
    """The task's outcome, from where an earlier start of it was stopped."""

    def cancelled() -> bool:
        return not ticket.exists()

    if not isinstance(task, Resumable):
        return task.run(report, partial, cancelled)
    before = state.read_bytes() if state.exists() else None
    return task.go_on(before, lambda now: _write(state, now), report, partial, cancelled)


@contextmanager
def _heartbeat(path: Path) -> Iterator[None]:
    """Touch a file while the process lives, also during a step that takes long."""
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT_SECONDS):
            with suppress(FileNotFoundError):
                os.utime(path)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _text(rows: pd.DataFrame) -> str:
    return str(rows.to_csv(index=False, na_rep=MISSING))


def _write(path: Path, contents: str | bytes) -> None:
    """Write in one piece: a reader sees the old file or the new one, never half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(contents.encode("utf-8") if isinstance(contents, str) else contents)
    os.replace(temporary, path)
