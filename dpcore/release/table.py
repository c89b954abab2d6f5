"""Tables for a release: what is known of them, whose rows they are, how they are written.

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

In a file that is written a spreadsheet finds no formula: a name, level or mark that it would take
for one begins with ’ instead, in the file and in the description that goes with it.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Split, prepare
from dpcore.datasets.delimited import TO_BE_FOUND
from dpcore.datasets.encoding import Clipping
from dpcore.datasets.images.examples import NULL_CLASS
from dpcore.datasets.own.description import Mendable, described, mend, read_own, read_rows
from dpcore.datasets.own.notation import ONE_ROW_EACH, DescribedField, Person, read, write
from dpcore.datasets.persons import Lots, Persons, bounded, lots_for_release
from dpcore.datasets.schema import Classes, Column, Label, Table
from dpcore.datasets.text import shown_mark
from dpcore.datasets.values import DAY_FIRST, MONTH_FIRST, Days
from dpcore.errors import InvalidInput
from dpcore.release.certificate import Record
from dpcore.spreadsheet import cell
from dpcore.words import as_set, spaced

if TYPE_CHECKING:
    import pandas as pd

How = Literal["given", "declared public", "paid"]
"""By the description; read off the records, which it declares public; or through noise."""
_WRITTEN = {DAY_FIRST: "%d.%m.%Y", MONTH_FIRST: "%m/%d/%Y"}
DIGITS = 6
"""Significant digits of the largest number of a column."""


@dataclass(frozen=True)
class TableFact:
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


@dataclass(frozen=True)
class ReleaseTable:
    """Rows, and whose they are."""

    columns: str  # the description that they were read by
    table: Table  # one person's rows after another's
    # Where each person's rows begin, with places in the file; none where nobody has more than one
    # by the description, whatever the file holds.
    persons: Persons | None

    @property
    def clipping(self) -> Clipping:
        """What was clipped of the rows that count: not private, and for their owner alone."""
        return Clipping.of(self.table)

    @property
    def count(self) -> int:
        """Number of persons, which is public; that of the table's rows is not, and is not read."""
        return self.table.records if self.persons is None else self.persons.count

    def check(self, columns: str, records: int) -> None:
        """Refuse to go by a plan for another description, or for another number of persons."""
        if self.columns != columns:
            raise InvalidInput(
                "The table was read by another description, but it must be by this one."
            )
        if self.count != records:
            raise InvalidInput(
                f"The table has {spaced(self.count)} {Record.of(columns).noun}, but it must have "
                f"the plan's {spaced(records)}."
            )

    def one_row_each(self, lots: Callable[[int], Lots] = lots_for_release) -> ReleaseTable:
        """One of each person's rows, by lots: the first step of `dpcore.datasets.persons`, k = 1.

        Every row has the same chance, also of those that were left out when it was read.
        """
        if self.persons is None:
            return self
        has = np.diff(np.append(self.persons.first, self.table.records))
        person = np.repeat(np.arange(self.count), has)
        selected = bounded(person, 1, lots(len(person)))
        return replace(self, table=self.table.rows(selected.index), persons=None)


def read_for_release(
    columns: str, data: bytes, filename: str, lots: Callable[[int], Lots] = lots_for_release
) -> ReleaseTable:
    """The records of a described table, bounded for a release by the operating system's lots."""
    facts(columns)
    table, person = read_rows(columns, data, filename)
    if person is None:
        return ReleaseTable(columns, replace(table, counts={}), None)
    unit = read(columns).person or Person()
    persons = bounded(person, unit.most, lots(len(person)))
    bounded_table = table.rows(persons.index)
    bounded_table = replace(
        bounded_table, entry=replace(bounded_table.entry, records=persons.count), counts={}
    )
    return ReleaseTable(columns, bounded_table, persons if unit.most > 1 else None)


