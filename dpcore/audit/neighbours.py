"""Worst-case neighbouring data sets for a method, as files that are read like any user's table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Preparation, Table, prepare
from dpcore.datasets.own.rows import read_own
from dpcore.datasets.partition import drawn
from dpcore.errors import reject
from dpcore.guarantee import Adjacency

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Neighbours:
    """Two data sets that differ in their first record."""

    first: tuple[Array, Array]  # (n, d) of norm at most 1, and (n,) labels of ±1, or 0 if blank
    second: tuple[Array, Array]
    adjacency: Adjacency
    direction: Array  # (d,); releases of `first` lie further out


def table(
    columns: Sequence[str],
    label: str,
    rows: Sequence[Sequence[str]],
    rest: Sequence[str] = (),
) -> Table:
    """Read a user's own table with these rows for training, in order; an empty row is blank."""
    is_test = np.zeros(0, dtype=bool)
    while int((~is_test).sum()) < len(rows):
        is_test = drawn(len(is_test) + 1, Preparation())
    description = [*columns, f"predict {label}"]
    names = [column.removeprefix("predict ").partition(":")[0] for column in description]
    remaining, blank = iter(rows), [""] * len(names)
    lines = [names, *((rest if test else next(remaining)) or blank for test in is_test)]
    text = "\n".join(",".join(line) for line in lines)
    return read_own("\n".join(description), text.encode(), "neighbour")


def lone_record(
    records: int,
    dimension: int,
    adjacency: Adjacency,
    others: float = 0.0,
    features: Literal["plain", "additive", "fine"] = "plain",
) -> Neighbours:
    """One record of norm 1 among blank ones; in the other set it is blank, or its opposite.

    Only the record's own gradient changes: by L, or by 2L where its opposite replaces it.
    """
    if adjacency is Adjacency.ADD_REMOVE:
        raise reject("adjacency", adjacency, "zero-out or replace-one, which keep n")
    # The record is at the public bound of its first feature, and in the middle of all others.
    columns = [f"x{index}: -1 to 1" for index in range(dimension)]
    preparation = Preparation(norm="clip", features=features)

    def row(length: float) -> list[str]:
        return [f"{length!r}", *(dimension - 1) * ["0"], "yes"] if length else []

    def prepared(first: float) -> tuple[Array, Array]:
        rows = [row(first), *(row(others) for _ in range(records - 1))]
        split = prepare(table(columns, "label: one of no, yes", rows, row(1.0)), preparation)
        return split.x_train, split.y_train

    second = -1.0 if adjacency is Adjacency.REPLACE_ONE else 0.0
    first = prepared(1.0)
    direction = first[0][0] / np.linalg.norm(first[0][0])
    return Neighbours(first, prepared(second), adjacency, direction)
