"""Neighbouring data sets on which a method has nothing to hide behind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import reject
from dpcore.guarantee import Adjacency

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Neighbours:
    """Two data sets that differ in their first record.

    Parameters
    ----------
    first, second : pair of arrays
        (n, d) features with rows of norm at most 1, and (n,) labels of ±1.
    adjacency : Adjacency
        How they differ.
    direction : (d,) array
        Along which their releases lie apart: those of `first` further out.
    """

    first: tuple[Array, Array]
    second: tuple[Array, Array]
    adjacency: Adjacency
    direction: Array


def lone_record(
    records: int, dimension: int, adjacency: Adjacency, others: float = 0.0
) -> Neighbours:
    """One record of norm 1 among null ones; in the other set it is null, or its opposite.

    Null records have no gradient, so all that moves is the record's own: by the full L, or by 2L
    where its opposite replaces it. With a loss that is linear at the margins met (the Huber loss
    near 0), it moves by that much at every step.

    Parameters
    ----------
    records, dimension : int
        n and d.
    adjacency : Adjacency
        zero-out or replace-one.
    others : float
        In [-1, 1]: what the other records are, in lengths of the one. Where batches of fixed size
        are drawn, -1 shows best whether the record was among them: it takes an opposite's place.

    Raises
    ------
    InvalidInput
        For add/remove: the methods here take n for public.
    """
    if adjacency is Adjacency.ADD_REMOVE:
        raise reject("adjacency", adjacency, "zero-out or replace-one, which keep n")
    direction = np.eye(dimension)[0]
    with_record, without = np.broadcast_to(others * direction, (2, records, dimension)).copy()
    with_record[0] = direction
    without[0] = -direction if adjacency is Adjacency.REPLACE_ONE else 0.0
    labels = np.ones(records)
    return Neighbours((with_record, labels), (without, labels), adjacency, direction)
