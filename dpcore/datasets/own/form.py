"""A form for the columns of the user's own table: one row a column, and the description from it.

Rows are suggested from the names in the file's first line. From the values only their syntax is
taken: whether they are numbers, which of a few public spellings of yes and no they follow, and how
gaps are marked. No range and no list is read off the records, and a suggestion describes nothing
until a person confirms it. Lines that speak of the whole table are kept as they are, but for the
column that says whose row it is, which has a row too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
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
from dpcore.datasets.limits import LARGEST_TABLE
from dpcore.datasets.own.line import BLANK, DescribedColumn, is_name, line_of, without_place
from dpcore.datasets.own.mending import UNKNOWN_MARKS
from dpcore.datasets.own.statements import ONE_ROW_EACH, Person, is_statement, statements_of
from dpcore.datasets.own.typed_numbers import number_or_text, readings, why_unread, written
from dpcore.datasets.schema import Column, values_in
from dpcore.datasets.text import sample
from dpcore.datasets.values import DAY_FIRST, MONTH_FIRST, YEAR_FIRST, are_days, is_number
from dpcore.errors import InvalidInput

MOST_LOOKED_AT = 20_000
"""Lines. A later one that is written otherwise is refused by its number, when all are read."""
NUMBER, COMMA, ANSWER, LIST = "number", "number like 1,5", "yes or no", "list"
DAYS = {
    "day": YEAR_FIRST,
    "day like 31.12.2020": DAY_FIRST,
    "day like 12/31/2020": MONTH_FIRST,
}
PERSON = "whose row it is"
KINDS = (NUMBER, COMMA, ANSWER, LIST, *DAYS, PERSON)
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
    mark : str
        How it marks unknown values: `BLANK`, one of `UNKNOWN_MARKS`, or "" for no such value.
    order : str
        How days are written (`dpcore.datasets.values.Days`), if all its values are days.
    has_plain_name : bool
        Whether a description can name it: its name stands once in the first line, and is one that
        `dpcore.datasets.own.is_name` allows.
    """

    name: str
    numbers: bool = True
    decimal_comma: bool = False
    doubtful_points: bool = False
    spellings: tuple[Spelling, ...] = ()
    mark: str = ""
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
        Of a list, or of an answer: no first; of days, the first and the last. Separated by commas.
    unknown : str
        How unknown values are written; "" where there are none.
    """

    name: str
    used: bool = False
    kind: str = NUMBER
    lowest: float | str | None = None
    highest: float | str | None = None
    unit: str = ""
    values: str = ""
    unknown: str = ""

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
            return "nothing" if len(values_in(self.values)) == 2 else "days"
        return "nothing" if self.values.strip() else "values"

    def line(self, predicted: bool) -> str:
        """Its line in a description.

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
        if self.kind == PERSON:
            return self._person(predicted)
        bounds = {"lowest": self.lowest, "highest": self.highest}
        if self.is_number:
            for word, bound in bounds.items():
                self._check_read(word, bound)
        missing = [word for word, bound in bounds.items() if bound is None]
        if self.is_number and missing:
            raise InvalidInput(
                f"{self.name} is used, but its {' and '.join(missing)} possible value must be "
                "filled in."
            )
        listed = values_in(self.values)
        if self.kind in DAYS and len(listed) != 2:
            raise InvalidInput(
                f"{self.name} is used, but the first and the last day possible must be filled in "
                "among its values, such as: 2015-01-01, 2024-12-31."
            )
        if not self.is_number and not self.values.strip():
            raise InvalidInput(f"{self.name} is used, but its list of values must be filled in.")
        if self.is_number:
            lowest, highest = (written(float(bound or 0.0)) for bound in bounds.values())
            remarks = [f"{lowest} to {highest} {self.unit}".strip()]
        else:
            remarks = [f"one of {', '.join(listed)}"]
        if self.kind in DAYS:
            remarks = [" to ".join(listed)]
            remarks += [order for order in (DAYS[self.kind],) if order != YEAR_FIRST]
        if self.kind == COMMA:
            remarks.append("decimal comma")
        if self.unknown.strip() and not predicted:
            remarks.append(f"unknown: {self.unknown.strip()}")
        return f"{'predict ' if predicted else ''}{self.name}: {'; '.join(remarks)}"

    def _person(self, predicted: bool) -> str:
        if predicted:
            raise InvalidInput(f"{self.name} says whose row it is, so another must be predicted.")
        self._check_read("highest", self.highest)
        if self._most_rows is None:
            raise InvalidInput(
                f"{self.name} is used, but the most rows of one person must be filled in as its "
                "highest, a whole number."
            )
        return Person(self.name, self._most_rows).line()

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
    statements : tuple of str
        Lines that speak of the whole table and of no column.
    unnamed : tuple of str
        Names of the columns that cannot be described by them.
    """

    rows: tuple[Row, ...]
    predicted: str
    suggested: bool
    statements: tuple[str, ...] = ()
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
            line_of(row.line(row.name == self.predicted), place=1)
        except InvalidInput as refusal:
            return str(without_place(refusal))
        return ""

    def description(self) -> str:
        """The description of the rows that are used, and of the predicted one.

        Raises
        ------
        InvalidInput
            One sentence naming the column and what is missing.
        """
        if not self.predicted:
            raise InvalidInput("No column is predicted, but one must be chosen.")
        chosen = [row for row in self.rows if row.used or row.name == self.predicted]
        chosen.sort(key=lambda row: row.kind != PERSON)
        has_person = any(row.kind == PERSON for row in chosen)
        statements = [line for line in self.statements if line != ONE_ROW_EACH or not has_person]
        return "\n".join([*statements, *(row.line(row.name == self.predicted) for row in chosen)])


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
    names, columns = sample(data, filename, MOST_LOOKED_AT, LARGEST_TABLE)
    syntaxes: dict[str, Syntax] = {}
    for name, parts in zip(names, columns, strict=True):
        is_plain = is_name(name) and names.count(name) == 1 and not name.startswith("predict ")
        syntaxes[name] = (
            _syntax(name, {value for part in parts for value in part.unique().to_pylist()})
            if is_plain
            else Syntax(name, has_plain_name=False)
        )
    return tuple(syntaxes.values())


def _syntax(name: str, distinct: set[str]) -> Syntax:
    marks = [BLANK] if "" in distinct else [mark for mark in UNKNOWN_MARKS if mark in distinct]
    values = distinct - {"", *marks}
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
        mark=marks[0] if marks else "",
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
    lines: dict[str, Row] = {}
    statements = []
    for place, text in enumerate(columns.splitlines(), start=1):
        with suppress(InvalidInput):
            if not is_statement(text):
                line = line_of(text.strip(), place)
                lines[line.column.name] = _described(line)
            elif (person := statements_of(text).person) and person.column:
                lines[person.column] = Row(person.column, True, PERSON, highest=person.most)
            else:
                statements.append(text.strip())
    rows = [
        lines.pop(row.name) if row.name in lines else replace(row, used=False)
        for row in suggestions
    ]
    predicted = [
        line.split(":")[0].removeprefix("predict ").strip()
        for line in columns.splitlines()
        if line.strip().startswith("predict ")
    ]
    names = [row.name for row in rows]
    return Form(
        (*rows, *lines.values()),
        next((name for name in predicted if name in (*names, *lines)), ""),
        suggested=False,
        statements=tuple(statements),
        unnamed=unnamed,
    )


def _suggested(syntax: Syntax) -> Row:
    name = syntax.name
    known = range_of(name)
    kind = COMMA if syntax.decimal_comma else NUMBER
    if syntax.doubtful_points and (known is None or known.highest >= LEAST_THOUSAND):
        kind = UNDECIDED
    # For a number a mark adds nothing to the model, so that it needs no look at the records.
    number = Row(name, kind=kind, unknown=syntax.mark or BLANK)
    if is_person(name):
        return Row(name, kind=PERSON)
    if syntax.order:
        (kind,) = (kind for kind, order in DAYS.items() if order == syntax.order)
        return Row(name, kind=kind, unknown=syntax.mark or BLANK)
    if known is not None and syntax.numbers:
        return replace(
            number, used=True, lowest=known.lowest, highest=known.highest, unit=known.unit
        )
    sexes, answers = (
        [pair for pair in syntax.spellings if pair in public] for public in (SEXES, YES_NO)
    )
    if is_sex(name) and sexes:
        return Row(name, True, LIST, values=", ".join(sexes[0]), unknown=syntax.mark)
    if answers and (is_yes_no(name) or not syntax.numbers):
        return Row(name, True, ANSWER, values=", ".join(answers[0]), unknown=syntax.mark)
    return number if syntax.numbers else Row(name, kind=LIST, unknown=syntax.mark)


def _described(line: DescribedColumn) -> Row:
    column = line.column
    if column.days is not None:
        (kind,) = (kind for kind, order in DAYS.items() if order == column.days.order)
        last = column.days.first + timedelta(days=column.bounds[1])
        values = f"{column.days.first}, {last}"
        return Row(column.name, True, kind, values=values, unknown=_typed_mark(column))
    if column.kind == "number":
        kind = COMMA if line.decimal_comma else NUMBER
        lower, upper = column.bounds
        return Row(column.name, True, kind, lower, upper, column.unit, unknown=_typed_mark(column))
    kind = ANSWER if line.levels in YES_NO else LIST
    values = ", ".join(line.levels)
    return Row(column.name, True, kind, values=values, unknown=_typed_mark(column))


def _typed_mark(column: Column) -> str:
    return (column.missing_marks[0] or BLANK) if column.missing_marks else ""


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
