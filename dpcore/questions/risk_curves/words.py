"""Texts about a column's curve: its sentence, its values, and where all other columns are fixed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from dpcore.datasets.schema import Column, Entry
from dpcore.figures.bands import Row, agreeing, spread
from dpcore.figures.canvas import cut
from dpcore.words import percent, plain

DETAIL = (
    "The model adds up one part for each column; this is the part of one. "
    "Every record is brought to one length first, which stretches or shrinks all parts of a person "
    "alike. "
    "The curve is that part at average length. "
    "A value far from the middle also makes a record longer, which shrinks all its parts. "
    "So the odds of a person move otherwise, with few columns by multiples. "
    "Adding 0.7 to the log odds doubles the odds. "
)
OF_RISKS = (
    "This is the risk that the model tells a person with these values, exactly. "
    "Every record is brought to one length, so a value far from the middle shrinks what all else "
    "says. "
)
NO_CAUSE = (
    "The curve says what the model does, not what causes the condition. "
    "Whoever corrects published weights by hand, without a look at the records, pays no ε for it."
)


@dataclass(frozen=True)
class Measure:
    """What is drawn against the value."""

    column: str  # of the table; "_low" and "_high" beside it are the band
    title: str
    tickformat: str | None
    in_words: Callable[[float], str]
    others_at: str = ""


def shown(value: float) -> str:
    """Log odds with the digits that they have on screen."""
    return plain(round(value, 2))


def odds(log_odds: float) -> str:
    """Log odds as a factor of the odds."""
    return plain(math.exp(min(log_odds, 700.0)), 2)


def times(log_odds: float) -> str:
    return f"{odds(log_odds)} times"


MEASURES = {
    one.column: one
    for one in (
        Measure(
            "log_odds",
            "log odds against the reference",
            None,
            lambda value: f"{shown(value)}, {times(value)} the odds",
        ),
        Measure("risk", "risk", ".0%", percent, "its public reference"),
        Measure("risk_at_average", "risk", ".0%", percent, "the records’ average (not private)"),
    )
}
"""Each measure by its key of the control `CURVE_AS`."""


def reference_of(rows: pd.DataFrame) -> pd.Series:
    """The row of the reference."""
    return rows[rows["is_reference"]].iloc[0]


def value_at(row: Row, column: Column) -> str:
    """The value of a row with its unit, or its level."""
    if column.kind != "number":
        return cut(str(row["level"]))
    return _number(row["at"], column)


def _number(value: float, column: Column) -> str:
    return f"{plain(value)} {cut(column.unit)}".rstrip()


def sentence(model: pd.DataFrame, without: pd.DataFrame, column: Column, measure: Measure) -> str:
    """What the model says at the value that it moves most from the reference, and how sure."""
    reference = reference_of(model)
    moved = model[measure.column] - reference[measure.column]
    place = int(moved.abs().to_numpy().argmax())
    row, nonprivate = model.iloc[place], without.iloc[place]
    value, low, high = (float(row[f"{measure.column}{end}"]) for end in ("", "_low", "_high"))
    at, middle = value_at(row, column), value_at(reference, column)
    named = cut(column.name)
    if measure.others_at:
        return (
            f"At ε = {plain(row['epsilon'])} {row['title']} tells a risk of {percent(value)} at "
            f"{named} {at}, and {percent(float(reference[measure.column]))} at {middle}. All else "
            f"is at {measure.others_at}. {spread(row, percent(low), percent(high))} "
            f"Without privacy it is {percent(float(nonprivate[measure.column]))}."
        )
    effect = (
        f"By {row['title']}’s part for {named} at ε = {plain(row['epsilon'])}, the odds at {at} "
        f"are {times(value)} those at {middle}."
    )
    # Compared as they are shown: a shown 1 may stand for 1.003.
    if low * high > 0.0 and "1" not in (odds(low), odds(high)):
        sure = f"In {agreeing(int(row['runs']))} they are {'higher' if low > 0.0 else 'lower'}."
    else:
        sure = "Some single runs put them higher and others lower."
    return (
        f"{effect} {spread(row, odds(low), times(high))} {sure} "
        f"Without privacy they are {times(float(nonprivate['log_odds']))}."
    )


def detail(model: pd.DataFrame, entry: Entry, measure: Measure, others: pd.DataFrame) -> str:
    """What the figure means; of a risk also the values at which all other columns are fixed."""
    name = str(model["column"].iloc[0])
    if not measure.others_at:
        reference = value_at(reference_of(model), entry.column(name))
        return f"0 is {cut(name)} at {reference}. {DETAIL}{NO_CAUSE}"
    rule = (
        "Held at public references: the middle of a number’s bounds, the first level of all else. "
        if measure.column == "risk"
        else "Held at the mean of each number and the most frequent level of all else, among the "
        "records. That is read off them, and not private. "
    )
    listed = [
        f"{cut(one)} {_fixed_value(others[others['column'] == one], entry.column(one), measure)}"
        for one in map(str, others["column"].unique())
        if one != name
    ]
    which = f"These are: {'; '.join(listed)}. " if listed else ""
    return f"{rule}{which}{OF_RISKS}{NO_CAUSE}"


def _fixed_value(rows: pd.DataFrame, column: Column, measure: Measure) -> str:
    if measure.column == "risk":
        return value_at(reference_of(rows), column)
    average = float(rows["mean_or_mode"].iloc[0])
    if column.kind == "number":
        return _number(average, column)
    return cut(str(rows.loc[rows["at"] == average, "level"].iloc[0]))
