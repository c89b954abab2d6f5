"""Neighbouring data sets on which a method has nothing to hide behind.

They are written out as files and come in as any table of one's own does: what reading and preparing
make of a blanked record is part of what is attacked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Preparation, Table, prepare
from dpcore.datasets.own import read_own
from dpcore.datasets.prepare import drawn
from dpcore.errors import reject
from dpcore.guarantee import Adjacency

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Neighbours:
    """Two data sets that differ in their first record.

    Parameters
    ----------
    first, second : pair of arrays
        (n, d) features with rows of norm at most 1, and (n,) labels of ±1, or 0 of a blank record.
    adjacency : Adjacency
        How they differ.
    direction : (d,) array
        Along which their releases lie apart: those of `first` further out.
    """

    first: tuple[Array, Array]
    second: tuple[Array, Array]
    adjacency: Adjacency
    direction: Array


def table(
    columns: Sequence[str],
    label: str,
    rows: Sequence[Sequence[str]],
    rest: Sequence[str] = (),
) -> Table:
    """A table of one's own whose training records are these rows, in their order.

    Parameters
    ----------
    columns : sequence of str
        What each field but the last holds, as a description has it: "x: -1 to 1".
    label : str
        What the last field holds.
    rows : sequence of sequences of str
        The fields; a row without any is a blank record.
    rest : sequence of str
        What every record of the test part is.
    """
    kept = np.zeros(0, dtype=bool)
    while int((~kept).sum()) < len(rows):
        kept = drawn(len(kept) + 1, Preparation())
    described = [*columns, f"predict {label}"]
    names = [each.removeprefix("predict ").partition(":")[0] for each in described]
    given, blank = iter(rows), [""] * len(names)
    lines = [names, *((rest if test else next(given)) or blank for test in kept)]
    written = "\n".join(",".join(line) for line in lines)
    return read_own("\n".join(described), written.encode(), "neighbour")


def lone_record(
    records: int, dimension: int, adjacency: Adjacency, others: float = 0.0
) -> Neighbours:
    """One record of norm 1 among blank ones; in the other set it is blank, or its opposite.

    Blank records have no gradient, so all that moves is the record's own: by the full L, or by 2L
    where its opposite replaces it. With a loss that is linear at the margins met (the Huber loss
    near 0), it moves by that much at every step.

    Parameters
    ----------
    records, dimension : int
        n and d.
    adjacency : Adjacency
        zero-out or replace-one.
    others : float
        In [-1, 1]: what the other records are, in lengths of the one; 0 for blank ones. Where
        batches of fixed size are drawn, -1 shows best whether the record was among them: it takes
        an opposite's place.

    Raises
    ------
    InvalidInput
        For add/remove: the methods here take n for public.
    """
    if adjacency is Adjacency.ADD_REMOVE:
        raise reject("adjacency", adjacency, "zero-out or replace-one, which keep n")
    # The record is on the public bounds of its first feature, and in the middle of all others.
    columns = [f"x{place}: -1 to 1" for place in range(dimension)]
    way = Preparation(norm="clip")

    def row(length: float) -> list[str]:
        return [f"{length!r}", *(dimension - 1) * ["0"], "yes"] if length else []

    def prepared(first: float) -> tuple[Array, Array]:
        rows = [row(first), *(row(others) for _ in range(records - 1))]
        split = prepare(table(columns, "label: one of no, yes", rows, row(1.0)), way)
        return split.x_train, split.y_train

    second = -1.0 if adjacency is Adjacency.REPLACE_ONE else 0.0
    return Neighbours(prepared(1.0), prepared(second), adjacency, np.eye(dimension)[0])
