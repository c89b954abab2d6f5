"""A whole description: what it makes of a table, the records by it, and what mends a refusal.

A mend is another description, which would hold. The likeliest are offered; no range is widened by
the records, and a refusal of a file names line and column, and no value of a record.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpcore.datasets.clinical_names import SEXES, YES_NO, is_outcome
from dpcore.datasets.faults import LARGEST_NUMBER, LARGEST_TABLE, WrongHeader, WrongTable
from dpcore.datasets.own.notation import DescribedField, Person, TableDescription, read, write
from dpcore.datasets.own.typed_numbers import readings
from dpcore.datasets.persons import MAX_ROWS_A_PERSON, Whole, bounded, lots_for_exploration
from dpcore.datasets.schema import Classes, Column, Entry, Label, Table
from dpcore.datasets.sources import columns_of, field_of, label_field, labels_of
from dpcore.datasets.text import Field, Layout, distinct_values, quoted, read_described, shown_mark
from dpcore.datasets.values import has_other_mark, is_number
from dpcore.errors import InvalidInput
from dpcore.words import as_set, spaced

MAX_MENDS = 3
UNKNOWN_MARKS = (
    *("NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", "?", ".", "-", "#N/A"),
    *("#REF!", "#VALUE!", "#DIV/0!", "not done", "unknown", "missing"),
)
"""How files usually mark an unknown value that they do not leave empty."""


@dataclass(frozen=True)
class Mend:
    """Another description, offered where one is refused or doubtful."""

    label: str
    columns: str


def mend(label: str, description: TableDescription) -> Mend:
    """The mend that replaces a description by another one."""
    return Mend(label, write(description))


class Mendable(InvalidInput):
    """A refusal of a description, or of a file by it, with what may be done about it."""

    def __init__(self, sentence: str, mends: Sequence[Mend] = ()) -> None:
        super().__init__(sentence)
        self.mends = tuple(mends)


def likely_outcomes(fields: Sequence[DescribedField]) -> list[DescribedField]:
    """The fields that may be predicted, by their names, else the last one."""
    named = [field for field in fields if is_outcome(field.name)]
    return [field for field in named or fields[-1:] if not field.missing_marks][:MAX_MENDS]


def leave_out(description: TableDescription, field: DescribedField) -> list[Mend]:
    if field.name == description.predicted or len(description.fields) <= 2:
        return []
    return [mend(f"Leave out {field.name}", description.without(field))]


def mends_of_field(description: TableDescription, field: DescribedField) -> list[Mend]:
    """What may be done about a field that is wrong by itself."""
    mends = []
    lower, upper = field.lower, field.upper
    if lower is not None and upper is not None and lower > upper:
        swapped = replace(field, lower=upper, upper=lower)
        mends.append(
            mend(
                f"Write {as_set(upper)} to {as_set(lower)}", description.with_field(field, swapped)
            )
        )
    if field.missing_marks and field.name == description.predicted:
        bare = replace(field, missing_marks=())
        mends.append(mend(f"Drop the marks of {field.name}", description.with_field(field, bare)))
    return [*mends, *leave_out(description, field)]


def mends_of_name(
    description: TableDescription, field: DescribedField, others: Collection[str]
) -> list[Mend]:
    """What may be done about a name that the file's header does not have once."""
    mends = [
        mend(
            f"Call it {other}, as the file does",
            description.with_field(field, replace(field, name=other)),
        )
        for other in sorted(others)
        if other.casefold() == field.name.casefold()
    ]
    return [*mends[:MAX_MENDS], *leave_out(description, field)]


def mends_of_value(
    description: TableDescription, field: DescribedField, value: str, distinct: Collection[str]
) -> list[Mend]:
    """What may be done about the first value that its field does not allow."""
    mends = []

    def offer(label: str, after: DescribedField) -> None:
        mends.append(mend(label, description.with_field(field, after)))

    found = [mark for mark in ("", *UNKNOWN_MARKS) if mark in distinct]
    marks = tuple(mark for mark in found if mark not in field.missing_marks)
    if value in marks and field.name != description.predicted:
        shown = " and ".join(map(shown_mark, marks))
        offer(
            f"Read {shown} in {field.name} as unknown",
            replace(field, missing_marks=(*field.missing_marks, *marks)),
        )
    has_comma = field.decimal_mark == ","
    if field.kind == "number" and has_other_mark(value, has_comma):
        mark = "." if has_comma else ","
        way = "a decimal point" if has_comma else f"a decimal comma{_example(value)}"
        offer(
            f"Read {field.name} with {way}",
            replace(field, decimal_mark=mark, thousands_mark="" if has_comma else "."),
        )
    known = {*distinct} - {*field.missing_marks, *found}
    for levels in _respelled(field, value):
        if known <= {*levels}:
            offer(
                f"Write: one of {', '.join(levels)}",
                DescribedField(
                    field.name, "list", levels=levels, missing_marks=field.missing_marks
                ),
            )
    return [*mends[:MAX_MENDS], *leave_out(description, field)]


