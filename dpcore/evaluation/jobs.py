"""Long answers in worker processes behind `concurrent.futures`: progress, cancel, a result cache.

A job gives `dpcore.evaluation.curves.answers` of a study. It is named by the study's key, and its
result is a file of that name, so the page that started it can leave and another can find it again.
The oldest results go when they take too much room. Progress and cancel requests travel as small
files too; they belong to one start of the job, so that a job cancelled and started again is not
taken for the old one, and are removed when that start ends, however it ends.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.datasets import Split, cache
from dpcore.errors import Cancelled, InvalidInput
from dpcore.evaluation.study import Study

if TYPE_CHECKING:
    import pandas as pd

WORKERS = 1  # each worker uses every core in its matrix products
IDLE_SECONDS = 600
WRITE_EVERY_SECONDS = 0.1
MOST_BYTES = 200_000_000  # of all results together: more than ten thousand of the page's jobs
MISSING = "nan"  # in a result's file: there, an empty field is an empty text


@dataclass
class _Start:
    """One start of a job by this process; `name` tells its files from those of other starts."""

    future: Future[None]
    name: str
    cancelled: bool = False


_starts: dict[str, _Start] = {}


def folder() -> Path:
    """Where results are kept: `DPCORE_CACHE` if set, otherwise the user's cache folder."""
    path = cache.folder() / "sweeps"
    path.mkdir(parents=True, exist_ok=True)
    return path


@dataclass(frozen=True)
class Job:
    """A handle on one study's answers; all state lives in files and in this process's futures.

    Parameters
    ----------
    key : str
        The study's key.
    """

    key: str

    @property
    def state(self) -> str:
        """One of "queued", "running", "done", "failed" and "cancelled"."""
        if _path(self.key, "csv").exists():
            return "done"
        start = _starts.get(self.key)
        if start is None or start.cancelled:
            return "cancelled"
        if start.future.done():
            # Done without an error and without a file: the cache was cleared meanwhile.
            return "failed" if start.future.exception() else "cancelled"
        return "running" if _path(start.name, "progress").exists() else "queued"

    @property
    def progress(self) -> float:
        """The share done, 0 to 1."""
        return 1.0 if self.state == "done" else float(self._report()[0])

    @property
    def message(self) -> str:
        """What is being done, or why it failed; one line."""
        state = self.state
        if state == "failed":
            error = _starts[self.key].future.exception()
            if isinstance(error, InvalidInput):
                return str(error)
            return f"The worker stopped ({type(error).__name__}); start it again to retry."
        return self._report()[1] if state == "running" else state

    def _report(self) -> tuple[str, str]:
        start = _starts.get(self.key)
        try:
            text = _path(start.name, "progress").read_text(encoding="utf-8") if start else ""
            fraction, message = text.split("\t", 1)
        except (FileNotFoundError, ValueError):
            return "0", "starting"
        return fraction, message

    def cancel(self) -> None:
        """Ask the worker to stop at its next step; a queued job never starts."""
        if self.state in ("queued", "running"):
            start = _starts[self.key]
            start.cancelled = True
            _path(start.name, "cancel").touch()
            start.future.cancel()
            if start.future.done():
                _clear(start.name)

    def result(self, timeout: float | None = None) -> pd.DataFrame:
        """The rows of `answers`, waiting for them if need be.

        Raises
        ------
        Cancelled
            If the job was cancelled.
        InvalidInput
            If the study can't be run; the sentence says why.
        TimeoutError
            If it is not done `timeout` seconds from now.
        """
        import pandas as pd

        start = _starts.get(self.key)
        if start is not None and not _path(self.key, "csv").exists():
            try:
                start.future.result(timeout)
            except CancelledError:
                raise Cancelled from None
        try:
            return pd.read_csv(_path(self.key, "csv"), keep_default_na=False, na_values=[MISSING])
        except FileNotFoundError:
            raise Cancelled from None


def submit(study: Study, split: Split | None = None) -> Job:
    """Compute the study's answers in a worker, or return the job that already runs or has run.

    Parameters
    ----------
    study : Study
    split : Split, optional
        Needed for uploaded data, which a worker can't load by name.
    """
    job = find(study.key)
    if job is not None and job.state in ("queued", "running", "done"):
        return job
    from loky import get_reusable_executor

    executor = get_reusable_executor(
        max_workers=WORKERS, timeout=IDLE_SECONDS, initializer=_yield_to_the_page
    )
    name = f"{study.key}-{secrets.token_hex(4)}"
    future = executor.submit(_work, study, split, study.key, str(folder()), name)
    _starts[study.key] = _Start(future, name)
    future.add_done_callback(lambda _: _clear(name))
    return Job(study.key)


def find(key: str) -> Job | None:
    """The job of that key, if this process started it or its result is in the cache."""
    if key in _starts or _path(key, "csv").exists():
        return Job(key)
    return None


def _path(name: str, ending: str) -> Path:
    return folder() / f"{name}.{ending}"


def _clear(name: str) -> None:
    """Remove the files of a start that has ended."""
    for ending in ("progress", "cancel"):
        _path(name, ending).unlink(missing_ok=True)


def _yield_to_the_page() -> None:
    """Workers run at low priority, so that the page answers at once on a small machine."""
    if hasattr(os, "nice"):
        os.nice(10)


def _work(study: Study, split: Split | None, key: str, where: str, name: str) -> None:
    from dpcore.evaluation.curves import answers

    if study.key != key:
        raise InvalidInput("The program's files have changed since it was started; start it anew.")
    base = Path(where)
    flag, report_file = base / f"{name}.cancel", base / f"{name}.progress"
    result = base / f"{key}.csv"
    if result.exists():  # an earlier start, cancelled too late, came first
        return
    last = 0.0

    def report(fraction: float, message: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= WRITE_EVERY_SECONDS:
            last = now
            _write(report_file, f"{fraction:.4f}\t{message}")

    _write(report_file, "0\tstarting")
    rows = answers(study, split=split, progress=report, cancelled=flag.exists)
    _write(result, rows.to_csv(index=False, na_rep=MISSING))
    cache.prune(base, MOST_BYTES)


def _write(path: Path, text: str) -> None:
    """Write in one piece: a reader sees the old file or the new one, never half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(temporary, path)
