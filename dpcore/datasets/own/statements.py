"""What a description says of the table as a whole: what one person is, and which number is public.

    person: patient_id, at most 3 rows
    number of persons: public

or ``person: one row each``. Such a line describes no column that anything is predicted from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dpcore.datasets.persons import MOST_ROWS_A_PERSON
from dpcore.errors import InvalidInput

ONE_ROW_EACH = "person: one row each"
NUMBER_IS_PUBLIC = "number of persons: public"
EXAMPLE = "person: patient_id, at most 3 rows"
_PERSON = re.compile(r"person:\s*(.*)")
_COLUMN = re.compile(r"(.+?),\s*at most ([0-9]{1,9}) rows?")
_A_COLUMNS_VALUES = re.compile(r"one of\s.+|\S+\s+to\s+\S+.*")


@dataclass(frozen=True)
class Person:
    """What one person is in a table.

    Parameters
    ----------
    column : str
        The column that says whose row it is; "" where every row is another person's.
    most : int
        k, the rows that count of each.
    """

    column: str = ""
    most: int = 1

    def line(self) -> str:
        """Its line in a description."""
        if not self.column:
            return ONE_ROW_EACH
        return f"person: {self.column}, at most {self.most} row{'s' if self.most != 1 else ''}"


@dataclass(frozen=True)
class Statements:
    """What a description says of the whole table.

    Parameters
    ----------
    person : Person or None
        ``None`` where it does not say.
    number_is_public : bool
        Whether the number of persons is declared public.
    """

    person: Person | None = None
    number_is_public: bool = False


def is_statement(line: str) -> bool:
    """Whether a line speaks of the whole table, rightly or wrongly, and not of a column."""
    if line.strip() == NUMBER_IS_PUBLIC:
        return True
    match = _PERSON.fullmatch(line.strip())
    return match is not None and not _A_COLUMNS_VALUES.fullmatch(match[1])


def statements_of(columns: str) -> Statements:
    """What a description says of the whole table.

    Raises
    ------
    InvalidInput
        One sentence naming the line and what is allowed.
    """
    person: Person | None = None
    for place, line in enumerate(columns.splitlines(), start=1):
        if not is_statement(line) or line.strip() == NUMBER_IS_PUBLIC:
            continue
        if person is not None:
            raise InvalidInput(
                f"The description, line {place}: it says again what one person is, but must do so "
                "once."
            )
        person = _person(line.strip(), place)
    is_public = any(line.strip() == NUMBER_IS_PUBLIC for line in columns.splitlines())
    return Statements(person, is_public)


def restated(columns: str, person: Person | None) -> str:
    """A description that says this of persons and that their number is public; or neither."""
    rest = [line for line in columns.splitlines() if not is_statement(line)]
    return "\n".join([*([person.line(), NUMBER_IS_PUBLIC] if person is not None else []), *rest])


def _person(line: str, place: int) -> Person:
    if re.sub(r"\s+", " ", line) == ONE_ROW_EACH:
        return Person()
    match = _PERSON.fullmatch(line)
    column = match and _COLUMN.fullmatch(match[1])
    if not column:
        raise InvalidInput(
            f"The description, line {place}: a person must be “one row each”, or a column and the "
            f"most rows of one person, such as: {EXAMPLE}."
        )
    most = int(column[2])
    if not 1 <= most <= MOST_ROWS_A_PERSON:
        raise InvalidInput(
            f"The description, line {place}: a person has at most {most:,} rows, but it must be 1 "
            f"to {MOST_ROWS_A_PERSON:,}."
        )
    return Person(column[1].strip(), most)
