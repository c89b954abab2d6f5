"""The systems of the literature by family and status."""

from __future__ import annotations

import pandas as pd

from dpcore.figures.canvas import canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLUE, GREEN, NEUTRAL, ORANGE, PURPLE, SKY, VERMILLION
from dpcore.words import listed

ROW, MIN, FEW = 30, 240, 10
# Colour on a light ground, colour on a dark one, and the filling that tells it apart without.
LOOKS = {
    "proved as printed": (GREEN, GREEN, ""),
    "proved (our corrected version)": (PURPLE, PURPLE, "\\"),
    "conditions not met": (BLUE, SKY, "/"),
    "promises too much": (VERMILLION, ORANGE, "x"),
    "described only": (NEUTRAL, NEUTRAL, "."),
}
OTHER = (NEUTRAL, NEUTRAL, "+")


def families(table: pd.DataFrame, *, dark: bool = False) -> Drawn:
    """One bar a family, one piece a status."""
    names = list(dict.fromkeys(table["family"]))
    figure = canvas(
        # On a narrow screen the legend takes four lines, and half of the height at most.
        max(MIN, 96 + ROW * len(names)),
        dark,
        keeps_zoom=False,
        barmode="stack",
        bargap=0.3,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "traceorder": "normal"},
        dragmode=False,
    )
    for status in dict.fromkeys(table["status"]):
        light, on_dark, filling = LOOKS.get(status, OTHER)
        counts = table[table["status"] == status].set_index("family")["systems"]
        colour = on_dark if dark else light
        figure.add_bar(
            y=names,
            x=[int(counts.get(name, 0)) for name in names],
            name=status,
            orientation="h",
            marker={
                "color": colour,
                "line": {"color": colour, "width": 1},
                "pattern": {"shape": filling, "fillmode": "replace", "solidity": 0.5},
            },
            hovertemplate=f"%{{y}}<br>{status}: %{{x}}<extra></extra>",
        )
    most = int(table.groupby("family")["systems"].sum().max())
    figure.update_xaxes(
        range=[0, 1.05 * most],
        dtick=1 if most < FEW else None,
        title={"text": "systems"},
        fixedrange=True,
        rangemode="tozero",
    )
    figure.update_yaxes(
        autorange="reversed",
        automargin=True,
        type="category",
        fixedrange=True,
    )
    sentence = _sentence(table)
    return Drawn(figure, sentence, f"Systems by family and status, as bars. {sentence}")


def _sentence(table: pd.DataFrame) -> str:
    counts = table.groupby("status")["systems"].sum()
    total, described = int(counts.sum()), int(counts.get("described only", 0))
    judged = [
        f"{int(counts[status])} “{status}”"
        for status in LOOKS
        if status != "described only" and counts.get(status, 0)
    ]
    if total == 1:
        return f"One system: “{next(status for status in counts.index if counts[status])}”."
    if not judged:
        return f"Described only, all {total}: nothing of them is checked or run here."
    if not described:
        return f"All {total} were checked or run here: {listed(judged)}."
    return (
        f"{described} of {total} are described only, the others checked or run here. "
        f"These are {listed(judged)}."
    )
