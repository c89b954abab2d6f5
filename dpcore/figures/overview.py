"""The first picture: quality against ε, what privacy costs at the chosen one, and of what."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dpcore.evaluation.frontier import crossing
from dpcore.figures.canvas import add_band, add_rule, add_scatter, axis, canvas, each, single_runs
from dpcore.figures.cost import FORM, NOISE, Cost
from dpcore.figures.curves import (
    EPSILON_RANGE,
    LABEL,
    LETTER,
    SERIES,
    ReferenceLine,
    add_references,
    decades,
    guarantee_of,
    named,
)
from dpcore.figures.direct_labels import Array, Box, places
from dpcore.figures.drawn import Drawn
from dpcore.figures.quality import Quality
from dpcore.figures.style import BLUE, SKY, faded, ground, ink, look
from dpcore.figures.verdict import noise_and_split
from dpcore.figures.words import capitalised, in_band, literal, plain

HEIGHT = 352
"""At the first visit it ends above the fold of 800 pixels, also under four lines of words."""
LEFT, RIGHT = 64, 16
"""Fixed margins in pixels: a slider above stands over the same axis."""
TOP, ROW, LETTERS = 12, 16, 62
"""Pixels above the axes, and of a row of words there; letters that fit it on a narrow screen."""
BOTTOM = 64
"""Pixels below the axes, for ticks and title."""

STROKES = {
    "solid": "━",
    "dash": "- -",
    "dot": "···",
    "dashdot": "-·-",
    "longdash": "— —",
    "longdashdot": "—·—",
}
"""A named dash in letters, in the row of names above the axes."""
MARKS = ((10.0, "—"), (4.0, "-"), (0.0, "·"))
"""From so many pixels on, the letter for one stroke of a dash that is given by its lengths."""
APART = "\u2003"
"""The space between two of these names."""


@dataclass(frozen=True)
class ThinLine:
    title: str
    colour: str
    dash: str
    rows: pd.DataFrame

    def named(self, stroke: str) -> str:
        """Its name in the ink of the page after a stroke of its colour."""
        return f'<span style="color:{self.colour}">{stroke}</span> {literal(self.title)}'


def overview(
    line: pd.DataFrame,
    others: pd.DataFrame,
    row: pd.Series,
    cost: Cost,
    references: Sequence[ReferenceLine],
    *,
    name: str,
    chosen: str,
    titles: Mapping[str, str],
    quality: Quality,
    subject: str = "it",
    so_far: bool = False,
    dark: bool = False,
) -> Drawn:
    """Draw the line in focus with its band, the others thin and named, and the cost at one ε."""
    column, shown = quality.column, quality.shown
    # Of the many columns of a table, so that it is quickly cut into series and rows.
    used_columns = [*SERIES, column, f"{column}_low", f"{column}_high"]
    line, others = line[used_columns], others[used_columns]
    values = [*line[column], *others[column].dropna(), *(r.value for r in references)]
    # The line's name stands above the axes: within them it would meet a curve on a narrow screen.
    heading = wrap(f"━ {name}", LETTERS, break_on_hyphens=False)
    figure = _axes(_range(values, quality), quality, dark)
    thin = _add_thin_lines(figure, others, titles, quality, dark)
    _add_line(figure, line, name, titles, quality, dark)
    add_references(figure, references)
    rows_of_names = _add_names(figure, thin, line, references, column)
    _add_cost(figure, row, cost, quality, dark)
    _add_heading(figure, heading, rows_of_names, dark)
    splits = int(row["splits"])
    sentence = (
        f"{titles.get(row['method'], row['method'])}: {chosen}. "
        f"{_suffices(line, references[0].value, quality, subject, so_far)} "
        f"{_above(line, references[0].value, quality)}"
        f"{in_band(int(row['runs']), splits=splits)}"
    )
    if splits > 1:
        sentence += f" {noise_and_split(row, quality)}"
    first, last = line.iloc[0], line.iloc[-1]
    return Drawn(
        figure,
        sentence,
        f"{quality.title} against ε. {name}: {shown(first[column])} at ε = "
        f"{plain(first['epsilon'])}, {shown(row[column])} at ε = {plain(row['epsilon'])}, "
        f"{shown(last[column])} at ε = {plain(last['epsilon'])}. "
        + "; ".join(f"{reference.label}" for reference in references)
        + f". {cost.sentence}",
    )


def _axes(ends: tuple[float, float], quality: Quality, dark: bool) -> go.Figure:
    ticks, texts = decades(*EPSILON_RANGE)
    # The figure changes with ε and would lose its zoom; a drag on a touch screen scrolls the page.
    return canvas(
        HEIGHT,
        dark,
        margin={"l": LEFT, "r": RIGHT, "b": BOTTOM, "autoexpand": False},
        dragmode=False,
        hovermode="closest",
        showlegend=False,
        xaxis=axis(
            "← more private    ε    less private →",
            type="log",
            range=[math.log10(end) for end in EPSILON_RANGE],
            tickvals=ticks,
            ticktext=texts,
            ticklabeloverflow="allow",
            automargin=False,
            fixedrange=True,
        ),
        yaxis=axis(
            "",
            range=list(ends),
            tickformat=".0%" if quality.percent else None,
            ticklabeloverflow="allow",
            automargin=False,
            fixedrange=True,
        ),
    )


def _add_thin_lines(
    figure: go.Figure,
    others: pd.DataFrame,
    titles: Mapping[str, str],
    quality: Quality,
    dark: bool,
) -> list[ThinLine]:
    column, lines = quality.column, []
    for title, method, edition, rows in named(others, column, titles):
        style = look(method)
        lines.append(ThinLine(title, style.on(dark), style.dash, rows))
        add_scatter(
            figure,
            x=rows["epsilon"],
            y=rows[column],
            mode="lines",
            line={"color": faded(style.on(dark), 0.55), "width": 1.25, "dash": style.dash},
            hovertext=[
                f"{title} at ε = {plain(one['epsilon'])}: {quality.shown(one[column])}<br>"
                f"{guarantee_of(one)}"
                for one in each(rows)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
            name=f"{title} {edition}",
        )
    return lines


def _add_line(
    figure: go.Figure,
    line: pd.DataFrame,
    name: str,
    titles: Mapping[str, str],
    quality: Quality,
    dark: bool,
) -> None:
    column, shown = quality.column, quality.shown
    lower, upper, colour = f"{column}_low", f"{column}_high", _colour(dark)
    add_band(figure, line["epsilon"], line[lower], line[upper], colour)
    add_scatter(
        figure,
        x=line["epsilon"],
        y=line[column],
        mode="lines+markers",
        line={"color": colour, "width": 3.5},
        marker={"size": 5, "color": colour},
        hovertext=[
            f"<b>{titles.get(one['method'], one['method'])}</b> at ε = {plain(one['epsilon'])}<br>"
            f"{shown(one[column])}{single_runs(one[lower], one[upper], shown, one)}<br>"
            f"{guarantee_of(one)}"
            for one in each(line)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
        name=name,
    )


def _colour(dark: bool) -> str:
    return SKY if dark else BLUE


def _add_heading(
    figure: go.Figure, heading: Sequence[str], names: Sequence[str], dark: bool
) -> None:
    figure.update_layout(margin={"t": TOP + ROW * (len(heading) + len(names))})
    _add_above(figure, f"<b>{'<br>'.join(heading)}</b>", ROW * len(names), 12, _colour(dark))
    if names:
        _add_above(figure, "<br>".join(names), 0, 11, ink(dark))


def _add_above(figure: go.Figure, text: str, shift: int, size: int, colour: str) -> None:
    figure.add_annotation(
        text=text,
        xref="x domain",
        x=0,
        yref="y domain",
        y=1,
        xanchor="left",
        xshift=-LEFT,
        yanchor="bottom",
        yshift=shift,
        align="left",
        showarrow=False,
        font={"size": size, "color": colour},
    )


def _add_names(
    figure: go.Figure,
    names: Sequence[ThinLine],
    line: pd.DataFrame,
    references: Sequence[ReferenceLine],
    column: str,
) -> list[str]:
    (start, end), (low, high) = figure.layout.xaxis.range, figure.layout.yaxis.range

    def shares(rows: pd.DataFrame) -> tuple[Array, Array]:
        x = (np.log10(rows["epsilon"].to_numpy(np.float64)) - start) / (end - start)
        return x, (rows[column].to_numpy(np.float64) - low) / (high - low)

    lines = [shares(one.rows.sort_values("epsilon")) for one in names] + [shares(line)]
    ends = np.array([0.0, 1.0])
    lines += [(ends, np.full(2, (one.value - low) / (high - low))) for one in references]
    widths = [LETTER * (len(one.title) + 2) for one in names]
    occupied = [_box(words, low, high) for words in figure.layout.annotations]
    boxes = places(lines, widths, LABEL, occupied, thick=len(names))
    placed = [box for box in boxes if box is not None]
    if len(placed) < len(boxes):
        return _in_rows(names)
    for one, box in zip(names, placed, strict=True):
        x, y = box.middle
        figure.add_annotation(
            text=one.named("━"),
            xref="x domain",
            x=x,
            yref="y domain",
            y=y,
            xanchor="center",  # by itself Plotly takes the end that is nearest
            yanchor="middle",
            showarrow=False,
            font={"size": 11},
        )
    return []


def _stroke(dash: str) -> str:
    if dash in STROKES:
        return STROKES[dash]
    lengths = [float(length.removesuffix("px")) for length in dash.split(",")[::2]]
    letters = [next(mark for least, mark in MARKS if length >= least) for length in lengths]
    return "".join(letters if len(letters) > 1 else 3 * letters)


def _in_rows(names: Sequence[ThinLine]) -> list[str]:
    rows: list[str] = []
    room = 0
    for one in names:
        stroke = _stroke(one.dash)
        letters = len(f"{stroke} {one.title}") + len(APART)
        if letters > room:
            rows.append("")
            room = LETTERS
        rows[-1] += f"{one.named(stroke)}{APART}"
        room -= letters
    return rows


def _box(words: go.layout.Annotation, low: float, high: float) -> Box:
    rows = str(words.text).split("<br>")
    width, height = LETTER * max(map(len, rows)), LABEL * len(rows)
    y = (float(words.y) - low) / (high - low)
    bottom = y if words.yanchor == "bottom" else y - height
    left = 0.0 if words.xanchor == "left" else 1.0 - width
    return Box(left, left + width, bottom, bottom + height)


def _range(values: Sequence[float], quality: Quality) -> tuple[float, float]:
    low, high = min(values), max(values)
    air = 0.08 * (high - low) or 0.01
    if quality.share:
        return max(0.0, low - air), min(1.02, high + 1.5 * air)
    return max(0.0, low - air), high + air


def _add_cost(figure: go.Figure, row: pd.Series, cost: Cost, quality: Quality, dark: bool) -> None:
    epsilon, value = float(row["epsilon"]), float(row[quality.column])
    add_rule(figure, x=epsilon, color=ink(dark), width=1, dash="dot")
    unit = literal(quality.unit)
    parts = (
        (cost.baseline, cost.noiseless, FORM, f"{cost.part}: {cost.form} {unit}"),
        (cost.noiseless, value, NOISE, f"noise: {cost.noise} {unit}"),
    )
    for start, end, part, words in parts:
        add_scatter(
            figure,
            x=[epsilon, epsilon],
            y=[start, end],
            mode="lines",
            line={"color": part.on(dark), "width": 9},
            hovertemplate=f"{words}<extra></extra>",
            name=words,
        )
    add_scatter(
        figure,
        x=[epsilon],
        y=[value],
        mode="markers",
        marker={
            "size": 11,
            "color": _colour(dark),
            "line": {"width": 2, "color": ground(dark)},
        },
        hoverinfo="skip",
    )


def _above(line: pd.DataFrame, baseline: float, quality: Quality) -> str:
    sign = quality.measure.sign
    if (sign * (line[quality.column] - baseline) <= quality.still).all():
        return ""
    return (
        "It may lie above no privacy, whose model is chosen by cross-validation and not by its "
        "result here. "
        if sign > 0
        else "It may lie below no privacy, whose model is chosen by cross-validation and not by "
        "its result here. "
    )


def _suffices(
    line: pd.DataFrame, baseline: float, quality: Quality, subject: str, so_far: bool
) -> str:
    sign, within = quality.measure.sign, f"within {quality.rounded(quality.close)} of no privacy"
    changes = [quality.difference(value, baseline) for value in line[quality.column]]
    rows, allowed = line.assign(change=changes), -sign * quality.close
    from_on = crossing(rows, "change", allowed, sign)
    close = rows.loc[sign * (rows["change"] - allowed) >= 0.0, "epsilon"]
    if from_on is not None:
        said = f"from ε = {plain(from_on)} on {subject} stays {within}"
    elif len(close):
        last = rows.iloc[-1]
        said = (
            f"{subject} comes {within} {_at_some(close)}, but loses "
            f"{quality.amount(last['change'])} at ε = {plain(last['epsilon'])}"
        )
    else:
        least = quality.amount(max(changes, key=quality.good))
        said = f"{subject} nowhere comes {within}; at best it loses {least}"
    return f"So far, {said}." if so_far else f"{capitalised(said)}."


def _at_some(epsilons: pd.Series) -> str:
    low, high = plain(epsilons.min()), plain(epsilons.max())
    return f"at ε = {low}" if low == high else f"at some ε from {low} to {high}"
