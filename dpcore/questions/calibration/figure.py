"""Whether risks are right: the reliability curve, and its sentences."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import plotly.graph_objects as go

from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.clinic.risks import REFERENCE
from dpcore.figures.bands import band_of, spread
from dpcore.figures.canvas import (
    LEGEND,
    THIN,
    add_band,
    add_curve,
    add_scatter,
    axis,
    canvas,
    each,
    single_runs,
)
from dpcore.figures.curves import HEIGHT, guarantee_at, guarantee_of
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import NEUTRAL, WITHOUT_PRIVACY, Look, look
from dpcore.questions.calibration.question import CalibrationQuestion
from dpcore.questions.shown import Chosen, Number, Shown
from dpcore.words import percent, plain

SMALL = 0.1
"""Risks below it are shown with one decimal."""
DETAIL = (
    "Test records are put into bins of about as many each, by the risk that they are told. "
    "A model is right where the share of them who have the condition is that risk: on the "
    "diagonal. Below it risks are too high, above it too low. "
    "The bins of each run are its own. The band is of the noise, not of the test records, which "
    "are few in each bin."
)


def reliability_curve(
    model: pd.DataFrame, without: pd.DataFrame, *, people: str, dark: bool = False
) -> Drawn:
    """Observed share against the risk told, beside the model without privacy."""
    figure = canvas(
        HEIGHT,
        dark,
        hovermode="closest",
        showlegend=True,
        legend=LEGEND,
        fixed=True,
        xaxis=axis("risk told", range=[0.0, 1.0], tickformat=".0%"),
        yaxis=axis("share with the condition", range=[0.0, 1.0], tickformat=".0%"),
    )
    line = {"color": NEUTRAL, "dash": "dot", "width": 1}
    ends = [0.0, 1.0]
    add_scatter(figure, x=ends, y=ends, mode="lines", line=line, hoverinfo="skip", name="right")
    first, reference = model.iloc[0], without.iloc[0]
    name = f"{reference['title']}: {reference['baseline']}"
    _add(figure, without, WITHOUT_PRIVACY, name, dark)
    figure.data[-1].line.width = THIN
    shown = model.dropna(subset=["mean_risk", "observed"])
    colour = look(first["method"])
    ends_of_band = shown["mean_risk"], shown["observed_low"], shown["observed_high"]
    add_band(figure, *ends_of_band, colour.on(dark), showlegend=False)
    _add(figure, shown, colour, f"{first['title']}, ε = {plain(first['epsilon'])}", dark)
    sentence = _sentence(shown, without, people)
    return Drawn(
        figure, sentence, f"Share with the condition against the risk told. {sentence}", DETAIL
    )


def _add(figure: go.Figure, rows: pd.DataFrame, style: Look, name: str, dark: bool) -> None:
    texts = []
    for row in each(rows):
        text = (
            f"<b>{name}</b><br>told {_percentage(row['mean_risk'])}: "
            f"{_percentage(row['observed'])} have it; {plain(row['people'])} people"
        )
        if row["epsilon"] == row["epsilon"]:
            ends = row["observed_low"], row["observed_high"]
            text += f"{single_runs(*ends, _percentage, row)}<br>{guarantee_of(row)}"
        texts.append(text)
    line = rows["mean_risk"], rows["observed"], style, texts
    add_curve(figure, *line, size=7, dark=dark, name=name)


def _percentage(share: float) -> str:
    return percent(share, 1 if share < SMALL else 0)


def _sentence(model: pd.DataFrame, without: pd.DataFrame, people: str) -> str:
    row = _furthest(model)
    low, high = _percentage(row["observed_low"]), _percentage(row["observed_high"])
    sentence = (
        f"At ε = {plain(row['epsilon'])} the risks of {row['title']} are furthest off here: of "
        f"{people} told {_percentage(row['mean_risk'])}, {_percentage(row['observed'])} have the "
        f"condition. {spread(row, low, high)}"
    )
    if without["observed"].isna().all():
        return sentence
    # Its own furthest: bins hold equally many people, and need not have the same risk.
    other = _furthest(without)
    risk, share = _percentage(other["mean_risk"]), _percentage(other["observed"])
    return f"{sentence} Without privacy the furthest off are those told {risk}: {share} have it."


def _furthest(rows: pd.DataFrame) -> pd.Series:
    off = (rows["mean_risk"] - rows["observed"]).abs().fillna(-1.0)
    return rows.iloc[int(off.to_numpy().argmax())]


def shown(question: CalibrationQuestion, rows: pd.DataFrame, chosen: Chosen) -> Shown:
    """What the tab shows of one model at one ε."""
    model, without = chosen.of_model(rows), rows[rows["method"] == REFERENCE]
    people = chosen.entry.records_are
    figure = reliability_curve(model, without, people=people, dark=chosen.dark)
    row = model.iloc[0]
    return Shown(ModelAtEpsilon.of(row), rows, numbers(row, without.iloc[0]), figures=(figure,))


SLOPE = (
    "**Slope**: how fast the log odds of what happens rise with the log odds told. 1 is right; "
    "below 1 risks are too extreme, above 1 too timid. Runs without a finite slope are left out."
)
IN_THE_LARGE = (
    "**Calibration in the large**: what would have to be added to everybody's log odds. 0 is "
    "right; above 0 risks are too low on the whole, below 0 too high."
)
ECE = (
    "**Expected calibration error**: how far the risk told is from the share who have the "
    "condition, on average over bins. What chance among few test records adds is taken off. "
    "0 is right."
)


def numbers(row: pd.Series, without: pd.Series) -> tuple[Number, ...]:
    """Slope, intercept and error of a model, beside the one without privacy."""
    return (
        _number("Slope", "calibration_slope", _plain, SLOPE, row, without),
        _number("Intercept", "calibration_intercept", _plain, IN_THE_LARGE, row, without),
        _number("Calibration error", "calibration_error", percent, ECE, row, without),
    )


def _plain(value: float) -> str:
    return plain(round(value, 2))


def _number(
    label: str,
    column: str,
    written: Callable[[float], str],
    meaning: str,
    row: pd.Series,
    without: pd.Series,
) -> Number:
    hover = f"{meaning} {band_of(row)}. {guarantee_at(ModelAtEpsilon.of(row))}"
    value, low, high = (row[f"{column}{end}"] for end in ("", "_low", "_high"))
    if value != value:
        return label, "–", "not defined", hover
    reference = without[column]
    comparison = "" if reference != reference else f"; {written(reference)} without privacy"
    return label, written(value), f"{written(low)} to {written(high)}{comparison}", hover
