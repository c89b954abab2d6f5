"""The noise that each mechanism needs for the same (ε, δ): most noise first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.figures.canvas import LEGEND, canvas, each
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLUE, ORANGE, SKY, VERMILLION
from dpcore.figures.words import at_most, plain

if TYPE_CHECKING:
    import pandas as pd

ROW_HEIGHT, MARGIN = 44, 90


def sigmas(table: pd.DataFrame, *, dark: bool = False) -> Drawn:
    """One bar per mechanism; bars whose theorem does not apply are hatched."""
    figure = canvas(MARGIN + ROW_HEIGHT * len(table), dark, right=60, bargap=0.35, legend=LEGEND)
    for is_proved, name, light, on_dark, pattern in (
        (True, "proved", BLUE, SKY, ""),
        (False, "claim only: conditions not met", VERMILLION, ORANGE, "/"),
    ):
        rows = table[(table["status"] == "proved") == is_proved]
        if rows.empty:
            continue
        figure.add_bar(
            y=rows["title"],
            x=rows["sigma"],
            orientation="h",
            name=name,
            marker={"color": on_dark if dark else light, "pattern": {"shape": pattern}},
            text=[at_most(value) for value in rows["sigma"]],
            textposition="outside",
            cliponaxis=False,
            hovertext=[
                f"{row['title']}: σ = {at_most(row['sigma'], 5)}<br>for ε = "
                f"{at_most(row['epsilon'])}, δ = {at_most(row['delta'])}, adjacency that of Δ<br>"
                f"{row['by']} · {row['status']}"
                for row in each(rows)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    top = float(table["sigma"].max())
    figure.update_xaxes(title="noise σ", range=[0.0, 1.1 * top], automargin=True)
    order = list(table["title"])[::-1]
    figure.update_yaxes(automargin=True, categoryorder="array", categoryarray=order)
    proved = table[table["status"] == "proved"]
    if proved.empty:
        sentence = "No mechanism here is proved for these settings."
    else:
        best, worst = proved.iloc[-1], proved.iloc[0]
        sentence = (
            f"{best['title']} needs the least noise, σ = {at_most(best['sigma'])}; "
            f"{worst['title']}, proved as well, needs {plain(worst['sigma'] / best['sigma'], 3)} "
            "times as much."
        )
        unmet = table[table["status"] != "proved"]
        if len(unmet):
            sentence += f" {unmet['title'].iloc[0]} proves nothing here: its condition is not met."
    alt = "Noise for the same promise: " + ", ".join(
        f"{title} {at_most(sigma)}"
        for title, sigma in zip(table["title"], table["sigma"], strict=True)
    )
    return Drawn(figure, sentence, f"{alt}.")
