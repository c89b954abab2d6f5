"""A worker's part in a job: its task, heartbeat, and files.

Files of one start are a ticket, without which the worker stops, a progress report, touched every
second, and the rows so far; the saved state and the results have the job's name.
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
from dpcore.errors import InvalidInput, naming_extras
from dpcore.evaluation.cluster import WorkLost
from dpcore.evaluation.task import JobContext, Outcome, Task
from dpcore.evaluation.watchers import Expiry

if TYPE_CHECKING:
    import pandas as pd

WRITE_EVERY_SECONDS = 0.1
BEAT_SECONDS = 1.0
MAX_BYTES = 200_000_000  # of all results together: more than ten thousand of the page's jobs
STATE = "state"  # saved by a stopped task, for resuming
MISSING = "nan"  # in a result's file, where an empty field is an empty text
NAMES = (
    "column",
    "level",
    "term",
)  # columns of a result that hold names, also where these look like numbers
WATCHED = "watched"  # in a ticket: the job ends with its last watcher


def work(task: Task | None, key: str, where: str, name: str) -> None:
    """Do the task and save its result, by the key as its submitter computed it.

    Raises `Cancelled` if it was stopped, `InvalidInput` if it can't be done or saved, `WorkLost` if
    another worker had begun it.
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
    if report_file.exists():  # a cluster passes a job dropped by one worker to the next
        raise WorkLost("The worker that began it stopped")
    reported = written = 0.0
    waiting: pd.DataFrame | None = None

    def write(path: Path, contents: str | bytes) -> None:
        encoded = contents.encode("utf-8") if isinstance(contents, str) else contents
        cache.write(path, lambda file: file.write(encoded), f"{name}.")

    def tell(path: Path, contents: str | bytes) -> None:
        with suppress(OSError):  # optional: write errors are ignored
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
            waiting = None  # the result has all rows, and whoever saw it may have deleted it
    finally:
        if waiting is not None:
            tell(base / f"{name}.partial", _text(waiting))
        # After an error the page's process removes them, once it has the error.
        if result.exists() or not ticket.exists():
            clear(base, key, name)
    with suppress(OSError):
        cache.prune(base, MAX_BYTES)


def clear(where: Path, key: str, name: str) -> None:
    """Remove the files of an ended start; without a result, its last rows stay."""
    with suppress(OSError):
        os.replace(where / f"{name}.partial", where / f"{key}.partial")
    if os.path.exists(where / f"{key}.csv"):
        for ending in ("partial", STATE):
            remove(where / f"{key}.{ending}")
    ticket = where / f"{name}.job"
    for path in (*matching(where, f"{name}.*"), *matching(where, f"{key}-*.watch")):
        if path != ticket:
            remove(path)
    remove(ticket)  # last, as the start has ended without it


def matching(where: Path, pattern: str) -> list[Path]:
    """The files that match; none in a folder that is missing or unreadable."""
    try:
        return list(where.glob(pattern))
    except OSError:
        return []


def remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _done(task: Task, state: Path, context: JobContext) -> Outcome:
    """The task's outcome, from where an earlier start of it was stopped."""
    try:
        before = state.read_bytes() if state.exists() else None
        with naming_extras():
            return task.run(replace(context, state=before))
    except InvalidInput:  # for good: no state is left to go on from
        remove(state)
        raise


def _leave(job: Path, outcome: Outcome, write: Callable[[Path, str | bytes], None]) -> None:
    contents: dict[str, str | bytes] = {**outcome.files, "csv": _text(outcome.rows)}
    try:
        for ending, content in contents.items():
            write(Path(f"{job}.{ending}"), content)
    except OSError as error:
        for ending in contents:
            remove(Path(f"{job}.{ending}"))
        raise InvalidInput(cache.sentence(error)) from None


@contextmanager
def _heartbeat(path: Path, ticket: Path, expired: Callable[[], bool]) -> Iterator[None]:
    """Touch a file while the process lives, also during a long step."""
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
