"""Which records of a table are learned from, tested on or left out, and their plain columns.

Every choice depends on the number of records, on public values or, with `stratified`, on published
labels: exchanging one record moves no other between training and testing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.encoding import FloatArray
from dpcore.datasets.preparation import Preparation, used_columns
from dpcore.datasets.schema import Column, Table
from dpcore.errors import InvalidInput, brief, one_of


def tested(table: Table, preparation: Preparation) -> tuple[Table, NDArray[np.bool_]]:
    """The table with the further records it brings, and a mask of those to test on."""
    if preparation.held_out:
        return table, of_site(table, preparation.held_out)
    if table.further is None:
        if preparation.stratified:
            return table, drawn_by_class(table, preparation)
        return table, drawn(table.records, preparation)
    import pandas as pd

    parts = (table, table.further)
    joined = replace(
        table,
        frame=pd.concat([part.frame for part in parts], ignore_index=True),
        label=np.concatenate([part.label for part in parts]),
        further=None,
        follow_up=None,
    )
    return joined, np.arange(joined.records) >= table.records


def of_site(table: Table, site: str) -> NDArray[np.bool_]:
    entry = table.entry
    if not entry.site:
        raise InvalidInput(
            f"held_out is {brief(site)}, but it must be left out: {entry.title} has no sites."
        )
    one_of("held_out", site, entry.sites)
    return (table.frame[entry.site] == site).to_numpy(dtype=bool)


def count_tested(records: int, preparation: Preparation) -> int:
    """Number of test records among so many, blank and incomplete ones included."""
    return min(max(round(preparation.test_fraction * records), 1), records)


def drawn(records: int, preparation: Preparation) -> NDArray[np.bool_]:
    """A mask of the test records, shape (records,), which depends on their number alone."""
    generator = np.random.default_rng(preparation.seed)
    count = count_tested(records, preparation)
    waiting = generator.permutation(records)
    for _ in range(preparation.turn):
        waiting = waiting[count:]
        if len(waiting) < count:
            order = generator.permutation(records)
            waits = np.isin(order, waiting)
            waiting = np.concatenate([waiting, order[~waits], order[waits]])
    test = np.zeros(records, dtype=bool)
    test[waiting[:count]] = True
    return test


def drawn_by_class(table: Table, preparation: Preparation) -> NDArray[np.bool_]:
    """A mask of as many test records, (records,), each class (also of blanks) at its share."""
    if not table.published or table.entry.predicts == "number":
        raise InvalidInput(
            f"stratified is {preparation.stratified}, but it must be False: only published records "
            "that fall into classes are split by class."
        )
    _, place, counts = np.unique(table.label, return_inverse=True, return_counts=True)
    count = count_tested(table.records, preparation)
    wanted = count * counts / table.records
    quota = np.floor(wanted).astype(int)
    quota[np.argsort(quota - wanted, kind="stable")[: count - quota.sum()]] += 1
    order = np.random.default_rng(preparation.seed).permutation(table.records)
    test = np.zeros(table.records, dtype=bool)
    for stratum, most in enumerate(quota):
        test[order[place[order] == stratum][:most]] = True
    return test


def unknown_values(table: Table, columns: Sequence[Column]) -> NDArray[np.bool_]:
    """Which values are unknown of the columns that may have some, (records, columns)."""
    marked = [column.name for column in columns if column.missing_marks]
    unknown = table.frame[marked].isna().to_numpy(dtype=bool)
    return np.asarray(unknown & ~table.blank[:, np.newaxis])


def complete_enough(unknown: NDArray[np.bool_], preparation: Preparation) -> NDArray[np.bool_]:
    """Which records are not dropped, (records,)."""
    return ~np.asarray(unknown.any(axis=1) & (preparation.missing == "drop"))


def places(
    table: Table, test: NDArray[np.bool_], keep: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places of the training records, and of the test records.

    The split is drawn over all records before any is dropped: whether one record is complete must
    not move the others between training and testing.
    """
    return np.flatnonzero(keep & ~test), np.flatnonzero(keep & test & ~table.blank)


@dataclass(frozen=True, eq=False)
class Columns:
    """The records of a split, a number each column."""

    train: FloatArray  # (n, c): numbers in their unit, places of levels; nan where unknown
    test: FloatArray
    categories: tuple[bool, ...]  # which columns are, (c,)


def columns_of(table: Table, preparation: Preparation) -> Columns:
    """The columns of the records that `prepare` makes rows of, in the same order."""
    used = used_columns(table.entry, preparation)
    table, train_rows, test_rows = divided(table, preparation)
    values = np.empty((table.records, len(used)))
    for place, column in enumerate(used):
        series = table.frame[column.name]
        if column.kind == "category":
            codes = series.cat.codes.to_numpy()
            values[:, place] = np.where(codes < 0, np.nan, codes)
        else:
            values[:, place] = series.to_numpy(dtype=float)
    categories = tuple(column.kind == "category" for column in used)
    return Columns(values[train_rows], values[test_rows], categories)


def divided(
    table: Table, preparation: Preparation
) -> tuple[Table, NDArray[np.intp], NDArray[np.intp]]:
    """The table with the further records it brings; the places that are trained and tested on."""
    table, test = tested(table, preparation)
    unknown = unknown_values(table, used_columns(table.entry, preparation))
    return table, *places(table, test, complete_enough(unknown, preparation))
