"""Rounding up or down, to a number of digits or to a stop: what is printed stays true."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context


def raised(value: float, digits: int) -> float:
    """A finite number with the given significant digits, at least as large: for ε, δ and σ."""
    return _rounded(value, digits, ROUND_CEILING)


def lowered(value: float, digits: int) -> float:
    """A finite number with the given significant digits, at most as large: for lower bounds."""
    return _rounded(value, digits, ROUND_FLOOR)


def significant(value: float, digits: int = 3) -> float:
    """The nearest number with the given significant digits: what a page shows of a measurement."""
    return float(f"{value:.{digits}g}")


def stop_below(stops: Sequence[float], value: float) -> float:
    """The largest stop that is at most a value; the smallest, where all are larger."""
    return max((stop for stop in stops if stop <= value), default=min(stops))


def typed(value: float) -> str:
    """A number as one types it: 1e-5, not 1e-05; a float in up to six digits."""
    if isinstance(value, int):
        return str(value)
    digits, marker, exponent = f"{value:.5e}".partition("e")
    if marker and not -3 <= int(exponent) < 6:
        return f"{digits.rstrip('0').rstrip('.')}e{int(exponent)}"
    return f"{value:g}"


def _rounded(value: float, digits: int, way: str) -> float:
    # From the shortest digits that name the double, so that 1e-5 stays as typed.
    return float(Context(digits, way).create_decimal(repr(float(value))))
