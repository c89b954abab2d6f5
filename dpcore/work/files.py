"""The files in one cache folder by which pages and workers speak of a job.

Each start of a job has a name and, by it, a ticket, without which the worker stops, a report of its
progress, touched every second, and the rows so far. The saved state, the results and a file for
each watcher, touched every second, have the job's key.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dpcore.datasets import cache

if TYPE_CHECKING:
    import pandas as pd

FOLDER = "jobs"
STATE = "state"  # saved by a stopped task, for resuming
MISSING = "nan"  # in a result's file, where an empty field is an empty text
NAMES = ("column", "level", "term")
"""Columns of a result that hold names, also where these look like numbers."""


def path(name: str, ending: str) -> Path:
    """The file of a start's name, or of a job's key."""
    return cache.path_of(f"{FOLDER}/{name}.{ending}")


def exists(name: str, ending: str) -> bool:
    return os.path.exists(path(name, ending))


def of_job(key: str) -> list[Path]:
    """All files of the job of that key."""
    return [found for where in cache.places(FOLDER) for found in matching(where, f"{key}*")]


def matching(where: Path, pattern: str) -> list[Path]:
    """The files that match; none in a folder that is missing or unreadable."""
    try:
        return list(where.glob(pattern))
    except OSError:
        return []


def remove(*several: Path) -> None:
    for file in several:
        with suppress(OSError):
            file.unlink()


def clear(where: Path, key: str, name: str) -> None:
    """Remove the files of an ended start; without a result, its last rows stay."""
    with suppress(OSError):
        os.replace(where / f"{name}.partial", where / f"{key}.partial")
    if os.path.exists(where / f"{key}.csv"):
        remove(where / f"{key}.partial", where / f"{key}.{STATE}")
    ticket = where / f"{name}.job"
    others = {*matching(where, f"{name}.*"), *matching(where, f"{key}-*.watch")} - {ticket}
    remove(*others, ticket)  # as the start has ended without it


def last_watch(where: Path, key: str) -> float:
    """When a watcher of the job was there last."""
    return max(map(_touched, matching(where, f"{key}-*.watch")), default=0.0)


def started(key: str) -> str | None:
    """The name of the job's start that has given a sign of life last."""
    names = [file.stem for file in matching(cache.folder() / FOLDER, f"{key}-*.job")]
    return max(names, key=last_sign, default=None)


def last_sign(name: str) -> float:
    """When a start's worker, or before that its process, gave a sign of life last."""
    return _touched(path(name, "progress")) or _touched(path(name, "job"))


def seconds_since(moment: float) -> float:
    return time.time() - moment


def _touched(file: Path) -> float:
    with suppress(OSError):
        return file.stat().st_mtime
    return 0.0


def text(rows: pd.DataFrame) -> str:
    """The rows as they are written."""
    return str(rows.to_csv(index=False, na_rep=MISSING))


def read(file: Path) -> pd.DataFrame:
    """The rows as they were written."""
    import pandas as pd

    columns = pd.read_csv(file, nrows=0).columns
    missing = {name: [MISSING] for name in columns if name not in NAMES}
    texts = {name: str for name in columns if name in NAMES}
    return pd.read_csv(file, keep_default_na=False, na_values=missing, dtype=texts)
