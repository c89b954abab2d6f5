"""The user's own table: its columns' values are described in words, never read off the records.

A description has one line a column, such as

    age: 18 to 90 years
    smoker: one of no, yes
    bmi: 15 to 50 kg/m²; unknown: NA
    visit: 2015-01-01 to 2024-12-31
    predict progression: 0 to 350

and may say what one person is (`dpcore.datasets.statements`). A day becomes a number of days since
the first that is possible.

A range is public: it says what is possible, and values outside are clipped to it. If it were read
off the records, one record could move every row, and no proof would hold. The outcomes are public
too: one that no record has stays one of them.

Where a refusal has an obvious mend, it carries the description that would hold instead (`Mend`).

A record whose outcome is an empty field is blank, whatever its other fields hold: it counts as a
record and adds nothing to training. That is how one person's record is blanked in a file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from dpcore.datasets.clinical_names import SEXES, YES_NO, is_outcome
from dpcore.datasets.faults import WrongTable
from dpcore.datasets.limits import LARGEST_NUMBER, LARGEST_TABLE
from dpcore.datasets.persons import Whole, bounded, lots_for_exploration
from dpcore.datasets.schema import Classes, Column, Entry, Label, Table, number, values_in
from dpcore.datasets.sources import columns_of, field_of, label_field, labels_of
from dpcore.datasets.statements import is_statement, statements_of
from dpcore.datasets.text import BLANK, Field, Layout, header_of, quoted, read_checked
from dpcore.datasets.values import DAY_FIRST, MONTH_FIRST, YEAR_FIRST, Days, is_number
from dpcore.errors import InvalidInput, cut

OWN = "own"
MOST_LETTERS = 6_000
"""A link with so many letters, of any script, is still short enough for servers."""
MOST_COLUMNS, MOST_LEVELS, MOST_CLASSES = 500, 100, 20
LONGEST_NAME = 60
MOST_MENDS = 3
UNKNOWN_MARKS = ("NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", "?", ".", "-")
"""How files usually mark an unknown value that they do not leave empty."""

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
    how_to_get="It takes a CSV or Parquet file that names its columns, and a description of those "
    "that are used.",
)
"""The entry of a table without a description."""

_NUMBER = r"[-+−]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_RANGE = re.compile(rf"({_NUMBER})\s+to\s+({_NUMBER})(?:\s+(.+))?")
_ONE_OF = re.compile(r"one of\s+(.+)")
_DAYS = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\s+to\s+([0-9]{4}-[0-9]{2}-[0-9]{2})")
_UNKNOWN = re.compile(r"unknown:\s*(\S+)")
_COMMA = "decimal comma"
# Descriptions are shown on pages, so nothing that could act as markup is allowed.
_PREDICT = "predict "
_PLAIN = re.compile(r"[\w .,%/²³µμ·°^()+\-−–'’<>=&#?]+")
_STATED = "As described by whoever brought the file; no document was checked."


@dataclass(frozen=True)
class Mend:
    """Another description, offered where one is refused or doubtful.

    Parameters
    ----------
    label : str
        What it does, in a few words.
    columns : str
        The whole description.
    """

    label: str
    columns: str


class Mendable(InvalidInput):
    """A refusal of a description, or of a file by it, with what may be done about it.

    Parameters
    ----------
    sentence : str
    mends : sequence of Mend
        The likeliest first.
    """

    def __init__(self, sentence: str, mends: Sequence[Mend] = ()) -> None:
        super().__init__(sentence)
        self.mends = tuple(mends)


@dataclass(frozen=True)
class DescribedColumn:
    """One line of a description.

    Parameters
    ----------
    place : int
        Number of the line, from 1.
    text : str
        The line.
    column : Column
    predicted : bool
    label : Label or Classes or Column
        What is predicted, if it is.
    levels : tuple of str
        Its list; empty for a number.
    decimal_comma : bool
        Whether its numbers are written like 1,5.
    """

    place: int
    text: str
    column: Column
    predicted: bool
    label: Label | Classes | Column
    levels: tuple[str, ...] = ()
    decimal_comma: bool = False


def described(columns: str) -> Entry:
    """The entry of a described table, made without its records.

    Parameters
    ----------
    columns : str
        One line a column: ``name: 0 to 100 unit`` for a number with its public range,
        ``name: 2015-01-01 to 2024-12-31`` for a day, or ``name: one of a, b, c``; then
        ``; unknown: NA`` where values may be unknown (``blank`` for an empty field),
        ``; decimal comma`` where numbers are written like 1,5, and ``; day first`` or
        ``; month first`` where days are written like 31.12.2020 or 12/31/2020. The outcome's
        line begins with ``predict``; of two outcomes the second is the positive one. A line that
        ends with its colon describes nothing.

    Returns
    -------
    Entry
        Its `records` is 0.

    Raises
    ------
    InvalidInput
        One sentence naming the first line that is wrong, the column and what is allowed; a
        `Mendable` where something may be done about it.
    """
    return _entry(columns, lines_of(columns))


def lines_of(columns: str) -> list[DescribedColumn]:
    """The lines of a description, each right by itself.

    Raises
    ------
    InvalidInput
        As `described`.
    """
    if len(columns) > MOST_LETTERS:
        raise InvalidInput(
            f"The description of the columns has {len(columns):,} letters, but it must have at "
            f"most {MOST_LETTERS:,}."
        )
    lines = []
    for place, text in enumerate(columns.splitlines(), start=1):
        if not text.strip() or text.strip().endswith(":") or is_statement(text):
            continue
        try:
            lines.append(line_of(text.strip(), place))
        except Mendable as refusal:
            mends = [
                replace(each, columns=_with(columns, place, each.columns)) for each in refusal.mends
            ]
            name = text.partition(":")[0].strip()
            if not name.startswith(_PREDICT):
                shown = name if is_name(name) else f"line {place}"
                mends.append(Mend(f"Leave out {shown}", _with(columns, place)))
            raise Mendable(str(refusal), mends) from None
    return lines


def _entry(columns: str, lines: list[DescribedColumn]) -> Entry:
    used = tuple(line.column for line in lines if not line.predicted)
    predicted = [line for line in lines if line.predicted]
    names = [line.column.name for line in lines]
    for line in lines:
        if names.count(line.column.name) > 1:
            again = max(each.place for each in lines if each.column.name == line.column.name)
            raise Mendable(
                f"The description names the column {line.column.name} twice, but must do once.",
                [Mend(f"Leave out line {again}", _with(columns, again))],
            )
    person = statements_of(columns).person
    for line in lines:
        if person is not None and line.column.name == person.column:
            raise Mendable(
                f"{person.column} says whose row it is, so it must not be described as well: "
                "nothing is learned from it.",
                [Mend(f"Leave out line {line.place}", _with(columns, line.place))],
            )
    if not predicted:
        raise Mendable(
            "The description has no line that begins with “predict”, but it must have one, such "
            "as: predict progression: 0 to 350.",
            [_predict(columns, line) for line in _likeliest(lines)],
        )
    if len(predicted) > 1:
        raise Mendable(
            f"The description has {len(predicted)} lines that begin with “predict”, but it must "
            "have exactly one.",
            [
                Mend(f"Predict {line.column.name} only", _without_predict(columns, line, predicted))
                for line in predicted[:MOST_MENDS]
            ],
        )
    if not 1 <= len(used) <= MOST_COLUMNS:
        raise InvalidInput(
            f"The description has {len(used):,} columns to predict from, but it must have 1 to "
            f"{MOST_COLUMNS}."
        )
    label = predicted[0].label
    return replace(ENTRY, label=label, columns=used, task=_task(label))


def class_of(columns: str) -> Mend | None:
    """What to write if the outcome, a number from 0 to 1 so far, is an answer of yes or no.

    ``None`` where that is no question, or `columns` is refused.
    """
    try:
        lines = lines_of(columns)
    except InvalidInput:
        return None
    for line in lines:
        column = line.column
        is_doubtful = column.kind == "number" and column.bounds == (0.0, 1.0) and not column.unit
        if line.predicted and is_doubtful:
            mended = f"{_PREDICT}{column.name}: one of 0, 1"
            return Mend("Write: one of 0, 1", _with(columns, line.place, mended))
    return None


def read_own(columns: str, data: bytes, filename: str) -> Table:
    """The records of a described table, to explore: one row of each person.

    Which row that is does not change from one reading to the next, nor with what rows hold.

    Parameters
    ----------
    columns, data, filename
        As of `read_rows`.

    Returns
    -------
    Table
        ``published`` is False.

    Raises
    ------
    InvalidInput
        As `read_rows`.
    """
    table, person = read_rows(columns, data, filename)
    if person is None:
        return table
    kept = bounded(person, 1, lots_for_exploration(len(person)))
    note = (
        f"One row of each of {kept.count:,} persons is used here; {kept.dropped:,} more rows are "
        "left out."
    )
    return table.rows(kept.index, (note,))


def read_rows(columns: str, data: bytes, filename: str) -> tuple[Table, Whole | None]:
    """All rows of a described table, and whose they are.

    Parameters
    ----------
    columns : str
        As `described` takes it.
    data : bytes
        Text or Parquet, from anyone; the first line names the columns, in any order. Columns that
        are not described are left out. Where the outcome is an empty field, any other may be too.
    filename : str
        What to call it in a refusal; nothing else depends on it.

    Returns
    -------
    table : Table
        ``published`` is False.
    person : ndarray of int64 or None
        Number of each row's person, from 0; ``None`` where the description names no such column.

    Raises
    ------
    InvalidInput
        Naming the line of the description or of the file, the column and what is allowed, and no
        value of a record; a `Mendable` where something may be done about it.
    """
    lines = lines_of(columns)
    entry, name = _entry(columns, lines), quoted(filename)
    separator, header = header_of(data, filename, LARGEST_TABLE)
    label = entry.label
    expected = {
        line.column.name: replace(
            label_field(label) if line.predicted else field_of(line.column),
            decimal_comma=line.decimal_comma,
        )
        for line in lines
    }
    for line in lines:
        column = line.column.name
        if header.count(column) != 1:
            times = "not" if column not in header else f"{header.count(column)} times"
            raise Mendable(
                f"{column} is described, but the first line of {name} must name it once and names "
                f"it {times}.",
                _mends_of_name(columns, lines, line, set(header) - set(expected)),
            )
    person = statements_of(columns).person
    whose = person.column if person is not None else ""
    if whose:
        if header.count(whose) != 1:
            raise InvalidInput(
                f"{whose} says whose row it is, so the first line of {name} must name it once."
            )
        expected[whose] = Field(whose, person=True)
    fields = tuple(expected.get(column, Field(column, ignored=True)) for column in header)
    layout = Layout(fields, separator, header=True, label=label.name)
    try:
        raw = read_checked(layout, data, filename, LARGEST_TABLE)
    except WrongTable as refusal:
        mends = [
            mend
            for line in lines
            if line.column.name == refusal.field
            for mend in _mends_of_value(columns, lines, line, refusal.value)
        ]
        raise Mendable(str(refusal), mends) from None
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
    ignored = "1 column was" if left_out == 1 else f"{left_out:,} columns were"
    notes = {
        f"{ignored} ignored (not described).": left_out,
        f"{label.name} is the same in every record, so there is nothing to learn.": is_constant,
    }
    table = replace(table, notes=tuple(note for note, applies in notes.items() if applies))
    return table, raw[whose].to_numpy() if whose else None


def _with(columns: str, place: int, line: str = "") -> str:
    """The description with this line in place of another one, or without that."""
    lines = columns.splitlines()
    lines[place - 1 : place] = [line] if line else []
    return "\n".join(lines)


def _likeliest(lines: list[DescribedColumn]) -> list[DescribedColumn]:
    """The columns that may be predicted, by their names, else the last one."""
    named = [line for line in lines if is_outcome(line.column.name)]
    return [line for line in named or lines[-1:] if not line.column.missing_mark][:MOST_MENDS]


def _predict(columns: str, line: DescribedColumn) -> Mend:
    text = f"{_PREDICT}{line.text}"
    return Mend(f"Predict {line.column.name}", _with(columns, line.place, text))


def _without_predict(columns: str, kept: DescribedColumn, predicted: list[DescribedColumn]) -> str:
    for line in predicted:
        if line is not kept:
            columns = _with(columns, line.place, line.text.removeprefix(_PREDICT))
    return columns


def _leave_out(columns: str, lines: list[DescribedColumn], line: DescribedColumn) -> list[Mend]:
    """The mend that leaves a column out, unless nothing could be learned then."""
    if line.predicted or len(lines) <= 2:
        return []
    return [Mend(f"Leave out {line.column.name}", _with(columns, line.place))]


def _mends_of_name(
    columns: str,
    lines: list[DescribedColumn],
    line: DescribedColumn,
    others: Collection[str],
) -> list[Mend]:
    """What may be done about a name that the file's first line does not have once."""
    name = line.column.name
    mends = [
        Mend(
            f"Call it {other}, as the file does",
            _with(columns, line.place, line.text.replace(name, other, 1)),
        )
        for other in sorted(others)
        if other.casefold() == name.casefold() and _PLAIN.fullmatch(other)
    ]
    return [*mends[:MOST_MENDS], *_leave_out(columns, lines, line)]


