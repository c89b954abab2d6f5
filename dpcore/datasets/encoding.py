"""Features of columns: each a function of one column of its own record, with public scaling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.features import STEPS, Steps
from dpcore.datasets.preparation import Preparation, used_columns
from dpcore.datasets.schema import Column, Entry, Table

if TYPE_CHECKING:
    import pandas as pd


FloatArray = NDArray[np.float64]
Write = Callable[[FloatArray], None]
"""Writes features to the first columns of an array."""

_NUDGE = 2.0**-22
"""How far below 1 the norm of a row stays. Sums of squares round differently with the order of
addition, and a copy in single precision rounds each entry by up to 2⁻²⁴ of it; neither may lift a
row over the norm that the sensitivity assumes."""

_VANISHING = 1e-100


@dataclass(frozen=True)
class OutsideBounds:
    """How many of a column's known values lay outside its public bounds, and were clipped."""

    outside: int
    known: int

    @classmethod
    def of(cls, values: FloatArray, outside: int) -> OutsideBounds:
        return cls(outside, int((~np.isnan(values)).sum()))

    @property
    def is_most(self) -> bool:
        """Whether more than half of what is known was clipped."""
        return 2 * self.outside > self.known

    @property
    def is_much(self) -> bool:
        """Whether more than one in twenty, and no more than half."""
        return self.known < 20 * self.outside and not self.is_most


def features_of(entry: Entry, frame: pd.DataFrame, preparation: Preparation) -> FloatArray:
    """Rows as `prepare` makes them, before they are brought to a norm; none of them is blank."""
    if preparation.scaling != "public" or preparation.features in ("rule", "fourier"):
        raise ValueError("features do not follow from public values and one column each")
    columns = used_columns(entry, preparation)
    return encode(frame, slice(None), columns, preparation)[1]


def encode(
    frame: pd.DataFrame,
    rows: NDArray[np.intp] | slice,
    columns: Sequence[Column],
    preparation: Preparation,
) -> tuple[list[str], FloatArray, dict[str, OutsideBounds]]:
    """Names, rows of some records before their norm is taken, and what was clipped of a column."""
    names: list[str] = []
    writes: list[tuple[int, Write]] = []
    clipped: dict[str, OutsideBounds] = {}
    for column in columns:
        if column.kind == "category":
            added, write = _one_hot(
                column, frame[column.name].cat.codes.to_numpy()[rows], preparation
            )
        else:
            values = frame[column.name].to_numpy(dtype=float)[rows]
            added, write = [column.name], partial(_write, values[:, np.newaxis])
            if column.kind == "number":
                added, write, outside = _number(column, values, preparation)
                if outside:
                    clipped[column.name] = OutsideBounds.of(values, outside)
        writes.append((len(names), write))
        names += added
    if preparation.intercept:
        writes.append((len(names), partial(_write, np.ones((1, 1)))))
        names.append("intercept")
    # In place: room for every column's own features would take longer than to fill it.
    x = np.empty((len(frame.index[rows]), len(names)))
    for place, write in writes:
        write(x[:, place:])
    return names, x, clipped


def _write(values: NDArray[Any], out: FloatArray) -> None:
    out[:, : values.shape[1]] = values


def _one_hot(
    column: Column, levels: NDArray[np.integer], preparation: Preparation
) -> tuple[list[str], Write]:
    names = [f"{column.name} = {level}" for level in column.levels]
    # The codebook decides it, never whether an unknown value occurs.
    if column.missing_marks and preparation.missing == "impute":
        names.append(f"{column.name} unknown")
        levels = np.where(levels < 0, np.int64(len(column.levels)), levels)
    return names, partial(_write, levels[:, np.newaxis] == np.arange(len(names)))


def _number(
    column: Column, values: FloatArray, preparation: Preparation
) -> tuple[list[str], Write, int]:
    """The features of a number: names, rows, and how many values lay outside the public bounds."""
    line, outside = scaled(column, values, preparation)
    steps = STEPS.get(preparation.features)
    if steps is None:
        return [column.name], partial(_write, line[:, np.newaxis]), outside
    shares, _ = scaled(column, values, replace(preparation, interval="unit"))
    names = [f"{column.name} ≥ {cut:.4g}" for cut in cut_values(column, preparation, steps)]
    lines = [column.name] if steps.keeps_number else []

    def write(out: FloatArray) -> None:
        out[:, : len(lines)] = line[:, np.newaxis]
        steps.write(shares, out[:, len(lines) :])

    return [*lines, *names], write, outside


