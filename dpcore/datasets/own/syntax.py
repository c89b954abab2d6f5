"""How a file's columns are written: kinds, public lists and gap marks, no value of a record."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import text
from dpcore.datasets.clinical_names import YES_NO, Levels, known_names
from dpcore.datasets.dialect import TO_BE_FOUND, Dialect
from dpcore.datasets.limits import LARGEST_TABLE
from dpcore.datasets.own.description import is_name
from dpcore.datasets.own.mending import UNKNOWN_MARKS
from dpcore.datasets.own.typed_numbers import written
from dpcore.datasets.text import MAX_SAMPLE, sample
from dpcore.datasets.values import DAY_FIRST, MONTH_FIRST, YEAR_FIRST, are_days, numbers

NUMBER, COMMA = "number", "number like 1,5"
NUMBERS = {NUMBER: (".", ""), COMMA: (",", ".")} | {
    f"number like 1{thousands}234{decimal}5": (decimal, thousands)
    for decimal, thousands in ((".", ","), (".", "'"), (".", " "), (",", "'"), (",", " "))
}
"""The mark before decimals, and the one between thousands, by kind."""
DAYS = {
    "day": YEAR_FIRST,
    "day like 31.12.2020": DAY_FIRST,
    "day like 12/31/2020": MONTH_FIRST,
}

_MAY_PART_THOUSANDS = re.compile(r"[.,][0-9]{3}")


@dataclass(frozen=True)
class Syntax:
    """How one column of a file is written."""

    name: str
    # the kinds that all values can be, each of another meaning
    numbers: tuple[str, ...] = (NUMBER,)
    has_limits: bool = False
    spellings: tuple[Levels, ...] = ()  # the public lists that all values follow
    marks: tuple[str, ...] = ()  # of unknown values
    order: str = ""  # of days, if all values are
    has_plain_name: bool = True  # once in the header, and a description can name it


def look(data: bytes, filename: str, dialect: Dialect = TO_BE_FOUND) -> tuple[Syntax, ...]:
    """How the columns of a file, from anyone, are written; call it where records may be read."""
    names, columns = sample(data, filename, MAX_SAMPLE, LARGEST_TABLE, dialect)
    known = known_names(names)
    return tuple(
        _syntax(
            name,
            {value for part in parts for value in part.unique().to_pylist()},
            (*known.lists_of(name), *YES_NO),
        )
        if is_name(name) and names.count(name) == 1
        else Syntax(name, has_plain_name=False)
        for name, parts in dict(zip(names, columns, strict=True)).items()
    )


def _syntax(name: str, distinct: Collection[str], lists: Sequence[Levels]) -> Syntax:
    marks = tuple(mark for mark in ("", *UNKNOWN_MARKS) if mark in distinct)
    values = {*distinct} - {*marks}
    kinds, has_limits = _numbers(values)
    orders = [order for order in DAYS.values() if values and are_days(values, order)]
    return Syntax(
        name,
        numbers=kinds,
        has_limits=has_limits,
        spellings=tuple(dict.fromkeys(each for each in lists if values and values <= set(each))),
        marks=marks,
        order=orders[0] if orders else "",
    )


def _numbers(values: Collection[str]) -> tuple[tuple[str, ...], bool]:
    """The kinds of number that all texts can be, and whether some are like <5."""
    import pyarrow as pa

    texts = pa.array(values, pa.string())
    read: dict[str, NDArray[np.float64]] = {}
    for kind, ways in NUMBERS.items():
        meant, is_wrong = numbers(texts, *ways, beyond="unknown")
        is_other = not any(np.array_equal(meant, one, equal_nan=True) for one in read.values())
        if is_other and not is_wrong.any():
            read[kind] = meant
        if kind in read and not any(map(_MAY_PART_THOUSANDS.search, values)):
            break
    return tuple(read), any(bool(numbers(texts, *NUMBERS[kind])[1].any()) for kind in read)


def first_rows(
    data: bytes,
    filename: str,
    dialect: Dialect,
    kinds: Mapping[str, tuple[str, str]],
    count: int,
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The names in the header of a file, and its first rows, with the numbers of `kinds` plain."""
    import pyarrow as pa

    names, rows = text.first_rows(data, filename, dialect, count, LARGEST_TABLE)
    columns = []
    for name, column in zip(names, zip(*rows, strict=True), strict=False):
        plain: Sequence[float] = [nan] * len(column)
        if name in kinds:
            plain = numbers(pa.array(column, pa.string()), *kinds[name])[0].tolist()
        pairs = zip(column, plain, strict=True)
        columns.append([each if isnan(one) else written(one) for each, one in pairs])
    return names, list(zip(*columns, strict=True))
