"""The interface of a long job: a full, named description and a way to carry it out."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import dpcore
from dpcore.errors import InvalidInput
from dpcore.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd


Partial = Callable[["pd.DataFrame"], None]
"""Called with all rows so far."""


RECORDS_MISSING = "The records that this was to learn from are gone; hand the file over again."
RECORDS_FOREIGN = (
    "The file with the records is another user's, but it must be this one's: DPCORE_CACHE must "
    "name a folder that nobody else may write to."
)


@dataclass(frozen=True)
class Outcome:
    """The results of a task."""

    rows: pd.DataFrame
    # further results for download, by file name
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class JobContext:
    """Hold what a working task reports to, and what it resumes from."""

    report: Progress = silent
    partial: Partial = lambda rows: None
    # called often; once it returns True the task raises `Cancelled`
    cancelled: Callable[[], bool] = lambda: False
    state: bytes | None = None  # last saved state of a task of the same key; ``None`` to begin
    # saves the state now and then, and when the task is stopped
    keep: Callable[[bytes], None] = lambda state: None
    records: Any = None  # of an upload, which a worker cannot load by name


class StudyProtocol(Protocol):
    """A pure description."""

    @property
    def key(self) -> str:
        """`digest` of the whole description: letters and digits."""

    @property
    def title(self) -> str:
        """What it is, in a few words for the screen."""


class Task(StudyProtocol, Protocol):
    """A unit of work, identified by the digest of its description, which other processes can do.

    A frozen dataclass that pickles. Two tasks of one key give the same result, also where one
    resumes from the saved state of the other.
    """

    @property
    def is_long(self) -> bool:
        """Whether it may take minutes."""

    def run(self, context: JobContext) -> Outcome:
        """Do the task.

        Raises
        ------
        Cancelled
            If it was stopped on request.
        InvalidInput
            If it can't be done; the sentence says why.
        """


@dataclass(frozen=True)
class StudyTask:
    """Join a study with the function that works on it."""

    study: StudyProtocol
    work: Callable[[Any, JobContext], Outcome]  # of a module, as workers import it from there
    path: str = ""  # of a file with an upload's records, read once; empty for none
    is_long: bool = False

    @property
    def key(self) -> str:
        return self.study.key

    @property
    def title(self) -> str:
        return self.study.title

    def run(self, context: JobContext) -> Outcome:
        if self.path:
            context = replace(context, records=take_records(self.path))
        return self.work(self.study, context)


def take_records(path: str) -> Any:
    """Read the records from a file and remove it; refuse one that another user put there."""
    try:
        with open(path, "rb") as file:
            with suppress(FileNotFoundError):
                os.unlink(path)
            # Loading it runs what it says.
            if hasattr(os, "geteuid") and os.fstat(file.fileno()).st_uid != os.geteuid():
                raise InvalidInput(RECORDS_FOREIGN)
            return pickle.load(file)
    except FileNotFoundError:
        raise InvalidInput(RECORDS_MISSING) from None


def digest(description: object) -> str:
    """A name for a JSON-compatible description and for the code that works on it."""
    text = json.dumps(description, sort_keys=True) + code(Path(dpcore.__file__).parent)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@cache
def code(home: Path) -> str:
    """A digest of the sources in a folder, so that no result of other code is reused."""
    checksum = hashlib.sha256(dpcore.__version__.encode())
    for path in sorted(home.rglob("*.py")):
        checksum.update(path.relative_to(home).as_posix().encode() + b"\0" + path.read_bytes())
    return checksum.hexdigest()
