"""Numbers as people write them: with a decimal point or a decimal comma."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from dpcore.datasets.text import quoted
from dpcore.datasets.values import is_number
from dpcore.errors import InvalidInput

_SIGN = re.compile(r"^([-+−])\s*")
_MARKS = ((",", "."), (".", ","))
"""Between thousands, and before decimals."""
MAX_LETTERS = 40
"""Of a typed number. Seventeen digits tell any two apart."""


def readings(text: str, decimal_comma: bool = False) -> tuple[float, ...]:
    """The finite numbers that a text can mean: none, one, or two for a text like 10,000.

    Three digits after a single mark may be decimals or the end of a thousand. After a point they
    are decimals, as on every page, unless the last is a 0, which decimals need not have. With a
    `decimal_comma` any point may part thousands.
    """
    if len(text) > MAX_LETTERS:
        return ()
    text = _SIGN.sub(r"\1", text.strip()).replace("−", "-")
    meant = []
    if is_number(text):
        meant = [text]
        if not decimal_comma and not text.endswith("0"):
            return _finite(meant)
    elif "." not in text and is_number(text, decimal_comma=True):
        meant = [text.replace(",", ".")]
    for thousands, decimals in _MARKS:
        grouped = rf"[-+]?[1-9][0-9]{{0,2}}(\{thousands}[0-9]{{3}})+(\{decimals}[0-9]+)?"
        if re.fullmatch(grouped, text):
            meant.append(text.replace(thousands, "").replace(decimals, "."))
    return _finite(meant)


def _finite(texts: Sequence[str]) -> tuple[float, ...]:
    return tuple(number for number in map(float, texts) if math.isfinite(number))


def number_or_text(text: str, decimal_comma: bool = False) -> float | str | None:
    """The number that a text means; the text where it has not one reading, ``None`` if blank."""
    numbers = readings(text, decimal_comma)
    return numbers[0] if len(numbers) == 1 else text.strip() or None


def meant(field: str, text: str) -> float | str:
    """The number that a field's text means, or the text where it is none, for a check to refuse."""
    value = number_or_text(text)
    if isinstance(value, str) and readings(value):
        raise InvalidInput(f"{field} is {why_unread(value)}.")
    return text if value is None else value


def written(number: float) -> str:
    """A number as a description has it."""
    return repr(float(number)).removesuffix(".0")


def why_unread(text: str, decimal_comma: bool = False) -> str:
    """What is wrong with a text that has not one reading, and what to write instead."""
    numbers = readings(text, decimal_comma)
    if numbers:
        shown = " or ".join(_clearly_written(number, decimal_comma) for number in numbers)
        return f"{quoted(text)}, which could be {shown}: write one of these"
    if len(text) > MAX_LETTERS:
        return f"{quoted(text)}, which is too long: write a number of at most {MAX_LETTERS} letters"
    return f"{quoted(text)}, which is no number: write one such as 0.5 or 12"


def _clearly_written(number: float, decimal_comma: bool) -> str:
    """A number as a text with one reading: a fourth decimal cannot part thousands."""
    text = written(number)
    return text if len(readings(text, decimal_comma)) == 1 else f"{text}0"
