"""Decimals as they are typed, which add up and are compared to the last digit."""

from __future__ import annotations

import math
from decimal import Context, Decimal, Inexact
from fractions import Fraction

from dpcore.errors import InvalidInput, reject
from dpcore.words import at_most, spaced

MAX_PLACES = 1_000
"""Most places of a decimal, before or after its point."""
_EXACT = Context(3 * MAX_PLACES, traps=[Inexact])


def decimal(value: float | str, field: str = "number") -> Fraction:
    """Read exactly what was typed, of a float the shortest digits that name it; refuse ∞."""
    digits = Decimal(value if isinstance(value, str) else repr(float(value)))
    exponent = digits.as_tuple().exponent
    if isinstance(exponent, str) or exponent < -MAX_PLACES or digits.adjusted() > MAX_PLACES:
        raise reject(field, value, f"of at most {spaced(MAX_PLACES)} places")
    return Fraction(digits)


def as_typed(value: str) -> float | str:
    """A typed number as a float where one has these digits, else as it stands."""
    try:
        return float(value) if decimal(value) == decimal(float(value)) else value
    except InvalidInput:
        return value


def named_above(value: Fraction) -> float:
    """The least float whose shortest digits are at least a number."""
    nearest = float(value)
    return nearest if decimal(nearest) >= value else math.nextafter(nearest, math.inf)


def named_below(value: Fraction) -> float:
    """The largest float whose shortest digits are at most a number."""
    nearest = float(value)
    return nearest if decimal(nearest) <= value else math.nextafter(nearest, -math.inf)


def exactly(value: Fraction) -> str:
    """All digits of a sum of decimals."""
    ratio = _EXACT.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(_EXACT)
    return f"{ratio:e}" if ratio and ratio.adjusted() < -4 else f"{ratio:f}"


def excess(value: Fraction, limit: Fraction) -> str:
    """By how much a limit is exceeded, rounded up to three digits, however little it is."""
    return at_most(named_above(value - limit))
