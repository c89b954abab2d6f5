"""What a description says of a table and its columns, as data; its text forms are in `notation`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from dpcore.datasets.dialect import TO_BE_FOUND, Dialect
from dpcore.datasets.schema import Classes, Column, Label, number
from dpcore.datasets.values import YEAR_FIRST, Beyond, Days

Kind = Literal["number", "day", "list"]
_STATED = "As described by whoever brought the file; no document was checked."


@dataclass(frozen=True)
class DescribedField:
    """What one column may hold, and how the file writes it."""

    name: str
    kind: Kind
    lower: float | None = None
    upper: float | None = None
    first: date | None = None
    last: date | None = None
    levels: tuple[str, ...] = ()  # of two the second is the one looked for
    unit: str = ""
    missing_marks: tuple[str, ...] = ()
    decimal_mark: str = "."
    thousands_mark: str = ""
    day_order: str = YEAR_FIRST
    beyond: Beyond = ""  # what <5 becomes: its limit, half, unknown; "" refuses it
    place: int = field(default=0, compare=False)  # line of its text, from 1; 0 without

    @property
    def column(self) -> Column:
        """The column, once the field was found right; a day is a number of days since the first."""
        name, marks = self.name, self.missing_marks
        if self.kind == "list":
            if len(self.levels) == 2 and not marks:
                answer = f"{name} = {self.levels[1]}"
                return Column(name, "indicator", answer, levels=self.levels, codes=self.levels)
            return Column(name, "category", name, levels=self.levels, missing_marks=marks)
        if self.kind == "day":
            assert self.first is not None
            assert self.last is not None
            bounds, unit = (0.0, float((self.last - self.first).days)), f"days since {self.first}"
            days = Days(self.first, self.day_order)
        else:
            assert self.lower is not None
            assert self.upper is not None
            bounds, unit, days = (self.lower, self.upper), self.unit, None
        column = number(
            name, name, bounds, _STATED, unit, bounds_from="assumed", missing_marks=marks
        )
        return replace(column, days=days)

    @property
    def label(self) -> Label | Classes | Column:
        """The outcome that it is, if it is predicted."""
        if self.kind != "list":
            return self.column
        if len(self.levels) > 2:
            return Classes(self.name, self.levels)
        no, yes = self.levels
        answers = f"{self.name} = {yes}", f"{self.name} = {no}"
        return Label(self.name, *answers, ((no, -1), (yes, 1)))


@dataclass(frozen=True)
class Person:
    """What one person is in a table."""

    column: str = ""  # "": every row is another person's
    most: int = 1  # k, the rows that count of each


@dataclass(frozen=True)
class TableDescription:
    """What a description says of a table."""

    fields: tuple[DescribedField, ...]  # the predicted one among them
    predicted: str = ""  # "" while nobody has said
    person: Person | None = None
    number_is_public: bool = False
    dialect: Dialect = TO_BE_FOUND

    @property
    def used(self) -> tuple[DescribedField, ...]:
        """The fields that something is predicted from."""
        return tuple(each for each in self.fields if each.name != self.predicted)

    def with_field(self, before: DescribedField, after: DescribedField) -> TableDescription:
        """The description with one field in place of another; the outcome keeps being it."""
        fields = tuple(after if each is before else each for each in self.fields)
        predicted = after.name if before.name == self.predicted else self.predicted
        return replace(self, fields=fields, predicted=predicted)

    def without(self, left_out: DescribedField) -> TableDescription:
        """The description without one field."""
        return replace(self, fields=tuple(each for each in self.fields if each is not left_out))
