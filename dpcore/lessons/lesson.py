"""What a lesson is: a question, the places where one guesses, and the curve that answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpcore.guarantee import Guarantee

if TYPE_CHECKING:
    import pandas as pd

DELTA = 1e-5
COLUMNS = (
    "series",
    "x",
    "value",
    "low",
    "high",
    "noise",
    "epsilon",
    "delta",
    "adjacency",
    "accountant",
)
"""Columns of a curve: the series, its point, the 5 % and 95 % quantiles of single runs (NaN where
the value is exact), the standard deviation of the noise, and the guarantee for that noise (an
infinite ε where there is none)."""


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Parameters
    ----------
    title : str
    story : str
        The situation, in two or three short sentences.
    question : str
        What is guessed.
    across, up : str
        Titles of the axes, with units.
    grid : tuple of float
        Every x, from left to right.
    points : tuple of float
        Those x at which one guesses.
    name : str
        Letter of x in sentences, such as "ε".
    limits : tuple of float
        Least and largest guess, in the unit of the values; also where the axis ends.
    unit : str
        Of the values, as it follows a number.
    series : str
        Name of the series that is guessed.
    standing : str
        What stands before ε: "certified" where the lesson shows a claim besides.
    curve : callable
        (seed, **settings) -> table with `COLUMNS`; the settings are values of the lesson's
        controls, and each has a default.
    given : tuple of str
        Series that are shown before the guess.
    noise : str
        What the noise is added to, and its unit.
    shows_noise : bool
        Whether the answer states how the noise changes along the curve.
    is_counted : bool
        Whether x is a number of things and `name` is one of them.
    beside_explore : str
        Why Explore shows another value for the same setting; "" where it shows none.
    """

    title: str
    story: str
    question: str
    across: str
    up: str
    grid: tuple[float, ...]
    points: tuple[float, ...]
    name: str
    limits: tuple[int, int]
    unit: str
    series: str
    noise: str
    curve: Callable[..., pd.DataFrame]
    standing: str = ""
    given: tuple[str, ...] = ()
    shows_noise: bool = False
    is_counted: bool = False
    beside_explore: str = ""


Row = tuple[Any, ...]


def row(
    series: str,
    x: float,
    value: float,
    guarantee: Guarantee,
    noise: float,
    low: float = float("nan"),
    high: float = float("nan"),
) -> Row:
    """One row of a curve; for the values see `COLUMNS`."""
    return (
        series,
        x,
        value,
        low,
        high,
        noise,
        guarantee.bound,
        float("nan") if guarantee.delta is None else guarantee.delta,
        str(guarantee.adjacency),
        guarantee.by,
    )


def table(rows: Iterable[Row]) -> pd.DataFrame:
    """The rows as a table."""
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(COLUMNS))
