"""The short notation of a description, one line a column, as what it means.

    age: 18 to 90 years
    bmi: 15 to 50 kg/m²; unknown: NA
    visit: 2015-01-01 to 2024-12-31; day first
    predict died: one of no, yes
    person: patient_id, at most 3 rows
    number of persons: public

It cannot say all that the other can (`notation`): a name with a colon, say.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from datetime import date

from dpcore.datasets.own.field import DescribedField, Person, TableDescription
from dpcore.datasets.schema import values_in
from dpcore.datasets.text import quoted
from dpcore.datasets.values import DAY_FIRST, MONTH_FIRST
from dpcore.errors import InvalidInput

PREDICT = "predict "
_BLANK = "blank"
# Digits can be divided in one way only: else a long number takes the cube of its length.
_NUMBER = r"[-+−]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_RANGE = re.compile(rf"({_NUMBER})\s+to\s+({_NUMBER})(?:\s+(.+))?")
_DAYS = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\s+to\s+([0-9]{4}-[0-9]{2}-[0-9]{2})")
_ONE_OF = re.compile(r"one of\s+(.+)")
_UNKNOWN = re.compile(r"unknown:\s*(\S.*)")
_PERSON = re.compile(r"person:\s*(?:(one\s+row\s+each)|(.+?),\s*at\s+most\s+([0-9]{1,9})\s+rows?)")


def description_of(text: str) -> TableDescription:
    """The description in lines; a line that ends with its colon describes nothing."""
    description = TableDescription(())
    predicted = []
    for place, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.endswith(":"):
            continue
        if line == "number of persons: public":
            description = replace(description, number_is_public=True)
        elif match := _PERSON.fullmatch(line):
            if description.person is not None:
                raise InvalidInput(
                    f"The description, line {place}: it says again what one person is, but must "
                    "do so once."
                )
            person = Person() if match[1] else Person(match[2].strip(), int(match[3]))
            description = replace(description, person=person)
        else:
            field = _field(line, place)
            if line.startswith(PREDICT):
                predicted.append(field.name)
            description = replace(description, fields=(*description.fields, field))
    if len(predicted) > 1:
        raise InvalidInput(
            f"The description has {len(predicted)} lines that begin with “predict”, but it must "
            "have exactly one."
        )
    return replace(description, predicted="".join(predicted))


def _field(line: str, place: int) -> DescribedField:
    before, colon, after = line.partition(":")
    name = before.removeprefix(PREDICT).strip()
    where = f"The description, line {place}"
    if not colon or not name:
        raise InvalidInput(
            f"{where} must be the name of a column, a colon and what it holds, such as: "
            "age: 18 to 90 years."
        )
    values, *remarks = (part.strip() for part in after.split(";"))
    field = _holding(f"{where}: {name}", name, values)
    said: list[str] = []
    for remark in remarks:
        if unknown := _UNKNOWN.fullmatch(remark):
            marks = ("" if mark == _BLANK else mark for mark in values_in(unknown[1]))
            field = replace(field, missing_marks=(*field.missing_marks, *marks))
            continue
        subject = "decimals" if remark == "decimal comma" else "days"
        if remark == "decimal comma":
            field = replace(field, decimal_mark=",", thousands_mark=".")
        elif remark in (DAY_FIRST, MONTH_FIRST):
            field = replace(field, day_order=remark)
        else:
            raise InvalidInput(
                f"{where}: {name} has {quoted(remark)} after a semicolon, but it must be “unknown: "
                f"blank”, other marks with commas, “decimal comma”, “{DAY_FIRST}” or "
                f"“{MONTH_FIRST}”."
            )
        if subject in said:
            raise InvalidInput(f"{where}: {name} says twice how {subject} are written, not once.")
        said.append(subject)
    return replace(field, place=place)


def _holding(where: str, name: str, values: str) -> DescribedField:
    if bounds := _DAYS.fullmatch(values):
        with suppress(ValueError):
            first, last = map(date.fromisoformat, bounds.groups())
            return DescribedField(name, "day", first=first, last=last)
    elif bounds := _RANGE.fullmatch(values):
        lower, upper = (float(text.replace("−", "-")) for text in bounds.groups()[:2])
        return DescribedField(name, "number", lower, upper, unit=(bounds[3] or "").strip())
    elif choices := _ONE_OF.fullmatch(values):
        return DescribedField(name, "list", levels=values_in(choices[1]))
    raise InvalidInput(
        f"{where} holds {quoted(values)}, but it must be a range such as 0 to 100 mg/dl (with a "
        "decimal point) or 2015-01-01 to 2024-12-31, or a list such as one of no, yes."
    )
