"""A whole description: what it makes of a table, before any record is read."""

from __future__ import annotations

import re
from dataclasses import replace

from dpcore.datasets.limits import LARGEST_NUMBER
from dpcore.datasets.own import mending
from dpcore.datasets.own.field import DescribedField, Person, TableDescription
from dpcore.datasets.own.mending import Mend, Mendable, mend
from dpcore.datasets.own.notation import read, write
from dpcore.datasets.persons import MAX_ROWS_A_PERSON
from dpcore.datasets.schema import Classes, Column, Entry, Label
from dpcore.datasets.text import quoted
from dpcore.errors import InvalidInput
from dpcore.words import as_set, spaced

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
            mends = mending.of_field(description, field)
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
                for field in mending.outcomes(fields)
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
