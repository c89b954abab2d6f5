"""Numbers as a reader expects them: few digits, units, and a sentence's punctuation."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from dpcore.evaluation.runs import MANY
from dpcore.rounding import lowered, raised

if TYPE_CHECKING:
    import pandas as pd

Row: TypeAlias = "Mapping[Any, Any] | pd.Series[Any]"
"""A row of a table, as pandas gives one or as a dictionary."""


def literal(text: str) -> str:
    """A foreign text escaped for a figure: no tag, link, formula or template."""
    return html.escape(text).replace("$", "&#36;").replace("{", "&#123;")


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


def capitalised(text: str) -> str:
    """A text as a sentence or a label begins: its first letter large, all others as they are."""
    return text[:1].upper() + text[1:]


def uncapitalised(text: str) -> str:
    """A text as it goes on in a sentence: its first letter small, all others as they are."""
    return text[:1].lower() + text[1:]


def band(runs: int, noun: str = "run", splits: int = 1) -> str:
    """What the ends of a band of single runs are."""
    inside = f"9 of 10 {noun}s" if runs >= MANY else f"lowest to highest of {runs}"
    return inside + on_average(splits)


def band_of(row: Row, noun: str = "run") -> str:
    """What the ends of a row's band are, by its runs and the splits that it is judged on."""
    return band(int(row["runs"]), noun, int(row.get("splits", 1)))


def spread(row: Row, low: str, high: str) -> str:
    """A sentence on where the single runs of a row lie, from the ends of its band."""
    runs = int(row["runs"])
    if runs == 1:
        return "It is one run."
    lying = "9 of 10 runs lie" if runs >= MANY else f"All {runs} runs lie"
    return f"{lying} between {low} and {high}{on_average(int(row.get('splits', 1)))}."


def agreeing(runs: int, splits: int = 1) -> str:
    """The single runs on one side of an end of their band."""
    return ("19 of 20 runs" if runs >= MANY else "all runs") + on_average(splits)


def on_average(splits: int) -> str:
    return " on an average split" if splits > 1 else ""


def in_band(runs: int, noun: str = "run", splits: int = 1) -> str:
    """A sentence on the runs that lie in a band; of one run there is none."""
    if runs == 1:
        return f"One {noun}."
    inside = "9 of 10" if runs >= MANY else "all"
    if splits == 1:
        return f"Means over {runs:,} {noun}s; band: {inside}."
    means = f"Means over {runs:,} {noun}s on {splits} splits"
    return f"{means}; on an average one, {inside} in the band."


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
    return f"{count:,} {one}{'' if count == 1 else 's'}"


def listed(parts: Sequence[str]) -> str:
    """Parts joined as in a sentence: "a", "a and b", "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1]


def large_delta(delta: float, records: int) -> str:
    """A warning of a δ of 1/n or more, and "" of a smaller one."""
    if records * delta < 1.0:
        return ""
    return (
        f"δ = {plain(delta)} is at least 1/n. A method may publish one of the {records:,} records "
        "at random and still keep this promise. Choose a smaller δ."
    )


UNITS_OF_TIME = ((90 * 60.0, 3600.0, "hours"), (90.0, 60.0, "min"), (0.0, 1.0, "s"))
"""From so many seconds on, the unit and its name."""


def lasting(seconds: float) -> str:
    """A time in one unit, as "4 min"; at least a second."""
    seconds = max(1.0, seconds)
    unit, name = next((unit, name) for least, unit, name in UNITS_OF_TIME if seconds >= least)
    return f"{plain(seconds / unit, 2 if seconds >= 10.0 * unit or name == 'hours' else 1)} {name}"
