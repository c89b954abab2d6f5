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
