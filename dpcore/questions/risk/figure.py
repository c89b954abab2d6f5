"""What the best attack can reach, and a hundred people who guess."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dpcore.accounting.risk import FALSE_ALARM, TRUE_ALARM, Odds
from dpcore.figures.canvas import LEGEND, add_scatter, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLUE, NEUTRAL, ORANGE, SKY, VERMILLION, Look
from dpcore.guarantee import Adjacency
from dpcore.words import percent_at_most, plain

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 360
MIN_RATE = 1e-4  # where the axes begin
ACROSS = 20
LUCK, RELEASE, WRONG = "right by chance alone", "right thanks to the release", "wrong"
SERIES = {"exact": "from the noise itself", "budget": "from ε and δ alone"}
LINES = {
    "exact": Look(BLUE, SKY, "solid", "circle"),
    "budget": Look(VERMILLION, ORANGE, "dash", "square"),
}


def roc(
    table: pd.DataFrame,
    marks: Mapping[str, float],
    rate: float,
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
            name=SERIES[series],
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
    bounds = ", ".join(f"{SERIES[key]}: {percent_at_most(best)}" for key, best in marks.items())
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


def hundred(odds: Odds, *, dark: bool = False) -> Drawn:
    """One hundred dots in rows of twenty: right by chance, right thanks to the release, wrong."""
    groups = (
        (0, 50, LUCK, SKY if dark else BLUE, "circle"),
        (50, 50 + odds.by_release, RELEASE, ORANGE if dark else VERMILLION, "diamond"),
        (50 + odds.by_release, 100, WRONG, NEUTRAL, "circle-open"),
    )
    hidden = {"visible": False, "fixedrange": True}
    figure = canvas(
        170,
        dark,
        keeps_zoom=False,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        legend={"orientation": "h", "yanchor": "top", "y": -0.02, "x": 0, "font": {"size": 12}},
        dragmode=False,
        xaxis={"range": [-0.7, ACROSS - 0.3], **hidden},
        yaxis={"range": [-4.7, 0.7], **hidden},
    )
    for start, stop, words, colour, symbol in groups:
        people = range(start, stop)
        add_scatter(
            figure,
            x=[person % ACROSS for person in people],
            y=[-(person // ACROSS) for person in people],
            mode="markers",
            name=f"{stop - start} {words}",
            marker={"symbol": symbol, "size": 9, "color": colour},
            hovertemplate=f"{words}<extra></extra>",
        )
    return Drawn(
        figure,
        odds.sentence,
        f"One hundred people: 50 right by chance, {odds.by_release} more right thanks to the "
        f"release, {50 - odds.by_release} wrong.",
    )


def hundred_table(odds: Odds) -> pd.DataFrame:
    """The numbers behind `hundred`: columns guess, people and question."""
    import pandas as pd

    people = {LUCK: 50, RELEASE: odds.by_release, WRONG: 50 - odds.by_release}
    return pd.DataFrame(
        {"guess": list(people), "people": list(people.values()), "question": odds.question}
    )
