"""Columns of text turned into numbers, levels and days, a whole column at a time.

Each function takes a pyarrow array of text, null where a value is unknown, and returns an array and
a mask of the values that are not allowed. What a value becomes depends on that value alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.limits import LARGEST_NUMBER

# Read by Python and by RE2 alike. Digits can be divided in one way only, so that Python's time
# grows with their number and not with its square.
_PLAIN_NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_COMMA_NUMBER = (
    r"[+-]?(([0-9]+(,[0-9]*)?|,[0-9]+)([eE][+-]?[0-9]+)?"
    r"|[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]*)?)"
)
YEAR_FIRST, DAY_FIRST, MONTH_FIRST = "year first", "day first", "month first"
_DAY = {
    YEAR_FIRST: re.compile(r"(?P<y>[0-9]{4})-(?P<m>[0-9]{2})-(?P<d>[0-9]{2})"),
    DAY_FIRST: re.compile(r"(?P<d>[0-9]{1,2})[./-](?P<m>[0-9]{1,2})[./-](?P<y>[0-9]{4})"),
    MONTH_FIRST: re.compile(r"(?P<m>[0-9]{1,2})[./-](?P<d>[0-9]{1,2})[./-](?P<y>[0-9]{4})"),
}
_TIME_OF_DAY = re.compile(r"[T ][0-9:.]*([Zz]|[+-][0-9:]+)?$")

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Days:
    """How days become numbers.

    Parameters
    ----------
    first : date
        The public day that is 0.
    order : str
        How the file writes days: 2020-12-31, 31.12.2020 or 12/31/2020.
    """

    first: date
    order: str = YEAR_FIRST

    @property
    def example(self) -> str:
        """A day as the file writes it."""
        return {YEAR_FIRST: "2020-12-31", DAY_FIRST: "31.12.2020", MONTH_FIRST: "12/31/2020"}[
            self.order
        ]

    def number(self, text: str) -> int | None:
        """Days since the first, negative before it; ``None`` of what is no day."""
        match = _DAY[self.order].fullmatch(text)
        if match is None:
            return None
        try:
            day = date(int(match["y"]), int(match["m"]), int(match["d"]))
        except ValueError:
            return None
        return (day - self.first).days


def are_days(texts: Collection[str], order: str) -> bool:
    """Whether all texts are days written in this order, with or without a time of day."""
    days = Days(date.min, order)
    return all(days.number(_TIME_OF_DAY.sub("", text)) is not None for text in texts)


def is_number(text: str, decimal_comma: bool = False) -> bool:
    """Whether the text is a plain number, or one with a decimal comma (which may be left out).

    Beside a decimal comma, points can only part thousands.
    """
    return bool(re.fullmatch(_COMMA_NUMBER if decimal_comma else _PLAIN_NUMBER, text))


def has_other_mark(text: str, decimal_comma: bool) -> bool:
    """Whether the text is a number only if the decimal mark is the other one."""
    return not is_number(text, decimal_comma) and is_number(text, not decimal_comma)


def numbers(
    values: Any, decimal_comma: bool = False, codes: Sequence[float] = ()
) -> tuple[NDArray[np.float64], Mask]:
    """Plain numbers, such as `is_number` takes, as float64; nan where unknown.

    Parameters
    ----------
    values : pyarrow.Array, shape (n,)
    decimal_comma : bool
    codes : sequence of float
        The only numbers allowed; empty for any of ordinary size.
    """
    import pyarrow as pa
    from pyarrow import compute

    allowed = compute.is_valid(values)
    try:
        if decimal_comma:
            raise pa.ArrowInvalid
        # It takes no more than the pattern does, but for infinity and nan.
        parsed = values.cast(pa.float64())
    except pa.ArrowInvalid:
        pattern = _COMMA_NUMBER if decimal_comma else _PLAIN_NUMBER
        plain = compute.match_substring_regex(values, rf"\A(?:{pattern})\z")
        text = compute.replace_substring(values, ".", "") if decimal_comma else values
        text = compute.utf8_ltrim(compute.replace_substring(text, ",", "."), "+")
        parsed = compute.if_else(plain, text, None).cast(pa.float64())
    result = parsed.to_numpy(zero_copy_only=False).astype(np.float64)
    is_right = np.abs(result) <= LARGEST_NUMBER
    if codes:
        is_right &= np.isin(result, codes)
    return result, allowed.to_numpy(zero_copy_only=False) & ~is_right


def positions(values: Any, words: Sequence[str]) -> tuple[NDArray[np.int16], Mask]:
    """Place of each value among some words; -1 where it is unknown, or none of them."""
    import pyarrow as pa
    from pyarrow import compute

    places = compute.index_in(values, pa.array(words, pa.string())).fill_null(-1)
    result = places.to_numpy().astype(np.int16)
    return result, compute.is_valid(values).to_numpy(zero_copy_only=False) & (result < 0)


def days(values: Any, meaning: Days) -> tuple[NDArray[np.float64], Mask]:
    """Days, without a time of day that follows, as days since the first; nan where unknown."""
    import pyarrow as pa
    from pyarrow import compute

    encoded = values.dictionary_encode()
    bare = (_TIME_OF_DAY.sub("", text) for text in encoded.dictionary.to_pylist())
    distinct = pa.array(map(meaning.number, bare), pa.float64())
    result = distinct.take(encoded.indices).to_numpy(zero_copy_only=False)
    return result, compute.is_valid(values).to_numpy(zero_copy_only=False) & np.isnan(result)
