"""An account as text: in a link, and in a file (CSV)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from dpcore.accounting.account import MAX_ENTRIES
from dpcore.accounting.entries import KINDS, AccountEntry
from dpcore.errors import InvalidInput, one_of
from dpcore.spreadsheet import FORMULA_SIGNS
from dpcore.words import spaced

MAX_LETTERS = 16_000
BETWEEN_ENTRIES, BETWEEN_CELLS = ";", "~"
COLUMNS = tuple(field.name for field in fields(AccountEntry))
_COMMON = ("what", "count", "first", "every", "noise", "share", "epsilon")
_LINK = {
    "training": (*_COMMON[:-1], "records", "batch", "epochs", "sampling", "adjacency"),
    "release": (*_COMMON, "adjacency"),
    "laplace": (*_COMMON, "adjacency"),
    "model": (*_COMMON[:4], "method", "epsilon", "delta", "share", "adjacency"),
    "spent": ("what", "first", "epsilon", "delta", "adjacency"),
}
"""The cells of each kind in a link, after the kind; empty ones at the end are left out."""


def to_link(entries: Sequence[AccountEntry]) -> str:
    """The entries in one line, for a link."""
    return BETWEEN_ENTRIES.join(_in_link(entry) for entry in entries)


def _in_link(entry: AccountEntry) -> str:
    cells = [entry.kind, *(_cell(getattr(entry, name)) for name in _LINK[entry.kind])]
    return BETWEEN_CELLS.join(cells).rstrip(BETWEEN_CELLS)


def _cell(cell: Any) -> str:
    if cell is None:
        return ""
    text = repr(cell).removesuffix(".0") if isinstance(cell, float) else str(cell)
    return text.replace(BETWEEN_ENTRIES, " ").replace(BETWEEN_CELLS, " ")


def from_link(text: str) -> tuple[AccountEntry, ...]:
    """The entries that `to_link` wrote."""
    if len(text) > MAX_LETTERS:
        raise InvalidInput(
            f"The account has {spaced(len(text))} letters, but a link must have at most "
            f"{spaced(MAX_LETTERS)}."
        )
    parts = text.split(BETWEEN_ENTRIES) if text else []
    return _entries(parts, "Entry", _from_link)


def _from_link(part: str) -> AccountEntry:
    kind, *cells = part.split(BETWEEN_CELLS)
    names = _LINK[one_of("kind", kind, KINDS)]
    if len(cells) > len(names):
        raise InvalidInput(f"it has {len(cells)} cells, but it must have at most {len(names)}.")
    return AccountEntry.of({"kind": kind, **dict(zip(names, cells, strict=False))})


def _entries(
    parts: Sequence[Any], noun: str, read: Callable[[Any], AccountEntry]
) -> tuple[AccountEntry, ...]:
    if len(parts) > MAX_ENTRIES:
        raise InvalidInput(
            f"The account has {len(parts)} entries, but it must have at most {MAX_ENTRIES}."
        )
    entries = []
    for place, part in enumerate(parts, start=1):
        try:
            entries.append(read(part))
        except InvalidInput as refused:
            raise InvalidInput(f"{noun} {place}: {refused}") from None
    return tuple(entries)


def to_csv(entries: Sequence[AccountEntry]) -> str:
    """The entries as a file that `from_csv` reads; no name begins like a formula."""
    target = io.StringIO()
    writer = csv.DictWriter(target, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for entry in entries:
        row = {name: _cell(value) for name, value in entry.row().items()}
        writer.writerow(row | {"what": row["what"].lstrip(f"{FORMULA_SIGNS} ")})
    return target.getvalue()


def from_csv(text: str) -> tuple[AccountEntry, ...]:
    """The entries of a file with a heading; its columns may be fewer and in any order."""
    try:
        reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), restkey="", strict=True)
        for name in reader.fieldnames or ():
            one_of("column", name, COLUMNS)
        rows = list(reader)
    except csv.Error as error:
        raise InvalidInput(f"The file is no table (CSV): {error}.") from None
    return _entries(rows, "Row", _from_row)


def _from_row(row: dict[str, Any]) -> AccountEntry:
    if "" in row:
        raise InvalidInput("it has more cells than the heading, but it must have as many.")
    return AccountEntry.of({name: (cell or "").strip() for name, cell in row.items()})
