"""A form for the columns of the user's own table: one row a column, and the description from it.

Rows are suggested from the header's names and from how values are written: kinds, public lists and
gap marks. No range and no list is read off the records, and nothing is described until a person
confirms it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import isnan, nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import text
from dpcore.datasets.clinical_names import YES_NO, Levels, Names, known_names
from dpcore.datasets.delimited import TO_BE_FOUND, Dialect
from dpcore.datasets.faults import LARGEST_TABLE
from dpcore.datasets.own.description import UNKNOWN_MARKS, check, is_name
from dpcore.datasets.own.notation import DescribedField, Person, TableDescription, read
from dpcore.datasets.own.typed_numbers import number_or_text, why_unread, written
from dpcore.datasets.text import MAX_SAMPLE, sample
from dpcore.datasets.values import DAY_FIRST, MONTH_FIRST, YEAR_FIRST, Beyond, are_days, numbers
from dpcore.errors import InvalidInput

NUMBER, COMMA = "number", "number like 1,5"
NUMBERS = {NUMBER: (".", ""), COMMA: (",", ".")} | {
    f"number like 1{thousands}234{decimal}5": (decimal, thousands)
    for decimal, thousands in ((".", ","), (".", "'"), (".", " "), (",", "'"), (",", " "))
}
"""The mark before decimals, and the one between thousands, by kind."""
DAYS = {"day": YEAR_FIRST, "day like 31.12.2020": DAY_FIRST, "day like 12/31/2020": MONTH_FIRST}

_MAY_PART_THOUSANDS = re.compile(r"[.,][0-9]{3}")


@dataclass(frozen=True)
class Syntax:
    """How one column of a file is written."""

    name: str
    # the kinds that all values can be, each of another meaning
    numbers: tuple[str, ...] = (NUMBER,)
    has_limits: bool = False
    spellings: tuple[Levels, ...] = ()  # the public lists that all values follow
    marks: tuple[str, ...] = ()  # of unknown values
    order: str = ""  # of days, if all values are
    has_plain_name: bool = True  # once in the header, and a description can name it


def look(data: bytes, filename: str, dialect: Dialect = TO_BE_FOUND) -> tuple[Syntax, ...]:
    """How the columns of a file, from anyone, are written; call it where records may be read."""
    names, columns = sample(data, filename, MAX_SAMPLE, LARGEST_TABLE, dialect)
    known = known_names(names)
    return tuple(
        _syntax(
            name,
            {value for part in parts for value in part.unique().to_pylist()},
            (*known.lists_of(name), *YES_NO),
        )
        if is_name(name) and names.count(name) == 1
        else Syntax(name, has_plain_name=False)
        for name, parts in dict(zip(names, columns, strict=True)).items()
    )


def _syntax(name: str, distinct: Collection[str], lists: Sequence[Levels]) -> Syntax:
    marks = tuple(mark for mark in ("", *UNKNOWN_MARKS) if mark in distinct)
    values = {*distinct} - {*marks}
    kinds, has_limits = _kinds_of_number(values)
    orders = [order for order in DAYS.values() if values and are_days(values, order)]
    return Syntax(
        name,
        numbers=kinds,
        has_limits=has_limits,
        spellings=tuple(dict.fromkeys(each for each in lists if values and values <= set(each))),
        marks=marks,
        order=orders[0] if orders else "",
    )


def _kinds_of_number(values: Collection[str]) -> tuple[tuple[str, ...], bool]:
    """The kinds of number that all texts can be, and whether some are like <5."""
    import pyarrow as pa

    texts = pa.array(values, pa.string())
    read: dict[str, NDArray[np.float64]] = {}
    for kind, ways in NUMBERS.items():
        meant, is_wrong = numbers(texts, *ways, beyond="unknown")
        is_other = not any(np.array_equal(meant, one, equal_nan=True) for one in read.values())
        if is_other and not is_wrong.any():
            read[kind] = meant
        if kind in read and not any(map(_MAY_PART_THOUSANDS.search, values)):
            break
    return tuple(read), any(bool(numbers(texts, *NUMBERS[kind])[1].any()) for kind in read)


def first_plain_rows(
    data: bytes, filename: str, dialect: Dialect, kinds: Mapping[str, tuple[str, str]], count: int
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The names in the header of a file, and its first rows, with the numbers of `kinds` plain."""
    import pyarrow as pa

    names, rows = text.first_rows(data, filename, dialect, count, LARGEST_TABLE)
    columns = []
    for name, column in zip(names, zip(*rows, strict=True), strict=False):
        plain: Sequence[float] = [nan] * len(column)
        if name in kinds:
            plain = numbers(pa.array(column, pa.string()), *kinds[name])[0].tolist()
        pairs = zip(column, plain, strict=True)
        columns.append([each if isnan(one) else written(one) for each, one in pairs])
    return names, list(zip(*columns, strict=True))


