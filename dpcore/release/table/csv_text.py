"""Records as a CSV file that reads by its description, and in which a spreadsheet finds no formula.

A name, level or mark that a spreadsheet would take for a formula begins with ’ instead, in the file
and in the description that goes with it.
"""

from __future__ import annotations

import math
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.own.description import lines_of
from dpcore.datasets.own.line import BLANK, DescribedColumn
from dpcore.datasets.own.statements import is_statement
from dpcore.datasets.values import DAY_FIRST, MONTH_FIRST, Days
from dpcore.spreadsheet import cell

if TYPE_CHECKING:
    import pandas as pd

_WRITTEN = {DAY_FIRST: "%d.%m.%Y", MONTH_FIRST: "%m/%d/%Y"}
DIGITS = 6
"""Significant digits of the largest number of a column."""


def written(
    columns: str, frame: pd.DataFrame, label: NDArray[np.int8] | NDArray[np.float64]
) -> str:
    """The records as a CSV file.

    Parameters
    ----------
    columns : str
        Their description, with an outcome of two.
    frame : DataFrame
        As of a `Table`.
    label : (n,) array
        -1 or 1, or 0 of a blank record.
    """
    import pandas as pd

    fields: dict[str, object] = {}
    for line in lines_of(columns):
        name = harmless(line.column.name)
        if line.predicted:
            no, yes = map(harmless, line.levels)
            words = np.array(["", yes, no], dtype=object)
            fields[name] = words[np.sign(label).astype(np.int64)]
        else:
            fields[name] = _texts(line, frame[line.column.name])
    return str(pd.DataFrame(fields).to_csv(index=False, lineterminator="\n"))


def harmless_columns(columns: str) -> str:
    """The description of what `written` writes: the same but where a text could be a formula.

    Raises
    ------
    InvalidInput
        As `lines_of`.
    """
    described = {line.place: line for line in lines_of(columns)}
    return "\n".join(
        _harmless_line(described[place]) if place in described else text
        for place, text in enumerate(columns.splitlines(), start=1)
        if place in described or is_statement(text)
    )


def harmless(text: str) -> str:
    """The text, or one that begins with ’ where a spreadsheet would take it for a formula."""
    # No text of a description holds the usual apostrophe.
    return cell(text).replace("'", "’")


def _harmless_line(line: DescribedColumn) -> str:
    column = line.column
    texts = (column.name, *column.missing_marks, *line.levels)
    if all(harmless(text) == text for text in texts):
        return line.text
    values, *remarks = (part.strip() for part in line.text.partition(":")[2].split(";"))
    if line.levels:
        values = "one of " + ", ".join(map(harmless, line.levels))
    remarks = [
        f"unknown: {harmless(column.missing_marks[0]) or BLANK}"
        if each.startswith("unknown:")
        else each
        for each in remarks
    ]
    before = "predict " if line.predicted else ""
    return f"{before}{harmless(column.name)}: {'; '.join([values, *remarks])}"


def _texts(line: DescribedColumn, values: pd.Series) -> NDArray[np.object_]:
    column = line.column
    mark = harmless(column.missing_marks[0]) if column.missing_marks else ""
    if column.kind == "category":
        levels = np.array([*map(harmless, column.levels), mark], dtype=object)
        return levels[values.cat.codes.to_numpy()]  # -1 is the last: unknown
    numbers = values.to_numpy(dtype=float)
    if column.kind == "indicator":
        words = np.array([*map(harmless, column.codes), ""], dtype=object)
        return words[np.where(np.isnan(numbers), 2, numbers).astype(np.int64)]
    texts = [mark if np.isnan(value) else _number(line, column.days, value) for value in numbers]
    return np.array(texts, dtype=object)


def _number(line: DescribedColumn, days: Days | None, value: float) -> str:
    if days is not None:
        day = days.first + timedelta(days=int(value))
        return day.strftime(_WRITTEN[days.order]) if days.order in _WRITTEN else day.isoformat()
    text = _within(value, *line.column.bounds)
    return text.replace(".", ",") if line.decimal_comma else text


def _within(value: float, low: float, high: float) -> str:
    """A number with `DIGITS` digits of its range, and more where the range is narrow."""
    largest, width = max(abs(low), abs(high)), high - low
    decimals = max(DIGITS - 1 - math.floor(math.log10(largest)), 3 - math.floor(math.log10(width)))
    text = f"{value:.{max(0, decimals)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    if not low <= float(text) <= high:
        return repr(float(min(max(value, low), high)))
    return "0" if text == "-0" else text