def _example(value: str) -> str:
    """What a decimal comma makes of marks like this value's, by other digits: no value leaves."""
    if "." in value:
        return ": 1.234 is 1234"
    return ": 1,234 is 1.234" if len(readings(value)) > 1 else ""


def _respelled(field: DescribedField, value: str) -> list[tuple[str, ...]]:
    """Public spellings of the same list that have the value; for a number those of yes and no."""
    levels = field.levels
    if levels in SEXES:
        pairs = SEXES
    elif (not levels and not is_number(value)) or levels in YES_NO:
        pairs = YES_NO
    else:
        pairs = ()
    cases = [tuple(map(change, levels)) for change in (str.lower, str.upper, str.capitalize)]
    same_length = [case for case in cases if len(set(case)) == len(levels)]
    return list(dict.fromkeys(each for each in (*pairs, *same_length) if value in each))


OWN = "own"
MAX_COLUMNS = 500
MAX_LEVELS, MAX_CLASSES, MAX_MARKS = 100, 20, 20
MAX_NAME_LETTERS = 60
# Control characters, line breaks, and marks that change the direction of text or are not seen.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")

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


def described(columns: str) -> Entry:
    """The entry of a described table, made without its records; `records` is 0.

    A refusal names the first line that is wrong, and is a `Mendable` where something may be done.
    """
    return entry_of(read(columns))


def entry_of(description: TableDescription) -> Entry:
    """The entry that a description makes; raises as `described`."""
    fields = description.fields
    for field in fields:
        try:
            check(field, is_predicted=field.name == description.predicted)
        except InvalidInput as refusal:
            where = f", line {field.place}" if field.place else ""
            mends = mends_of_field(description, field)
            raise Mendable(f"The description{where}: {refusal}", mends) from None
    _check_together(description)
    (outcome,) = (field for field in fields if field.name == description.predicted)
    return replace(
        ENTRY,
        label=outcome.label,
        columns=tuple(field.column for field in description.used),
        task=_task(outcome.label),
    )


def is_name(name: str) -> bool:
    """Whether a column of this name can be described."""
    return bool(name) and len(name) <= MAX_NAME_LETTERS and not _INVISIBLE.search(name)


def class_of(columns: str) -> Mend | None:
    """What to write if the outcome, a number from 0 to 1 so far, is an answer of yes or no."""
    try:
        described(columns)
    except InvalidInput:
        return None
    description = read(columns)
    for field in description.fields:
        if field.name == description.predicted and not field.unit:
            if (field.lower, field.upper) == (0.0, 1.0):
                answer = DescribedField(field.name, "list", levels=("0", "1"))
                return mend("Write: one of 0, 1", description.with_field(field, answer))
            return None
    return None


def check(field: DescribedField, *, is_predicted: bool) -> None:
    """Check one field by itself."""
    name, marks = field.name, field.missing_marks
    if not is_name(name):
        raise InvalidInput(
            f"the column {quoted(name)} must have a name of 1 to {MAX_NAME_LETTERS} visible "
            "letters and signs in one line."
        )
    texts = {"unit": (field.unit,), "value": field.levels, "mark": marks}
    for what, each in texts.items():
        for text in each:
            is_empty = what == "value" and not text
            if is_empty or text != text.strip() or len(text) > MAX_NAME_LETTERS:
                raise InvalidInput(
                    f"{name} has the {what} {quoted(text)}, but it must have at most "
                    f"{MAX_NAME_LETTERS} letters and signs, and no blanks around them."
                )
            if _INVISIBLE.search(text):
                raise InvalidInput(f"{name} has a {what} with signs that cannot be seen.")
    if marks and is_predicted:
        raise InvalidInput(
            f"{name} is predicted, so it has no mark for unknown values: a record without it "
            "leaves the field empty and counts as blank."
        )
    if len(marks) > MAX_MARKS or len({*marks}) < len(marks) or {*field.levels} & {*marks}:
        raise InvalidInput(
            f"{name} has {len(marks)} marks for unknown values, but it must have at most "
            f"{MAX_MARKS} different ones, and none that is in its list."
        )
    if field.kind == "list":
        most, levels = MAX_CLASSES if is_predicted else MAX_LEVELS, field.levels
        if not 2 <= len(levels) <= most or len({*levels}) < len(levels):
            raise InvalidInput(
                f"{name} is one of {len(levels)} values, but it must be one of 2 to {most} "
                "different ones."
            )
    elif field.kind == "day":
        if field.first is None or field.last is None or field.first >= field.last:
            raise InvalidInput(
                f"{name} has the range {field.first} to {field.last}, but the first day must be "
                "before the second."
            )
    else:
        _check_number(field)


def _check_number(field: DescribedField) -> None:
    lower, upper = field.lower, field.upper
    assert lower is not None
    assert upper is not None
    if not -LARGEST_NUMBER <= lower < upper <= LARGEST_NUMBER:
        raise InvalidInput(
            f"{field.name} has the range {as_set(lower)} to {as_set(upper)}, but the first "
            f"must be below the second, and both between {spaced(round(-LARGEST_NUMBER))} and "
            f"{spaced(round(LARGEST_NUMBER))}."
        )
    if field.decimal_mark == field.thousands_mark:
        raise InvalidInput(
            f"{field.name} has “{field.decimal_mark}” before decimals and between thousands, but "
            "it must have different marks for them."
        )


