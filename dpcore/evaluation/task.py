"""What a long job is: a full description with a name of its own, and a way to work through it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import dpcore

if TYPE_CHECKING:
    import pandas as pd

Report = Callable[[float, str], None]
"""Told the share done, 0 to 1, and what is being done."""

Partial = Callable[["pd.DataFrame"], None]
"""Given the rows so far, all of them each time."""


@dataclass(frozen=True)
class Outcome:
    """What a task leaves.

    Parameters
    ----------
    rows : DataFrame
        Tidy.
    files : mapping of str to bytes
        What else can be taken along, by file name.
    """

    rows: pd.DataFrame
    files: Mapping[str, bytes] = field(default_factory=dict)


class Task(Protocol):
    """Work that can be described in full, and so named, found again and done elsewhere.

    A frozen dataclass that pickles. Two tasks of one key give the same result.
    """

    @property
    def key(self) -> str:
        """`digest` of the whole description: letters and digits."""

    @property
    def title(self) -> str:
        """What it is, in a few words for the screen."""

    def run(self, report: Report, partial: Partial, cancelled: Callable[[], bool]) -> Outcome:
        """Do it.

        Parameters
        ----------
        report : callable
        partial : callable
        cancelled : callable
            Asked often, between batches; once it answers True the task raises `Cancelled`.

        Raises
        ------
        Cancelled
            If it was asked to stop.
        InvalidInput
            If it can't be done; the sentence says why.
        """


@runtime_checkable
class Resumable(Task, Protocol):
    """A task that can be left off and taken up again."""

    def go_on(
        self,
        state: bytes | None,
        keep: Callable[[bytes], None],
        report: Report,
        partial: Partial,
        cancelled: Callable[[], bool],
    ) -> Outcome:
        """Do it from a state, with the outcome of an unbroken `run`.

        Parameters
        ----------
        state : bytes or None
            The last one kept by a task of the same key; ``None`` to begin.
        keep : callable
            Given the state now and then, and where it is stopped.
        report, partial, cancelled
            As for `run`.
        """


def digest(description: object) -> str:
    """A name for a description that JSON can carry, and for the code that works on it."""
    text = json.dumps(description, sort_keys=True) + code(Path(dpcore.__file__).parent)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@cache
def code(home: Path) -> str:
    """A digest of the sources in a folder: no result of other code is taken for this one's."""
    whole = hashlib.sha256(dpcore.__version__.encode())
    for path in sorted(home.rglob("*.py")):
        whole.update(path.relative_to(home).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()
