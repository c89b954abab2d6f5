"""From a table to rows of norm at most 1 and labels ±1 or in [−1, 1], for a private method.

With public scaling every row is a function of its own record alone: exchanging one record changes
one row and nothing else, which is what every sensitivity in this package assumes. Scaling by the
data's own range, as papers often do, breaks that; it is offered for comparison and marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.encoding import (
    FloatArray,
    OutsideBounds,
    bring_to_norm,
    count_numbers,
    encode,
    scaled,
)
from dpcore.datasets.features import (
    MAPS,
    STEPS,
    affordable,
    enough_records,
    fourier_names,
    random_fourier,
)
from dpcore.datasets.partition import complete_enough, places, tested, unknown_values
from dpcore.datasets.preparation import Preparation, complete_only, used_columns
from dpcore.datasets.schema import Classes, Column, Entry, Table
from dpcore.errors import InvalidInput
from dpcore.words import spaced

DATA_SCALING = (
    "leaks: numbers are scaled by the smallest and largest value in the data. So one record can "
    "move every row, and no guarantee here covers that."
)


@dataclass(frozen=True, eq=False)
class Split:
    """Rows of d features and labels, n for training and m for testing."""

    entry: Entry
    preparation: Preparation  # its `features` by rule are "additive" or "plain"
    x_train: FloatArray  # (n, d), the intercept included: norms at most 1
    # ±1; a class; or the outcome scaled to [−1, 1] by its public bounds and clipped
    y_train: FloatArray
    x_test: FloatArray
    y_test: FloatArray
    feature_names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    # Columns of which over half was clipped; others: one in twenty. Not private.
    mostly_clipped: tuple[str, ...] = ()
    often_clipped: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()  # why rows are no functions of single records; empty when they are
    # Training records whose row is zero and whose label 0 (-1 with classes): they add to no sum.
    blank: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    tested: int = 0  # number of test records with blank ones: public, as m is not
    further: bool = False  # whether test records come on top of the set's own
    # By rule: the same records with each map that it chooses among, from coarse to fine.
    maps: Mapping[str, Split] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not len(self.blank):
            object.__setattr__(self, "blank", np.zeros(self.records, dtype=bool))
        if not len(self.blank) == len(self.y_train) == self.records:
            raise ValueError("rows, labels and blank records are not of one number")
        object.__setattr__(self, "tested", self.tested or len(self.y_test))

    @property
    def records(self) -> int:
        """Number of training records, n, blank ones included."""
        return len(self.x_train)

    @cached_property
    def known(self) -> tuple[FloatArray, FloatArray]:
        """Rows and labels of the training records that are not blank, for evaluating models."""
        if not self.blank.any():
            return self.x_train, self.y_train
        return self.x_train[~self.blank], self.y_train[~self.blank]

    @property
    def complete(self) -> bool:
        """Whether only complete records are allowed (`complete_only`)."""
        return complete_only(self.entry, self.preparation)

    @property
    def dimension(self) -> int:
        """Number of features, d, the intercept included."""
        return len(self.feature_names)

    @property
    def counted(self) -> int:
        """Number of features as rules count them (`dpcore.datasets.features`)."""
        steps = STEPS.get(self.preparation.features)
        if steps is None:
            return self.dimension
        numbers = count_numbers(used_columns(self.entry, self.preparation))
        return self.dimension - numbers * steps.uncounted


def prepare(table: Table, preparation: Preparation | None = None) -> Split:
    """Turn records into rows of norm at most 1.

    Parameters
    ----------
    table : Table
        From `dpcore.datasets.load` or `read_upload`.
    preparation : Preparation, optional
        ``Preparation()`` when left out.

    Returns
    -------
    Split
        With public scaling, a function of each record alone (any adjacency); otherwise `leaks`
        says what is not.

    Raises
    ------
    InvalidInput
        If `preparation` names a column the set does not have, or too few records remain.
    """
    preparation = preparation or Preparation()
    entry = table.entry
    columns = used_columns(entry, preparation)
    notes: list[str] = list(table.notes)

    further = table.further is not None
    if preparation.features == "rule":
        return _by_rule(table, preparation)
    table, test = tested(table, preparation)
    frame, blank = table.frame, table.blank
    unknown = unknown_values(table, columns)
    keep = complete_enough(unknown, preparation)
    if not keep.all():
        dropped = int((~keep).sum())
        notes.append(
            f"{spaced(dropped)} of {spaced(table.records)} {entry.records_are} with an unknown "
            "value were dropped."
        )
    train_rows, test_rows = places(table, test, keep)
    if preparation.held_out:
        notes.append(
            f"Tested on the {entry.records_are} of {preparation.held_out}; learned from those of "
            "every other site."
        )
    if not len(train_rows) or not len(test_rows):
        raise InvalidInput(
            f"{entry.title} leaves {spaced(len(train_rows))} records for training and "
            f"{spaced(len(test_rows))} for testing that have an outcome, but there must be at "
            "least one of each."
        )

    # Training rows first, test rows after: each is then one contiguous part of the same array.
    rows = np.concatenate([train_rows, test_rows])
    names, x, clipped = encode(frame, rows, columns, preparation)
    error_notes: list[str] = []
    labels, is_blank = table.label[rows].astype(float), blank[rows]
    if isinstance(entry.label, Column):
        # Always by public bounds: the noise is sized for |y| ≤ 1 whatever the features' scaling.
        values = labels
        labels, outside = scaled(entry.label, values, Preparation())
        if outside:
            clipped[entry.label.name] = OutsideBounds.of(values, outside)
            error_notes.append(f"Errors are counted from the clipped values of {entry.label.name}.")
    labels[is_blank] = -1.0 if isinstance(entry.label, Classes) else 0.0
    x[is_blank] = 0.0
    if is_blank.any():
        notes.append(
            f"{spaced(int(is_blank.sum()))} blank {entry.records_are} are among those to learn "
            "from, and teach nothing."
        )
    filled = int(unknown.sum())
    if filled and preparation.missing == "impute":
        notes.append(f"{spaced(filled)} unknown values were filled in from public values.")
    if clipped:
        counts = (f"{spaced(column.outside)} of {name}" for name, column in clipped.items())
        notes.append("Values clipped to the public bounds: " + ", ".join(counts) + ".")
    notes += error_notes
    bring_to_norm(x, only_above=preparation.norm == "clip")
    if preparation.features == "fourier":
        x = random_fourier(x, preparation.fourier_features, preparation.bandwidth)
        x[is_blank] = 0.0  # the features of a zero row are not zero
        bring_to_norm(x)
        names = fourier_names(preparation.fourier_features)
    n = len(train_rows)
    return Split(
        entry=entry,
        preparation=preparation,
        x_train=x[:n],
        y_train=labels[:n],
        x_test=x[n:],
        y_test=labels[n:],
        feature_names=tuple(names),
        notes=tuple(notes),
        mostly_clipped=tuple(name for name, column in clipped.items() if column.is_most),
        often_clipped=tuple(name for name, column in clipped.items() if column.is_much),
        leaks=(DATA_SCALING,) if preparation.scaling == "data" else (),
        blank=is_blank[:n],
        tested=int((keep & test).sum()),
        further=further,
    )


def _by_rule(table: Table, preparation: Preparation) -> Split:
    """The rows with each map that the rule chooses among; straight lines where records are few."""
    numbers = count_numbers(used_columns(table.entry, preparation))
    # Of all records, with gaps or without: how many have none is nobody's business.
    learning = int((~tested(table, preparation)[1]).sum())
    given = f"with {spaced(learning)} {table.entry.records_are} and {numbers} columns of numbers"
    lines = prepare(table, replace(preparation, features="plain"))
    maps = {"plain": lines}
    # Steps stand at public values: there are none at the data's own range.
    if preparation.scaling == "public" and enough_records(learning, numbers):
        for features in MAPS[1:]:
            steps = STEPS[features]
            added = numbers * (steps.count - (0 if steps.keeps_number else 1))
            if affordable(learning, lines.dimension + added):
                maps[features] = prepare(table, replace(preparation, features=features))
    if len(maps) == 1:
        note = f"By rule each number is a straight line, {given}."
        return replace(lines, notes=(*lines.notes, note))
    curves = maps["additive"]
    note = f"By rule each number is a curve, {given}. Where noise is large it is a straight line."
    return replace(curves, notes=(*curves.notes, note), maps=maps)
