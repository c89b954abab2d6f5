"""What a worker does with a job: its task, signs of life, and the files that it leaves.

The files of one start of a job bear the name of that start, so that a job stopped and started again
is not taken for the old one, and go when it ends: a ticket, without which the worker stops; how far
it is, which the worker touches every second while it lives; and the rows so far. What a stopped
task needs to go on, and what a task that is done leaves, bear the job's name.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.datasets import cache
from dpcore.errors import InvalidInput
from dpcore.evaluation.task import JobContext, Outcome, Task
from dpcore.evaluation.watches import Expiry

if TYPE_CHECKING:
    import pandas as pd

WRITE_EVERY_SECONDS = 0.1
BEAT_SECONDS = 1.0
MOST_BYTES = 200_000_000  # of all results together: more than ten thousand of the page's jobs
STATE = "state"  # of a task that was stopped, to go on from
MISSING = "nan"  # in a result's file: there, an empty field is an empty text
WATCHED = "watched"  # in a ticket: the job ends when nobody watches it any more


class WorkerStopped(Exception):
    """The worker that had begun a job is gone."""


def work(task: Task | None, key: str, where: str, name: str) -> None:
    """Do the task and leave its result.

    Parameters
    ----------
    task : Task
    key : str
        Of the task, as whoever handed it in knows it.
    where : str
        The folder of all files.
    name : str
        Of this start.

    Raises
    ------
    Cancelled
        If it was asked to stop.
    InvalidInput
        If the task can't be done, or its result can't be kept.
    WorkerStopped
        If another worker had begun it.
    """
    if task is None or task.key != key:
        raise InvalidInput("The program's files have changed since it was started; start it anew.")
    base = Path(where)
    cache.lend(base.parent)
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

    def write(path: Path, contents: str | bytes) -> None:
        held = contents.encode("utf-8") if isinstance(contents, str) else contents
        cache.write(path, lambda file: file.write(held), f"{name}.")

    def tell(path: Path, contents: str | bytes) -> None:
        with suppress(OSError):  # what is only good to have: a full disk does not end the work
            write(path, contents)

    def report(fraction: float, message: str) -> None:
        nonlocal reported
        now = time.monotonic()
        if now - reported >= WRITE_EVERY_SECONDS:
            reported = now
            tell(report_file, f"{fraction:.4f}\t{message}")

    def partial(rows: pd.DataFrame) -> None:
        nonlocal written, waiting
        now, waiting = time.monotonic(), rows
        if now - written >= WRITE_EVERY_SECONDS:
            written, waiting = now, None
            tell(base / f"{name}.partial", _text(rows))

    tell(report_file, "0\tstarting")
    try:
        with _heartbeat(report_file, ticket, Expiry(base, key)):
            state = base / f"{key}.{STATE}"
            context = JobContext(
                report,
                partial,
                cancelled=lambda: not ticket.exists(),
                keep=lambda now: tell(state, now),
            )
            outcome = _done(task, state, context)
            _leave(base / key, outcome, write)
    finally:
        if waiting is not None:
            tell(base / f"{name}.partial", _text(waiting))
        # Of an error the page is told first.
        if result.exists() or not ticket.exists():
            clear(base, key, name)
    with suppress(OSError):
        cache.prune(base, MOST_BYTES)


def clear(where: Path, key: str, name: str) -> None:
    """Remove the files of a start that has ended; without a result, its last rows are kept."""
    with suppress(OSError):
        os.replace(where / f"{name}.partial", where / f"{key}.partial")
    if os.path.exists(where / f"{key}.csv"):
        for ending in ("partial", STATE):
            remove(where / f"{key}.{ending}")
    ticket = where / f"{name}.job"
    for path in (*matching(where, f"{name}.*"), *matching(where, f"{key}-*.watch")):
        if path != ticket:
            remove(path)
    remove(ticket)  # the last: without it, the start has ended


def matching(where: Path, pattern: str) -> list[Path]:
    """The files of that kind; none in a folder that is not there or cannot be read."""
    try:
        return list(where.glob(pattern))
    except OSError:
        return []


def remove(path: Path) -> None:
    """Remove a file that may be gone already."""
    with suppress(OSError):
        path.unlink()


def _done(task: Task, state: Path, context: JobContext) -> Outcome:
    """The task's outcome, from where an earlier start of it was stopped."""
    try:
        before = state.read_bytes() if state.exists() else None
        return task.run(replace(context, state=before))
    except InvalidInput:  # for good: there is nothing to go on from
        remove(state)
        raise


def _leave(job: Path, outcome: Outcome, write: Callable[[Path, str | bytes], None]) -> None:
    """Write what the task leaves, the rows last: with them it is done."""
    contents: dict[str, str | bytes] = {**outcome.files, "csv": _text(outcome.rows)}
    try:
        for ending, one in contents.items():
            write(Path(f"{job}.{ending}"), one)
    except OSError as error:
        for ending in contents:
            remove(Path(f"{job}.{ending}"))
        raise InvalidInput(cache.sentence(error)) from None


@contextmanager
def _heartbeat(path: Path, ticket: Path, expired: Callable[[], bool]) -> Iterator[None]:
    """Touch a file while the process lives, also during a step that takes long.

    The ticket goes with the last watcher, also where the process that wrote it is gone.
    """
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(BEAT_SECONDS):
            with suppress(OSError):
                os.utime(path)
            with suppress(OSError):
                if expired() and ticket.read_text("utf-8") == WATCHED:
                    remove(ticket)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _text(rows: pd.DataFrame) -> str:
    return str(rows.to_csv(index=False, na_rep=MISSING))
