"""A survey model's measure against ε, beside its noiseless twin and a model that learns nothing."""

from __future__ import annotations

import math

import pandas as pd

from dpcore.evaluation.at_epsilon import crossing
from dpcore.evaluation.models import PRIVATE, TRIVIAL, WITHOUT_NOISE
from dpcore.figures.bands import band
from dpcore.figures.curves import ReferenceLine, add_references, add_series, against_epsilon, at
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import SURVEY
from dpcore.guarantee import Status
from dpcore.models.model import Model
from dpcore.words import difference, percent, plain, uncapitalised

CLOSE = 0.02
"""How far from the model without noise the sentence calls "within 2 points"."""


def curve(table: pd.DataFrame, model: Model, *, dark: bool = False) -> Drawn:
    """The measure against ε with the 90 % band of a single run, and both references."""
    private = private_rows(table)
    limit, nothing = reference(table, WITHOUT_NOISE), reference(table, TRIVIAL)
    values = [*private["value_low"], *private["value_high"], limit, nothing]
    figure = against_epsilon(
        title=model.measure.title,
        low=max(0.0, math.floor(20.0 * (min(values) - 0.03)) / 20.0),
        high=math.ceil(20.0 * (max(values) + 0.03)) / 20.0,
        percent=True,
        dark=dark,
    )
    ends = private["epsilon"].iloc[0] / 1.3, private["epsilon"].iloc[-1] * 1.3
    figure.update_xaxes(range=[math.log10(end) for end in ends])
    line = private.assign(method=SURVEY, edition="sound")
    add_series(figure, line, "value", titles={SURVEY: model.title}, shown=percent, dark=dark)
    add_references(
        figure,
        [
            ReferenceLine(f"without noise: {percent(limit)}", limit),
            ReferenceLine(f"{model.measure.trivial}: {percent(nothing)}", nothing, "dot"),
        ],
    )
    first, last = private.iloc[0], private.iloc[-1]
    return Drawn(
        figure,
        _sentence(private, model, limit),
        f"{model.title}: {model.measure.title.lower()} against ε, from {percent(first['value'])} "
        f"at ε = {plain(first['epsilon'])} to {percent(last['value'])} at "
        f"ε = {plain(last['epsilon'])}; without noise {percent(limit)}; "
        f"{model.measure.trivial} {percent(nothing)}.",
    )


def private_rows(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["series"] == PRIVATE].sort_values("epsilon").reset_index(drop=True)


def reference(table: pd.DataFrame, series: str) -> float:
    """The mean of a series that does not depend on ε."""
    return float(table.loc[table["series"] == series, "value"].iloc[0])


def answer(table: pd.DataFrame, model: Model, epsilon: float = 1.0) -> str:
    """One sentence for the top of the page: the measure for the given ε."""
    row = at(private_rows(table), epsilon)
    limit, nothing = reference(table, WITHOUT_NOISE), reference(table, TRIVIAL)
    title = model.measure.title
    if row["status"] != Status.PROVED:
        title = f"**Not protected as claimed:** {uncapitalised(title)}"
    return (
        f"{title} at ε = {plain(row['epsilon'])}: **{percent(row['value'])}** "
        f"({percent(row['value_low'])} to {percent(row['value_high'])}, {band(row['runs'])}), "
        f"against {percent(limit)} without noise and {percent(nothing)} with "
        f"{model.measure.trivial}."
    )


def _sentence(private: pd.DataFrame, model: Model, limit: float) -> str:
    sign = 1.0 if model.measure.higher_is_better else -1.0
    lost = sign * private["value"].map(lambda value: difference(value, limit))
    rows = private.assign(change=lost)
    start = crossing(rows, "change", -CLOSE)
    better = "Higher" if model.measure.higher_is_better else "Lower"
    nearness = f"within {100 * CLOSE:.0f} points of the same model without noise"
    if start is not None:
        outcome = f"It stays {nearness} from ε = {plain(start)} on."
    elif (rows["change"] >= -CLOSE).any():
        outcome = f"It comes {nearness} at some ε, but not at the largest."
    else:
        outcome = f"It does not come {nearness} on this grid."
    return f"{better} is better. {outcome}"
