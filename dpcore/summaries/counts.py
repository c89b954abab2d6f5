"""What a table adds up to, exactly, and the only noise that a summary draws on records."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.schema import Column, Entry, Label, Table
from dpcore.errors import InvalidInput, one_of
from dpcore.mechanisms.whole_gaussian import UNITS
from dpcore.summaries.mechanism import (
    BRANCHES,
    CROSS,
    EVERYBODY,
    NOT_KNOWN,
    FollowUpColumn,
    NumberColumn,
    SummaryMechanism,
    SummaryQuery,
    WordColumn,
    pairs,
)
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Draw = Callable[[int, int], "list[int]"]
"""Whole numbers round(σZ): from σ in units, and how many."""
LAYERS = ((10_000, 3), (100_000, 4), (None, 5))
"""How often a range is cut, by the number of records below which."""
MAX_LEVELS = 50


@dataclass(frozen=True)
class ColumnSums:
    """What one column adds up to, by group; in units where exact, in records where noisy.

    What is not measured is of size 0.
    """

    levels: Array  # (groups, levels)
    known: Array  # (groups,)
    total: Array  # (groups,): Σ u
    squares: Array  # (groups,): Σ u²
    layers: tuple[Array, ...]  # (groups, cells of the layer)


@dataclass(frozen=True)
class TableSums:
    """What a table adds up to."""

    sizes: Array  # (groups,); of size 0 where they are not measured
    columns: Mapping[str, ColumnSums]

    @property
    def vector(self) -> Array:
        """All of it, part by part (`parts`)."""
        found = [self.sizes]
        for own in self.columns.values():
            found += [own.levels, own.known, own.total, own.squares, *own.layers]
        return np.concatenate([part.ravel() for part in found])


def layers_for(records: int) -> int:
    """How often a number's range is cut, by n."""
    return next(cut for below, cut in LAYERS if below is None or records < below)


def outcome_column(entry: Entry) -> Column:
    """The outcome as a column like any other, which is never unknown.

    A record without an outcome is a blank one (`Table.blank`): it is in no group and adds nothing.
    """
    label = entry.label
    if isinstance(label, Column):
        return replace(label, missing_marks=())
    words = ("no", "yes") if isinstance(label, Label) else label.titles
    about = label.positive if isinstance(label, Label) else label.name
    return Column(label.name, "category", about, levels=tuple(words))


def columns_of(entry: Entry) -> tuple[Column, ...]:
    """Every column that can be summarised, the outcome's last."""
    return (*entry.columns, outcome_column(entry))


def followed_columns(entry: Entry) -> tuple[Column, ...]:
    """Every column that may be a time or an event: those of a follow-up first."""
    return (*entry.followed, *columns_of(entry))


def measured_of(
    entry: Entry, names: tuple[str, ...], by: str = "", records: int | None = None
) -> SummaryQuery:
    """What is measured of these columns, by public rules alone.

    Parameters
    ----------
    entry : Entry
    names : tuple of str
        Columns to summarise.
    by : str
        The column whose values are the groups; "" for none.
    records : int, optional
        n, by which ranges are cut; the entry's where it is left out.

    Raises
    ------
    InvalidInput
        If there is no such column, one is named twice, or one of numbers is to make groups.
    """
    offered = {column.name: column for column in columns_of(entry)}
    n = entry.records if records is None else records
    layers = layers_for(n)
    columns: list[WordColumn | NumberColumn] = []
    for name in names:
        column = offered[one_of("columns", name, tuple(offered))]
        if column.kind == "number":
            lower, upper = column.bounds
            columns.append(NumberColumn(name, lower, upper, layers, bool(column.missing_marks)))
        else:
            levels = _counted(name, column.words)
            columns.append(WordColumn(name, levels, bool(column.missing_marks)))
    return SummaryQuery(tuple(columns), by, groups_of(entry, by))


def groups_of(entry: Entry, by: str) -> tuple[str, ...]:
    """The groups that a column makes."""
    if not by:
        return ("",)
    offered = {column.name: column for column in columns_of(entry)}
    column = offered[one_of("by", by, tuple(offered))]
    if column.kind == "number":
        raise InvalidInput(f"by is {by}, but it must be a column of words, not of numbers.")
    for name in (EVERYBODY, NOT_KNOWN):
        if name in column.words:
            raise InvalidInput(
                f"by is {by}, but it must have no value that is called “{name}”: it would be "
                "taken for the table's own."
            )
    return (*_counted(by, column.words), *([NOT_KNOWN] if column.missing_marks else []))


def _counted(name: str, levels: tuple[str, ...]) -> tuple[str, ...]:
    if len(levels) > MAX_LEVELS:
        raise InvalidInput(
            f"{name} has {spaced(len(levels))} levels, but it must have at most {MAX_LEVELS} to be "
            "counted."
        )
    return levels


