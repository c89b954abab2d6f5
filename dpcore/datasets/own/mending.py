"""The likeliest mends of a description that is refused, or that a file does not follow."""

from __future__ import annotations

from collections.abc import Collection

from dpcore.datasets.clinical_names import SEXES, YES_NO, is_outcome
from dpcore.datasets.own.line import BLANK, COMMA, PREDICT, DescribedColumn, is_plain, parts_of
from dpcore.datasets.own.mend import Mend, with_line
from dpcore.datasets.own.typed_numbers import readings
from dpcore.datasets.values import has_other_mark, is_number

MOST_MENDS = 3
UNKNOWN_MARKS = ("NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None", "?", ".", "-")
"""How files usually mark an unknown value that they do not leave empty."""


def outcomes(lines: list[DescribedColumn]) -> list[DescribedColumn]:
    """The columns that may be predicted, by their names, else the last one."""
    named = [line for line in lines if is_outcome(line.column.name)]
    return [line for line in named or lines[-1:] if not line.column.missing_marks][:MOST_MENDS]


def predict(columns: str, line: DescribedColumn) -> Mend:
    """Predict this column."""
    text = f"{PREDICT}{line.text}"
    return Mend(f"Predict {line.column.name}", with_line(columns, line.place, text))


def predict_only(columns: str, outcome: DescribedColumn, predicted: list[DescribedColumn]) -> str:
    """The description in which only this one of the predicted columns stays predicted."""
    for line in predicted:
        if line is not outcome:
            columns = with_line(columns, line.place, line.text.removeprefix(PREDICT))
    return columns


def _leave_out(columns: str, lines: list[DescribedColumn], line: DescribedColumn) -> list[Mend]:
    """The mend that leaves a column out, unless nothing could be learned then."""
    if line.predicted or len(lines) <= 2:
        return []
    return [Mend(f"Leave out {line.column.name}", with_line(columns, line.place))]


def of_name(
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
            with_line(columns, line.place, line.text.replace(name, other, 1)),
        )
        for other in sorted(others)
        if other.casefold() == name.casefold() and is_plain(other)
    ]
    return [*mends[:MOST_MENDS], *_leave_out(columns, lines, line)]


def of_value(
    columns: str, lines: list[DescribedColumn], line: DescribedColumn, value: str
) -> list[Mend]:
    """What may be done about a value that its column does not allow.

    No list is completed and no range is widened by it: that would read them off the records.
    """
    name, column, mends = line.column.name, line.column, []
    mark = BLANK if not value else value if value in UNKNOWN_MARKS else ""
    if mark and not line.predicted and not column.missing_marks:
        text = f"{line.text}; unknown: {mark}"
        shown = "an empty field" if mark == BLANK else mark
        mends.append(
            Mend(f"Read {shown} in {name} as unknown", with_line(columns, line.place, text))
        )
    if column.kind == "number" and has_other_mark(value, line.decimal_comma):
        way = "a decimal comma" if not line.decimal_comma else "a decimal point"
        bare = "; ".join(part for part in parts_of(line.text) if part != COMMA)
        text = bare if line.decimal_comma else f"{line.text}; {COMMA}"
        example = "" if line.decimal_comma else _example(value)
        mends.append(Mend(f"Read {name} with {way}{example}", with_line(columns, line.place, text)))
    for other in _respelled(line, value):
        shown = ", ".join(other)
        before, _, remarks = line.text.partition(";")
        text = f"{before.partition(':')[0]}: one of {shown}" + (f";{remarks}" if remarks else "")
        mends.append(Mend(f"Write: one of {shown}", with_line(columns, line.place, text)))
    return [*mends[:MOST_MENDS], *_leave_out(columns, lines, line)]


def _example(value: str) -> str:
    """What a decimal comma makes of marks like this value's, by other digits: no value leaves."""
    if "." in value:
        return ": 1.234 is 1234"
    return ": 1,234 is 1.234" if len(readings(value)) > 1 else ""


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
