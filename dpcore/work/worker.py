"""A worker's part in a job: its task, signs of life, and what it leaves (`dpcore.work.files`)."""

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
from dpcore.work import files
from dpcore.work.executors import WorkLost
from dpcore.work.handle import BEAT_SECONDS, EXPIRES_SECONDS
from dpcore.work.task import JobContext, Outcome, Task

if TYPE_CHECKING:
    import pandas as pd

WRITE_EVERY_SECONDS = 0.1
MAX_BYTES = 200_000_000  # of all results together: more than ten thousand of the page's jobs


def work(task: Task, key: str, where: str, name: str) -> None:
    """Do the task and save its result, by the key as its submitter computed it.

    Raises `Cancelled` if it was stopped, `InvalidInput` if it can't be done or saved, `WorkLost` if
    another worker had begun it.
    """
    if task.key != key:
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
            tell(base / f"{name}.partial", files.text(rows))

    tell(report_file, "0\tstarting")
    try:
        with _heartbeat(report_file, ticket, base, key):
            state = base / f"{key}.{files.STATE}"
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
            tell(base / f"{name}.partial", files.text(waiting))
        # After an error the page's process removes them, once it has the error.
        if result.exists() or not ticket.exists():
            files.clear(base, key, name)
    with suppress(OSError):
        cache.prune(base, MAX_BYTES)


def _done(task: Task, state: Path, context: JobContext) -> Outcome:
    """The task's outcome, from where an earlier start of it was stopped."""
    try:
        before = state.read_bytes() if state.exists() else None
        with naming_extras():
            return task.run(replace(context, state=before))
    except InvalidInput:  # for good: no state is left to go on from
        files.remove(state)
        raise


def _leave(job: Path, outcome: Outcome, write: Callable[[Path, str | bytes], None]) -> None:
    contents: dict[str, str | bytes] = {**outcome.files, "csv": files.text(outcome.rows)}
    try:
        for ending, content in contents.items():
            write(Path(f"{job}.{ending}"), content)
    except OSError as error:
        files.remove(*(Path(f"{job}.{ending}") for ending in contents))
        raise InvalidInput(cache.sentence(error)) from None


@contextmanager
def _heartbeat(report: Path, ticket: Path, where: Path, key: str) -> Iterator[None]:
    """Touch the report while the process lives; stop once the last watcher has expired.

    Age is by a monotonic clock: neither a clock unlike the page's nor a machine's sleep ends a job.
    """
    stop = threading.Event()

    def beat() -> None:
        last, since = 0.0, time.monotonic()
        while not stop.wait(BEAT_SECONDS):
            with suppress(OSError):
                os.utime(report)
            if (latest := files.last_watch(where, key)) != last:
                last, since = latest, time.monotonic()
            if time.monotonic() - since >= EXPIRES_SECONDS:
                files.remove(ticket)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