def crossed_of(entry: Entry, first: str, second: str) -> WordColumn:
    """Two columns of words as one, whose levels are the pairs; refuses others."""
    words = measured_of(entry, (first, second)).columns
    levels = [one.levels for one in words if isinstance(one, WordColumn)]
    if len(levels) < 2:
        raise InvalidInput(f"cross is {first}:{second}, but it must be of columns of words.")
    name, both = f"{first}{CROSS}{second}", pairs(*levels)
    may_be_unknown = any(one.may_be_unknown for one in words)
    return WordColumn(name, _counted(name, both), may_be_unknown, crossed=(first, second))


def exact(table: Table, measured: SummaryQuery) -> TableSums:
    """Add up a table, in units. Nothing of it is private before it has noise."""
    blank = table.blank
    group = np.zeros(table.records, dtype=np.int64)
    if measured.by:
        group = places(table, measured.by)
        if measured.groups[-1] == NOT_KNOWN:
            group = np.where(group < 0, len(measured.groups) - 1, group)
    group = np.where(blank, -1, group)
    size = len(measured.groups)
    sizes = UNITS * _count(group, group >= 0, size).astype(float)
    return TableSums(
        sizes if measured.size_weight else np.zeros(0),
        {column.name: _exact(table, column, group, size) for column in measured.columns},
    )


def places(table: Table, name: str) -> Whole:
    """The level of each record in a column of words, -1 where it is not known."""
    if name == table.entry.label.name:
        label = table.label
        if table.entry.predicts == "class":
            return np.where(label == 0, -1, (label > 0).astype(np.int64)).astype(np.int64)
        return label.astype(np.int64)
    values = _values(table, name)
    if values.dtype == "category":
        return values.cat.codes.to_numpy().astype(np.int64)
    numbers = values.to_numpy(dtype=float)
    return np.where(np.isnan(numbers), -1, numbers).astype(np.int64)


def values_of(table: Table, name: str) -> Array:
    """The numbers of a column, nan where not known."""
    is_outcome = name == table.entry.label.name
    return np.asarray(table.label if is_outcome else _values(table, name), dtype=float)


def _values(table: Table, name: str) -> pd.Series:
    """A column of the records, or of their follow-up."""
    followed = table.follow_up
    return table.frame[name] if followed is None or name not in followed else followed[name]


def _count(place: Whole, counts: NDArray[np.bool_], size: int) -> Whole:
    return np.bincount(place[counts], minlength=size)[:size]


def _exact(
    table: Table, column: WordColumn | NumberColumn, group: Whole, groups: int
) -> ColumnSums:
    none = np.zeros(0)
    if isinstance(column, WordColumn):
        level, size = _levels(table, column), len(column.levels)
        is_known = (level >= 0) & (group >= 0)
        cells = _count(group * size + level, is_known, groups * size).reshape(groups, size)
        return ColumnSums(UNITS * cells.astype(float), none, none, none, ())
    values = values_of(table, column.name)
    is_known = ~np.isnan(values) & (group >= 0)
    place, known = group[is_known], np.clip(values[is_known], column.lower, column.upper)
    scaled = (known - column.middle) / column.half_width

    def added(amounts: Array) -> Array:
        # Each sum on the way is a whole number far below 2⁵³: exact in any order.
        units = np.clip(np.rint(amounts * UNITS), -UNITS, UNITS)
        return np.asarray(np.bincount(place, units, minlength=groups), dtype=float)

    share = (known - column.lower) / (column.upper - column.lower)
    finest = np.minimum((share * column.cells).astype(np.int64), column.cells - 1)
    layers = []
    for depth in range(1, column.layers + 1):
        cells = BRANCHES**depth
        cell = finest // (column.cells // cells)
        counted = np.bincount(place * cells + cell, minlength=groups * cells)
        layers.append(UNITS * counted.reshape(groups, cells).astype(float))
    total_known = UNITS * np.bincount(place, minlength=groups).astype(float)
    return ColumnSums(
        none,
        total_known if column.may_be_unknown else none,
        added(scaled) if column.sum_weight else none,
        added(scaled**2) if column.squares_weight else none,
        tuple(layers),
    )


