"""Figures against the epoch: how a network learns, how its noise falls and its ε grows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dpcore.accounting.events import Schedule
from dpcore.figures.bands import Row, in_band
from dpcore.figures.canvas import (
    LEGEND,
    add_band,
    add_curve,
    add_rule,
    add_scatter,
    axis,
    canvas,
    each,
)
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import PURPLE, ink
from dpcore.questions.training.series import (
    AXES,
    HEIGHT,
    REPETITION,
    SERIES,
    SHARES,
    Series,
    band_of,
    certified,
    ends_of_axis,
    of_each,
    shown,
)
from dpcore.words import at_most, listed, plain, spaced

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

PURPLE_ON_DARK = "#E8A9CC"
FEW_POINTS = 60
"""Up to so many epochs, each epoch has a marker of its own."""
PROMISING_NONE = ("nonprivate", "clipped", "noisy", "published")
"""Series whose name says that nothing is certified."""


def learning(
    table: pd.DataFrame,
    column: str,
    *,
    epochs: int,
    midway: bool = False,
    waits: str = "Waiting for the first epoch.",
    known: Mapping[str, Series] = SERIES,
    dark: bool = False,
) -> Drawn:
    """A metric or the loss against the epoch, one line a series, with its band over runs."""
    figure = _against_epochs(column, epochs, ends_of_axis(table, column, known), dark)
    if column in SHARES:
        figure.update_yaxes(tickformat=".0%")
    last = []
    names = {series: known[series].title for series in known}
    for series, rows in of_each(table, column, known):
        if series not in PROMISING_NONE and _uncertified(rows):
            names[series] += " (no certified ε)"
        _band(figure, known[series], rows, column, dark)
        _line(figure, known[series], rows, column, dark)
        last.append((series, int(rows["epoch"].iloc[-1]), float(rows[column].iloc[-1])))
    if not last:
        return Drawn(figure, waits, f"{AXES[column]}: nothing yet.")
    parts = [f"{names[series]} at {shown(column)(value)}" for series, _, value in last]
    latest = max(epoch for _, epoch, _ in last)
    state = (
        "At the end" if latest == epochs else f"After epoch {spaced(latest)} of {spaced(epochs)}"
    )
    if any(epoch < latest for _, epoch, _ in last):
        state = f"So far, of {spaced(epochs)} epochs"
        parts = [
            f"{part} {'in' if midway and series == 'private' else 'after'} epoch {spaced(epoch)}"
            for part, (series, epoch, _) in zip(parts, last, strict=True)
        ]
    elif midway:
        state = f"In epoch {spaced(latest)} of {spaced(epochs)}"
    sentence = f"{state}: {listed(parts)}."
    most = int(table["runs"].max())
    if most > 1:
        sentence += f" {in_band(most, REPETITION)}"
    return Drawn(figure, sentence, f"{AXES[column]} against the epoch. {sentence}")


def epsilon_schedule(
    table: pd.DataFrame,
    column: str,
    *,
    epochs: int,
    reached: int | None = None,
    dark: bool = False,
) -> Drawn:
    """Draw σ or the certified ε at the end of each epoch, and its present value."""
    rows_of = dict(of_each(table, column))
    top = max((float(rows[column].max()) for rows in rows_of.values()), default=1.0)
    figure = _against_epochs(column, epochs, (0.0, 1.08 * top), dark)
    for series, rows in rows_of.items():
        _line(figure, SERIES[series], rows, column, dark)
    if reached:
        add_rule(figure, x=reached, color=ink(dark), dash="dot")
    parts, as_text = [], plain if column == "sigma" else at_most
    for series, rows in rows_of.items():
        first, last = float(rows[column].iloc[0]), float(rows[column].iloc[-1])
        parts.append(f"{SERIES[series].title} {_moved(first, last, as_text)}")
    if not parts:
        return Drawn(figure, "No finite ε is certified here.", f"{AXES[column]}: none.")
    sentence = f"{'Noise σ' if column == 'sigma' else 'Certified ε'}: {'; '.join(parts)}."
    now = rows_of.get("private")
    if reached == 0:
        sentence += " So it is planned; nothing is trained yet"
        sentence += "." if column == "sigma" else ", and nothing is spent."
    if reached and now is not None and reached < epochs:
        current = now.loc[now["epoch"] == reached, column]
        if len(current):
            sentence += f" After epoch {spaced(reached)} it is {as_text(float(current.iloc[0]))}."
    return Drawn(figure, sentence, f"{AXES[column]} against the epoch. {sentence}")


def _moved(first: float, last: float, as_text: Callable[[float], str]) -> str:
    if math.isclose(first, last, rel_tol=1e-9):
        return f"{as_text(last)} throughout"
    return f"{as_text(first)} after the first epoch, {as_text(last)} after the last"


def _against_epochs(column: str, epochs: int, ends: tuple[float, float], dark: bool) -> go.Figure:
    return canvas(
        HEIGHT,
        dark,
        hovermode="closest",
        showlegend=True,
        legend=LEGEND,
        xaxis=axis("epoch", range=[0, epochs * 1.02]),
        yaxis=axis(AXES[column], range=list(ends)),
    )


def _line(figure: go.Figure, series: Series, rows: pd.DataFrame, column: str, dark: bool) -> None:
    add_curve(
        figure,
        rows["epoch"],
        rows[column],
        series.look,
        [_hover(series, row, column) for row in each(rows)],
        size=6,
        dark=dark,
        mode="lines+markers" if len(rows) <= FEW_POINTS else "lines",
        name=series.title,
        legendgroup=series.title,
    )


def _hover(series: Series, row: Row, column: str) -> str:
    text = f"<b>{series.title}</b>, epoch {spaced(row['epoch'])}<br>{shown(column)(row[column])}"
    if column == "sigma":
        text += f" after {spaced(row['steps'])} steps"
    return f"{text}{band_of(row, column)}<br>{certified(row, ' so far')}"


def _uncertified(rows: pd.DataFrame) -> bool:
    return "epsilon" in rows and bool(rows["epsilon"].isna().all())


def _band(figure: go.Figure, series: Series, rows: pd.DataFrame, column: str, dark: bool) -> None:
    low, high = f"{column}_low", f"{column}_high"
    if low not in rows or not bool((rows[low] < rows[high]).any()):
        return
    ends, colour = (rows["epoch"], rows[low], rows[high]), series.look.on(dark)
    add_band(figure, *ends, colour, showlegend=False, legendgroup=series.title)


def noise(schedule: Schedule, clip: float, *, dark: bool = False) -> Drawn:
    """σ_t against the step, as stairs."""
    steps, sigmas = [], []
    first = 1
    for sigma, count in zip(schedule.sigmas, schedule.counts, strict=True):
        steps += [first, first + count - 1]
        sigmas += [sigma, sigma]
        first += count
    figure = canvas(HEIGHT, dark, showlegend=False)
    add_scatter(
        figure,
        x=steps,
        y=sigmas,
        mode="lines",
        line={"color": PURPLE_ON_DARK if dark else PURPLE, "width": 2, "shape": "hv"},
        hovertext=[
            f"step {spaced(step)}: σ = {plain(sigma, 4)}<br>multiplier σ/C = "
            f"{plain(sigma / clip, 4)}"
            for step, sigma in zip(steps, sigmas, strict=True)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    figure.update_xaxes(title="step", range=[0, schedule.steps * 1.02], automargin=True)
    figure.update_yaxes(
        title="σ (noise on the sum)", range=[0.0, 1.05 * max(sigmas)], automargin=True
    )
    start, end = sigmas[0], sigmas[-1]
    if start == end:
        sentence = f"The noise stays at σ = {plain(start)} for all {spaced(schedule.steps)} steps."
    else:
        sentence = (
            f"The noise falls from σ = {plain(start)} to {plain(end)} over "
            f"{spaced(schedule.steps)} steps. Late steps are less noisy, and spend more of the "
            "budget each."
        )
    return Drawn(figure, sentence, f"Noise against the step. {sentence}")
