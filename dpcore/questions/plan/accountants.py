"""ε against steps, one line per accountant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpcore.figures.canvas import LEGEND, add_scatter, canvas, each
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLACK, BLUE, GREEN, ORANGE, SKY, VERMILLION, YELLOW, Look
from dpcore.words import at_most, listed, spaced

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 380
LINES = {
    "pld": Look(BLUE, SKY, "solid", "circle"),
    "rdp": Look(GREEN, GREEN, "dash", "square"),
    "tcdp": Look(BLACK, YELLOW, "dashdot", "diamond"),
    "printed": Look(VERMILLION, ORANGE, "dot", "x"),
}
SHORT = {"pld": "PLD", "rdp": "Rényi", "tcdp": "tCDP with all conditions", "printed": "as printed"}
CERTIFIED = ("pld", "rdp", "tcdp")
WIDE = 50.0
"""Lines whose ends are further apart than this factor are drawn on a logarithmic axis."""


def spending(table: pd.DataFrame, *, dark: bool = False) -> Drawn:
    """ε against steps, one line per accountant."""
    figure = canvas(HEIGHT, dark, legend=LEGEND)
    finite = table[table["epsilon"].notna()]
    finite = finite[finite["epsilon"].map(math.isfinite)]
    for curve, look in LINES.items():
        rows = finite[finite["curve"] == curve]
        if rows.empty:
            continue
        add_scatter(
            figure,
            x=rows["steps"],
            y=rows["epsilon"],
            name=rows["title"].iloc[0],
            mode="lines+markers",
            line={"color": look.on(dark), "dash": look.dash, "width": 2},
            marker={"symbol": look.marker, "size": 6},
            hovertext=[
                f"{spaced(row['steps'])} steps: ε = {at_most(row['epsilon'])}<br>δ = "
                f"{at_most(row['delta'])} · {row['adjacency']}<br>{row['accountant']} · "
                f"{row['status']}"
                for row in each(rows)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    last = int(table["steps"].max())
    final = finite[finite["steps"] == last]
    ends = dict(zip(final["curve"].map(str), final["epsilon"].map(float), strict=True))
    figure.update_xaxes(title="steps", range=[0, last * 1.02], automargin=True)
    figure.update_yaxes(title="ε spent", automargin=True, **_axis(finite, ends))
    alt = f"ε spent over {spaced(last)} steps. At the end: " + (
        listed([f"{SHORT[curve]} {at_most(ends[curve])}" for curve in LINES if curve in ends])
        or "no finite ε"
    )
    return Drawn(figure, _words(ends, last), f"{alt}.")


def _axis(finite: pd.DataFrame, ends: dict[str, float]) -> dict[str, object]:
    positive = finite.loc[finite["epsilon"] > 0.0, "epsilon"]
    if positive.empty:
        return {"range": [0.0, 1.0]}
    top = float(positive.max())
    if min(ends.values(), default=top) * WIDE < max(ends.values(), default=top):
        low = max(float(positive.min()), 1e-4 * top)
        return {
            "type": "log",
            "range": [math.log10(low / 1.3), math.log10(top * 1.3)],
        }
    return {"range": [0.0, top * 1.05]}


def _words(ends: dict[str, float], last: int) -> str:
    certified = {curve: ends[curve] for curve in CERTIFIED if curve in ends}
    if not certified:
        return "No accountant here certifies a finite ε for these settings."
    best = min(certified, key=certified.__getitem__)
    sentence = (
        f"After {spaced(last)} steps the certified ε is {at_most(certified[best])} ({SHORT[best]})"
    )
    if "printed" in ends:
        # No ratio: the formula speaks of replace-one, the certified lines of the run's adjacency.
        sentence += (
            f"; paper 003's printed formula, a claim about one record replaced, says "
            f"{at_most(ends['printed'])}"
        )
    return sentence + "."
