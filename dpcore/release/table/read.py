"""The records that a release learns from: at most k rows of each person, which count as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dpcore.datasets.own import read_rows
from dpcore.datasets.persons import Lots, Persons, bounded, lots_for_release
from dpcore.datasets.schema import Table
from dpcore.datasets.statements import Person, statements_of
from dpcore.release.table.facts import facts


@dataclass(frozen=True)
class ReleaseTable:
    """Records, and whose they are.

    Parameters
    ----------
    table : Table
        One person's rows after another's. The `records` of its entry are the number of persons,
        which is public; those of the table itself are not.
    persons : Persons
        Each row's share, and where a person's rows begin. `index` holds places in the file.
    """

    table: Table
    persons: Persons


def read_for_release(
    columns: str,
    data: bytes,
    filename: str,
    lots: Callable[[int], Lots] = lots_for_release,
) -> ReleaseTable:
    """The records of a described table, bounded for a release.

    Parameters
    ----------
    columns : str
        As `dpcore.release.table.facts.facts` takes it.
    data, filename
        As of `dpcore.datasets.own.read_rows`.
    lots : callable
        (rows) -> a lot for each; those of the operating system unless given.

    Raises
    ------
    InvalidInput
        As `facts` and `read_rows`.
    """
    facts(columns)
    unit = statements_of(columns).person or Person()
    table, person = read_rows(columns, data, filename)
    whose = np.arange(table.records) if person is None else person
    persons = bounded(whose, unit.most, lots(len(whose)))
    kept = table.rows(persons.index)
    return ReleaseTable(
        replace(kept, entry=replace(kept.entry, records=persons.count), counts={}), persons
    )