def _mends_of_value(
    columns: str, lines: list[DescribedColumn], line: DescribedColumn, value: str
) -> list[Mend]:
    """What may be done about a value that its column does not allow.

    No list is completed and no range is widened by it: that would read them off the records.
    """
    name, column, mends = line.column.name, line.column, []
    mark = BLANK if not value else value if value in UNKNOWN_MARKS else ""
    if mark and not line.predicted and not column.missing_mark:
        text = f"{line.text}; unknown: {mark}"
        shown = "an empty field" if mark == BLANK else mark
        mends.append(Mend(f"Read {shown} in {name} as unknown", _with(columns, line.place, text)))
    if column.kind == "number" and is_number(value, decimal_comma=not line.decimal_comma):
        way = "a decimal comma" if not line.decimal_comma else "a decimal point"
        bare = "; ".join(part for part in _parts(line.text) if part != _COMMA)
        text = bare if line.decimal_comma else f"{line.text}; {_COMMA}"
        mends.append(Mend(f"Read {name} with {way}", _with(columns, line.place, text)))
    for other in _respelled(line, value):
        shown = ", ".join(other)
        before, _, remarks = line.text.partition(";")
        text = f"{before.partition(':')[0]}: one of {shown}" + (f";{remarks}" if remarks else "")
        mends.append(Mend(f"Write: one of {shown}", _with(columns, line.place, text)))
    return [*mends[:MOST_MENDS], *_leave_out(columns, lines, line)]


