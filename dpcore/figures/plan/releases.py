"""ε spent by a calendar of releases, as stairs under its budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.figures.canvas import LEGEND, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLUE, ORANGE, SKY, VERMILLION
from dpcore.figures.words import at_most, literal, plain

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.guarantee import PrivacyBudget

HEIGHT = 320


def spent(table: pd.DataFrame, budget: PrivacyBudget, *, dark: bool = False) -> Drawn:
    """ε spent after each release, and the budget as a line.

    Parameters
    ----------
    table : DataFrame
        As in `dpcore.accounting.releases.Costed`.
    budget : PrivacyBudget
    dark : bool
        Whether it is drawn on a dark ground.
    """
    colour, limit = (SKY, ORANGE) if dark else (BLUE, VERMILLION)
    days = [str(day) for day in table["date"]]
    values = [float(amount) for amount in table["epsilon_spent"]]
    figure = canvas(HEIGHT, legend=LEGEND)
    figure.add_scatter(
        x=days,
        y=values,
        mode="lines+markers",
        name="ε spent so far",
        line={"color": colour, "width": 2, "shape": "hv"},
        marker={"size": 8},
        customdata=[
            [literal(label), plain(sigma)]
            for label, sigma in zip(table["what"], table["sigma"], strict=True)
        ],
        hovertemplate=(
            "%{x}: %{customdata[0]}, σ = %{customdata[1]}<br>ε spent so far %{y:.4g} at δ = "
            f"{plain(budget.delta)}, exact (Gaussian DP), adjacency that of Δ<extra></extra>"
        ),
    )
    figure.add_scatter(
        x=[days[0], days[-1]],
        y=[budget.epsilon, budget.epsilon],
        mode="lines",
        name="budget",
        line={"color": limit, "width": 2, "dash": "dash"},
        hovertemplate=f"budget ε = {plain(budget.epsilon)}<extra></extra>",
    )
    top = max(*values, budget.epsilon)
    figure.update_xaxes(title="day of release", type="date", automargin=True)
    figure.update_yaxes(title="ε spent", range=[0.0, 1.08 * top], automargin=True)
    over = table[~table["within"]]
    sentence = (
        f"The {len(table)} releases together spend ε = {at_most(values[-1])} of "
        f"{plain(budget.epsilon)} at δ = {plain(budget.delta)}"
    )
    sentence += (
        f"; the release of {over['date'].iloc[0]} is the first that breaks the budget."
        if len(over)
        else "; the budget is kept."
    )
    return Drawn(figure, sentence, f"ε spent against the day of release. {sentence}")
