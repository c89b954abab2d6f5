"""An uploaded file in a confined process, and the facts about it that leave the process.

The functions here run in that process (`dpcore.confined`), which holds one table or one set of
examples. Callers get outlines and curves, and no record; a training gets the records by a file
that only this user can read and that is removed once it has been read.
"""

from __future__ import annotations

import os
import pickle
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Preparation, Split, Table, cache, read_upload
from dpcore.datasets.images import ExamplesEntry
from dpcore.evaluation.splits import splits
from dpcore.work import files

if TYPE_CHECKING:
    from dpcore.datasets.images import Examples

FOLDER = "uploads"
JOB = "job-"
"""How a note of a job begins, after the names of its host and process."""


@dataclass(frozen=True)
class Outline:
    """The facts about a table's prepared records that leave the process."""

    emptied: Split  # their description, without any record
    records: int
    tested: int
    splits: int
    # number of test records of each; empty where a number is predicted
    classes: tuple[tuple[float, int], ...]
    published: bool  # whether the file is a published one
    all_blank: bool  # whether every record to learn from is blank

    def stand_in(self) -> Split:
        """A split of these sizes that takes no memory: its rows are nan, its classes sorted."""
        return self._of_size(self.emptied)

    def _of_size(self, emptied: Split) -> Split:
        labels = [np.full(count, label) for label, count in self.classes]
        nothing = np.array(np.nan)
        return replace(
            emptied,
            maps={name: self._of_size(one) for name, one in emptied.maps.items()},
            x_train=np.broadcast_to(nothing, (self.records, emptied.dimension)),
            y_train=np.broadcast_to(nothing, (self.records,)),
            blank=np.broadcast_to(np.False_, (self.records,)),
            x_test=np.broadcast_to(nothing, (self.tested, emptied.dimension)),
            y_test=np.concatenate(labels) if labels else np.broadcast_to(nothing, (self.tested,)),
        )


@dataclass(frozen=True)
class Brief:
    """The facts about examples that leave the process."""

    entry: ExamplesEntry
    records: int
    tested: tuple[int, ...]
    all_blank: bool  # whether every training record is blank


@dataclass
class _UploadedRecords:
    table: Table | None = None
    examples: Examples | None = None


_uploaded = _UploadedRecords()


def take_table(key: str, data: bytes, filename: str, columns: str) -> None:
    """Read a table, as `dpcore.datasets.read_upload` does, and hold it."""
    _uploaded.table = read_upload(key, data, filename, columns)


def records() -> int:
    """How many records the table has, blank ones included."""
    assert _uploaded.table is not None
    return _uploaded.table.records


def outline(preparation: Preparation) -> Outline:
    """Prepare the table's records."""
    table = _uploaded.table
    assert table is not None
    every = splits(table, preparation)
    split = every[0]
    classes: tuple[tuple[float, int], ...] = ()
    if split.entry.predicts != "number":
        label_counts = np.unique(split.y_test, return_counts=True)
        classes = tuple(
            (float(label), int(count)) for label, count in zip(*label_counts, strict=True)
        )
    return Outline(
        emptied=_emptied(split),
        records=split.records,
        tested=len(split.y_test),
        splits=len(every),
        classes=classes,
        published=table.published,
        all_blank=all(part.blank.all() for part in every),
    )


def _emptied(split: Split) -> Split:
    arrays = ("x_train", "y_train", "x_test", "y_test", "blank")
    maps = {name: _emptied(one) for name, one in split.maps.items()}
    return replace(split, maps=maps, **{name: getattr(split, name)[:0].copy() for name in arrays})


def take_examples(data: bytes, filename: str) -> Brief:
    """Read features, as `dpcore.datasets.images.sets.features_npz` does, and hold them."""
    from dpcore.datasets.images.sets import features_npz
    from dpcore.evaluation.training.data import known, tested

    examples = _uploaded.examples = features_npz.decode(data, filename)
    all_blank = not known(examples.train_targets).any()
    return Brief(examples.entry, examples.records, tested(examples), all_blank)


def hand_over(path: str) -> None:
    """Write the records for a worker to a file that only this user can read."""
    records = _uploaded.examples if _uploaded.table is None else _uploaded.table
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        pickle.dump(records, file, protocol=5)


def folder() -> Path:
    """The folder of records that wait for a worker; what ended servers left is removed."""
    result = cache.folder() / FOLDER
    result.mkdir(mode=0o700, parents=True, exist_ok=True)
    remove_leftovers()
    return result


def remove_leftovers() -> None:
    """Remove the records that ended servers left, and all that was learned from such."""
    for path in files.matching(cache.folder() / FOLDER, "*"):
        host, _, rest = path.name.partition("+")
        process, _, token = rest.partition("+")
        if host == socket.gethostname() and not _runs(process):
            key = token.removeprefix(JOB)
            if key != token and key.isalnum():
                files.remove(*files.of_job(key))
            files.remove(path)


def mark(key: str) -> str:
    """Note that a job learns from records of this process; the path of the note."""
    path = place(f"{JOB}{key}")
    Path(path).touch(mode=0o600)
    return path


def place(token: str) -> str:
    """A new path in that folder, with the names of its host and process."""
    return str(folder() / f"{socket.gethostname()}+{os.getpid()}+{token}")


def _runs(process: str) -> bool:
    if not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True
