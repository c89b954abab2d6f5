"""Numbers as a reader expects them: few digits, units, and a sentence's punctuation."""

from __future__ import annotations

import math
from collections.abc import Sequence


def plain(value: float, digits: int = 3) -> str:
    """A number with the given significant digits, scientific only outside 0.001 … 100,000."""
    if not math.isfinite(value):
        return "∞" if value > 0 else ("−∞" if value < 0 else "–")
    if value == 0.0:
        return "0"
    size = abs(value)
    if 1e-3 <= size < 1e5:
        decimals = max(0, digits - 1 - math.floor(math.log10(size)))
        text = f"{value:,.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "−") if text.startswith("-") else text


def percent(share: float, decimals: int = 1) -> str:
    """A share in [0, 1] as a percentage, with a thin space before the sign."""
    return f"{100.0 * share:.{decimals}f} %"


def points(difference: float) -> str:
    """A difference of two shares in percentage points, with its sign."""
    size = f"{abs(100.0 * difference):.1f}"
    if size == "0.0":
        return "0.0"
    return ("+" if difference > 0 else "−") + size


def listed(parts: Sequence[str]) -> str:
    """Parts joined as in a sentence: "a", "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1]