ANSWER, LIST = "yes or no", "list"
PERSON = "whose row it is"
KINDS = (*NUMBERS, ANSWER, LIST, *DAYS, PERSON)
UNDECIDED = ""
"""In place of a kind: numbers like 1.234, until a person says whether these are decimals."""
BLANK = "blank"
"""How the form writes the mark that is an empty field."""
NOTHING_SAID = TableDescription(())
MIN_THOUSAND = 1000.0
Lack = Literal["kind", "range", "beyond", "values", "days", "rows", "nothing", "name"]
"""What has to be filled in, or changed in the file, before a column can be used."""


@dataclass(frozen=True)
class Row:
    """One column in the form, as it is filled in."""

    name: str
    used: bool = False
    kind: str = NUMBER
    lowest: str = ""
    highest: str = ""  # of the column of persons k, the most rows of one
    unit: str = ""
    values: str = ""  # separated by commas; one with a comma stands in quotation marks
    unknown: str = ""  # how it is written, separated by commas
    beyond: Beyond = ""
    has_limits: bool = False  # whether the file has values like <5

    @property
    def is_number(self) -> bool:
        return self.kind in NUMBERS

    @property
    def lacks(self) -> Lack:
        """What `field` would miss; "nothing" where a person may simply use it."""
        if self.kind == UNDECIDED:
            return "kind"
        if self.kind == PERSON:
            return "rows" if self._most_rows is None else "nothing"
        if self.is_number:
            are_read = all(isinstance(self._number(word), float) for word in ("lowest", "highest"))
            lacks_rule = self.has_limits and not self.beyond
            return "range" if not are_read else "beyond" if lacks_rule else "nothing"
        if self.kind in DAYS:
            return "nothing" if self.lowest.strip() and self.highest.strip() else "days"
        return "nothing" if self.values.strip() else "values"

    @property
    def marks(self) -> tuple[str, ...]:
        """How unknown values are written, "" being an empty field."""
        return tuple("" if mark == BLANK else mark for mark in listed(self.unknown))

    def field(self, predicted: bool = False) -> DescribedField:
        """What it describes."""
        if self.kind == UNDECIDED:
            raise InvalidInput(
                f"{self.name} is used, but its values like 1.234 or 1,234 could mean 1.234 or "
                "1234: choose the kind of number that it holds."
            )
        marks = () if predicted else self.marks
        if self.is_number:
            decimal_mark, thousands_mark = NUMBERS[self.kind]
            lower, upper = (self._bound(word) for word in ("lowest", "highest"))
            if self.has_limits and not self.beyond:
                raise InvalidInput(
                    f"{self.name} is used, but some of its values are like <5: choose whether that "
                    "is read as 5, as half of it or as unknown."
                )
            return DescribedField(
                self.name,
                "number",
                lower,
                upper,
                unit=self.unit.strip(),
                missing_marks=marks,
                decimal_mark=decimal_mark,
                thousands_mark=thousands_mark,
                beyond=self.beyond,
            )
        if self.kind in DAYS:
            try:
                first, last = (
                    date.fromisoformat(day.strip()) for day in (self.lowest, self.highest)
                )
            except ValueError:
                raise InvalidInput(
                    f"{self.name} is used, but the first and the last day possible must be filled "
                    "in, such as 2015-01-01 and 2024-12-31."
                ) from None
            return DescribedField(
                self.name,
                "day",
                first=first,
                last=last,
                missing_marks=marks,
                day_order=DAYS[self.kind],
            )
        values = listed(self.values)
        if not values:
            raise InvalidInput(f"{self.name} is used, but its list of values must be filled in.")
        return DescribedField(self.name, "list", levels=values, missing_marks=marks)

    def person(self) -> Person:
        """Whose row it is."""
        if self._most_rows is None:
            if isinstance(most := number_or_text(self.highest), str):
                raise InvalidInput(f"{self.name} is used, but its most rows is {why_unread(most)}.")
            raise InvalidInput(
                f"{self.name} is used, but the most rows of one person must be filled in, a whole "
                "number."
            )
        return Person(self.name, self._most_rows)

    def _number(self, word: str) -> float | str | None:
        """The number that stands in a field; the text where it has not one reading."""
        text = self.lowest if word == "lowest" else self.highest
        return number_or_text(text, self._may_part_thousands)

    @property
    def _may_part_thousands(self) -> bool:
        return self.kind != NUMBER

    @property
    def _most_rows(self) -> int | None:
        most = number_or_text(self.highest)
        return int(most) if isinstance(most, float) and most == int(most) else None

    def _bound(self, word: str) -> float:
        bound = self._number(word)
        if bound is None:
            raise InvalidInput(
                f"{self.name} is used, but its {word} possible value must be filled in."
            )
        if isinstance(bound, str):
            reason = why_unread(bound, self._may_part_thousands)
            raise InvalidInput(f"{self.name} is used, but its {word} is {reason}.")
        return bound


