"""Numbers as people write them: with a decimal point or a decimal comma."""

from __future__ import annotations

import math
import re

from dpcore.datasets.text import quoted
from dpcore.datasets.values import is_number

_SIGN = re.compile(r"^([-+−])\s*")
_MARKS = ((",", "."), (".", ","))
"""Between thousands, and before decimals."""
MOST_LETTERS = 40
"""Of a typed number. Seventeen digits tell any two apart."""


def readings(text: str) -> tuple[float, ...]:
    """The numbers that a text can mean, none of them infinite.

    Parameters
    ----------
    text : str
        A comma before decimals may stand for a point. Three digits after a single comma may be
        decimals or the end of a thousand; a point alone is before decimals, as on every page.

    Returns
    -------
    tuple of float
        Empty for what is no number, or has more than `MOST_LETTERS` letters; two for a text like
        10,000.
    """
    if len(text) > MOST_LETTERS:
        return ()
    text = _SIGN.sub(r"\1", text.strip()).replace("−", "-")
    if is_number(text):
        meant = [text]
    else:
        meant = [text.replace(",", ".")] if is_number(text, decimal_comma=True) else []
        for thousands, decimals in _MARKS:
            grouped = rf"[-+]?[1-9][0-9]{{0,2}}(\{thousands}[0-9]{{3}})+(\{decimals}[0-9]+)?"
            if re.fullmatch(grouped, text):
                meant.append(text.replace(thousands, "").replace(decimals, "."))
    return tuple(number for number in map(float, meant) if math.isfinite(number))


def number_or_text(text: str) -> float | str | None:
    """The number that a text means; the text where it has not one reading, ``None`` if blank."""
    numbers = readings(text)
    return numbers[0] if len(numbers) == 1 else text.strip() or None


def written(number: float) -> str:
    """A number as a description has it."""
    return repr(float(number)).removesuffix(".0")


def why_unread(text: str) -> str:
    """What is wrong with a text that has not one reading, and what to write instead."""
    numbers = readings(text)
    if numbers:
        shown = " or ".join(map(written, numbers))
        return f"{quoted(text)}, which could be {shown}: write one of these"
    if len(text) > MOST_LETTERS:
        return (
            f"{quoted(text)}, which is too long: write a number of at most {MOST_LETTERS} letters"
        )
    return f"{quoted(text)}, which is no number: write one such as 0.5 or 12"