def _respelled(line: DescribedColumn, value: str) -> list[tuple[str, ...]]:
    """Public spellings of the same list that have the value; for a number those of yes and no."""
    levels = line.levels
    if levels in SEXES:
        pairs = SEXES
    elif (not levels and not is_number(value)) or levels in YES_NO:
        pairs = YES_NO
    else:
        pairs = ()
    cases = [tuple(map(change, levels)) for change in (str.lower, str.upper, str.capitalize)]
    same_length = [case for case in cases if len(set(case)) == len(levels)]
    return list(dict.fromkeys(each for each in (*pairs, *same_length) if value in each))


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(";")]


def line_of(text: str, place: int) -> DescribedColumn:
    """One line of a description, the one at this place.

    Raises
    ------
    Mendable
        If it is wrong; its mends hold this line alone.
    """
    before, colon, values = text.partition(":")
    predicted = before.startswith(_PREDICT)
    name = before.removeprefix(_PREDICT).strip()
    where = f"The description, line {place}"
    if not colon or not is_name(name):
        raise Mendable(
            f"{where} must be the name of a column, in at most {LONGEST_NAME} letters, digits and "
            "common signs, then a colon and what it holds, such as: age: 18 to 90 years."
        )
    where = f"{where}: {name}"
    values, *remarks = _parts(values)
    bare = f"{before}:{text.partition(':')[2].partition(';')[0]}"
    mark, decimal_comma, order = "", False, YEAR_FIRST
    for remark in remarks:
        if unknown := _UNKNOWN.fullmatch(remark):
            mark = unknown[1]
        elif remark == _COMMA:
            decimal_comma = True
        elif remark in (DAY_FIRST, MONTH_FIRST):
            order = remark
        else:
            raise Mendable(
                f"{where} has {_shown(remark)} after a semicolon, but it must be “unknown: blank”, "
                f"another mark, “{_COMMA}”, “{DAY_FIRST}” or “{MONTH_FIRST}”."
            )
    if mark and predicted:
        raise Mendable(
            f"{where} is predicted, so it has no mark for unknown values: a record without it "
            "leaves the field empty and counts as blank.",
            [Mend(f"Drop the mark of {name}", bare + (f"; {_COMMA}" if decimal_comma else ""))],
        )
    if mark and not _PLAIN.fullmatch(mark):
        raise Mendable(
            f"{where} marks unknown values by {_shown(mark)}, but it must be letters, digits and "
            "common signs."
        )
    if bounds := _DAYS.fullmatch(values):
        column = _days(where, name, bounds, mark, order)
        return DescribedColumn(place, text, column, predicted, column)
    if bounds := _RANGE.fullmatch(values):
        column = _number(text, where, name, bounds, mark)
        return DescribedColumn(place, text, column, predicted, column, (), decimal_comma)
    if choices := _ONE_OF.fullmatch(values):
        column, label = _listed(where, name, choices[1], mark, predicted)
        return DescribedColumn(place, text, column, predicted, label, values_in(choices[1]))
    raise Mendable(
        f"{where} holds {_shown(values)}, but it must be a range such as 0 to 100 mg/dl or "
        "2015-01-01 to 2024-12-31, or a list such as one of no, yes."
    )