def cut_values(column: Column, preparation: Preparation, steps: Steps) -> FloatArray:
    """Where the steps of a number stand, in its own unit, ascending; shape (K,)."""
    return values_at(column, preparation, steps.cuts)


def values_at(column: Column, preparation: Preparation, shares: FloatArray) -> FloatArray:
    """Numbers in their own unit at shares of the public interval, after its transform; (K,)."""
    low, high = _transformed(column, np.array(column.bounds), preparation)
    places = low + shares * (high - low)
    if not preparation.log_transform or column.transform == "none":
        return np.asarray(places)
    return np.asarray(np.sign(places) * np.expm1(np.abs(places)))


def _transformed(column: Column, values: FloatArray, preparation: Preparation) -> FloatArray:
    if not preparation.log_transform or column.transform == "none":
        return values
    if column.transform == "log1p":
        return np.log1p(values)
    return np.sign(values) * np.log1p(np.abs(values))


def count_outside(column: Column, values: FloatArray) -> int:
    """How many values lie outside the public bounds of a number."""
    lower, upper = column.bounds
    return int(((values < lower) | (values > upper)).sum())


def scaled(column: Column, values: FloatArray, preparation: Preparation) -> tuple[FloatArray, int]:
    """A number in [−1, 1] or [0, 1], and how many values lay outside the public bounds."""
    lower, upper = column.bounds
    outside = 0
    if preparation.scaling == "public":
        outside = count_outside(column, values)
        values = np.clip(values, lower, upper)
        low, high = _transformed(column, np.array([lower, upper]), preparation)
        values = _transformed(column, values, preparation)
    else:
        # log1p of a value below −1 is no number; the public transform is only defined above it.
        floor = lower if column.transform == "log1p" and preparation.log_transform else -np.inf
        values = _transformed(column, np.maximum(values, floor), preparation)
        low, high = np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf)
    # A constant column carries no information; it is set to the lower end.
    share = (values - low) / (high - low) if high > low else np.zeros_like(values)
    # Rounding may exceed the ends of the interval by one unit in the last place.
    share = np.clip(share, 0.0, 1.0)
    share[np.isnan(share)] = 0.5
    return (2.0 * share - 1.0 if preparation.interval == "symmetric" else share), outside


def bring_to_norm(x: FloatArray, *, only_above: bool = False) -> None:
    """Scale rows in place to norm 1 (a hair below), or only those above 1.

    Zeros stay zeros, and rows shorter than 1e-100 become zeros.
    """
    norms = np.sqrt(np.einsum("ij,ij->i", x, x))
    limit = 1.0 - _NUDGE - 2.0**-52 * x.shape[1]
    # The squares of a row this short underflow, so that its norm cannot be told from 0.
    vanishing = norms < _VANISHING
    change = norms > limit if only_above else ~vanishing
    factors = np.where(vanishing, 0.0, 1.0)
    np.divide(limit, norms, out=factors, where=change)
    x *= factors[:, np.newaxis]


def count_numbers(columns: Sequence[Column]) -> int:
    """How many of the columns hold numbers."""
    return sum(column.kind == "number" for column in columns)


@dataclass(frozen=True)
class Clipping:
    """What lay outside the ranges, by column; not private, and in nothing that leaves."""

    columns: tuple[tuple[str, OutsideBounds], ...] = ()

    @classmethod
    def of(cls, table: Table) -> Clipping:
        found = []
        for column in table.entry.columns:
            if column.kind == "number":
                values = table.frame[column.name].to_numpy(dtype=float)
                if outside := count_outside(column, values):
                    found.append((column.name, OutsideBounds.of(values, outside)))
        return cls(tuple(found))

    @property
    def mostly(self) -> tuple[str, ...]:
        """Columns of which most values were clipped: likely a slip in their range or unit."""
        return tuple(name for name, outside in self.columns if outside.is_most)

    @property
    def often(self) -> tuple[str, ...]:
        """Columns of which more than one in twenty were, and no more than half."""
        return tuple(name for name, outside in self.columns if outside.is_much)
