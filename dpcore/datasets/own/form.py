"""A form for the columns of the user's own table: one row a column, and the description from it.

Rows are suggested from the names in the file's first line. From the values only their syntax is
taken: whether they are numbers, which of a few public spellings of yes and no they follow, and how
gaps are marked. No range and no list is read off the records, and a suggestion describes nothing
until a person confirms it. Lines that speak of the whole table are kept as they are, but for the
column that says whose row it is, which has a row too.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from dpcore.datasets.clinical_names import (
    SEXES,
    YES_NO,
    Spelling,
    is_outcome,
    is_person,
    is_sex,
    is_yes_no,
    range_of,
)
from dpcore.datasets.own.description import check, is_name
from dpcore.datasets.own.field import DescribedField, Person, TableDescription
from dpcore.datasets.own.mending import UNKNOWN_MARKS
from dpcore.datasets.own.notation import read, write
from dpcore.datasets.own.typed_numbers import number_or_text, readings, why_unread
from dpcore.datasets.text import distinct_values
from dpcore.datasets.values import (
    DAY_FIRST,
    MONTH_FIRST,
    YEAR_FIRST,
    Beyond,
    are_days,
    is_number,
)
from dpcore.errors import InvalidInput

NUMBER, COMMA, ANSWER, LIST = "number", "number like 1,5", "yes or no", "list"
DAYS = {
    "day": YEAR_FIRST,
    "day like 31.12.2020": DAY_FIRST,
    "day like 12/31/2020": MONTH_FIRST,
}
BLANK = "blank"
"""How the form writes the mark that is an empty field."""
PERSON = "whose row it is"
KINDS = (NUMBER, COMMA, ANSWER, LIST, *DAYS, PERSON)
NOTHING_SAID = TableDescription(())
UNDECIDED = ""
"""In place of a kind: numbers like 1.234, until a person says whether these are decimals."""
_MAY_PART_THOUSANDS = (COMMA, UNDECIDED)
LEAST_THOUSAND = 1000.0
Lack = Literal["kind", "range", "values", "days", "rows", "nothing", "name"]
"""What has to be filled in, or changed in the file, before a column can be used."""
_SPELLINGS = tuple(dict.fromkeys((*YES_NO, *SEXES)))


@dataclass(frozen=True)
class Syntax:
    """How one column of a file is written.

    Parameters
    ----------
    name : str
        In the first line.
    numbers : bool
        Whether all its values are numbers, however their decimals are written; also without values.
    decimal_comma : bool
        Whether some of these can be read with a decimal comma only, and all can.
    doubtful_points : bool
        Whether some have points, each of which may stand before decimals or part thousands.
    spellings : tuple of (str, str)
        The public spellings of two values that all its values follow.
    marks : tuple of str
        How it marks unknown values: "" of an empty field, and others of `UNKNOWN_MARKS`.
    order : str
        How days are written (`dpcore.datasets.values.Days`), if all its values are days.
    has_plain_name : bool
        Whether a description can name it: its name stands once in the header, and is one that
        `dpcore.datasets.own.description.is_name` allows.
    """

    name: str
    numbers: bool = True
    decimal_comma: bool = False
    doubtful_points: bool = False
    spellings: tuple[Spelling, ...] = ()
    marks: tuple[str, ...] = ()
    order: str = ""
    has_plain_name: bool = True


@dataclass(frozen=True)
class Row:
    """One column in the form.

    Parameters
    ----------
    name : str
    used : bool
        Whether it is described.
    kind : str
        One of `KINDS`, or `UNDECIDED`.
    lowest, highest : float or str or None
        Of a number; of the column of persons, the highest is k, the most rows of one. A text is
        one that has not exactly one reading.
    unit : str
        Of a number.
    values : str
        Of a list, or of an answer: no first; of days, the first and the last. Separated by commas;
        one that holds a comma stands in quotation marks.
    unknown : str
        How unknown values are written, separated by commas; "" where there are none.
    thousands_mark, beyond : str
        As of a `DescribedField`.
    """

    name: str
    used: bool = False
    kind: str = NUMBER
    lowest: float | str | None = None
    highest: float | str | None = None
    unit: str = ""
    values: str = ""
    unknown: str = ""
    thousands_mark: str = ""
    beyond: Beyond = ""

    @property
    def is_number(self) -> bool:
        """Whether it holds numbers."""
        return self.kind in (NUMBER, COMMA)

    @property
    def lacks(self) -> Lack:
        """What `line` would miss; "nothing" where a person may simply use it."""
        if self.kind == UNDECIDED:
            return "kind"
        if self.kind == PERSON:
            return "rows" if self._most_rows is None else "nothing"
        if self.is_number:
            bounds = self.lowest, self.highest
            is_read = all(bound is not None and not isinstance(bound, str) for bound in bounds)
            return "nothing" if is_read else "range"
        if self.kind in DAYS:
            return "nothing" if len(listed(self.values)) == 2 else "days"
        return "nothing" if self.values.strip() else "values"

    @property
    def marks(self) -> tuple[str, ...]:
        """How unknown values are written, "" being an empty field."""
        return tuple("" if mark == BLANK else mark for mark in listed(self.unknown))

    def field(self, predicted: bool = False) -> DescribedField:
        """What it describes.

        Raises
        ------
        InvalidInput
            One sentence naming the column and what is missing, or cannot be read.
        """
        if self.kind == UNDECIDED:
            raise InvalidInput(
                f"{self.name} is used, but its values like 1.234 could mean 1.234 or 1234: choose "
                f"“{NUMBER}” for the first, “{COMMA}” for the second."
            )
        marks = () if predicted else self.marks
        if self.is_number:
            lower, upper = (self._bound(word) for word in ("lowest", "highest"))
            return DescribedField(
                self.name,
                "number",
                lower,
                upper,
                unit=self.unit.strip(),
                missing_marks=marks,
                decimal_mark="," if self.kind == COMMA else ".",
                thousands_mark=self.thousands_mark or ("." if self.kind == COMMA else ""),
                beyond=self.beyond,
            )
        values = listed(self.values)
        if self.kind in DAYS:
            try:
                first, last = map(date.fromisoformat, values)
            except ValueError:
                raise InvalidInput(
                    f"{self.name} is used, but the first and the last day possible must be filled "
                    "in among its values, such as: 2015-01-01, 2024-12-31."
                ) from None
            return DescribedField(
                self.name,
                "day",
                first=first,
                last=last,
                missing_marks=marks,
                day_order=DAYS[self.kind],
            )
        if not values:
            raise InvalidInput(f"{self.name} is used, but its list of values must be filled in.")
        return DescribedField(self.name, "list", levels=values, missing_marks=marks)

    def person(self) -> Person:
        """Whose row it is.

        Raises
        ------
        InvalidInput
            If the most rows of one person are not filled in.
        """
        self._check_read("highest", self.highest)
        if self._most_rows is None:
            raise InvalidInput(
                f"{self.name} is used, but the most rows of one person must be filled in as its "
                "highest, a whole number."
            )
        return Person(self.name, self._most_rows)

    def _bound(self, word: str) -> float:
        bound = self.lowest if word == "lowest" else self.highest
        self._check_read(word, bound)
        if bound is None or isinstance(bound, str):
            raise InvalidInput(
                f"{self.name} is used, but its {word} possible value must be filled in."
            )
        return float(bound)

    @property
    def _most_rows(self) -> int | None:
        """The most rows of one person, if a whole number is filled in."""
        most = self.highest
        if most is None or isinstance(most, str) or most != int(most):
            return None
        return int(most)

    def _check_read(self, word: str, bound: float | str | None) -> None:
        if isinstance(bound, str):
            reason = why_unread(bound, self.kind in _MAY_PART_THOUSANDS)
            raise InvalidInput(f"{self.name} is used, but its {word} is {reason}.")


@dataclass(frozen=True)
class Form:
    """The rows of a form.

    Parameters
    ----------
    rows : tuple of Row
    predicted : str
        Name of the column to predict; "" while nobody has said.
    suggested : bool
        Whether the rows are suggestions that nobody has confirmed.
    rest : TableDescription
        What is said of the whole table; its fields are not used.
    unnamed : tuple of str
        Names of the columns that cannot be described by them.
    """

    rows: tuple[Row, ...]
    predicted: str
    suggested: bool
    rest: TableDescription = NOTHING_SAID
    unnamed: tuple[str, ...] = ()

    def edited(self, edits: Mapping[int, Mapping[str, Any]], predicted: str) -> Form:
        """The form after changes: by place, then by a row's field; a row filled in is used."""
        rows = [_edited(row, edits.get(place, {})) for place, row in enumerate(self.rows)]
        return replace(self, rows=tuple(rows), predicted=predicted)

    def unused(self) -> dict[Lack, tuple[str, ...]]:
        """Names of the columns that are not used, by what has to be filled in before they can be.

        The predicted one is among them as long as something of it is missing, and each one as long
        as its kind is.
        """
        names_by_lack: dict[Lack, tuple[str, ...]] = {}
        for row in self.rows:
            is_chosen = row.lacks != "kind" and (
                row.used or (row.name == self.predicted and row.lacks == "nothing")
            )
            if not is_chosen:
                names_by_lack[row.lacks] = (*names_by_lack.get(row.lacks, ()), row.name)
        return names_by_lack | ({"name": self.unnamed} if self.unnamed else {})

    def refusals(self) -> tuple[str, ...]:
        """Why rows that are filled in can't be used, in a sentence each naming the column.

        What is only half filled in is not refused: it is still being typed.
        """
        return tuple(filter(None, map(self._refusal, self.rows)))

    def _refusal(self, row: Row) -> str:
        is_unread = row.is_number and any(isinstance(b, str) for b in (row.lowest, row.highest))
        is_typed = is_unread or row.lacks == "nothing"
        if not row.used or not is_typed or row.kind == PERSON:
            return ""
        try:
            check(row.field(row.name == self.predicted), is_predicted=row.name == self.predicted)
        except InvalidInput as refusal:
            return str(refusal)
        return ""

    def description(self) -> str:
        """The text of the description of the rows that are used, and of the predicted one.

        Raises
        ------
        InvalidInput
            One sentence naming the column and what is missing.
        """
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
        return write(replace(whole, person=persons[0]) if persons else whole)