def is_name(name: str) -> bool:
    """Whether a column of this name can be described."""
    return bool(_PLAIN.fullmatch(name)) and len(name) <= LONGEST_NAME


def _number(text: str, where: str, name: str, bounds: re.Match[str], mark: str) -> Column:
    lower, upper = (float(text.replace("−", "-")) for text in bounds.groups()[:2])
    unit = (bounds[3] or "").strip()
    if not -LARGEST_NUMBER <= lower < upper <= LARGEST_NUMBER:
        swapped = f"{bounds[2]} to {bounds[1]}"
        mended = text.replace(bounds[0], bounds[0].replace(f"{bounds[1]} to {bounds[2]}", swapped))
        raise Mendable(
            f"{where} has the range {cut(bounds[1])} to {cut(bounds[2])}, but the first must be "
            f"below the second, and both between {-LARGEST_NUMBER:,.0f} and {LARGEST_NUMBER:,.0f}.",
            [Mend(f"Write {swapped}", mended)] if lower > upper else [],
        )
    if unit and (not _PLAIN.fullmatch(unit) or len(unit) > LONGEST_NAME):
        raise Mendable(
            f"{where} has the unit {_shown(unit)}, but it must be at most {LONGEST_NAME} letters, "
            "digits and common signs."
        )
    return number(
        name, name, (lower, upper), _STATED, unit, bounds_from="assumed", missing_mark=mark
    )


