"""The few numbers that make a column's curve, which a person can read, and correct by hand.

A number has the rise of its straight line over the public interval, and the height of each step; a
category has the log odds of each level but its reference. All are those of a record of average
length (`dpcore.datasets.column_parts`). A linear model's weights give them, and follow from them:

    heights = matrix w,  curve = shape heights,  w' = w + change (wanted - heights).

A step adds to one side of its cut what it takes from the other, so that a higher step alone would
move the log odds of everybody. Where all records have a feature in common, or a category whose
levels they all have one of, ``change`` takes that back there: the log odds of a record then move by
the change of the curve at its value, times one factor for the record, and those at the reference
stay. No record is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.additive import STEPS
from dpcore.datasets.column_parts import (
    STEP_OFFSET,
    Person,
    Values,
    average_factor,
    part_of,
    reference_person,
    unscaled,
    values_of,
)
from dpcore.datasets.encoding import FloatArray, cut_values, values_at
from dpcore.datasets.preparation import Preparation, used_columns
from dpcore.datasets.schema import Column, Entry

LINE = "line"


@dataclass(frozen=True, eq=False)
class ColumnTerms:
    """What a person may correct of a column; heights and the curve are log odds."""

    values: Values
    names: tuple[str, ...]  # "line", "step 1", … of a number; else levels
    cuts: FloatArray  # (terms,): of steps, in the column's unit; else nan
    matrix: FloatArray  # (terms, d): heights from weights
    shape: FloatArray  # (values, terms): the curve from heights
    change: FloatArray  # (d, terms): added to the weights for a height raised by 1
    moves: FloatArray  # (terms,): what the log odds at the reference then move by

    def heights(self, weights: NDArray[np.floating]) -> FloatArray:
        """Of models, (runs, d) or (d,), in log odds."""
        return np.asarray(weights @ self.matrix.T)

    def corrected(self, weights: NDArray[np.floating], wanted: FloatArray) -> FloatArray:
        """The weights (d,) of a model whose heights are the wanted ones, (terms,)."""
        return np.asarray(weights + self.change @ (wanted - self.heights(weights)))


def terms_of(entry: Entry, preparation: Preparation, column: Column) -> ColumnTerms:
    """The terms of one column."""
    values = values_of(column, preparation)
    part = part_of(entry, preparation, values)
    if column.kind == "number":
        names, cuts, matrix = _of_number(entry, preparation, column)
    else:
        chosen = [place for place in range(len(values)) if place != values.reference]
        names = tuple(values.levels[place] for place in chosen)
        cuts, matrix = np.full(len(names), np.nan), part[chosen]
    inverse = np.asarray(np.linalg.pinv(matrix), dtype=np.float64)
    person = reference_person(entry, preparation)
    here = unscaled(entry, preparation, values, person)[values.reference]
    at_reference = here @ inverse
    common = _common(entry, preparation, person)
    change = inverse
    if common is not None:
        change = inverse - np.outer(common, at_reference)
        at_reference = np.zeros_like(at_reference)
    moves = average_factor(entry, preparation) * at_reference
    return ColumnTerms(values, names, cuts, matrix, part @ inverse, change, moves)


def _of_number(
    entry: Entry, preparation: Preparation, column: Column
) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
    """The rise of the straight line where there is one, and of each step."""
    steps = STEPS.get(preparation.features)
    cuts = np.zeros(0) if steps is None else steps.cuts
    shares = np.concatenate(
        [[0.0], np.ravel([cuts - STEP_OFFSET, cuts + STEP_OFFSET], order="F"), [1.0]]
    )
    ends = np.clip(values_at(column, preparation, shares), *column.bounds)
    rows = part_of(entry, preparation, Values(column, tuple(ends.tolist()), (), 0))
    rises = rows[2:-1:2] - rows[1:-1:2]
    names = tuple(f"step {place}" for place in range(1, len(cuts) + 1))
    at = np.zeros(0) if steps is None else cut_values(column, preparation, steps)
    if steps is not None and not steps.keeps_number:
        return names, at, rises
    line = rows[-1] - rows[0] - rises.sum(axis=0)
    return (LINE, *names), np.append(np.nan, at), np.vstack([line, rises])


def _common(entry: Entry, preparation: Preparation, person: Person) -> FloatArray | None:
    """Weights that add 1 to every record before its norm is taken; ``None`` where none do."""
    every = [values_of(column, preparation) for column in used_columns(entry, preparation)]
    several = (one for one in every if one.column.kind == "category" and len(one) > 1)
    values = every[0] if preparation.intercept else next(several, None)
    if values is None:
        return None
    rows = unscaled(entry, preparation, values, person)
    if preparation.intercept:
        return np.asarray(np.arange(rows.shape[1]) == rows.shape[1] - 1, dtype=np.float64)
    return np.asarray(np.ptp(rows, axis=0) > 0.0, dtype=np.float64)
