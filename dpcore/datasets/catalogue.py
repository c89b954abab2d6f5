"""The data sets by name: where they are, and their records, from the publisher or an upload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dpcore.datasets import files
from dpcore.datasets.files import checksum
from dpcore.datasets.own.description import OWN, read_own
from dpcore.datasets.schema import Classes, Column, Entry, Label, RemoteFile, Table, fields_named
from dpcore.datasets.sets import SOURCES
from dpcore.datasets.sources import BuiltIn, FileSource, columns_of, labels_of
from dpcore.datasets.text import quoted, read_checked
from dpcore.errors import InvalidInput, one_of
from dpcore.progress import Progress
from dpcore.words import spaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd


BY_KEY = {each.entry.key: each for each in SOURCES}


def catalogue() -> tuple[Entry, ...]:
    """Every data set, those that need no file first."""
    return tuple(of.entry for of in BY_KEY.values())


def entry(key: str) -> Entry:
    """The data set called `key`."""
    return source(key).entry


def source(key: str) -> BuiltIn | FileSource:
    """How the data set called `key` is read."""
    return BY_KEY[one_of("dataset", key, tuple(BY_KEY))]


def availability(key: str) -> files.Availability:
    """How the set can be obtained here, determined without the network."""
    return files.availability(entry(key))


def load(
    key: str, *, records: int | None = None, seed: int = 0, progress: Progress | None = None
) -> Table:
    """The records of the data set called `key`.

    Parameters
    ----------
    key : str
        Name in the catalogue.
    records : int, optional
        For ``cohort`` only: how many patients, 100 to 1,000,000 (3,000 when left out).
    seed : int
        For ``cohort`` only: which patients.
    progress : callable, optional
        Called with the share done, from 0 to 1, and what is going on.

    Returns
    -------
    Table
        Decoded, not yet prepared.

    Raises
    ------
    InvalidInput
        If there is no such set, or it takes no `records`.
    DataUnavailable
        If the set is neither here nor obtainable; the sentence says what to do.
    """
    file_source = source(key)
    if isinstance(file_source, BuiltIn):
        return file_source.build(records, seed)
    if records is not None:
        raise InvalidInput(
            f"records is {records!r}, but only cohort takes a number of records; {key} has "
            f"{spaced(file_source.entry.records)}."
        )
    contents = files.fetch(file_source.entry, progress)
    raws = [
        read_checked(file_source.layout, data, file.name)
        for file, data in zip(file_source.entry.files, contents, strict=True)
    ]
    return assemble(
        file_source,
        raws,
        published=all(file.sha256 for file in file_source.entry.files),
        sites=file_source.entry.sites,
    )


def assemble(
    file_source: FileSource,
    raws: list[pd.DataFrame],
    *,
    published: bool,
    notes: tuple[str, ...] = (),
    sites: Sequence[str] = (),
) -> Table:
    """Decode the raw fields of the files of one set and concatenate them."""
    import numpy as np
    import pandas as pd

    entry = file_source.entry
    frames = [
        file_source.decode(raw) if file_source.decode else columns_of(entry.written, raw)
        for raw in raws
    ]
    for frame, site in zip(frames, sites, strict=False):
        frame[entry.site] = pd.Categorical([site] * len(frame), categories=pd.Index(entry.sites))
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    label = np.concatenate([labels_of(entry.label, raw) for raw in raws])
    followed = [columns_of(entry.followed, raw) for raw in raws] if entry.followed else []
    remarks = file_source.remark(frame) if file_source.remark else ()
    marked = [column.name for column in entry.columns if column.missing_marks]
    incomplete = int(frame[marked].isna().any(axis=1).sum())
    return Table(
        entry=entry,
        frame=frame,
        label=label,
        notes=notes + tuple(remark.sentence for remark in remarks if remark.count),
        counts={"records": len(label), "incomplete": incomplete}
        | {remark.key: remark.count for remark in remarks},
        published=published,
        follow_up=pd.concat(followed, ignore_index=True) if followed else None,
    )


def describe(key: str) -> dict[str, Any]:
    """The data set called `key` as plain values that JSON can carry.

    Raises
    ------
    InvalidInput
        If there is no such set.
    """
    description = entry(key)
    return {
        **fields_named(description, "key", "title", "records", "records_are", "task", "predicts"),
        "label": _label(description.label),
        **fields_named(description, "source", "licence", "citation"),
        "availability": availability(key),
        "how_to_get": description.how_to_get,
        "columns": [_column(column) for column in description.columns],
        **({"follow_up": list(map(_column, description.followed))} if description.followed else {}),
        "sites": list(description.sites),
        "traps": list(description.traps),
        "files": [
            {"path": file.path, "sha256": file.sha256 or None, "url": file.url or None}
            for file in description.files
        ],
    }


def describe_all() -> list[dict[str, Any]]:
    """`describe` for every data set."""
    return [describe(description.key) for description in catalogue()]


def _label(label: Label | Classes | Column) -> dict[str, Any]:
    if isinstance(label, Column):
        return _column(label)
    if isinstance(label, Classes):
        return {"name": label.name, "classes": list(label.titles)}
    return {"name": label.name, "positive": label.positive, "negative": label.negative}


def _column(column: Column) -> dict[str, Any]:
    description: dict[str, Any] = {
        "name": column.name,
        "kind": column.kind,
        "description": column.description,
        "missing_marks": column.missing_marks,
        "left_out": column.left_out or None,
    }
    if column.kind == "number":
        bounds = ("lower", "upper", "bounds_from", "bounds_reason", "transform")
        description |= {"unit": column.unit or None, **fields_named(column, *bounds)}
    elif column.kind == "category":
        description["levels"] = list(column.levels)
    return description


def read_upload(key: str, data: bytes, filename: str, columns: str = "") -> Table:
    """The records in a file, from anyone, of a set of the catalogue, or of one's own table.

    ``published`` is True only when the bytes are exactly a published file. A refusal names line and
    field, and no value of a record.
    """
    if key == OWN:
        return read_own(columns, data, filename)
    if columns:
        raise InvalidInput(f"columns are described, but only {OWN} takes a description.")
    file_source = source(key)
    if isinstance(file_source, BuiltIn):
        raise InvalidInput(f"{file_source.entry.title} is built in and takes no file.")
    name, own = quoted(filename), file_source.entry
    owners = _owners(checksum(data))
    if owners and key not in owners:
        other = next(iter(owners.values()))
        raise InvalidInput(
            f"{name} is the file {other.file.name} of {other.entry.title}, but it must be one of "
            f"{own.title}."
        )
    if own.site and not owners:
        raise InvalidInput(
            f"{name} is none of the published files of {own.title}, but it must be one of them: "
            "the file says which site a record comes from."
        )
    raw = read_checked(file_source.layout, data, filename)
    if owners:
        return assemble(
            file_source,
            [raw],
            published=True,
            sites=own.sites[owners[key].place : owners[key].place + 1],
        )
    pinned = any(file.sha256 for file in own.files)
    reason = "is not the published file" if pinned else "has no published checksum"
    return assemble(
        file_source,
        [raw],
        published=False,
        notes=(f"The file {reason}; each of its {spaced(len(raw))} rows was checked instead.",),
    )


class _Owner(NamedTuple):
    entry: Entry
    file: RemoteFile
    place: int


def _owners(digest: str) -> dict[str, _Owner]:
    """The sets that have a file with this checksum, by key; two sets may share one."""
    return {
        entry.key: _Owner(entry, file, place)
        for entry in catalogue()
        for place, file in enumerate(entry.files)
        if file.sha256 == digest
    }