def look(data: bytes, filename: str) -> tuple[Syntax, ...]:
    """How the columns of a file are written; call it where records may be read.

    Parameters
    ----------
    data : bytes
        Text or Parquet, from anyone; the first line names the columns.
    filename : str
        What to call it in a refusal.

    Returns
    -------
    tuple of Syntax
        Without any value of a record; one for each name.

    Raises
    ------
    InvalidInput
        If the file is empty, or neither text nor Parquet.
    """
    distinct = distinct_values(data, filename)
    return tuple(
        _syntax(name, values) if is_name(name) else Syntax(name, has_plain_name=False)
        for name, values in distinct.items()
    )


def _syntax(name: str, distinct: set[str]) -> Syntax:
    marks = tuple(mark for mark in ("", *UNKNOWN_MARKS) if mark in distinct)
    values = distinct - {*marks}
    points = all(map(is_number, values))
    commas = all(is_number(value, decimal_comma=True) for value in values)
    # Where every comma may part thousands, none is suggested as one before decimals.
    decimal_comma = commas and any(
        not is_number(value) and len(readings(value)) == 1 for value in values
    )
    orders = [order for order in DAYS.values() if values and are_days(values, order)]
    return Syntax(
        name,
        numbers=points or commas,
        decimal_comma=decimal_comma,
        doubtful_points=commas and not decimal_comma and any("." in value for value in values),
        spellings=tuple(pair for pair in _SPELLINGS if values and values <= set(pair)),
        marks=marks,
        order=orders[0] if orders else "",
    )


