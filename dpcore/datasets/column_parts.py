"""A column's own part in the score of a linear model, by the schema alone, and its terms.

Before its norm is taken a row u is made of one block a column, so that wᵀu is a sum of one part a
column. The row that a model learns from is f u, with one factor f for the whole record: 1/‖u‖, or
where only long rows are shortened at most 1. So the score of a record is

    f Σⱼ wⱼᵀuⱼ(xⱼ) = (f/F) Σⱼ partⱼ(xⱼ),  with partⱼ(x) = F wⱼᵀuⱼ(x).

F is the factor of a row of average length: that of records whose values are spread evenly over all
that the schema allows (the root of their mean squared length). Two records that differ in one
column only, and not in length, thus have scores that differ by f/F times the difference of its
part. Its risk needs the values of the others. With these held, the row of a person is exact, and so
is its length (`people_at`).

A column's curve is made of few terms, which a person can read, and correct by hand: of a number the
rise of its straight line over the public interval, and the height of each step; of a category the
log odds of each level but its reference. A linear model's weights give them, and follow from them:

    heights = matrix w,  curve = shape heights,  w' = w + change (wanted - heights).

A step adds to one side of its cut what it takes from the other, so that a higher step alone would
move the log odds of everybody. Where all records have a feature in common, or a category whose
levels they all have one of, ``change`` takes that back there: the log odds of a record then move by
the change of the curve at its value, times one factor for the record, and those at the reference
stay. No record is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.encoding import FloatArray, bring_to_norm, cut_values, features_of, values_at
from dpcore.datasets.features import STEPS
from dpcore.datasets.preparation import Preparation, used_columns
from dpcore.datasets.schema import Column, Entry

if TYPE_CHECKING:
    import pandas as pd


SPREAD = 1_000
"""Records whose mean squared length is taken."""
STEP_OFFSET = 1e-9
"""Distance of a step from the values on both sides of it, as a share of the public interval: more
than rounding, and too little to be seen."""
UNKNOWN = "unknown"
INTERVALS = 12
"""Between the values of a number; those on both sides of each step come on top."""
Person = Mapping[str, float]
"""Of each column a value: a number in its own unit, else the place of a level in `Values`."""


@dataclass(frozen=True)
class Values:
    """The public values of a column at which its part is computed."""

    column: Column
    numbers: tuple[float, ...]  # in their unit, ascending; on both sides of each step
    levels: tuple[str, ...]  # a last one for unknown values where there may be some
    reference: int  # place of what unknown numbers are filled in by, or of the first level

    def __len__(self) -> int:
        return len(self.numbers or self.levels)

    @property
    def at(self) -> tuple[float, ...]:
        """The numbers, or the places of the levels."""
        return self.numbers or tuple(map(float, range(len(self.levels))))


def values_of(column: Column, preparation: Preparation) -> Values:
    """The values of a column, as the schema and the map of its features have them."""
    if column.kind == "number":
        shares = np.arange(INTERVALS + 1) / INTERVALS
        steps = STEPS.get(preparation.features)
        if steps is not None:
            shares = np.sort([*shares, *(steps.cuts - STEP_OFFSET), *(steps.cuts + STEP_OFFSET)])
        numbers = np.clip(values_at(column, preparation, shares), *column.bounds)
        return Values(column, tuple(numbers.tolist()), (), int(np.flatnonzero(shares == 0.5)[0]))
    levels = column.words
    if column.missing_marks and preparation.missing == "impute":
        levels = (*levels, UNKNOWN)
    return Values(column, (), levels, 0)


def part_of(entry: Entry, preparation: Preparation, values: Values) -> FloatArray:
    """F (u(x) - u(reference)) at each value, (values, d), zero outside the column's own block.

    A linear model's weights are multiplied with it. The preparation has public bounds, and features
    that belong to one column each.
    """
    frame = _frame(entry, preparation, np.zeros(len(values)))
    _set_column(frame, values.column, np.array(values.at))
    features = features_of(entry, frame, preparation)
    changes: FloatArray = features - features[values.reference]
    return average_factor(entry, preparation) * changes


def reference_person(entry: Entry, preparation: Preparation) -> Person:
    """Who has the reference of every column: public."""
    every = [values_of(column, preparation) for column in used_columns(entry, preparation)]
    return {one.column.name: one.at[one.reference] for one in every}


def people_at(entry: Entry, preparation: Preparation, values: Values, person: Person) -> FloatArray:
    """Rows, as `prepare` makes them, of people who are alike in all but one column."""
    rows = unscaled(entry, preparation, values, person)
    bring_to_norm(rows, only_above=preparation.norm == "clip")
    return rows


def unscaled(entry: Entry, preparation: Preparation, values: Values, person: Person) -> FloatArray:
    """The rows of `people_at` before their norm is taken."""
    frame = _frame(entry, preparation, np.zeros(len(values)))
    for column in used_columns(entry, preparation):
        _set_column(frame, column, np.full(len(values), person[column.name]))
    _set_column(frame, values.column, np.array(values.at))
    return features_of(entry, frame, preparation)


def average_factor(entry: Entry, preparation: Preparation) -> float:
    """F, the factor by which a row of average length is scaled."""
    places = (np.arange(SPREAD) + 0.5) / SPREAD
    features = features_of(entry, _frame(entry, preparation, places), preparation)
    length = float(np.sqrt(np.einsum("ij,ij->", features, features) / SPREAD))
    row = np.zeros((1, features.shape[1]))
    row[0, 0] = length
    bring_to_norm(row, only_above=preparation.norm == "clip")
    return float(row[0, 0]) / length


def _frame(entry: Entry, preparation: Preparation, places: FloatArray) -> pd.DataFrame:
    """Records whose values are at these shares, below 1, of the range that the schema allows."""
    import pandas as pd

    content: dict[str, object] = {}
    for column in used_columns(entry, preparation):
        if column.kind == "number":
            content[column.name] = values_at(column, preparation, places)
        elif column.kind == "category":
            content[column.name] = _levels(column, (places * len(column.levels)).astype(np.intp))
        else:
            content[column.name] = (places >= 0.5).astype(float)
    return pd.DataFrame(content)


def _set_column(frame: pd.DataFrame, column: Column, values: FloatArray) -> None:
    if column.kind == "category":
        codes = values.astype(np.intp)
        frame[column.name] = _levels(column, np.where(codes < len(column.levels), codes, -1))
    else:
        frame[column.name] = values


def _levels(column: Column, codes: NDArray[np.intp]) -> Any:
    """A category with these levels, -1 for an unknown one."""
    import pandas as pd

    known = [column.levels[code] if code >= 0 else None for code in codes.tolist()]
    return pd.Categorical(known, categories=list(column.levels))


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
