"""Groups of people by one column, cut at public places: of what measures are compared.

Bands begin at round public numbers: ages at decades, long-tailed numbers at powers of ten.
"""

from __future__ import annotations

import itertools
import math
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.partition import divided
from dpcore.datasets.preparation import Preparation
from dpcore.datasets.schema import Column, Entry, Table
from dpcore.errors import InvalidInput, brief

BANDS = 10
ROUND = (1.0, 2.0, 5.0, 10.0)
DECADE, YEARS = 10.0, (20.0, 150.0)
"""Width of a band of ages, and the ranges that are cut so."""


@dataclass(frozen=True)
class Grouping:
    """The groups that a column divides people into."""

    column: Column
    names: tuple[str, ...]
    edges: tuple[float, ...] = ()  # where the bands of a number begin, but for the first one

    def of_tested(
        self, table: Table, preparation: Preparation
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows of a split's test records in the table, and each one's group, both (m,)."""
        table, _, rows = divided(table, preparation)
        series = table.frame[self.column.name].iloc[rows]
        if self.column.kind == "category":
            places = series.cat.codes.to_numpy().astype(np.intp)
            unknown = places < 0
        else:
            values = series.to_numpy(dtype=float)
            unknown = np.isnan(values)
            edges = self.edges if self.column.kind == "number" else (0.5,)
            places = np.searchsorted(edges, values, side="right")
        return rows, np.where(
            unknown, len(self.names) - 1 if self.column.missing_marks else -1, places
        )


def grouping(entry: Entry, name: str) -> Grouping:
    """The groups by a column, also one that models do not use."""
    names = columns(entry)
    if name not in names:
        raise InvalidInput(
            f"column is {brief(name)}, but it must be one of the columns of {entry.key}: "
            + ", ".join(names)
            + "."
        )
    column = entry.column(name)
    edges: tuple[float, ...] = ()
    if column.kind == "number":
        edges = _edges(column)
        groups = _bands(edges)
    else:
        groups = [f"= {level}" for level in column.words]
    if column.missing_marks:
        groups.append("unknown")
    return Grouping(column, tuple(f"{name} {group}" for group in groups), edges)


def columns(entry: Entry) -> tuple[str, ...]:
    """Names of the columns that divide people: all; categories come first."""
    ordered = sorted(entry.columns, key=lambda column: column.kind == "number")
    return tuple(column.name for column in ordered)


def _edges(column: Column) -> tuple[float, ...]:
    low, high = column.bounds
    if column.transform == "none":
        width = high / BANDS - low / BANDS  # which cannot overflow
        if width < sys.float_info.min:
            return ()
        step = DECADE
        if column.unit != "years" or not YEARS[0] <= high - low <= YEARS[1]:
            power = 10.0 ** math.floor(math.log10(width))
            step = next(one * power for one in ROUND if one * power >= width * (1.0 - 1e-9))
        first = math.floor(low / step)
        edges = [step * (first + place) for place in range(2 * BANDS)]
    else:
        powers = [10.0**power for power in range(math.ceil(math.log10(max(-low, high, 1.0))))]
        edges = [*(-power for power in reversed(powers)), 0.0, *powers]
    inside = {float(f"{edge:.12g}") for edge in edges if low < edge < high}
    return tuple(sorted(inside))


def _bands(edges: tuple[float, ...]) -> list[str]:
    if not edges:
        return ["of any value"]
    shown = [f"{edge:.12g}" for edge in edges]
    between = [f"{low} to under {high}" for low, high in itertools.pairwise(shown)]
    return [f"under {shown[0]}", *between, f"from {shown[-1]} on"]
