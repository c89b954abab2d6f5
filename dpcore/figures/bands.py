"""Bands of single runs in words: what their ends are, and how many runs they hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from dpcore.evaluation import MANY
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

Row: TypeAlias = "Mapping[Any, Any] | pd.Series[Any]"
"""A row of a table, as pandas gives one or as a dictionary."""


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
        return f"Means over {spaced(runs)} {noun}s; band: {inside}."
    means = f"Means over {spaced(runs)} {noun}s on {splits} splits"
    return f"{means}; on an average one, {inside} in the band."
