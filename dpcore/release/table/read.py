"""The records that a release learns from: at most k rows of each person, which count as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dpcore.datasets.clipping import Clipping
from dpcore.datasets.own.field import Person
from dpcore.datasets.own.notation import read
from dpcore.datasets.own.rows import read_rows
from dpcore.datasets.persons import Lots, Persons, bounded, lots_for_release
from dpcore.datasets.schema import Table
from dpcore.release.table.facts import facts


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
    columns: str,
    data: bytes,
    filename: str,
    lots: Callable[[int], Lots] = lots_for_release,
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