@dataclass(frozen=True)
class Form:
    """The rows of a form."""

    rows: tuple[Row, ...]
    predicted: str
    suggested: bool  # and nobody has confirmed the rows
    # what is said of the whole table; its fields are not used
    rest: TableDescription = NOTHING_SAID
    unnamed: tuple[str, ...] = ()  # columns that no description can name

    def unused(self) -> dict[Lack, tuple[str, ...]]:
        """Names of the columns that are not used, by what is to be filled in before they can be."""
        names_by_lack: dict[Lack, tuple[str, ...]] = {}
        for row in self.rows:
            is_chosen = row.lacks != "kind" and (
                row.used or (row.name == self.predicted and row.lacks == "nothing")
            )
            if not is_chosen:
                names_by_lack[row.lacks] = (*names_by_lack.get(row.lacks, ()), row.name)
        return names_by_lack | ({"name": self.unnamed} if self.unnamed else {})

    def refusals(self) -> tuple[str, ...]:
        """Why rows that are filled in can't be used, in a sentence each naming the column."""
        return tuple(filter(None, map(self._refusal, self.rows)))

    def _refusal(self, row: Row) -> str:
        is_typed = row.lacks == "nothing" or (row.is_number and row.lowest and row.highest)
        if not row.used or not is_typed or row.kind == PERSON:
            return ""
        try:
            check(row.field(row.name == self.predicted), is_predicted=row.name == self.predicted)
        except InvalidInput as refusal:
            return str(refusal)
        return ""

    def description(self) -> TableDescription:
        """What the rows that are used, and the predicted one, describe."""
        if not self.predicted:
            raise InvalidInput("No column is predicted, but one must be chosen.")
        chosen = [row for row in self.rows if row.used or row.name == self.predicted]
        if any(row.kind == PERSON and row.name == self.predicted for row in chosen):
            raise InvalidInput(
                f"{self.predicted} says whose row it is, so another must be predicted."
            )
        fields = [row.field(row.name == self.predicted) for row in chosen if row.kind != PERSON]
        persons = [row.person() for row in chosen if row.kind == PERSON]
        if len(persons) > 1:
            raise InvalidInput(
                f"{persons[0].column} and {persons[1].column} say whose row it is, but only one "
                "column may."
            )
        whole = replace(self.rest, fields=tuple(fields), predicted=self.predicted)
        return replace(whole, person=persons[0]) if persons else whole


