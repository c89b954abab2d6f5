"""A summary as one reads it: a line a number, with a cell for all and for each group."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dpcore.summaries.estimates import FRACTIONS, SHARE
from dpcore.summaries.mechanism import EVERYBODY
from dpcore.summaries.survival import MEDIAN
from dpcore.words import SPACE, spaced

Row = Mapping[Any, Any]
"""A number by the names of `SummaryNumber.told`, with its unit."""


class Cell(NamedTuple):
    """A number as it is shown, its interval, and whether that tells anything."""

    value: str
    interval: str
    readable: bool = True


NOT_TOLD = Cell("", "")


class TableLine(NamedTuple):
    """A row of the table: a column's heading alone, or a number for all and for each group."""

    heading: str
    cells: tuple[Cell, ...] = ()


def lines(
    rows: Sequence[Row], groups: Sequence[str], *, by: str, records: int, records_are: str
) -> Iterator[TableLine]:
    """The table, a line each: how many, then each column's numbers by group, all first."""
    sizes = {EVERYBODY: Cell(spaced(records), "")}
    for row in (row for row in rows if row["column"] == by):
        low, high = (spaced(round(records * row[end])) for end in ("low", "high"))
        shown = spaced(round(records * row["value"]))
        sizes[row["level"]] = Cell(shown, f"{low} to {high}", bool(row["readable"]))
    yield TableLine(records_are, tuple(sizes.get(group, NOT_TOLD) for group in groups))
    columns: dict[str, dict[tuple[str, str], dict[str, Row]]] = {}
    for row in (row for row in rows if row["column"] != by):
        numbers = columns.setdefault(row["column"], {})
        numbers.setdefault((row["statistic"], row["level"]), {})[row["group"]] = row
    for column, numbers in columns.items():
        unit = max(row["unit"] for told in numbers.values() for row in told.values())
        yield TableLine(column.replace("_", " ") + (f", {unit}" if unit else ""))
        for (statistic, level), told in numbers.items():
            heading = level if statistic == SHARE else f"{statistic} {level}".rstrip()
            cells = (cell(told[each]) if each in told else NOT_TOLD for each in groups)
            yield TableLine(heading, tuple(cells))


def cell(row: Row) -> Cell:
    """A number with as many decimals as its interval tells."""
    factor, mark = (100.0, " %") if row["statistic"] in FRACTIONS else (1.0, "")
    half = factor * (row["high"] - row["low"]) / 2.0 or factor * row.get("error", 0.0) or 1.0
    decimals = max(0, 1 - math.floor(math.log10(half)))

    def shown(value: float) -> str:
        return f"{factor * value:z,.{decimals}f}".replace("-", "−").replace(",", SPACE)

    interval = f"{shown(row['low'])} to {shown(row['high'])}"
    # A median at the last time is one that may not have been reached.
    least = "≥ " if row["statistic"] == MEDIAN and row["value"] >= row["high"] else ""
    return Cell(f"{least}{shown(row['value'])}{mark}", interval, bool(row["readable"]))
