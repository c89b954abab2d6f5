"""One line of a description: the name of a column, and what it may hold."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from dpcore.datasets.limits import LARGEST_NUMBER
from dpcore.datasets.own.mend import Mend, Mendable
from dpcore.datasets.own.typed_numbers import readings, written
from dpcore.datasets.schema import Classes, Column, Label, number, values_in
from dpcore.datasets.text import quoted
from dpcore.datasets.values import DAY_FIRST, MONTH_FIRST, YEAR_FIRST, Days
from dpcore.errors import InvalidInput, cut

MOST_LEVELS, MOST_CLASSES = 100, 20
LONGEST_NAME = 60
PREDICT = "predict "
COMMA = "decimal comma"
BLANK = "blank"
"""The mark for "unknown" that stands for an empty field."""

# Digits can be divided in one way only: else a long number takes the cube of its length.
_NUMBER = r"[-+−]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_RANGE = re.compile(rf"({_NUMBER})\s+to\s+({_NUMBER})(?:\s+(.+))?")
_RANGE_WITH_COMMAS = re.compile(r"(([-+−]?[0-9.,]+)\s+to\s+([-+−]?[0-9.,]+))(?:\s+.+)?")
_ONE_OF = re.compile(r"one of\s+(.+)")
_DAYS = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\s+to\s+([0-9]{4}-[0-9]{2}-[0-9]{2})")
_PLACE = re.compile(r"^The description, line [0-9]+: ")
_UNKNOWN = re.compile(r"unknown:\s*(\S+)")
# Descriptions are shown on pages, so nothing that could act as markup is allowed.
_PLAIN = re.compile(r"[\w .,%/²³µμ·°^()+\-−–'’<>=&#?]+")
_STATED = "As described by whoever brought the file; no document was checked."


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


def line_of(text: str, place: int) -> DescribedColumn:
    """One line of a description, the one at this place.

    Raises
    ------
    Mendable
        If it is wrong; its mends hold this line alone.
    """
    before, colon, values = text.partition(":")
    predicted = before.startswith(PREDICT)
    name = before.removeprefix(PREDICT).strip()
    where = f"The description, line {place}"
    if not colon or not is_name(name):
        raise Mendable(
            f"{where} must be the name of a column, in at most {LONGEST_NAME} letters, digits and "
            "common signs, then a colon and what it holds, such as: age: 18 to 90 years."
        )
    where = f"{where}: {name}"
    values, *remarks = parts_of(values)
    bare = f"{before}:{text.partition(':')[2].partition(';')[0]}"
    mark, decimal_comma, order = "", False, YEAR_FIRST
    for remark in remarks:
        if unknown := _UNKNOWN.fullmatch(remark):
            mark = unknown[1]
        elif remark == COMMA:
            decimal_comma = True
        elif remark in (DAY_FIRST, MONTH_FIRST):
            order = remark
        else:
            raise Mendable(
                f"{where} has {_shown(remark)} after a semicolon, but it must be “unknown: blank”, "
                f"another mark, “{COMMA}”, “{DAY_FIRST}” or “{MONTH_FIRST}”."
            )
    if mark and predicted:
        raise Mendable(
            f"{where} is predicted, so it has no mark for unknown values: a record without it "
            "leaves the field empty and counts as blank.",
            [Mend(f"Drop the mark of {name}", bare + (f"; {COMMA}" if decimal_comma else ""))],
        )
    if mark and not is_plain(mark):
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
    if "," in values and (bounds := _RANGE_WITH_COMMAS.fullmatch(values)):
        raise _comma_refused(text, where, bounds)
    raise Mendable(
        f"{where} holds {_shown(values)}, but it must be a range such as 0 to 100 mg/dl or "
        "2015-01-01 to 2024-12-31, or a list such as one of no, yes."
    )


def without_place(refusal: InvalidInput) -> InvalidInput:
    """The refusal as a form tells it, which has columns and no lines; with the same mends."""
    words = _PLACE.sub("", str(refusal))
    return Mendable(words, refusal.mends) if isinstance(refusal, Mendable) else InvalidInput(words)


def is_name(name: str) -> bool:
    """Whether a column of this name can be described."""
    return is_plain(name) and len(name) <= LONGEST_NAME


def is_plain(text: str) -> bool:
    """Whether a text may be shown on a page, with nothing in it that could act as markup."""
    return bool(_PLAIN.fullmatch(text))


def parts_of(text: str) -> list[str]:
    """What stands between the semicolons of a line."""
    return [part.strip() for part in text.split(";")]


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
    if unit and (not is_plain(unit) or len(unit) > LONGEST_NAME):
        raise Mendable(
            f"{where} has the unit {_shown(unit)}, but it must be at most {LONGEST_NAME} letters, "
            "digits and common signs."
        )
    return number(
        name, name, (lower, upper), _STATED, unit, bounds_from="assumed", missing_marks=_marks(mark)
    )


def _comma_refused(text: str, where: str, bounds: re.Match[str]) -> Mendable:
    """Why a range with a comma is wrong; it is mended where it can mean one thing only."""
    whole, lower, upper = bounds.groups()
    numbers = [number for bound in (lower, upper) for number in readings(bound)]
    # Beside a decimal comma, a point may part thousands.
    is_clear = "." not in whole and len(numbers) == 2 and numbers[0] < numbers[1]
    points = " to ".join(map(written, numbers))
    return Mendable(
        f"{where} has the range {cut(lower)} to {cut(upper)}, but decimals must be written with a "
        "point, such as 0.5, and nothing may part thousands.",
        [Mend(f"Write {points}", text.replace(whole, points))] if is_clear else [],
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
        name,
        name,
        (0.0, last - first),
        _STATED,
        unit,
        bounds_from="assumed",
        missing_marks=_marks(mark),
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
        if not is_plain(level) or len(level) > LONGEST_NAME:
            raise Mendable(
                f"{where} may be {_shown(level)}, but it must be at most {LONGEST_NAME} letters, "
                "digits and common signs."
            )
    label: Label | Classes = Classes(name, levels)
    if len(levels) == 2:
        no, yes = levels
        label = Label(name, f"{name} = {yes}", f"{name} = {no}", ((no, -1), (yes, 1)))
    if len(levels) == 2 and not mark:
        description = f"{name} = {levels[1]}"
        column = Column(name, "indicator", description, levels=levels, codes=levels)
    else:
        column = Column(name, "category", name, levels=levels, missing_marks=_marks(mark))
    return column, label


def _marks(mark: str) -> tuple[str, ...]:
    return ("" if mark == BLANK else mark,) if mark else ()


def _shown(text: str) -> str:
    """Untrusted text, shortened, quoted, and without anything that could act as markup."""
    return quoted("".join(re.findall(_PLAIN, text)))