def written(
    columns: str, frame: pd.DataFrame, label: NDArray[np.int8] | NDArray[np.float64]
) -> str:
    """The records as a CSV file; labels are -1 or 1, or 0 of a blank record."""
    import pandas as pd

    fields: dict[str, object] = {}
    description = read(columns)
    for field in description.fields:
        name = harmless(field.name)
        if field.name == description.predicted:
            no, yes = map(harmless, field.levels)
            words = np.array(["", yes, no], dtype=object)
            fields[name] = words[np.sign(label).astype(np.int64)]
        else:
            fields[name] = _texts(field, frame[field.name])
    return str(pd.DataFrame(fields).to_csv(index=False, lineterminator="\n"))


def harmless_columns(columns: str) -> str:
    """The description of what `written` writes: the same but where a text could be a formula."""
    description = read(columns)
    fields = tuple(map(_harmless_field, description.fields))
    predicted = harmless(description.predicted)
    safe = replace(description, fields=fields, predicted=predicted, dialect=TO_BE_FOUND)
    return columns if safe == description else write(safe)


def harmless(text: str) -> str:
    """The text, or one that begins with ’ where a spreadsheet would take it for a formula."""
    safe = cell(text)
    return text if safe == text else safe.replace("'", "’")


def _harmless_field(field: DescribedField) -> DescribedField:
    return replace(
        field,
        name=harmless(field.name),
        levels=tuple(map(harmless, field.levels)),
        missing_marks=tuple(map(harmless, field.missing_marks)),
    )


def _texts(field: DescribedField, values: pd.Series) -> NDArray[np.object_]:
    column = field.column
    mark = harmless(column.missing_marks[0]) if column.missing_marks else ""
    if column.kind == "category":
        levels = np.array([*map(harmless, column.levels), mark], dtype=object)
        return levels[values.cat.codes.to_numpy()]  # -1 is the last: unknown
    numbers = values.to_numpy(dtype=float)
    if column.kind == "indicator":
        words = np.array([*map(harmless, column.codes), ""], dtype=object)
        return words[np.where(np.isnan(numbers), 2, numbers).astype(np.int64)]
    texts = [mark if np.isnan(value) else _number(field, column.days, value) for value in numbers]
    return np.array(texts, dtype=object)


def _number(field: DescribedField, days: Days | None, value: float) -> str:
    if days is not None:
        day = days.first + timedelta(days=int(value))
        return day.strftime(_WRITTEN[days.order]) if days.order in _WRITTEN else day.isoformat()
    text = _within(value, *field.column.bounds)
    return text.replace(".", ",") if field.decimal_mark == "," else text


def _within(value: float, low: float, high: float) -> str:
    """A number with `DIGITS` digits of its range, and more where the range is narrow."""
    largest, width = max(abs(low), abs(high)), high - low
    decimals = max(DIGITS - 1 - math.floor(math.log10(largest)), 3 - math.floor(math.log10(width)))
    text = f"{value:.{max(0, decimals)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    if not low <= float(text) <= high:
        return repr(float(min(max(value, low), high)))
    return "0" if text == "-0" else text


def network_file(csv: str, columns: str) -> bytes:
    """The records as `dpcore.datasets.images.sets.features_npz` reads them.

    Four fifths are to learn from, shape (n, d), and the rest to test on. The features are those of
    the convex methods: numbers by their public bounds, categories by their public levels, rows of
    length at most 1. A blank record is a null record of the file.
    """
    split = prepare(read_own(columns, csv.encode(), "records.csv"))
    file = io.BytesIO()
    np.savez_compressed(
        file,
        train_features=split.x_train.astype(np.float32),
        train_labels=_classes(split),
        test_features=split.x_test.astype(np.float32),
        test_labels=(split.y_test > 0.0).astype(np.int64),
        names=np.array([split.entry.negative, split.entry.positive]),
    )
    return file.getvalue()


def _classes(split: Split) -> NDArray[np.int64]:
    return np.where(split.blank, NULL_CLASS, split.y_train > 0.0).astype(np.int64)