def form(columns: str, syntaxes: Sequence[Syntax]) -> Form:
    """The form of a description and a file; if the description is blank, rows are suggested."""
    known = known_names(syntax.name for syntax in syntaxes)
    suggestions = [_suggested(syntax, known) for syntax in syntaxes if syntax.has_plain_name]
    unnamed = tuple(syntax.name for syntax in syntaxes if not syntax.has_plain_name)
    if not columns.strip():
        outcomes = [row for row in suggestions if known.is_outcome(row.name)]
        likeliest = max(outcomes, key=lambda row: row.used, default=Row(""))
        return Form(tuple(suggestions), likeliest.name, suggested=True, unnamed=unnamed)
    try:
        description = read(columns)
    except InvalidInput:
        description = NOTHING_SAID
    described = {field.name: _described(field, known) for field in description.fields}
    if (person := description.person) is not None and person.column:
        described[person.column] = Row(person.column, True, PERSON, highest=str(person.most))
        description = replace(description, person=None)
    rows = [
        replace(described.pop(row.name), has_limits=row.has_limits)
        if row.name in described
        else replace(row, used=False)
        for row in suggestions
    ]
    return Form(
        (*rows, *described.values()),
        description.predicted,
        suggested=False,
        rest=replace(description, fields=()),
        unnamed=unnamed,
    )


def _suggested(syntax: Syntax, names: Names) -> Row:
    name, marks = syntax.name, _typed(syntax.marks)
    if names.is_person(name):
        return Row(name, kind=PERSON)
    # For a number a mark adds nothing to the model, so that it needs no look at the records.
    if syntax.order:
        (kind,) = (kind for kind, order in DAYS.items() if order == syntax.order)
        return Row(name, kind=kind, unknown=marks or BLANK)
    known = names.range_of(name)
    if syntax.numbers and (known or not syntax.spellings):
        row = Row(name, unknown=marks or BLANK, has_limits=syntax.has_limits)
        if known is not None:
            lowest, highest = written(known.lowest), written(known.highest)
            row = replace(row, used=True, lowest=lowest, highest=highest, unit=known.unit)
        # What lies below a thousand has decimals.
        is_small = known is not None and known.highest < MIN_THOUSAND
        is_clear = len(syntax.numbers) == 1 or is_small
        return replace(row, kind=syntax.numbers[0] if is_clear else UNDECIDED)
    if not syntax.spellings:
        return Row(name, kind=LIST, unknown=marks)
    levels = syntax.spellings[0]
    return Row(name, True, _kind(name, levels, names), values=_typed(levels), unknown=marks)


def _kind(name: str, levels: Levels, names: Names) -> str:
    """Whether a list is an answer of yes or no: 0 and 1 may also be two of something else."""
    known = names.lists_of(name)
    return ANSWER if levels in YES_NO and (known == YES_NO or levels not in known) else LIST


def _described(field: DescribedField, names: Names) -> Row:
    row = Row(field.name, True, unknown=_typed(field.missing_marks))
    if field.kind == "day":
        (kind,) = (kind for kind, order in DAYS.items() if order == field.day_order)
        return replace(row, kind=kind, lowest=str(field.first), highest=str(field.last))
    if field.kind == "list":
        kind = _kind(field.name, field.levels, names)
        return replace(row, kind=kind, values=_typed(field.levels))
    assert field.lower is not None
    assert field.upper is not None
    marks = field.decimal_mark, field.thousands_mark.replace("’", "'")
    return replace(
        row,
        kind=next((kind for kind, known in NUMBERS.items() if known == marks), COMMA),
        lowest=written(field.lower),
        highest=written(field.upper),
        unit=field.unit,
        beyond=field.beyond,
    )


def listed(text: str) -> tuple[str, ...]:
    """The values in a text such as: no, "yes, much"."""
    values = next(csv.reader([text], skipinitialspace=True), [])
    return tuple(value.strip() for value in values) if text.strip() else ()


def _typed(values: Sequence[str]) -> str:
    """The text that `listed` takes apart; an empty value is `BLANK`."""
    return ", ".join(
        '"' + value.replace('"', '""') + '"' if "," in value or '"' in value else value or BLANK
        for value in values
    )
