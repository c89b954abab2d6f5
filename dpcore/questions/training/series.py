"""Shared parts of a training's figures: names and looks of its series, axes, words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.figures.bands import Row
from dpcore.figures.canvas import single_runs
from dpcore.figures.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, YELLOW, Look
from dpcore.words import at_most, difference, difference_at, percent, plain, points

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 300


@dataclass(frozen=True)
class Series:
    """A line's title and look."""

    title: str
    look: Look


_BLUE = Look(BLUE, SKY, "solid", "circle")
_RED = Look(VERMILLION, ORANGE, "dash", "square")
_BLACK = Look(BLACK, YELLOW, "dot", "x")
_GREEN = Look(GREEN, GREEN, "dashdot", "diamond")
_PURPLE = Look(PURPLE, PURPLE, "longdash", "triangle-up")
_GREY = Look("#5B6672", "#9AA7B4", "longdashdot", "star")

SERIES = {
    "private": Series("your settings", _BLUE),
    "constant": Series("constant σ", _GREEN),
    "isotropic": Series("the same for every weight", _GREEN),
    "scaled": Series("scaled with the clipping", _BLUE),
    "published": Series("paper 004, ε only claimed", _PURPLE),
    "bounded": Series("paper 004, ε certified", _RED),
    "nonprivate": Series("no privacy", _BLACK),
    "clipped": Series("clipping only", _RED),
    "noisy": Series("noise only", _PURPLE),
}
"""The series of a comparison (`dpcore.questions.comparison`), in the order of its lines.

Clipping and noise have the colours that their parts have in the bars of the cost."""

MAX_RUNS = 6


def runs(names: Sequence[str]) -> dict[str, Series]:
    """Line styles of overlaid trainings, at most `MAX_RUNS`."""
    looks = (_BLUE, _RED, _GREEN, _PURPLE, _BLACK, _GREY)
    return {
        name: Series(f"training {name}", look) for name, look in zip(names, looks, strict=False)
    }


AXES = {
    "accuracy_test": "Accuracy on test records",
    "auc_test": "AUC on test records",
    "loss_train": "Training loss",
    "sigma": "Noise σ on the sum",
    "epsilon": "ε spent",
}
REPETITION = "repetition"
"""What a run is called on Train."""
METRICS = {"accuracy_test": "accuracy", "auc_test": "AUC"}
SHARES = ("accuracy_test",)
SMALLEST_BAND, ROOM = 0.15, 0.03


def shown(column: str) -> Callable[[float], str]:
    """The formatter of a column's values."""
    return percent if column in SHARES else plain


def band_of(row: Row, column: str) -> str:
    """The band of a point in words, on a line of its own; empty where there is none."""
    low, high = f"{column}_low", f"{column}_high"
    if low not in row or not row[low] < row[high]:
        return ""
    return single_runs(row[low], row[high], shown(column), row, REPETITION)


def certified(row: Row, so_far: str = "") -> str:
    """ε with δ, adjacency and accountant; or that nothing is promised."""
    epsilon = row.get("epsilon")
    if epsilon is None or not math.isfinite(epsilon):
        return "nothing is certified"
    return (
        f"ε = {at_most(epsilon)}{so_far} · δ = {plain(row['delta'])} · {row['adjacency']} · "
        f"{row['accountant']}"
    )


def lost(mean: float, reference: float, column: str) -> str:
    """A difference to the reference, in points for shares of records, else as a number."""
    change = changed(mean, reference, column)
    if column in SHARES:
        return f"{points(change)} points"
    return ("+" if change > 0.0 else "") + plain(change)


def changed(mean: float, reference: float, column: str) -> float:
    """A difference to the reference, of the values as they are shown."""
    if column in SHARES:
        return difference(mean, reference)
    return difference_at(mean, reference)


def of_each(
    table: pd.DataFrame, column: str, known: Mapping[str, Series] = SERIES
) -> list[tuple[str, pd.DataFrame]]:
    """Rows of each known series that has values, in the order of `known`."""
    if column not in table:
        return []
    present = table[table[column].notna()]
    groups = [(series, present[present["series"] == series]) for series in known]
    return [(series, rows) for series, rows in groups if len(rows)]


def ends_of_axis(
    table: pd.DataFrame, column: str, known: Mapping[str, Series] = SERIES
) -> tuple[float, float]:
    """The ends of the vertical axis: they hold the second half of each line, and the first loss."""
    lines = of_each(table, column, known)
    values = [
        float(value)
        for _, rows in lines
        for value in rows[column].iloc[len(rows) // 2 :]
        if math.isfinite(value)
    ]
    if column == "loss_train":
        starts = [float(rows[column].iloc[0]) for _, rows in lines]
        return 0.0, 1.1 * max([*values, *starts], default=1.0)
    return values_within(values)


def values_within(values: Iterable[float]) -> tuple[float, float]:
    """The ends of an axis up to 1 that holds these metrics, with some room below."""
    low = min(values, default=0.0) - SMALLEST_BAND
    return max(0.0, math.floor(20.0 * low) / 20.0), 1.0 + ROOM
