"""What a release knows of a table besides its noisy sums, and how it knows.

Whatever decides on features, noise or sizes is in this list. Nothing else is read off the records:

- the range, list, marks and first day of each column come from the description (`described`), also
  those of the outcome; a value outside a range is clipped, any other that is not allowed refused;
- a gap is filled in by the middle of its range, or is a level of its own (`datasets.encoding`): no
  median, mean or commonest level of the records is taken;
- how a column is written (its mark for gaps, its spelling of yes and no) is suggested in the form
  from the records (`own.form.look`), on the screen of the person who holds them, and counts only
  once that person has confirmed it: it is then given, like all else in the description;
- the number of persons is read off, and the description has to declare it public;
- how many rows somebody has, and how many there are in all, is in nothing that leaves
  (`datasets.persons`);
- how many values were clipped, unknown or left out is told to the person who holds the records, and
  to nobody else.

A refusal of a table is outside of what is proved: it tells the person who holds the records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from dpcore.datasets.own.description import described
from dpcore.datasets.own.field import Person
from dpcore.datasets.own.mend import Mendable, mend
from dpcore.datasets.own.notation import ONE_ROW_EACH, read
from dpcore.datasets.schema import Classes, Column, Label
from dpcore.datasets.text import shown_mark
from dpcore.words import as_set

How = Literal["given", "declared public", "paid"]
"""By the description; read off the records, which it declares public; or through noise."""


@dataclass(frozen=True)
class TableFact:
    """One thing that is known of a table."""

    what: str  # a column, or the table
    value: str  # in words; "" of a number that is known only once the records are read
    how: How


def facts(columns: str) -> tuple[TableFact, ...]:
    """Everything that a release of a described table knows.

    Refuses a description that does not say what one person is, or that the number of persons is
    public.
    """
    entry, description = described(columns), read(columns)
    person = description.person
    if person is None:
        raise Mendable(
            "The description does not say what one person is, but for a release it must: "
            f"“person: {ONE_ROW_EACH}”, or a column and the most rows of one person.",
            [mend("One row is one person", replace(description, person=Person()))],
        )
    if not description.number_is_public:
        raise Mendable(
            "The number of persons is read off the records, so for a release the description must "
            "declare it public: “numberOfPersons: public”.",
            [
                mend(
                    "Declare the number of persons public",
                    replace(description, number_is_public=True),
                )
            ],
        )
    most = f"at most {person.most} rows count" if person.column else "one row each"
    outcome = entry.label
    return (
        TableFact("a person", most, "given"),
        TableFact("number of persons", "", "declared public"),
        *(TableFact(column.name, _holds(column), "given") for column in entry.columns),
        TableFact(outcome.name, _holds(outcome), "given"),
        TableFact("weights of the model", "", "paid"),
    )


def _holds(column: Column | Label | Classes) -> str:
    """What a column may hold, and what becomes of a gap."""
    if isinstance(column, Label):
        return "one of " + ", ".join(text for text, _ in column.codes)
    if isinstance(column, Classes):
        return "one of " + ", ".join(column.titles)
    if column.kind == "number":
        lower, upper = column.bounds
        holds = f"{as_set(lower)} to {as_set(upper)} {column.unit}".strip()
        gap = "by the middle of its range"
    else:
        holds, gap = "one of " + ", ".join(column.levels or column.codes), "as a level of its own"
    marks = " or ".join(map(shown_mark, column.missing_marks))
    return f"{holds}; a gap ({marks}) is read {gap}" if marks else holds
