"""What may be done about a refusal: another description, which would hold.

The likeliest are offered; no range is widened by the records.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from dpcore.datasets.clinical_names import SEXES, YES_NO, is_outcome
from dpcore.datasets.own.field import DescribedField, TableDescription
from dpcore.datasets.own.notation import write
from dpcore.datasets.own.typed_numbers import readings
from dpcore.datasets.text import shown_mark
from dpcore.datasets.values import has_other_mark, is_number
from dpcore.errors import InvalidInput
from dpcore.words import as_set

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


def outcomes(fields: Sequence[DescribedField]) -> list[DescribedField]:
    """The fields that may be predicted, by their names, else the last one."""
    named = [field for field in fields if is_outcome(field.name)]
    return [field for field in named or fields[-1:] if not field.missing_marks][:MAX_MENDS]


def leave_out(description: TableDescription, field: DescribedField) -> list[Mend]:
    if field.name == description.predicted or len(description.fields) <= 2:
        return []
    return [mend(f"Leave out {field.name}", description.without(field))]


def of_field(description: TableDescription, field: DescribedField) -> list[Mend]:
    """What may be done about a field that is wrong by itself."""
    mends = []
    lower, upper = field.lower, field.upper
    if lower is not None and upper is not None and lower > upper:
        swapped = replace(field, lower=upper, upper=lower)
        mends.append(
            mend(
                f"Write {as_set(upper)} to {as_set(lower)}",
                description.with_field(field, swapped),
            )
        )
    if field.missing_marks and field.name == description.predicted:
        bare = replace(field, missing_marks=())
        mends.append(mend(f"Drop the marks of {field.name}", description.with_field(field, bare)))
    return [*mends, *leave_out(description, field)]


def of_name(
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


def of_value(
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
