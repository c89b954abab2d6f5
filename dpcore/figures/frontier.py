"""The best proved method at each ε as one line, and what an accuracy asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dpcore.evaluation.frontier import Reach, records_needed
from dpcore.figures.curves import Reference, add_references, against_epsilon, guarantee_of
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import NEUTRAL, faded, look
from dpcore.figures.words import listed, percent, plain

if TYPE_CHECKING:
    import pandas as pd


def frontier(
    best: pd.DataFrame,
    reach: Reach,
    *,
    titles: Mapping[str, str],
    records: int,
    records_are: str,
    epsilon: float,
    dark: bool = False,
) -> Drawn:
    """Accuracy of the best proved method against ε, each point marked by its method.

    Parameters
    ----------
    best : DataFrame
        From `dpcore.evaluation.frontier.frontier`.
    reach : Reach
        Of the accuracy that is wanted, which is drawn too.
    titles : mapping
        Method to title.
    records : int
        n.
    records_are : str
        What one record is, in the plural.
    epsilon : float
        The chosen one, which the number of records that would be needed is for.
    dark : bool
    """
    values = [*best["accuracy_low"].dropna(), *best["accuracy"], reach.wanted]
    figure = against_epsilon(
        title="Accuracy on test records",
        low=max(0.0, min(values) - 0.05),
        high=1.02,
        percent=True,
        dark=dark,
    )
    figure.add_scatter(
        x=best["epsilon"],
        y=best["accuracy"],
        mode="lines",
        line={"color": NEUTRAL, "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )
    for method, rows in best.groupby("method", sort=False):
        style = look(str(method))
        figure.add_scatter(
            x=rows["epsilon"],
            y=rows["accuracy"],
            mode="markers",
            name=titles.get(str(method), str(method)),
            marker={"symbol": style.marker, "size": 9, "color": style.on(dark)},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": rows["accuracy_high"] - rows["accuracy"],
                "arrayminus": rows["accuracy"] - rows["accuracy_low"],
                "color": faded(style.on(dark), 0.45),
                "thickness": 1.5,
                "width": 3,
            },
            customdata=[[guarantee_of(row)] for _, row in rows.assign(status="proved").iterrows()],
            hovertemplate="ε = %{x:.3g}: %{y:.1%}<br>%{customdata[0]}",
        )
    wanted = Reference(f"wanted: {percent(reach.wanted)}", reach.wanted, dash="dot")
    add_references(figure, [wanted], dark=dark)
    sentence = (
        f"{_reached(best, reach, titles, records, records_are, epsilon)} {_who(best, titles)}"
    )
    return Drawn(figure, sentence, f"The best proved method at each ε. {sentence}")


def _reached(
    best: pd.DataFrame,
    reach: Reach,
    titles: Mapping[str, str],
    records: int,
    records_are: str,
    epsilon: float,
) -> str:
    asked = percent(reach.wanted)
    if math.isnan(reach.best):
        return "No method that is chosen is proved at any ε."
    if reach.epsilon is None and reach.best >= reach.wanted:
        there = best.loc[best["accuracy"] >= reach.wanted, "epsilon"]
        low, high = plain(there.min()), plain(there.max())
        where = f"at ε = {low}" if low == high else f"at some ε from {low} to {high}"
        return (
            f"{asked} is reached {where}, {percent(reach.best)} at best, but lost again at the "
            "largest ε here: no ε can be named from which on it holds."
        )
    if reach.epsilon is None:
        return (
            f"{asked} is not reached with {records:,} {records_are} at any ε here: the methods "
            f"chosen come to {percent(reach.best)} at best. A smaller λ, other methods or "
            "other inputs may help; more privacy will not."
        )
    safe = (
        "nine of ten single runs nowhere here"
        if reach.safe is None
        else f"nine of ten single runs from ε = {plain(reach.safe)} on"
    )
    lucky = [] if reach.lucky is None else [f"a lucky run from ε = {plain(reach.lucky)} on"]
    said = (
        f"**{asked} takes ε = {plain(reach.epsilon)}**, with {titles.get(reach.method, '')}, on "
        f"average over the noise; {listed([*lucky, safe])}."
    )
    if reach.epsilon <= epsilon:
        return said
    needed = records_needed(records, reach.epsilon, epsilon)
    return (
        f"{said} At ε = {plain(epsilon)} it is not reachable with {records:,} {records_are}; "
        f"about {plain(needed)} would be needed (an estimate: noise counts against n·ε)."
    )


def _who(best: pd.DataFrame, titles: Mapping[str, str]) -> str:
    """Which method is best where, from the most private end on."""
    parts: list[str] = []
    runs = (best["method"] != best["method"].shift()).cumsum()
    stretches = [rows for _, rows in best.groupby(runs, sort=False)]
    for rows in stretches[:4]:
        title = titles.get(rows["method"].iloc[0], rows["method"].iloc[0])
        low, high = rows["epsilon"].iloc[0], rows["epsilon"].iloc[-1]
        where = plain(low) if low == high else f"{plain(low)} to {plain(high)}"
        parts.append(f"{title} (ε = {where})")
    if not parts:
        return ""
    more = " and so on" if len(stretches) > 4 else ""
    return f"Best by mean accuracy among the methods chosen: {listed(parts)}{more}."
