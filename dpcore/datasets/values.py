"""Columns of text turned into numbers, levels and days, a whole column at a time.

Of a pyarrow array, null where unknown, come an array and a mask of what is not allowed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.faults import LARGEST_NUMBER

Beyond = Literal["", "limit", "half", "unknown"]
GROUPED_BY = {
    ",": ",",
    ".": r"\.",
    "'": "['\u2019]",
    "\u2019": "['\u2019]",
    " ": "[ \u00a0\u2009\u202f]",
}
"""What may part thousands, and the signs that are taken for it."""
BEYOND = r"(?:[<>]=?|[≤≥])\s*"
YEAR_FIRST, DAY_FIRST, MONTH_FIRST = "year first", "day first", "month first"
_DAY = {
    YEAR_FIRST: re.compile(r"(?P<y>[0-9]{4})(?P<by>[-/.])(?P<m>[0-9]{2})(?P=by)(?P<d>[0-9]{2})"),
    DAY_FIRST: re.compile(r"(?P<d>[0-9]{1,2})[./-](?P<m>[0-9]{1,2})[./-](?P<y>[0-9]{4})"),
    MONTH_FIRST: re.compile(r"(?P<m>[0-9]{1,2})[./-](?P<d>[0-9]{1,2})[./-](?P<y>[0-9]{4})"),
}
_TIME_OF_DAY = re.compile(r"[T ][0-9:.]*([Zz]|[+-][0-9:]+)?$")

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Days:
    """How days become numbers."""

    first: date  # the public day that is 0
    order: str = YEAR_FIRST

    @property
    def example(self) -> str:
        """A day as the file writes it."""
        return {YEAR_FIRST: "2020-12-31", DAY_FIRST: "31.12.2020", MONTH_FIRST: "12/31/2020"}[
            self.order
        ]

    def number(self, text: str) -> int | None:
        """Days since the first, negative before it; ``None`` of what is no day."""
        match = _DAY[self.order].fullmatch(_TIME_OF_DAY.sub("", text))
        if match is None:
            return None
        try:
            day = date(int(match["y"]), int(match["m"]), int(match["d"]))
        except ValueError:
            return None
        return (day - self.first).days


def are_days(texts: Collection[str], order: str) -> bool:
    """Whether all texts are days written in this order, with or without a time of day."""
    return all(Days(date.min, order).number(text) is not None for text in texts)


def _pattern(decimal_mark: str, thousands_mark: str) -> str:
    """How a number is written, for Python and RE2; digits divide in one way, so time is linear."""
    point, first = re.escape(decimal_mark), "[1-9][0-9]{0,2}"
    ways = [rf"([0-9]+({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?"]
    if thousands_mark:
        group = GROUPED_BY[thousands_mark]
        ways.append(rf"{first}({group}[0-9]{{3}})+({point}[0-9]*)?")
    return rf"[+-]?({'|'.join(ways)})"


def is_number(text: str, decimal_comma: bool = False) -> bool:
    """Whether the text is a plain number, or one with a decimal comma (which may be left out)."""
    return bool(re.fullmatch(_pattern(",", ".") if decimal_comma else _pattern(".", ""), text))


def has_other_mark(text: str, decimal_comma: bool) -> bool:
    """Whether the text is a number only if the decimal mark is the other one."""
    return not is_number(text, decimal_comma) and is_number(text, not decimal_comma)


def numbers(
    values: Any,
    decimal_mark: str = ".",
    thousands_mark: str = "",
    marks: Sequence[str] = (),
    beyond: Beyond = "",
) -> tuple[NDArray[np.float64], Mask]:
    """Numbers of ordinary size as float64; nan where unknown."""
    import pyarrow as pa
    from pyarrow import compute

    written = decimal_mark, thousands_mark
    result = _parsed(values, *written)
    is_unknown = np.zeros(len(result), np.bool_)
    if marks:
        texts = pa.array(marks, pa.string())
        marked = _parsed(texts, *written)
        marked = np.where(np.isnan(marked), _parsed(texts), marked)  # typed as plain numbers
        is_unknown = np.isin(result, marked[~np.isnan(marked)])
    if beyond:
        limits = _parsed(compute.replace_substring_regex(values, rf"\A{BEYOND}", ""), *written)
        is_below = _matches(values, r"\A[<≤]")
        is_above = _matches(values, r"\A[>≥]")
        if beyond == "half":
            has_half = is_below & (limits >= 0)
            limits = np.where(has_half, limits / 2, np.where(is_above | is_below, np.nan, limits))
        result = np.where(is_below | is_above, limits, result)
        if beyond == "unknown":
            is_unknown |= (is_below | is_above) & ~np.isnan(limits)
    is_wrong = ~(np.abs(result) <= LARGEST_NUMBER) & ~is_unknown
    result[is_unknown] = np.nan
    return result, is_wrong & _numpy(compute.is_valid(values))


def _parsed(values: Any, decimal_mark: str = ".", thousands_mark: str = "") -> NDArray[np.float64]:
    """The numbers that are written so, of any size; nan of what is none."""
    import pyarrow as pa
    from pyarrow import compute

    try:
        if (decimal_mark, thousands_mark) != (".", ""):
            raise pa.ArrowInvalid
        # It takes no more than the pattern does, but for infinity and nan.
        parsed = values.cast(pa.float64())
    except pa.ArrowInvalid:
        is_right = compute.match_substring_regex(
            values, rf"\A(?:{_pattern(decimal_mark, thousands_mark)})\z"
        )
        text = compute.if_else(is_right, values, None)
        if thousands_mark:
            text = compute.replace_substring_regex(text, GROUPED_BY[thousands_mark], "")
        text = compute.utf8_ltrim(compute.replace_substring(text, ",", "."), "+")
        parsed = text.cast(pa.float64())
    result = np.array(parsed.to_numpy(zero_copy_only=False), np.float64)
    result[np.isinf(result)] = np.nan
    return result


def positions(
    values: Any, words: Sequence[str], marks: Sequence[str] = ()
) -> tuple[NDArray[np.int16], Mask]:
    """Place of each value among some different words; -1 where it is unknown, or none of them.

    A value is a word as text, or as a number (1.0 is 1) where one word alone has that value and
    none begins with a zero, as a code does: 01 and 1 stay apart. So are marks.
    """
    import pyarrow as pa
    from pyarrow import compute

    every = (*words, *marks)
    places = compute.index_in(values, pa.array(every, pa.string())).fill_null(-1)
    result = places.to_numpy().astype(np.int16)
    is_known = _numpy(compute.is_valid(values))
    is_left = is_known & (result < 0)
    by_number = _places_by_number(every)
    if is_left.any() and by_number:
        encoded = values.filter(pa.array(is_left)).dictionary_encode()
        numbered = _parsed(encoded.dictionary).tolist()
        found = np.array([by_number.get(number, -1) for number in numbered], np.int16)
        result[is_left] = found[encoded.indices.to_numpy()]
    is_wrong = is_known & (result < 0)
    result[result >= len(words)] = -1
    return result, is_wrong


def _places_by_number(words: Sequence[str]) -> dict[float, int]:
    if any(re.match("[+-]?0[0-9]", word) for word in words):
        return {}
    places = {place: float(word) for place, word in enumerate(words) if is_number(word)}
    counts = Counter(places.values())
    return {number: place for place, number in places.items() if counts[number] == 1}


def days(values: Any, meaning: Days, marks: Sequence[str] = ()) -> tuple[NDArray[np.float64], Mask]:
    """Days, without a time of day that follows, as days since the first; nan where unknown."""
    import pyarrow as pa
    from pyarrow import compute

    encoded = values.dictionary_encode()
    distinct = pa.array(map(meaning.number, encoded.dictionary.to_pylist()), pa.float64())
    result = np.array(distinct.take(encoded.indices).to_numpy(zero_copy_only=False))
    is_wrong = _numpy(compute.is_valid(values)) & np.isnan(result)
    year_first = Days(meaning.first)
    marked = [each.number(mark) for mark in marks for each in (meaning, year_first)]
    result[np.isin(result, [number for number in marked if number is not None])] = np.nan
    return result, is_wrong


def _matches(values: Any, pattern: str) -> Mask:
    from pyarrow import compute

    return _numpy(compute.match_substring_regex(values, pattern).fill_null(False))


def _numpy(column: Any) -> Mask:
    return np.asarray(column.to_numpy(zero_copy_only=False))
