"""Records as a CSV file that reads by its description, and in which a spreadsheet finds no formula.

A name, level or mark that a spreadsheet would take for a formula begins with ’ instead, in the file
and in the description that goes with it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.dialect import TO_BE_FOUND
from dpcore.datasets.own.field import DescribedField
from dpcore.datasets.own.notation import read, write
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
    """The records as a CSV file; labels are -1 or 1, or 0 of a blank record."""
    import pandas as pd

    fields: dict[str, object] = {}
    description = read(columns)
    for field in description.fields:
        name = harmless(field.name)
        if field.name == description.predicted:
            no, yes = map(harmless, field.levels)
            words = np.array(["", yes, no], dtype=object)
            fields[name] = words[np.sign(label).astype(np.int64)]
        else:
            fields[name] = _texts(field, frame[field.name])
    return str(pd.DataFrame(fields).to_csv(index=False, lineterminator="\n"))


def harmless_columns(columns: str) -> str:
    """The description of what `written` writes: the same but where a text could be a formula."""
    description = read(columns)
    fields = tuple(map(_harmless_field, description.fields))
    predicted = harmless(description.predicted)
    safe = replace(description, fields=fields, predicted=predicted, dialect=TO_BE_FOUND)
    return columns if safe == description else write(safe)


def harmless(text: str) -> str:
    """The text, or one that begins with ’ where a spreadsheet would take it for a formula."""
    safe = cell(text)
    return text if safe == text else safe.replace("'", "’")


def _harmless_field(field: DescribedField) -> DescribedField:
    return replace(
        field,
        name=harmless(field.name),
        levels=tuple(map(harmless, field.levels)),
        missing_marks=tuple(map(harmless, field.missing_marks)),
    )


def _texts(field: DescribedField, values: pd.Series) -> NDArray[np.object_]:
    column = field.column
    mark = harmless(column.missing_marks[0]) if column.missing_marks else ""
    if column.kind == "category":
        levels = np.array([*map(harmless, column.levels), mark], dtype=object)
        return levels[values.cat.codes.to_numpy()]  # -1 is the last: unknown
    numbers = values.to_numpy(dtype=float)
    if column.kind == "indicator":
        words = np.array([*map(harmless, column.codes), ""], dtype=object)
        return words[np.where(np.isnan(numbers), 2, numbers).astype(np.int64)]
    texts = [mark if np.isnan(value) else _number(field, column.days, value) for value in numbers]
    return np.array(texts, dtype=object)


def _number(field: DescribedField, days: Days | None, value: float) -> str:
    if days is not None:
        day = days.first + timedelta(days=int(value))
        return day.strftime(_WRITTEN[days.order]) if days.order in _WRITTEN else day.isoformat()
    text = _within(value, *field.column.bounds)
    return text.replace(".", ",") if field.decimal_mark == "," else text


def _within(value: float, low: float, high: float) -> str:
    """A number with `DIGITS` digits of its range, and more where the range is narrow."""
    largest, width = max(abs(low), abs(high)), high - low
    decimals = max(DIGITS - 1 - math.floor(math.log10(largest)), 3 - math.floor(math.log10(width)))
    text = f"{value:.{max(0, decimals)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    if not low <= float(text) <= high:
        return repr(float(min(max(value, low), high)))
    return "0" if text == "-0" else text