def _levels(table: Table, column: WordColumn) -> Whole:
    """The level of each record in a column, -1 where it is not known."""
    if column.crossed:
        first, second = (places(table, name) for name in column.crossed)
        (width,) = (len(x.words) for x in columns_of(table.entry) if x.name == column.crossed[1])
        return np.where((first < 0) | (second < 0), -1, width * first + second)
    if not isinstance(column, FollowUpColumn):
        return places(table, column.name)
    name, happened = column.event, places(table, column.event)
    words = next(each for each in followed_columns(table.entry) if each.name == name).words
    came = happened == words.index(column.happened)
    times, intervals = values_of(table, column.name), column.intervals
    # The interval in which an event comes or someone leaves holds its end; the first holds 0, too.
    place = np.ceil(np.clip(times, 0.0, column.end) / column.end * intervals - 1e-9) - 1.0
    level = np.where(came, 0, intervals) + np.clip(place, 0.0, None)
    is_there = np.where(came, times > column.end, times >= column.end)
    level = np.where(is_there, 2 * intervals, level)
    return np.where(np.isnan(times) | (happened < 0), -1, level).astype(np.int64)


Part = tuple[str, tuple[int, ...], int]
"""A part that is measured: a name, its shape and its weight."""


def parts(measured: SummaryQuery) -> Iterator[tuple[tuple[int, ...], int]]:
    """The shape and the weight of each part that is measured, in the order of a vector."""
    for _, shape, weight in _named_parts(measured):
        yield shape, weight


def _named_parts(measured: SummaryQuery) -> Iterator[Part]:
    """Each part with the name of its column, "" of the sizes."""
    groups = len(measured.groups)
    if measured.size_weight:
        yield "", (groups,), measured.size_weight
    for column in measured.columns:
        for _, shape, weight in _parts_of(column, groups):
            yield column.name, shape, weight


def _parts_of(column: WordColumn | NumberColumn, groups: int) -> list[Part]:
    """The parts of a column with the fields of `ColumnSums`."""
    if isinstance(column, WordColumn):
        return [("levels", (groups, len(column.levels)), column.weight)]
    each: list[Part] = [
        ("known", (groups,), column.known_weight if column.may_be_unknown else 0),
        ("total", (groups,), column.sum_weight),
        ("squares", (groups,), column.squares_weight),
    ]
    for depth in range(1, column.layers + 1):
        each.append(("layers", (groups, BRANCHES**depth), column.layer_weight))
    return [part for part in each if part[-1]]


def sums_of(vector: Array, measured: SummaryQuery) -> TableSums:
    """The sums that a vector holds, part by part (`TableSums.vector`)."""
    shapes = [shape for shape, _ in parts(measured)]
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    pieces = iter(
        [
            part.reshape(shape)
            for part, shape in zip(np.split(vector, ends[:-1]), shapes, strict=True)
        ]
    )
    sizes, columns = next(pieces) if measured.size_weight else np.zeros(0), {}
    for column in measured.columns:
        held: dict[str, list[Array]] = defaultdict(list)
        for name, *_ in _parts_of(column, len(measured.groups)):
            held[name].append(next(pieces))
        levels, known, total, squares = (
            held[name][0] if name in held else np.zeros(0)
            for name in ("levels", "known", "total", "squares")
        )
        columns[column.name] = ColumnSums(levels, known, total, squares, tuple(held["layers"]))
    return TableSums(sizes, columns)


def released(counts: TableSums, mechanism: SummaryMechanism, draw: Draw) -> list[int]:
    """Everything with its noise, as whole numbers in units: the only step that looks at records."""
    noise: list[int] = []
    for shape, weight in parts(mechanism.measured):
        noise += draw(mechanism.noise_of(weight), math.prod(shape))
    # Python's whole numbers have no end, so no draw overflows.
    return [int(value) + more for value, more in zip(counts.vector.tolist(), noise, strict=True)]


def noisy(counts: TableSums, mechanism: SummaryMechanism, draw: Draw) -> TableSums:
    """Everything with its noise, in records."""
    return in_records(released(counts, mechanism, draw), mechanism.measured)


def in_records(units: Iterable[float], measured: SummaryQuery) -> TableSums:
    """The sums of a vector in units, in records."""
    return sums_of(np.array([value / UNITS for value in units], dtype=float), measured)


def seeded(seed: int) -> Draw:
    """Noise from a seed: for exploration only."""
    generator = np.random.default_rng(seed)

    def draw(sigma: int, count: int) -> list[int]:
        return list(np.rint(generator.normal(0.0, sigma, count)).astype(np.int64).tolist())

    return draw


def seeded_of(seed: int, measured: SummaryQuery, some: SummaryQuery) -> Draw:
    """The noise that `seeded` draws for a query, on those of its columns alone that another has."""
    generator, names = np.random.default_rng(seed), {"", *(column.name for column in some.columns)}
    drawn = [
        (name, generator.standard_normal(math.prod(shape)))
        for name, shape, _ in _named_parts(measured)
    ]
    kept = iter([noise for name, noise in drawn if name in names])

    def draw(sigma: int, count: int) -> list[int]:
        return list(np.rint(sigma * next(kept)).astype(np.int64).tolist())

    return draw