def form(columns: str, syntaxes: Sequence[Syntax]) -> Form:
    """The form of a description and a file.

    Parameters
    ----------
    columns : str
        As `dpcore.datasets.own.description` takes it; lines that are wrong are left out. If it is
        blank, rows are suggested.
    syntaxes : sequence of Syntax
        Of the file.
    """
    suggestions = [_suggested(syntax) for syntax in syntaxes if syntax.has_plain_name]
    unnamed = tuple(syntax.name for syntax in syntaxes if not syntax.has_plain_name)
    if not columns.strip():
        outcomes = [row for row in suggestions if is_outcome(row.name)]
        likeliest = max(outcomes, key=lambda row: row.used, default=Row(""))
        return Form(tuple(suggestions), likeliest.name, suggested=True, unnamed=unnamed)
    try:
        description = read(columns)
    except InvalidInput:
        description = NOTHING_SAID
    described = {field.name: _described(field) for field in description.fields}
    if (person := description.person) is not None and person.column:
        described[person.column] = Row(person.column, True, PERSON, highest=person.most)
        description = replace(description, person=None)
    rows = [
        described.pop(row.name) if row.name in described else replace(row, used=False)
        for row in suggestions
    ]
    return Form(
        (*rows, *described.values()),
        description.predicted,
        suggested=False,
        rest=replace(description, fields=()),
        unnamed=unnamed,
    )


