"""Reads numbers of sentences: thousands without spaces, powers of ten as they are typed."""

import re

from dpcore.words import SPACE

DIGITS = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
_TYPED = str.maketrans(DIGITS, "-0123456789")


def typewritten(text: str) -> str:
    """A text with 1000 for 1 000, 1e-5 for 10⁻⁵ and 3.4e-6 for 3.4 × 10⁻⁶."""
    text = re.sub(rf"(?<=\d){SPACE}(?=\d)", "", text)
    return re.sub(
        rf"(?:(\d[\d.]*){SPACE}×{SPACE}|\b)10([{DIGITS}]+)",
        lambda power: f"{power[1] or 1}e{power[2].translate(_TYPED)}",
        text,
    )


def number(text: str) -> float:
    """The number that a text is."""
    return float(typewritten(text).replace("−", "-"))
