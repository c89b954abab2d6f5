"""ε against one setting of a run, and the budget as a line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpcore.accounting.planner import WHOLE
from dpcore.figures.canvas import add_curve, add_scatter, axis, canvas, each
from dpcore.figures.drawn import Drawn
from dpcore.figures.plan.sentences import DIGITS
from dpcore.figures.style import BLUE, ORANGE, SKY, VERMILLION, Look
from dpcore.words import at_most, plain, spaced

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 240
AXES = {
    "steps": "steps",
    "epochs": "epochs",
    "sigma": "first noise σ₀",
    "batch": "batch size (records)",
}
SENTENCES = {
    "steps": "More steps spend more ε",
    "epochs": "More epochs spend more ε",
    "sigma": "More noise spends less ε",
    "batch": "Larger batches spend more ε",
}


def setting(
    table: pd.DataFrame, unknown: str, answer: float, budget: float, *, dark: bool = False
) -> Drawn:
    """ε against one setting; a diamond marks the run."""
    rows = table[table["epsilon"].map(math.isfinite)]
    low, high = float(table["value"].min()), float(table["value"].max())
    edge = 0.03 * (high - low) or 0.5
    top = 1.1 * max(budget, float(rows["epsilon"].max()) if len(rows) else 0.0)
    figure = canvas(
        HEIGHT,
        dark,
        showlegend=False,
        xaxis=axis(AXES[unknown], range=[low - edge, high + edge]),
        yaxis=axis("ε spent", range=[0.0, top]),
    )
    hover = [
        f"{AXES[unknown]}: {_shown(unknown, float(row['value']))}<br>"
        f"ε = {at_most(row['epsilon'], DIGITS)}<br>"
        f"δ = {plain(row['delta'])} · {row['adjacency']} · {row['accountant']}"
        for row in each(rows)
    ]
    look = Look(BLUE, SKY, "solid", "circle")
    add_curve(figure, rows["value"], rows["epsilon"], look, hover, size=6, dark=dark)
    colour = ORANGE if dark else VERMILLION
    figure.add_hline(
        y=budget,
        line={"color": colour, "dash": "dash", "width": 2},
        annotation={"text": f"budget ε = {plain(budget)}"},
        annotation_position="top left" if unknown in WHOLE else "top right",
    )
    chosen = rows[rows["value"] == answer]
    add_scatter(
        figure,
        x=chosen["value"],
        y=chosen["epsilon"],
        mode="markers",
        marker={"symbol": "diamond", "size": 14, "color": colour},
        hoverinfo="skip",
    )
    sentence = f"{SENTENCES[unknown]}."
    if len(chosen):
        epsilon = float(chosen["epsilon"].iloc[0])
        side = "within" if epsilon <= budget else "above"
        sentence = (
            f"{SENTENCES[unknown]}: at the diamond ε = {at_most(epsilon, DIGITS)}, {side} the "
            f"budget of {plain(budget)}."
        )
    ends = rows.iloc[[0, -1]] if len(rows) else rows
    span = " to ".join(at_most(float(epsilon)) for epsilon in ends["epsilon"])
    alt = (
        f"ε spent against {AXES[unknown]} from {_shown(unknown, low)} to {_shown(unknown, high)}: "
        f"{span or 'no finite ε'}. The answer is {_shown(unknown, answer)}. {sentence}"
    )
    return Drawn(figure, sentence, alt)


def _shown(unknown: str, value: float) -> str:
    return spaced(round(value)) if unknown in WHOLE else at_most(value, 4)
