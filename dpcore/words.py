"""Numbers as a reader expects them: few digits, units, and a sentence's punctuation."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def raised(value: float, digits: int) -> float:
    """A finite number with the given significant digits, at least as large: for ε, δ and σ."""
    return _rounded(value, digits, ROUND_CEILING)


def lowered(value: float, digits: int) -> float:
    """A finite number with the given significant digits, at most as large: for lower bounds."""
    return _rounded(value, digits, ROUND_FLOOR)


def significant(value: float, digits: int = 3) -> float:
    """The nearest number with the given significant digits: what a page shows of a measurement."""
    return float(f"{value:.{digits}g}")


def place_below(stops: Sequence[float], value: float) -> int:
    """The place of the largest stop that is at most a value, or of the smallest.

    What was computed may be off in its last digits.
    """
    below = [stop for stop in stops if stop <= value * (1.0 + 1e-9)]
    return list(stops).index(max(below, default=min(stops)))


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


SPACE = "\u202f"
"""The narrow space between thousands and around ×, at which no line ends."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def spaced(count: int) -> str:
    """A whole number with a narrow space between thousands."""
    return _signed(f"{count:,}")


def plain(value: float, digits: int = 3) -> str:
    """A number with the given significant digits, with a power of ten outside 0.001 … 100,000."""
    if not math.isfinite(value):
        return "∞" if value > 0 else ("−∞" if value < 0 else "–")
    if value == 0.0:
        return "0"
    size = abs(value)
    if 1e-3 <= size < 1e5:
        decimals = max(0, digits - 1 - math.floor(math.log10(size)))
        return _signed(_short(f"{value:,.{decimals}f}"))
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = f"10{str(int(exponent)).translate(_RAISED)}"
    factor = _short(mantissa)
    if factor in ("1", "-1"):
        return _signed(factor[:-1] + power)
    return _signed(f"{factor}{SPACE}×{SPACE}{power}")


def _short(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _signed(text: str) -> str:
    return text.replace(",", SPACE).replace("-", "−")


def as_set(value: float) -> str:
    """A number that somebody has set, as `plain` writes it with up to six digits."""
    return plain(value, 6)


def at_most(value: float, digits: int = 3) -> str:
    """A number as `plain` writes it, rounded up: a true upper bound stays true."""
    if not math.isfinite(value):
        return plain(value, digits)
    return plain(raised(value, digits), digits)


def at_least(value: float, digits: int = 3) -> str:
    """A number as `plain` writes it, rounded down: a true lower bound stays true."""
    if not math.isfinite(value):
        return plain(value, digits)
    return plain(lowered(value, digits), digits)


def percent_at_most(share: float, digits: int = 3) -> str:
    """A share in [0, 1] as a percentage rounded up to the given digits, and 100 % only for 1."""
    if share >= 1.0:
        return "100 %"
    percentage = Decimal(repr(float(share))) * 100
    for precision in range(digits, 11):
        raised = Context(precision, ROUND_CEILING).create_decimal(percentage)
        if raised < 100:
            return f"{plain(float(raised), precision)} %"
    return "100 %"


def on_one_line(text: str) -> str:
    """A text with one space for each stretch of white space; narrow spaces stay."""
    return re.sub(rf"[^\S{SPACE}]+", " ", text).strip()


def capitalised(text: str) -> str:
    """A text as a sentence or a label begins: its first letter large, all others as they are."""
    return text[:1].upper() + text[1:]


def uncapitalised(text: str) -> str:
    """A text as it goes on in a sentence: its first letter small, all others as they are."""
    return text[:1].lower() + text[1:]


def percent(share: float, decimals: int = 1) -> str:
    """A share in [0, 1] as a percentage, with a space before the sign."""
    return f"{100.0 * share:.{decimals}f} %"


def percents(low: float, high: float) -> str:
    """A range of shares, in whole percentages where they are at least a point apart."""
    decimals = 0 if high - low >= 0.01 else 1
    return f"{percent(low, decimals)} to {percent(high, decimals)}"


def points(difference: float) -> str:
    """A difference of two shares in percentage points, with its sign."""
    size = f"{abs(100.0 * difference):.1f}"
    if size == "0.0":
        return "0.0"
    return ("+" if difference > 0 else "−") + size


def difference(share: float, reference: float) -> float:
    """The difference of two shares, each rounded to 0.1 points as `percent` shows it."""
    shown, reference_shown = (float(f"{100.0 * value:.1f}") for value in (share, reference))
    return round((shown - reference_shown) / 100.0, 3)


def difference_at(value: float, reference: float, decimals: int = 3) -> float:
    """The difference of two numbers, each rounded to these decimals; sums agree likewise."""
    return round(round(value, decimals) - round(reference, decimals), decimals)


def counted(count: int, one: str) -> str:
    """A number of things, as "1 epoch" or "2,000 epochs"."""
    return f"{spaced(count)} {one}{'' if count == 1 else 's'}"


def listed(parts: Sequence[str]) -> str:
    """Parts joined as in a sentence: "a", "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1]


UNITS_OF_TIME = ((90 * 60.0, 3600.0, "hours"), (90.0, 60.0, "min"), (0.0, 1.0, "s"))
"""From so many seconds on, the unit and its name."""


def lasting(seconds: float) -> str:
    """A time in one unit, as "4 min"; at least a second."""
    seconds = max(1.0, seconds)
    unit, name = next((unit, name) for least, unit, name in UNITS_OF_TIME if seconds >= least)
    return f"{plain(seconds / unit, 2 if seconds >= 10.0 * unit or name == 'hours' else 1)} {name}"
