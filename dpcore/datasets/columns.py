"""The columns as they are, for models that need no rows of norm 1, such as decision trees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.encoding import FloatArray
from dpcore.datasets.partition import complete_enough, places, tested, unknown_values
from dpcore.datasets.preparation import Preparation, used_columns
from dpcore.datasets.schema import Table


@dataclass(frozen=True, eq=False)
class Columns:
    """The records of a split, a number each column.

    Parameters
    ----------
    train, test : numpy.ndarray, shape (n, c) and (m, c), float64
        Numbers in their own unit, categories as the places of their levels; nan where unknown.
        Their records are those of the split's rows, in the same order.
    categories : tuple of bool, length c
        Which columns are categories.
    """

    train: FloatArray
    test: FloatArray
    categories: tuple[bool, ...]


def columns_of(table: Table, preparation: Preparation) -> Columns:
    """The columns of the records that `dpcore.datasets.prepare` makes rows of.

    Parameters
    ----------
    table : Table
    preparation : Preparation
        Names the split, what is left out and whether incomplete records are dropped.
    """
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
    """The table with the further records it brings, and which of them `prepare` makes rows of.

    Returns
    -------
    (table, train, test)
        Places of the training records (n,) and of the test records (m,), in the split's order.
    """
    table, test = tested(table, preparation)
    unknown = unknown_values(table, used_columns(table.entry, preparation))
    return table, *places(table, test, complete_enough(unknown, preparation))
