"""Plan's figures: ε against steps under every accountant, and the noise schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, YELLOW
from dpcore.figures.words import plain

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 380
# On light and on dark ground, dash, marker.
LINES = {
    "pld": (BLUE, SKY, "solid", "circle"),
    "rdp": (GREEN, GREEN, "dash", "square"),
    "tcdp": (BLACK, YELLOW, "dashdot", "diamond"),
    "printed": (VERMILLION, ORANGE, "dot", "x"),
}


def spending(table: pd.DataFrame, *, dark: bool = False) -> Drawn:
    """ε against steps, one line per accountant.

    Parameters
    ----------
    table : DataFrame
        From `dpcore.accounting.growth.growth`.
    dark : bool
        Whether it is drawn on a dark ground.
    """
    figure = go.Figure()
    known = table[table["epsilon"].notna()]
    for curve, (light, on_dark, dash, marker) in LINES.items():
        rows = known[known["curve"] == curve]
        if rows.empty:
            continue
        figure.add_scatter(
            x=rows["steps"],
            y=rows["epsilon"],
            name=rows["title"].iloc[0],
            mode="lines+markers",
            line={"color": on_dark if dark else light, "dash": dash, "width": 2},
            marker={"symbol": marker, "size": 6},
            customdata=rows[["delta", "adjacency", "accountant", "status"]],
            hovertemplate=(
                "%{x:,} steps: ε = %{y:.4g}<br>δ = %{customdata[0]:.1e} · %{customdata[1]}"
                "<br>%{customdata[2]} · %{customdata[3]}<extra></extra>"
            ),
        )
    last = int(table["steps"].max())
    top = float(known["epsilon"].max()) if not known.empty else 1.0
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 8, "r": 12, "t": 8, "b": 8},
        uirevision="kept",
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "font": {"size": 13}},
    )
    figure.update_xaxes(title="steps", range=[0, last * 1.02], automargin=True)
    figure.update_yaxes(title="ε spent", range=[0, top * 1.05], automargin=True)
    return Drawn(figure, _spending_words(known, last), f"ε spent over {last:,} steps.")


def _spending_words(known: pd.DataFrame, last: int) -> str:
    end = known[known["steps"] == last].set_index("curve")["epsilon"]
    if "pld" not in end and "rdp" not in end:
        return "No accountant here certifies a finite ε for these settings."
    best = "pld" if "pld" in end else "rdp"
    sentence = f"After {last:,} steps the certified ε is {plain(end[best])}"
    sentence += f" ({'PLD' if best == 'pld' else 'Rényi'})"
    if "printed" in end:
        ratio = float(end["printed"]) / max(float(end[best]), 1e-12)
        side = f"{plain(ratio, 2)} times as much" if ratio >= 1.0 else "less than is really spent"
        sentence += f"; paper 003's printed formula says {plain(end['printed'])}, {side}"
    return sentence + "."


def schedule(table: pd.DataFrame, *, dark: bool = False) -> Drawn:
    """σ_t against the step.

    Parameters
    ----------
    table : DataFrame
        Columns step and sigma, one row per level's first and last step.
    dark : bool
    """
    colour = "#E8A9CC" if dark else PURPLE
    figure = go.Figure()
    figure.add_scatter(
        x=table["step"],
        y=table["sigma"],
        mode="lines",
        line={"color": colour, "width": 2, "shape": "hv"},
        hovertemplate="step %{x:,}: σ = %{y:.4g}<extra></extra>",
    )
    figure.update_layout(
        height=260, margin={"l": 8, "r": 12, "t": 8, "b": 8}, showlegend=False, uirevision="kept"
    )
    figure.update_xaxes(title="step", automargin=True)
    figure.update_yaxes(title="σ (noise on the sum)", rangemode="tozero", automargin=True)
    first, last = float(table["sigma"].iloc[0]), float(table["sigma"].iloc[-1])
    sentence = (
        f"The noise stays at σ = {plain(first)}."
        if first == last
        else f"The noise falls from σ = {plain(first)} to {plain(last)}."
    )
    return Drawn(figure, sentence, sentence)