def _days(where: str, name: str, bounds: re.Match[str], mark: str, order: str) -> Column:
    """A day, as a number of days since the first one that is possible."""
    calendar = Days(date.min)
    first, last = (calendar.number(text) for text in bounds.groups())
    if first is None or last is None or first >= last:
        raise Mendable(
            f"{where} has the range {bounds[1]} to {bounds[2]}, but both must be days, the first "
            "before the second."
        )
    days = Days(date.fromisoformat(bounds[1]), order)
    unit = f"days since {bounds[1]}"
    column = number(
        name, name, (0.0, last - first), _STATED, unit, bounds_from="assumed", missing_mark=mark
    )
    return replace(column, days=days)


def _listed(
    where: str, name: str, text: str, mark: str, predicted: bool
) -> tuple[Column, Label | Classes]:
    levels = values_in(text)
    most = MOST_CLASSES if predicted else MOST_LEVELS
    if not 2 <= len(levels) <= most or len({*levels, mark}) != len(levels) + 1:
        raise Mendable(
            f"{where} is one of {len(levels)} values, but it must be one of 2 to {most} different "
            "ones."
        )
    for level in levels:
        if not _PLAIN.fullmatch(level) or len(level) > LONGEST_NAME:
            raise Mendable(
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
    return column, label


def _task(label: Label | Classes | Column) -> str:
    if isinstance(label, Column):
        return f"Predict {label.name} in a table of your own."
    if isinstance(label, Label):
        return f"Tell whether {label.positive} or {label.negative} in a table of your own."
    return f"Tell which {label.name} it is, in a table of your own."


def _shown(text: str) -> str:
    """Untrusted text, shortened, quoted, and without anything that could act as markup."""
    return quoted("".join(re.findall(_PLAIN, text)))