def _check_together(description: TableDescription) -> None:
    fields, predicted = description.fields, description.predicted
    names = [field.name for field in fields]
    for field in fields:
        if names.count(field.name) > 1:
            again = next(each for each in reversed(fields) if each.name == field.name)
            raise Mendable(
                f"The description names the column {field.name} twice, but must do once.",
                [mend(f"Leave out line {again.place}", description.without(again))],
            )
    person = description.person
    if person is not None and person.column:
        if not is_name(person.column):
            raise InvalidInput(
                f"The description's person is {quoted(person.column)}, but it must be the name of "
                "a column."
            )
        if not 1 <= person.most <= MAX_ROWS_A_PERSON:
            raise InvalidInput(
                f"The description: a person has at most {spaced(person.most)} rows, but it must be "
                f"1 to {spaced(MAX_ROWS_A_PERSON)}."
            )
        for field in fields:
            if field.name == person.column:
                raise Mendable(
                    f"{field.name} says whose row it is, so it must not be described as well: "
                    "nothing is learned from it.",
                    [mend(f"Leave out the line of {field.name}", description.without(field))],
                )
    if not predicted:
        raise Mendable(
            "The description does not say what is predicted, but it must, such as: predict: died.",
            [
                mend(f"Predict {field.name}", replace(description, predicted=field.name))
                for field in likely_outcomes(fields)
            ],
        )
    if predicted not in names:
        raise InvalidInput(
            f"The description predicts {quoted(predicted)}, but it must describe that column."
        )
    if not 1 <= len(description.used) <= MAX_COLUMNS:
        raise InvalidInput(
            f"The description has {spaced(len(description.used))} columns to predict from, but it "
            f"must have 1 to {MAX_COLUMNS}."
        )


def _task(label: Label | Classes | Column) -> str:
    if isinstance(label, Column):
        return f"Predict {label.name} in a table of your own."
    if isinstance(label, Label):
        return f"Tell whether {label.positive} or {label.negative} in a table of your own."
    return f"Tell which {label.name} it is, in a table of your own."


def restated(columns: str, person: Person | None) -> str:
    """A description that says this of persons and that their number is public; or neither."""
    try:
        description = read(columns)
    except InvalidInput:
        return ""
    said = replace(description, person=person, number_is_public=person is not None)
    return columns if said == description else write(said)


def read_own(columns: str, data: bytes, filename: str) -> Table:
    """The records of a described table, to explore: one row of each person."""
    table, person = read_rows(columns, data, filename)
    if person is None:
        return table
    persons = bounded(person, 1, lots_for_exploration(len(person)))
    note = (
        f"One row of each of {spaced(persons.count)} persons is used here; "
        f"{spaced(persons.dropped)} more rows are left out."
    )
    return table.rows(persons.index, (note,))


def read_rows(columns: str, data: bytes, filename: str) -> tuple[Table, Whole | None]:
    """All rows of a described table, from anyone's text or Parquet, and whose they are.

    Persons count from 0; ``None`` where the description names no such column. What is not described
    is left out. A refusal names line and column, and no value of a record.
    """
    description = read(columns)
    entry = entry_of(description)
    label = entry.label
    fields = [
        file_field(field, is_predicted=field.name == label.name) for field in description.fields
    ]
    person = description.person
    whose = person.column if person is not None else ""
    if whose:
        fields.append(Field(whose, person=True))
    layout = Layout(tuple(fields), header=True, label=label.name)
    try:
        raw, notes = read_described(layout, data, filename, LARGEST_TABLE, description.dialect)
    except WrongHeader as refusal:
        absent = [field for field in description.fields if field.name in refusal.absent]
        mends = [
            mend
            for field in absent[:1]
            for mend in mends_of_name(description, field, set(refusal.others))
        ]
        raise Mendable(str(refusal), mends) from None
    except WrongTable as refusal:
        raise Mendable(
            str(refusal), _mends_of_refusal(description, refusal, data, filename)
        ) from None
    frame = columns_of(entry.columns, raw)
    labels = labels_of(label, raw)
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
    if is_constant:
        notes += (f"{label.name} is the same in every record, so there is nothing to learn.",)
    return replace(table, notes=notes), raw[whose].to_numpy() if whose else None


def file_field(field: DescribedField, *, is_predicted: bool = False) -> Field:
    """The field of a file that a described one is read from."""
    return replace(
        label_field(field.label) if is_predicted else field_of(field.column),
        decimal_mark=field.decimal_mark,
        thousands_mark=field.thousands_mark,
        beyond=field.beyond,
        described=True,
    )


def _mends_of_refusal(
    description: TableDescription, refusal: WrongTable, data: bytes, filename: str
) -> list[Mend]:
    for field in description.fields:
        if field.name == refusal.field:
            distinct = distinct_values(data, filename, description.dialect)[field.name]
            return mends_of_value(description, field, refusal.value, distinct)
    return []
