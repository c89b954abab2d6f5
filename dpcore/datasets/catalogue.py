"""The data sets by name: list them, describe them, load them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpcore.datasets import download
from dpcore.datasets.schema import Classes, Column, Entry, Label, Table
from dpcore.datasets.sets import (
    adult,
    bank,
    breast_cancer,
    cardio,
    cohort,
    diabetes,
    heart,
    ipums_br,
    optical_digits,
)
from dpcore.datasets.sets.source import BuiltIn, FileSource, columns_of, signs_of
from dpcore.datasets.text import read_checked, read_verified
from dpcore.errors import InvalidInput, one_of

if TYPE_CHECKING:
    import pandas as pd

_SOURCES: dict[str, BuiltIn | FileSource] = {
    module.ENTRY.key: module.SOURCE
    for module in (
        breast_cancer,
        cohort,
        diabetes,
        optical_digits,
        adult,
        bank,
        heart,
        cardio,
        ipums_br,
    )
}

ENTRIES: tuple[Entry, ...] = tuple(source.entry for source in _SOURCES.values())


def catalogue() -> tuple[Entry, ...]:
    """Every data set, those that need no file first."""
    return ENTRIES


def entry(key: str) -> Entry:
    """The data set called `key`.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    return source(key).entry


def source(key: str) -> BuiltIn | FileSource:
    """How the data set called `key` is read.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    return _SOURCES[one_of("dataset", key, tuple(_SOURCES))]


def availability(key: str) -> download.Availability:
    """How the set can be had here, answered without the network.

    Returns
    -------
    {"built in", "local", "download", "upload"}

    Raises
    ------
    InvalidInput
        If there is no such set.
    """
    return download.availability(entry(key))


def load(
    key: str,
    *,
    records: int | None = None,
    seed: int = 0,
    progress: download.Progress | None = None,
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
        Told the share done, from 0 to 1, and what is going on.

    Returns
    -------
    Table
        Decoded, not yet prepared.

    Raises
    ------
    InvalidInput
        If there is no such set, or it takes no `records`.
    DataUnavailable
        If the set is not at hand and cannot be had; the sentence says what to do.
    """
    found = source(key)
    if isinstance(found, BuiltIn):
        return found.build(records, seed)
    if records is not None:
        raise InvalidInput(
            f"records is {records!r}, but only cohort takes a number of records; {key} has "
            f"{found.entry.records:,}."
        )
    contents = download.fetch(found.entry, progress)
    raws = [
        read_verified(found.layout, data)
        if file.sha256
        else read_checked(found.layout, data, file.name)
        for file, data in zip(found.entry.files, contents, strict=True)
    ]
    return assemble(found, raws, published=all(file.sha256 for file in found.entry.files))


def assemble(
    found: FileSource, raws: list[pd.DataFrame], *, published: bool, notes: tuple[str, ...] = ()
) -> Table:
    """Decode the raw fields of the files of one set and put them together."""
    import numpy as np
    import pandas as pd

    frames = [
        found.decode(raw) if found.decode else columns_of(found.entry.columns, raw) for raw in raws
    ]
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    label = np.concatenate([signs_of(found.entry.outcome, raw) for raw in raws])
    remarks = found.remark(frame) if found.remark else ()
    marked = [column.name for column in found.entry.columns if column.missing_mark]
    incomplete = int(frame[marked].isna().any(axis=1).sum())
    return Table(
        entry=found.entry,
        frame=frame,
        label=label,
        notes=notes + tuple(remark.sentence for remark in remarks if remark.count),
        counts={"records": len(label), "incomplete": incomplete}
        | {remark.key: remark.count for remark in remarks},
        published=published,
    )


def describe(key: str) -> dict[str, Any]:
    """The data set called `key` as plain values that JSON can carry.

    Raises
    ------
    InvalidInput
        If there is no such set.
    """
    found = entry(key)
    return {
        "key": found.key,
        "title": found.title,
        "records": found.records,
        "records_are": found.records_are,
        "task": found.task,
        "predicts": found.predicts,
        "label": _label(found.label),
        "source": found.source,
        "licence": found.licence,
        "citation": found.citation,
        "availability": availability(key),
        "how_to_get": found.how_to_get,
        "columns": [_column(column) for column in found.columns],
        "traps": list(found.traps),
        "files": [
            {"path": file.path, "sha256": file.sha256 or None, "url": file.url or None}
            for file in found.files
        ],
    }


def describe_all() -> list[dict[str, Any]]:
    """`describe` for every data set."""
    return [describe(found.key) for found in ENTRIES]


def _label(label: Label | Classes | Column) -> dict[str, Any]:
    if isinstance(label, Column):
        return _column(label)
    if isinstance(label, Classes):
        return {"name": label.name, "classes": list(label.titles)}
    return {"name": label.name, "positive": label.positive, "negative": label.negative}


def _column(column: Column) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": column.name,
        "kind": column.kind,
        "description": column.description,
        "missing_mark": column.missing_mark or None,
        "left_out": column.left_out or None,
    }
    if column.kind == "number":
        described |= {
            "unit": column.unit or None,
            "lower": column.lower,
            "upper": column.upper,
            "bounds_from": column.bounds_from,
            "bounds_reason": column.bounds_reason,
            "transform": column.transform,
        }
    elif column.kind == "category":
        described["levels"] = list(column.levels)
    return described
