"""The parts that figures share: an empty one, its legend, axes, lines and bands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import unescape
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dpcore.figures.bands import Row, band_of
from dpcore.figures.style import Look, edge, faded, grid, ground, ink
from dpcore.words import SPACE

if TYPE_CHECKING:
    import pandas as pd

WITH_AXES = {"l": 80, "r": 18, "t": 42, "b": 64}
"""Margins in pixels for two axes with titles and a row of the legend."""
TICK_MARGIN, TITLE = 16, 40
"""Pixels between an upright axis, its ticks' words and the edge, and for a title with its gap."""
OTHER_SCRIPTS = 0x0500
"""Letters before are Latin, Greek or Cyrillic; those after may be as wide as they are high."""
LEGEND = {"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "font": {"size": 13}}
"""The legend stands in a row above the axes."""
ROW = 42
"""Height in pixels of what stands on an upright axis by its name."""
THIN = 1.25
"""Width in pixels of a line that others are compared with."""
MAX_LETTERS = 48
"""Of a foreign name on an axis or in a sentence."""
NUMBERS = {"separatethousands": True, "exponentformat": "power", "minexponent": 4}
"""Ticks that Plotly words itself are written as `dpcore.words.plain` writes numbers."""
FONT = '"Source Sans", sans-serif'
"""The font of the page."""


def cut(text: str) -> str:
    """A foreign text of at most `MAX_LETTERS`."""
    return text if len(text) <= MAX_LETTERS else text[: MAX_LETTERS - 1] + "…"


def canvas(
    height: int,
    dark: bool,
    *,
    right: int = 12,
    keeps_zoom: bool = True,
    fixed: bool = False,
    **layout: object,
) -> go.Figure:
    """An empty figure of fixed height with narrow margins, which carries its own look.

    With a template, as Streamlit's theme is, the browser draws each chart twice, and without
    `fixed` margins it draws an axis over and over to measure them.
    """
    words = {"family": FONT, "size": 12, "color": ink(dark)}
    figure = go.Figure(
        layout={
            "height": height,
            "margin": {"l": 8, "r": right, "t": 8, "b": 8, "pad": 8},
            "uirevision": "kept" if keeps_zoom else None,
            "font": words,
            "paper_bgcolor": ground(dark),
            "plot_bgcolor": ground(dark),
            "hoverlabel": {"bgcolor": ground(dark), "bordercolor": edge(dark), "font": words},
            "legend": {"borderwidth": 0, "valign": "top"},
            "separators": f".{SPACE}",
            "xaxis": {**axis(""), "showgrid": False},
            "yaxis": {**axis(""), "gridcolor": grid(dark)},
        }
    )
    figure.layout.template = None
    figure.update_layout(**layout)
    if fixed:
        upright = figure.layout.yaxis
        left = round(max(map(_width, upright.ticktext or ()), default=0)) + TICK_MARGIN
        if upright.title.text:
            left += TITLE
        figure.update_layout(margin={**WITH_AXES, "l": max(left, WITH_AXES["l"])})
        figure.update_xaxes(automargin=False)
        figure.update_yaxes(automargin=False)
    figure.update_xaxes(title_standoff=20)
    figure.update_yaxes(title_standoff=24)
    return figure


def _width(words: str) -> float:
    """Pixels that a label of 12 takes at most; rather too many than too few."""
    lines = (unescape(line) for line in words.split("<br>"))
    return max(sum(map(_width_of, line)) for line in lines)


def _width_of(letter: str) -> float:
    if ord(letter) >= OTHER_SCRIPTS:
        return 12.5
    if letter in "mwMW@%":
        return 10.5
    return 8.0 if letter.isupper() else 6.5


def axis(title: str, **more: object) -> dict[str, object]:
    """An axis for Plotly; its words are in the ink of its canvas."""
    return {
        "title": {"text": title, "font": {"size": 14}},
        "automargin": True,
        "zeroline": False,
        **NUMBERS,
        **more,
    }


def each(rows: pd.DataFrame) -> Sequence[Row]:
    """The rows as dictionaries; pandas' own `iterrows` makes a Series of each, which is slow."""
    return rows.to_dict("records")


def add_scatter(figure: go.Figure, **trace: object) -> None:
    """A trace of points or lines; Plotly's method of this name makes and checks each one twice."""
    figure.add_trace({"type": "scatter", **trace})


def add_rule(
    figure: go.Figure, *, x: float | None = None, y: float | None = None, **line: object
) -> None:
    """A straight line through all of the axes, upright at `x` or level at `y`, with Plotly's line.

    Plotly's own `add_vline` and `add_hline` copy all that is in the figure.
    """
    ends = {"x0": x, "x1": x, "yref": "y domain", "y0": 0, "y1": 1}
    if x is None:
        ends = {"y0": y, "y1": y, "xref": "x domain", "x0": 0, "x1": 1}
    figure.add_shape({"type": "line", "line": line, **ends})


def add_curve(
    figure: go.Figure,
    x: pd.Series,
    y: pd.Series,
    look: Look,
    hover: Sequence[str],
    *,
    size: int,
    dark: bool,
    mode: str = "lines+markers",
    **trace: object,
) -> None:
    """A line with markers, and a text of its own for each point."""
    colour = look.on(dark)
    add_scatter(
        figure,
        x=x,
        y=y,
        mode=mode,
        line={"color": colour, "dash": look.dash, "width": 2.5},
        marker={"symbol": look.marker, "size": size, "color": colour},
        hovertext=list(hover),
        hovertemplate="%{hovertext}<extra></extra>",
        **trace,
    )


def add_band(
    figure: go.Figure,
    x: pd.Series,
    low: pd.Series,
    high: pd.Series,
    colour: str,
    **trace: object,
) -> None:
    """The band of single runs, behind a line."""
    add_scatter(
        figure,
        x=[*x, *x[::-1]],
        y=[*high, *low[::-1]],
        fill="toself",
        fillcolor=faded(colour, 0.14),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        **trace,
    )


def single_runs(
    low: float, high: float, shown: Callable[[float], str], row: Row, noun: str = "run"
) -> str:
    """The band of a point, which the row tells of, in words, on a line of its own."""
    return f"<br>{band_of(row, noun)}: {shown(low)} to {shown(high)}"
