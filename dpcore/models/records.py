"""A table encoded for the survey's models: numbers in [-1, 1], category codes, labels 0 and 1.

Every value is a function of its own record and of public bounds. Unknown values are filled in from
public values, so that no record is dropped for its content: a number becomes the middle of its
bounds, an unknown category is a level of its own. A record whose label is unknown is blank: it
keeps its place, so that the others keep theirs, and adds nothing to any model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Entry, Preparation, Table
from dpcore.datasets.encoding import bring_to_norm, scaled
from dpcore.datasets.partition import count_tested, divided, tested
from dpcore.datasets.preparation import used_columns
from dpcore.datasets.schema import Column
from dpcore.errors import InvalidInput

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

TEST_FRACTION = 0.2
BLANK = -1
"""The label of a blank record."""


@dataclass(frozen=True)
class RecordShape:
    """The public facts about the records: all that a calibration may see."""

    # training records, blank ones included: from the catalogue's published figure, or the rows of a
    # user's own table. Rules for depths, trees and teachers use it.
    size: int
    numbers: int
    # of each category, an unknown one included
    levels: tuple[int, ...]

    @property
    def columns(self) -> int:
        return self.numbers + len(self.levels)

    @property
    def dimension(self) -> int:
        """Length of a row of `Records.rows`."""
        return self.numbers + sum(self.levels)


@dataclass(frozen=True, eq=False)
class Records:
    """Records as models read them, each by itself within public bounds."""

    shape: RecordShape
    # (n, p): in [-1, 1]; refused otherwise
    numbers: Array
    # (n, q): codes from 0 to the number of levels less 1; refused otherwise
    categories: Whole
    # (n,): 0 or 1, or `BLANK`; all 0 or `BLANK` for a model that uses none, so that it can't see
    # any. A blank record has 0 in all other places too.
    labels: Whole

    def __post_init__(self) -> None:
        n, levels = len(self.labels), np.asarray(self.shape.levels, dtype=np.int64)
        if self.numbers.shape != (n, self.shape.numbers) or self.categories.shape != (
            n,
            len(levels),
        ):
            raise InvalidInput("records are of another shape than the one they come with.")
        if not (np.abs(self.numbers) <= 1.0).all():
            raise InvalidInput("a number is outside [-1, 1], which every sensitivity relies on.")
        if not ((self.categories >= 0) & (self.categories < levels)).all():
            raise InvalidInput("a category has a code beyond its levels.")
        if not np.isin(self.labels, (BLANK, 0, 1)).all():
            raise InvalidInput("a label is neither 0 nor 1, nor is its record blank.")
        blank = self.labels == BLANK
        if self.numbers[blank].any() or self.categories[blank].any():
            raise InvalidInput("a blank record holds a value.")

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, chosen: slice | NDArray[np.bool_] | Whole) -> Records:
        """Some of the records, of the same public shape."""
        return Records(
            self.shape, self.numbers[chosen], self.categories[chosen], self.labels[chosen]
        )

    @property
    def known(self) -> Records:
        """The records that are not blank, the only ones in sums, counts and votes."""
        blank = self.labels == BLANK
        return self[~blank] if blank.any() else self

    @property
    def vary(self) -> bool:
        """Whether two of them differ in a column."""
        points = self.points()
        return bool((points != points[:1]).any())

    @property
    def signs(self) -> Array:
        """The labels as ±1, and 0 of a blank record; (n,)."""
        return np.select([self.labels == 1, self.labels == 0], [1.0, -1.0])

    def rows(self) -> Array:
        """`points`, each scaled to norm 1; (n, d)."""
        x = self.points()
        bring_to_norm(x)
        return x

    def points(self) -> Array:
        """Numbers and one 0/1 feature a level side by side, over √columns: norms ≤ 1; (n, d)."""
        x = np.zeros((len(self), self.shape.dimension))
        x[:, : self.shape.numbers] = self.numbers
        start = self.shape.numbers
        for column, count in enumerate(self.shape.levels):
            x[np.arange(len(self)), start + self.categories[:, column]] = 1.0
            start += count
        x[self.labels == BLANK] = 0.0
        # Slightly less than the norm allows: rounding may not lift a point above 1.
        return x * ((1.0 - 1e-9) / math.sqrt(max(1, self.shape.columns)))


def shape_of(entry: Entry) -> RecordShape:
    """The public shape of the training records, from the catalogue alone."""
    tested = 0 if entry.further else count_tested(entry.records, _preparation(0))
    return shape_with(entry.used, max(1, entry.records - tested))


def shape_with(columns: Sequence[Column], size: int) -> RecordShape:
    """The public shape of so many training records with these columns."""
    levels = [
        len(column.levels) + bool(column.missing_marks) if column.kind == "category" else 2
        for column in columns
        if column.kind != "number"
    ]
    return RecordShape(size, len(columns) - len(levels), tuple(levels))


def encode(table: Table, *, seed: int = 0, labels: bool = True) -> tuple[Records, Records]:
    """Training and test records of a table, blank ones in their places.

    The split is by the rows' places: neither a record's content nor its blankness moves another.
    All are learned from where the table brings further records to test on. A model that uses no
    `labels` gets none; else a label that is not one of two classes is refused.
    """
    entry = table.entry
    if labels and entry.predicts != "class":
        raise InvalidInput(
            f"dataset is {entry.key!r}, but for this model it must have a label of two classes."
        )
    preparation = _preparation(seed)
    table, test = tested(table, preparation)
    encoded = _encoded(table, shape_of(entry), preparation, labels)
    if test.all():
        raise InvalidInput(f"{entry.title} leaves no record to learn from.")
    return encoded[~test], encoded[test]


def _preparation(seed: int) -> Preparation:
    return Preparation(missing="impute", seed=seed, test_fraction=TEST_FRACTION)


def split_records(table: Table, preparation: Preparation) -> tuple[Records, Records]:
    """The records of exactly those rows that `dpcore.datasets.prepare` makes of a table."""
    table, train, test = divided(table, preparation)
    shape = shape_with(used_columns(table.entry, preparation), len(train))
    plain = replace(preparation, scaling="public", interval="symmetric")
    encoded = _encoded(table, shape, plain, True)
    return encoded[train], encoded[test]


def _encoded(table: Table, shape: RecordShape, preparation: Preparation, labels: bool) -> Records:
    n, blank = table.records, table.blank
    numbers, categories = [], []
    for column in used_columns(table.entry, preparation):
        values = table.frame[column.name]
        if column.kind == "number":
            filled = scaled(column, values.to_numpy(dtype=float), preparation)[0]
            numbers.append(np.where(blank, 0.0, filled))
        elif column.kind == "category":
            codes = values.cat.codes.to_numpy().astype(np.int64)
            codes = np.where(codes < 0, len(column.levels), codes)
            categories.append(np.where(blank, 0, codes))
        else:
            answers = np.where(blank, 0.0, values.to_numpy(dtype=float))
            categories.append(answers.astype(np.int64))
    return Records(
        shape,
        np.column_stack(numbers) if numbers else np.zeros((n, 0)),
        np.column_stack(categories) if categories else np.zeros((n, 0), dtype=np.int64),
        np.where(blank, BLANK, table.label > 0 if labels else 0),
    )
