"""A table's summary as pictures: errors against ε, a histogram, and ten draws of the noise."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpcore.accounting.risk import RIGHT_GUESSES, hedge
from dpcore.figures.canvas import LEGEND, ROW, add_scatter, axis, canvas, cut
from dpcore.figures.drawn import Drawn
from dpcore.figures.escape import literal
from dpcore.figures.picture import Line, Panel, Picture, Reading, Rule
from dpcore.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    YELLOW,
    faded,
    ink,
)
from dpcore.questions.describe import words
from dpcore.questions.describe.summary import TableSummary, number_name
from dpcore.summaries.estimates import HISTOGRAM
from dpcore.summaries.mechanism import EVERYBODY
from dpcore.words import percent, plain

LABEL = "Privacy loss ε"
HEIGHT, MARGINS = 320, 130
"""Of a figure, and what is above and below the rows of a strip, in pixels."""
LOOKS = (
    ((BLUE, SKY), "solid"),
    ((VERMILLION, ORANGE), "dash"),
    ((GREEN, GREEN), "dashdot"),
    ((PURPLE, PURPLE), "longdash"),
    ((BLACK, YELLOW), "dot"),
)
"""Of everybody, and of the first groups; the table has all."""


def picture(summary: TableSummary, number: str) -> Picture:
    """Draw a number's error against ε, above how wrong the table is at each."""
    stops, places = summary.stops, range(len(summary.stops))
    errors = [words.typical(summary, place) for place in places]
    worst = [words.worst(summary, place) for place in places]
    chances = [summary.odds_at(place) for place in places]
    guarantee = words.guarantee(summary.question.study)
    return Picture(
        label=LABEL,
        stops=stops,
        stop_texts=tuple(map(plain, stops)),
        axis_title="← more private    ε    less private →",
        log_axis=True,
        panels=(_panel(summary, number),),
        sentences=tuple(words.sentence(summary, place, number) for place in places),
        spoken=tuple(words.spoken(summary, place) for place in places),
        alt=_alt(summary, number),
        readings=(
            Reading(
                "Typical error",
                tuple(words.points(error) for error, _ in errors),
                tuple(f"{words.points(sampling)} without noise" for _, sampling in errors),
            ),
            Reading(
                "Worst error",
                tuple(words.points(error) for error, _ in worst),
                tuple(name for _, name in worst),
            ),
            Reading(
                RIGHT_GUESSES,
                tuple(f"{one.shown} of 100" for one in chances),
                tuple(f"{hedge(one.shown)}; {guarantee}".removeprefix("; ") for one in chances),
            ),
        ),
    )


def _panel(summary: TableSummary, number: str) -> Panel:
    unit = summary.unit(number)
    told = set(summary.of(number)["group"])
    groups = [group for group in summary.groups if group in told][: len(LOOKS)]
    floor = summary.errors(number, EVERYBODY, "sampling_error")[-1]
    lines = tuple(
        Line(
            summary.group_name(group),
            summary.errors(number, group),
            colours,
            dash,
            strong=group == EVERYBODY,
        )
        for group, (colours, dash) in zip(groups, LOOKS, strict=False)
    )
    amount = f"{plain(floor, 2)} {unit}".strip()
    return Panel(
        f"Error of “{number}”, ±{f' {unit}' if unit else ''}",
        lines,
        (Rule(f"chance alone, of all: ± {amount}", floor),),
        log=True,
    )


