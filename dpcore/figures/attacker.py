"""What the best attack can reach: its hits against its false alarms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dpcore.accounting.risk import FALSE_ALARM, TRUE_ALARM
from dpcore.figures.canvas import LEGEND, add_scatter, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLUE, NEUTRAL, ORANGE, SKY, VERMILLION, Look
from dpcore.guarantee import Adjacency
from dpcore.words import percent_at_most, plain

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 360
MIN_RATE = 1e-4  # where the axes begin
LINES = {
    "exact": Look(BLUE, SKY, "solid", "circle"),
    "budget": Look(VERMILLION, ORANGE, "dash", "square"),
}


def roc(
    table: pd.DataFrame,
    marks: Mapping[str, float],
    rate: float,
    titles: Mapping[str, str],
    *,
    dark: bool = False,
) -> Drawn:
    """Hits against false alarms of the best attack and of guessing; both axes are logarithmic."""
    figure = canvas(HEIGHT, dark, right=16, legend=LEGEND)
    add_scatter(
        figure,
        x=[MIN_RATE, 1.0],
        y=[MIN_RATE, 1.0],
        mode="lines",
        name="guessing",
        line={"color": NEUTRAL, "dash": "dot", "width": 2},
        hoverinfo="skip",
    )
    for series, look in LINES.items():
        rows = table[(table["series"] == series) & (table["false_positive_rate"] >= MIN_RATE)]
        if rows.empty:
            continue
        colour = look.on(dark)
        words = f"{rows['by'].iloc[0]} · {rows['adjacency'].iloc[0]}"
        hover_text = (
            "false alarms %{x:.3~%}: hits at most %{y:.3~%}<br>" + words + "<extra></extra>"
        )
        add_scatter(
            figure,
            x=rows["false_positive_rate"],
            y=rows["true_positive_rate"],
            mode="lines",
            name=titles[series],
            legendgroup=series,
            line={"color": colour, "dash": look.dash, "width": 2},
            hovertemplate=hover_text,
        )
        add_scatter(
            figure,
            x=[rate],
            y=[marks[series]],
            mode="markers",
            legendgroup=series,
            showlegend=False,
            marker={"symbol": look.marker, "size": 11, "color": colour},
            hovertemplate=hover_text,
        )
    ticks = [10.0**exponent for exponent in range(-4, 1)]
    axis = {
        "type": "log",
        "tickvals": ticks,
        "ticktext": [f"{plain(100.0 * tick)} %" for tick in ticks],
        "automargin": True,
    }
    figure.update_xaxes(title="false alarms", range=[-4.0, 0.02], **axis)
    figure.update_yaxes(title="hits, at most", range=[-4.0, 0.08], **axis)
    bounds = ", ".join(f"{titles[key]}: {percent_at_most(best)}" for key, best in marks.items())
    return Drawn(
        figure,
        _words(table, marks, rate),
        f"Hits of the best attack against its false alarms, both axes logarithmic. At "
        f"{plain(100.0 * rate)} % false alarms, {bounds}; guessing: {plain(100.0 * rate)} %.",
    )


def _words(table: pd.DataFrame, marks: Mapping[str, float], rate: float) -> str:
    adjacency = Adjacency(table["adjacency"].iloc[0])
    chance = f"{plain(100.0 * rate)} %"
    sentence = (
        f"An attack that rings for {chance} of the {FALSE_ALARM[adjacency]} rings for at most "
        f"{percent_at_most(marks.get('exact', marks['budget']))} of the {TRUE_ALARM[adjacency]}. "
        f"Guessing rings for {chance}."
    )
    if "exact" in marks:
        sentence += (
            f" From ε and δ alone one could only say {percent_at_most(marks['budget'])}. The noise "
            "that is really added protects better than they tell."
            if marks["budget"] > marks["exact"] * 1.005
            else " ε and δ alone say as much."
        )
    return sentence
