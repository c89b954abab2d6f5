"""What was taken of a data set's cap, entry by entry."""

from __future__ import annotations

import pandas as pd

from dpcore.accounting.decimals import decimal, named_below
from dpcore.figures.canvas import LEGEND, add_scatter, axis, canvas, each
from dpcore.figures.drawn import Drawn
from dpcore.figures.escape import literal
from dpcore.figures.style import BLUE, ORANGE, SKY, VERMILLION
from dpcore.words import at_least, at_most, plain

HEIGHT, MAX_TICKS = 280, 12


def spending(rows: pd.DataFrame, adjacency: str, *, dark: bool = False) -> Drawn:
    """ε taken after each entry, under the cap."""
    # Entries of other data sets stand between them.
    ticks = {"tickvals": list(rows["entry"])} if len(rows) <= MAX_TICKS else {"tickformat": "d"}
    figure = canvas(
        HEIGHT,
        dark,
        keeps_zoom=False,
        showlegend=True,
        legend=LEGEND,
        xaxis=axis("entry of the ledger", **ticks),
        yaxis=axis("ε", range=[0.0, 1.12 * float(rows["cap"].max())]),
    )
    for name, title, shown, colour, dash in (
        ("cap", "cap", plain, ORANGE if dark else VERMILLION, "dash"),
        ("taken", "taken", at_most, SKY if dark else BLUE, "solid"),
    ):
        add_scatter(
            figure,
            x=rows["entry"],
            y=rows[name],
            name=title,
            mode="lines+markers" if name == "taken" else "lines",
            line={"color": colour, "dash": dash, "shape": "hv", "width": 2.5},
            hovertext=[
                literal(f"Entry {row['entry']}, {row['when']}: {title} {shown(row[name])}")
                + f"<br>δ = {plain(row['delta'])} · {adjacency} · the ledger’s filter"
                for row in each(rows)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    last = rows.iloc[-1]
    left = max(0.0, named_below(decimal(last["cap"]) - decimal(last["taken"])))
    sentence = (
        f"After entry {last['entry']}, ε = {at_most(float(last['taken']))} of "
        f"{plain(float(last['cap']))} is taken at δ = {plain(float(last['delta']))}; "
        f"{at_least(left)} is left."
    )
    return Drawn(figure, sentence, f"ε taken after each entry, and the cap. {sentence}")
