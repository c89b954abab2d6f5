"""The records of a described table, from a file of anyone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpcore.datasets.faults import WrongHeader, WrongTable
from dpcore.datasets.limits import LARGEST_TABLE
from dpcore.datasets.own import mending
from dpcore.datasets.own.description import entry_of
from dpcore.datasets.own.field import DescribedField, TableDescription
from dpcore.datasets.own.mending import Mend, Mendable
from dpcore.datasets.own.notation import read
from dpcore.datasets.persons import Whole, bounded, lots_for_exploration
from dpcore.datasets.schema import Table
from dpcore.datasets.sources import columns_of, field_of, label_field, labels_of
from dpcore.datasets.text import Field, Layout, distinct_values, read_described
from dpcore.words import spaced


def read_own(columns: str, data: bytes, filename: str) -> Table:
    """The records of a described table, to explore: one row of each person."""
    table, person = read_rows(columns, data, filename)
    if person is None:
        return table
    persons = bounded(person, 1, lots_for_exploration(len(person)))
    note = (
        f"One row of each of {spaced(persons.count)} persons is used here; "
        f"{spaced(persons.dropped)} more rows are left out."
    )
    return table.rows(persons.index, (note,))


def read_rows(columns: str, data: bytes, filename: str) -> tuple[Table, Whole | None]:
    """All rows of a described table, from anyone's text or Parquet, and whose they are.

    Persons count from 0; ``None`` where the description names no such column. What is not described
    is left out. A refusal names line and column, and no value of a record.
    """
    description = read(columns)
    entry = entry_of(description)
    label = entry.label
    fields = [
        file_field(field, is_predicted=field.name == label.name) for field in description.fields
    ]
    person = description.person
    whose = person.column if person is not None else ""
    if whose:
        fields.append(Field(whose, person=True))
    layout = Layout(tuple(fields), header=True, label=label.name)
    try:
        raw, notes = read_described(layout, data, filename, LARGEST_TABLE, description.dialect)
    except WrongHeader as refusal:
        absent = [field for field in description.fields if field.name in refusal.absent]
        mends = [
            mend
            for field in absent[:1]
            for mend in mending.of_name(description, field, set(refusal.others))
        ]
        raise Mendable(str(refusal), mends) from None
    except WrongTable as refusal:
        raise Mendable(str(refusal), _mends(description, refusal, data, filename)) from None
    frame = columns_of(entry.columns, raw)
    labels = labels_of(label, raw)
    table = Table(
        entry=replace(entry, records=len(labels)),
        frame=frame,
        label=labels,
        counts={"records": len(labels)},
        published=False,
    )
    # No table is refused for what its records have in common: blanking one record must not turn an
    # accepted table into a refused one, or the reverse.
    is_constant = len(np.unique(labels[~table.blank])) < 2
    if is_constant:
        notes += (f"{label.name} is the same in every record, so there is nothing to learn.",)
    return replace(table, notes=notes), raw[whose].to_numpy() if whose else None


def file_field(field: DescribedField, *, is_predicted: bool = False) -> Field:
    """The field of a file that a described one is read from."""
    return replace(
        label_field(field.label) if is_predicted else field_of(field.column),
        decimal_mark=field.decimal_mark,
        thousands_mark=field.thousands_mark,
        beyond=field.beyond,
        described=True,
    )


def _mends(
    description: TableDescription, refusal: WrongTable, data: bytes, filename: str
) -> list[Mend]:
    for field in description.fields:
        if field.name == refusal.field:
            distinct = distinct_values(data, filename, description.dialect)[field.name]
            return mending.of_value(description, field, refusal.value, distinct)
    return []
