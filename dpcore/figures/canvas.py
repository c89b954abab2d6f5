"""The parts that figures share: an empty one, its legend, axes, lines and bands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dpcore.figures.style import Look, faded, ink
from dpcore.figures.words import band_of

if TYPE_CHECKING:
    import pandas as pd

LEGEND = {"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "font": {"size": 13}}
"""In a row above the axes."""


def canvas(height: int, *, right: int = 12, kept: bool = True, **layout: object) -> go.Figure:
    """An empty figure of fixed height with narrow margins.

    Parameters
    ----------
    height, right : int
        Pixels; of the right margin, which may have to hold words.
    kept : bool
        Whether zoom is kept while the figure is the same, and lost with the data it belonged to.
    **layout
        Further parts of Plotly's layout.
    """
    return go.Figure(
        layout={
            "height": height,
            "margin": {"l": 8, "r": right, "t": 8, "b": 8},
            "uirevision": "kept" if kept else None,
            **layout,
        }
    )


def axis(title: str, dark: bool, **more: object) -> dict[str, object]:
    """An axis for Plotly, with its title and ticks in the ink of the ground."""
    font = {"color": ink(dark)}
    return {
        "title": {"text": title, "font": font},
        "tickfont": font,
        "automargin": True,
        "zeroline": False,
        **more,
    }


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
    """A line with markers, and a text of its own for each point.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    x, y : pandas.Series
    look : Look
    hover : sequence of str
    size : int
        Of the markers.
    dark : bool
        Whether it is drawn on a dark ground.
    mode : str
        Plotly's.
    **trace
        Further parts of Plotly's trace.
    """
    colour = look.on(dark)
    figure.add_scatter(
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
    figure.add_scatter(
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
    low: float, high: float, shown: Callable[[float], str], row: pd.Series, noun: str = "run"
) -> str:
    """The band of a point, which the row tells of, in words, on a line of its own."""
    return f"<br>{band_of(row, noun)}: {shown(low)} to {shown(high)}"