def _suggested(syntax: Syntax) -> Row:
    name = syntax.name
    known = range_of(name)
    kind = COMMA if syntax.decimal_comma else NUMBER
    if syntax.doubtful_points and (known is None or known.highest >= LEAST_THOUSAND):
        kind = UNDECIDED
    # For a number a mark adds nothing to the model, so that it needs no look at the records.
    number = Row(name, kind=kind, unknown=_typed(syntax.marks) or BLANK)
    if is_person(name):
        return Row(name, kind=PERSON)
    if syntax.order:
        (kind,) = (kind for kind, order in DAYS.items() if order == syntax.order)
        return Row(name, kind=kind, unknown=_typed(syntax.marks) or BLANK)
    if known is not None and syntax.numbers:
        return replace(
            number, used=True, lowest=known.lowest, highest=known.highest, unit=known.unit
        )
    sexes, answers = (
        [pair for pair in syntax.spellings if pair in public] for public in (SEXES, YES_NO)
    )
    if is_sex(name) and sexes:
        return Row(name, True, LIST, values=_typed(sexes[0]), unknown=_typed(syntax.marks))
    if answers and (is_yes_no(name) or not syntax.numbers):
        return Row(name, True, ANSWER, values=_typed(answers[0]), unknown=_typed(syntax.marks))
    return number if syntax.numbers else Row(name, kind=LIST, unknown=_typed(syntax.marks))


def _described(field: DescribedField) -> Row:
    unknown = _typed(field.missing_marks)
    if field.kind == "day":
        (kind,) = (kind for kind, order in DAYS.items() if order == field.day_order)
        return Row(field.name, True, kind, values=f"{field.first}, {field.last}", unknown=unknown)
    if field.kind == "list":
        kind = ANSWER if field.levels in YES_NO else LIST
        return Row(field.name, True, kind, values=_typed(field.levels), unknown=unknown)
    return Row(
        field.name,
        True,
        COMMA if field.decimal_mark == "," else NUMBER,
        field.lower,
        field.upper,
        field.unit,
        unknown=unknown,
        thousands_mark=field.thousands_mark,
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


def _edited(row: Row, changes: Mapping[str, Any]) -> Row:
    kind = changes.get("kind") or row.kind
    known = {name: _known(name, value, kind) for name, value in changes.items()}
    is_filled_in = not changes.keys().isdisjoint({"lowest", "highest", "values"})
    return replace(row, **{"used": row.used or is_filled_in, **known, "kind": kind})


def _known(name: str, value: Any, kind: str) -> Any:
    """An edited value, in which an emptied text is ``None``, and a bound is a number if it can."""
    if name in ("lowest", "highest"):
        may_part = kind in _MAY_PART_THOUSANDS
        return number_or_text(value, may_part) if isinstance(value, str) else value
    if value is not None:
        return value
    return False if name == "used" else ""