def _alt(summary: TableSummary, number: str) -> str:
    error = summary.errors(number, EVERYBODY)
    ends = [
        f"± {plain(error[place], 2)} at ε = {plain(summary.stops[place])}"
        for place in (0, len(error) // 2, -1)
    ]
    unit = summary.unit(number) or "its unit"
    floor = summary.errors(number, EVERYBODY, "sampling_error")[-1]
    return (
        f"Error of {number} in {unit} against ε, of all: {', '.join(ends)}. "
        f"Chance alone: ± {plain(floor, 2)}."
    )


def histogram(rows: pd.DataFrame, summary: TableSummary, name: str, dark: bool) -> Drawn | None:
    """Draw a column's shares as they would be published beside the true ones; None of words."""
    bars = rows[(rows["statistic"] == HISTOGRAM) & (rows["group"] == EVERYBODY)]
    if bars.empty:
        return None
    column = summary.column(name)
    edges = np.linspace(*column.bounds, len(bars) + 1)
    middles = (edges[1:] + edges[:-1]) / 2.0
    title = name.replace("_", " ") + (f", {column.unit}" if column.unit else "")
    figure = canvas(
        HEIGHT,
        dark,
        fixed=True,
        legend=LEGEND,
        bargap=0.08,
        xaxis=axis(literal(cut(title))),
        yaxis=axis("Share of all, %"),
    )
    figure.add_bar(
        x=middles,
        y=100.0 * bars["value"],
        hovertext=bars["level"],
        name="with noise, and what it may be",
        marker={"color": faded(BLUE if not dark else SKY, 0.55)},
        error_y={
            "array": 100.0 * (bars["high"] - bars["value"]).clip(lower=0.0),
            "arrayminus": 100.0 * (bars["value"] - bars["low"]).clip(lower=0.0),
            "color": ink(dark),
            "thickness": 1,
            "width": 2,
        },
    )
    add_scatter(
        figure,
        x=middles,
        y=100.0 * bars["exact"],
        mode="markers",
        name="true",
        marker={"symbol": "diamond", "size": 8, "color": ORANGE if dark else VERMILLION},
    )
    off = 100.0 * (bars["value"] - bars["exact"]).abs()
    most = bars.loc[[off.idxmax()]].iloc[0]
    return Drawn(
        figure,
        f"The noisy shares are off by {plain(float(off.max()), 2)} points at most.",
        f"Histogram of {title} in {len(bars)} parts, with noise and true. The largest difference "
        f"is at {most['level']}: {percent(most['value'])} with noise, {percent(most['exact'])} "
        "truly.",
    )


def draws(rows: pd.DataFrame, summary: TableSummary, number: str, dark: bool) -> Drawn:
    """Draw a number as it might have come out in each draw, for all and for each group."""
    names = [
        number_name(*each)
        for each in rows[["column", "statistic", "level"]].itertuples(index=False)
    ]
    own = rows[(pd.Series(names, index=rows.index) == number) & (rows["statistic"] != HISTOGRAM)]
    unit = summary.unit(number)
    factor = 100.0 if unit == "points" else 1.0
    groups = [group for group in summary.groups if group in set(own["group"])]
    labels = {group: literal(cut(summary.group_name(group))) for group in groups}
    title = f"{number}, {'%' if unit == 'points' else unit}".removesuffix(", ")
    has_histogram = bool((rows["statistic"] == HISTOGRAM).any())  # which stands beside it
    figure = canvas(
        max(HEIGHT if has_histogram else 0, MARGINS + ROW * len(groups)),
        dark,
        fixed=True,
        legend=LEGEND,
        xaxis=axis(literal(cut(title))),
        yaxis=axis(
            "",
            tickvals=list(range(len(groups))),
            ticktext=[labels[group] for group in groups],
            range=[len(groups) - 0.5, -0.5],
        ),
    )
    place = own["group"].map(groups.index)
    add_scatter(
        figure,
        x=factor * own["value"],
        y=place,
        mode="markers",
        name="with noise",
        marker={"size": 10, "color": faded(SKY if dark else BLUE, 0.7)},
    )
    first = own[own["draw"] == 0]
    add_scatter(
        figure,
        x=factor * first["exact"],
        y=first["group"].map(groups.index),
        mode="markers",
        name="without noise",
        marker={
            "symbol": "line-ns-open",
            "size": 26,
            "line": {"width": 3},
            "color": ORANGE if dark else VERMILLION,
        },
    )
    everybody = own[own["group"] == EVERYBODY]
    low, high, exact = (
        plain(factor * float(value))
        for value in (
            everybody["value"].min(),
            everybody["value"].max(),
            everybody["exact"].iloc[0],
        )
    )
    told = (
        f"In ten draws “{number}” of all lies between {low} and {high}; "
        f"without noise it is {exact}."
    )
    return Drawn(figure, told, told)
