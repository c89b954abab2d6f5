"""An account as text: in a link, in a file (CSV), and from an old calendar of releases."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import date
from typing import Any

from dpcore.accounting.account import MAX_ENTRIES
from dpcore.accounting.budget import split
from dpcore.accounting.entries import KINDS, AccountEntry
from dpcore.errors import InvalidInput, number, one_of
from dpcore.guarantee import PrivacyBudget
from dpcore.rounding import raised
from dpcore.spreadsheet import FORMULA_SIGNS

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
    """The entries that `to_link` wrote.

    Raises
    ------
    InvalidInput
        If the text is too long, or is anything else.
    """
    if len(text) > MAX_LETTERS:
        raise InvalidInput(
            f"The account has {len(text):,} letters, but a link must have at most {MAX_LETTERS:,}."
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
    """Each part as an entry; a refusal names the part."""
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
    """The entries of a file with a heading; its columns may be fewer and in any order.

    Raises
    ------
    InvalidInput
        Naming the row, or the column that is not one of `COLUMNS`.
    """
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


def from_calendar(
    text: str, budget: PrivacyBudget, composition: str, sensitivity: float, *, typed_noise: bool
) -> tuple[AccountEntry, ...]:
    """The entries of a calendar of releases as links of before held it, with the same noise.

    Parameters
    ----------
    text : str
        Rows of date, what, weight and σ.
    budget : PrivacyBudget
        For all of them.
    composition : str
        "basic", "zcdp" or "pld": the rule by which weights became noise.
    sensitivity : float
        Δ of each release.
    typed_noise : bool
        Whether σ counts, and not the weight.

    Raises
    ------
    InvalidInput
        If the text is anything else.
    """
    if len(text) > 4 * MAX_LETTERS:
        raise InvalidInput(f"The calendar has {len(text):,} letters, which is too many.")
    rows = [part.split(BETWEEN_CELLS) for part in text.split(BETWEEN_ENTRIES)]
    for place, row in enumerate(rows, start=1):
        if len(row) != 4:
            raise InvalidInput(
                f"Row {place} of the calendar has {len(row)} cells, but it must have 4: date, "
                "what, weight and σ."
            )
    sensitivity = number("sensitivity Δ", sensitivity, above=0.0)
    column, name = (3, "σ") if typed_noise else (2, "weight")
    amounts = [
        number(f"Row {place}, {name}", row[column], above=0.0, at_most=1e6)
        for place, row in enumerate(rows, start=1)
    ]
    if typed_noise:
        noises = [sigma / sensitivity for sigma in amounts]
    else:
        noises = [
            portion.noise_multiplier for portion in split(budget, amounts, composition).portions
        ]
    releases = [
        {"kind": "release", "what": row[1], "first": row[0], "noise": raised(noise, 12)}
        for row, noise in zip(rows, noises, strict=True)
    ]
    return _merged(_entries(releases, "Row", AccountEntry.of))


def _merged(entries: Sequence[AccountEntry]) -> tuple[AccountEntry, ...]:
    """Neighbours of equal noise that follow each other by days or by weeks as one entry."""
    runs: list[list[AccountEntry]] = []
    for entry in sorted(entries, key=lambda entry: entry.first):
        run = runs[-1] if runs else [entry]
        gap = (entry.first - run[-1].first).days
        usual = (run[1].first - run[0].first).days if len(run) > 1 else gap
        if runs and entry.noise == run[0].noise and gap == usual and gap in (1, 7):
            run.append(entry)
        else:
            runs.append([entry])
    return tuple(_one(run) for run in runs)


def _one(run: Sequence[AccountEntry]) -> AccountEntry:
    every = "day" if len(run) > 1 and run[1].first - run[0].first == date.resolution else "week"
    noise, what = run[0].noise, run[0].what
    return AccountEntry("release", what, len(run), run[0].first, every, noise)
