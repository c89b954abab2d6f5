"""The user's own table: its columns' values are described in words, never read off the records.

A description has one line a column, such as

    age: 18 to 90 years
    smoker: one of no, yes
    bmi: 15 to 50 kg/m²; unknown: NA
    predict progression: 0 to 350

A range is public: it says what is possible, and values outside are clipped to it. If it were read
off the records, one record could move every row, and no proof would hold. The outcomes are public
too: one that no record has stays one of them.

A record whose outcome is an empty field is blank, whatever its other fields hold: it counts as a
record and adds nothing to training. That is how one person's record is blanked in a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from dpcore.datasets.schema import Classes, Column, Entry, Label, Table, number, values_in
from dpcore.datasets.sources import columns_of, field_of, label_field, labels_of
from dpcore.datasets.text import (
    LARGEST_NUMBER,
    Field,
    Layout,
    header_of,
    quoted,
    read_checked,
)
from dpcore.errors import InvalidInput

OWN = "own"
MOST_LETTERS = 6_000
"""A link with so many letters, of any script, is still short enough for servers."""
MOST_COLUMNS, MOST_LEVELS, MOST_CLASSES = 500, 100, 20
LONGEST_NAME = 60

ENTRY = Entry(
    key=OWN,
    title="Your own table",
    records_are="records",
    source="Your own file",
    licence="Not known to this page",
    citation="",
    task="Predict a number, or one of several outcomes, in a table of your own.",
    label=Label("outcome", "yes", "no"),
    records=0,
    columns=(),
    traps=(),
    how_to_get="It takes a text file (CSV) whose first line names the columns, and a description "
    "of those that are used.",
)
"""The entry of a table without a description."""

_NUMBER = r"[-+−]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_RANGE = re.compile(rf"({_NUMBER})\s+to\s+({_NUMBER})(?:\s+(.+))?")
_ONE_OF = re.compile(r"one of\s+(.+)")
_UNKNOWN = re.compile(r";\s*unknown:\s*(\S+)$")
# Descriptions are shown on pages, so nothing that could act as markup is allowed.
_PLAIN = re.compile(r"[\w .,%/²³µμ·°^()+\-−–'’<>=&#?]+")
_STATED = "As described by whoever brought the file; no document was checked."


@dataclass(frozen=True)
class _ColumnText:
    """One line of a description: a column, and whether it is predicted."""

    column: Column
    predicted: bool
    label: Label | Classes | Column


def described(columns: str) -> Entry:
    """The entry of a described table, made without its records.

    Parameters
    ----------
    columns : str
        One line a column: ``name: 0 to 100 unit`` for a number with its public range, or
        ``name: one of a, b, c``; then ``; unknown: NA`` where values may be unknown (``blank`` for
        an empty field). The outcome's line begins with ``predict``; of two outcomes the second is
        the positive one. A line that ends with its colon describes nothing.

    Returns
    -------
    Entry
        Its `records` is 0.

    Raises
    ------
    InvalidInput
        One sentence naming the first line that is wrong, the column and what is allowed.
    """
    if len(columns) > MOST_LETTERS:
        raise InvalidInput(
            f"The description of the columns has {len(columns):,} letters, but it must have at "
            f"most {MOST_LETTERS:,}."
        )
    lines = [
        _line(place, text.strip())
        for place, text in enumerate(columns.splitlines(), start=1)
        if text.strip() and not text.strip().endswith(":")
    ]
    used = tuple(line.column for line in lines if not line.predicted)
    labels = [line.label for line in lines if line.predicted]
    names = [line.column.name for line in lines]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"The description names the column {name} twice, but must do once.")
    if len(labels) != 1:
        raise InvalidInput(
            f"The description has {len(labels)} lines that begin with “predict”, but it must have "
            "exactly one, such as: predict progression: 0 to 350."
        )
    if not 1 <= len(used) <= MOST_COLUMNS:
        raise InvalidInput(
            f"The description has {len(used):,} columns to predict from, but it must have 1 to "
            f"{MOST_COLUMNS}."
        )
    label = labels[0]
    return replace(ENTRY, label=label, columns=used, task=_task(label))


def read_own(columns: str, data: bytes, filename: str) -> Table:
    """The records of a described table.

    Parameters
    ----------
    columns : str
        As `described` takes it.
    data : bytes
        Text, from anyone; the first line names the columns, in any order. Columns that are not
        described are left out. Where the outcome is an empty field, any other may be too.
    filename : str
        What to call it in a refusal; nothing else depends on it.

    Returns
    -------
    Table
        ``published`` is False.

    Raises
    ------
    InvalidInput
        One sentence naming the line of the description or of the file, the column, the value and
        what is allowed.
    """
    entry, name = described(columns), quoted(filename)
    separator, header = header_of(data, filename)
    expected = {column.name: field_of(column) for column in entry.columns}
    label = entry.label
    expected[label.name] = label_field(label)
    for column in expected:
        if header.count(column) != 1:
            times = "not" if column not in header else f"{header.count(column)} times"
            raise InvalidInput(
                f"{column} is described, but the first line of {name} must name it once and names "
                f"it {times}."
            )
    fields = tuple(expected.get(column, Field(column, ignored=True)) for column in header)
    layout = Layout(fields, separator, header=True, label=label.name)
    raw = read_checked(layout, data, filename)
    frame = columns_of(entry.columns, raw)
    labels = labels_of(label, raw)
    left_out = len(header) - len(expected)
    table = Table(
        entry=replace(entry, records=len(labels)),
        frame=frame,
        label=labels,
        counts={"records": len(labels)},
        published=False,
    )
    # No table is refused for what its records have in common: blanking one record must not turn an
    # accepted table into a refused one, or the reverse.
    is_constant = len(np.unique(labels[~table.blank])) < 2
    notes = {
        f"{left_out:,} columns of the file are not described and left out.": left_out,
        f"{label.name} is the same in every record, so there is nothing to learn.": is_constant,
    }
    return replace(table, notes=tuple(note for note, applies in notes.items() if applies))


def template(data: bytes, filename: str) -> str:
    """The column names of a file, one a line, as the start of a description.

    Raises
    ------
    InvalidInput
        If the file is not text, or is empty.
    """
    names = header_of(data, filename)[1]
    return "\n".join(f"{name}: " for name in names if _PLAIN.fullmatch(name))


def _line(place: int, text: str) -> _ColumnText:
    before, colon, values = text.partition(":")
    predicted = before.startswith("predict ")
    name = before.removeprefix("predict ").strip()
    where = f"The description, line {place}"
    if not colon or not _PLAIN.fullmatch(name) or len(name) > LONGEST_NAME:
        raise InvalidInput(
            f"{where} must be the name of a column, in at most {LONGEST_NAME} letters, digits and "
            "common signs, then a colon and what it holds, such as: age: 18 to 90 years."
        )
    where = f"{where}: {name}"
    values = values.strip()
    unknown = _UNKNOWN.search(values)
    mark = unknown[1] if unknown else ""
    values = _UNKNOWN.sub("", values).strip()
    if mark and predicted:
        raise InvalidInput(
            f"{where} is predicted, so it has no mark for unknown values: a record without it "
            "leaves the field empty and counts as blank."
        )
    if mark and not _PLAIN.fullmatch(mark):
        raise InvalidInput(
            f"{where} marks unknown values by {_shown(mark)}, but it must be letters, digits and "
            "common signs."
        )
    if bounds := _RANGE.fullmatch(values):
        column = _number(where, name, bounds, mark)
        return _ColumnText(column, predicted, column)
    if choices := _ONE_OF.fullmatch(values):
        return _listed(where, name, choices[1], mark, predicted)
    raise InvalidInput(
        f"{where} holds {_shown(values)}, but it must be a range such as 0 to 100 mg/dl, or a list "
        "such as one of no, yes."
    )


def _number(where: str, name: str, bounds: re.Match[str], mark: str) -> Column:
    lower, upper = (float(text.replace("−", "-")) for text in bounds.groups()[:2])
    unit = (bounds[3] or "").strip()
    if not -LARGEST_NUMBER <= lower < upper <= LARGEST_NUMBER:
        raise InvalidInput(
            f"{where} has the range {bounds[1]} to {bounds[2]}, but the first must be below the "
            f"second, and both between {-LARGEST_NUMBER:,.0f} and {LARGEST_NUMBER:,.0f}."
        )
    if unit and (not _PLAIN.fullmatch(unit) or len(unit) > LONGEST_NAME):
        raise InvalidInput(
            f"{where} has the unit {_shown(unit)}, but it must be at most {LONGEST_NAME} letters, "
            "digits and common signs."
        )
    return number(
        name, name, (lower, upper), _STATED, unit, bounds_from="assumed", missing_mark=mark
    )


def _listed(where: str, name: str, text: str, mark: str, predicted: bool) -> _ColumnText:
    levels = values_in(text)
    most = MOST_CLASSES if predicted else MOST_LEVELS
    if not 2 <= len(levels) <= most or len({*levels, mark}) != len(levels) + 1:
        raise InvalidInput(
            f"{where} is one of {len(levels)} values, but it must be one of 2 to {most} different "
            "ones."
        )
    for level in levels:
        if not _PLAIN.fullmatch(level) or len(level) > LONGEST_NAME:
            raise InvalidInput(
                f"{where} may be {_shown(level)}, but it must be at most {LONGEST_NAME} letters, "
                "digits and common signs."
            )
    label: Label | Classes = Classes(name, levels)
    if len(levels) == 2:
        no, yes = levels
        label = Label(name, f"{name} = {yes}", f"{name} = {no}", ((no, -1), (yes, 1)))
    if len(levels) == 2 and not mark:
        column = Column(name, "indicator", f"{name} = {levels[1]}", codes=levels)
    else:
        column = Column(name, "category", name, levels=levels, missing_mark=mark)
    return _ColumnText(column, predicted, label)


def _task(label: Label | Classes | Column) -> str:
    if isinstance(label, Column):
        return f"Predict {label.name} in a table of your own."
    if isinstance(label, Label):
        return f"Tell whether {label.positive} or {label.negative} in a table of your own."
    return f"Tell which {label.name} it is, in a table of your own."


def _shown(text: str) -> str:
    """Untrusted text, shortened, quoted, and without anything that could act as markup."""
    return quoted("".join(re.findall(_PLAIN, text)))
