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
    title: str
    story: str
    question: str
    why: str  # what the curve shows, and its reason
    across: str  # title of the axis, with unit
    up: str
    grid: tuple[float, ...]  # every x, from left to right
    points: tuple[float, ...]  # those x at which one guesses
    name: str  # letter of x in sentences, such as "ε"
    limits: tuple[int, int]  # of a guess, and where the axis ends
    unit: str  # as it follows a number
    series: str  # that is guessed
    noise: str  # what it is added to, and its unit
    curve: Callable[..., pd.DataFrame]  # (seed, **settings of the controls) -> table with `COLUMNS`
    standing: str = ""  # before ε: "certified" where a claim is shown besides
    given: tuple[str, ...] = ()  # series shown before the guess
    shows_noise: bool = False  # how it changes along the curve
    is_counted: bool = False  # x is a number of things that `name` calls
    beside_explore: str = ""  # why Explore shows another value


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
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(COLUMNS))
