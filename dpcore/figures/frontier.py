"""The best proved method at each ε as one line, and what an accuracy or an error asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from dpcore.evaluation.frontier import Reach, records_needed
from dpcore.figures.curves import (
    EPSILON_RANGE,
    ReferenceLine,
    add_references,
    against_epsilon,
    guarantee_of,
)
from dpcore.figures.drawn import Drawn
from dpcore.figures.quality import ACCURACY, Quality
from dpcore.figures.style import NEUTRAL, faded, look
from dpcore.figures.words import listed, plain

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
    guess: float | None = None,
    quality: Quality = ACCURACY,
    dark: bool = False,
) -> Drawn:
    """The measure of the best proved method against ε, each point marked by its method.

    Parameters
    ----------
    best : DataFrame
        From `dpcore.evaluation.frontier.frontier`.
    reach : Reach
        Of the value that is wanted, which is drawn too.
    titles : mapping
        Method to title.
    records : int
        n.
    records_are : str
        What one record is, in the plural.
    epsilon : float
        The chosen one, which the number of records that would be needed is for.
    guess : float, optional
        The measure of an answer without any features: where single runs come to no more, no method
        is called the best.
    quality : Quality
        What is drawn.
    dark : bool
    """
    column, lower, upper = quality.column, f"{quality.column}_low", f"{quality.column}_high"
    ends = best[[lower, column, upper]].to_numpy().ravel()
    values = [*ends[~np.isnan(ends)], reach.wanted]
    figure = against_epsilon(
        title=quality.axis,
        low=max(0.0, min(values) - 5.0 * quality.still),
        high=1.02 if quality.share else max(values) + 5.0 * quality.still,
        percent=quality.percent,
        dark=dark,
    )
    figure.add_scatter(
        x=best["epsilon"],
        y=best[column],
        mode="lines",
        line={"color": NEUTRAL, "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )
    for (method, edition), rows in best.groupby(["method", "edition"], sort=False):
        style = look(str(method))
        figure.add_scatter(
            x=rows["epsilon"],
            y=rows[column],
            mode="markers",
            name=titles.get(str(method), str(method)),
            marker={
                "symbol": style.symbol(str(edition)),
                "size": 9,
                "color": style.on(dark),
            },
            error_y={
                "type": "data",
                "symmetric": False,
                "array": rows[upper] - rows[column],
                "arrayminus": rows[column] - rows[lower],
                "color": faded(style.on(dark), 0.45),
                "thickness": 1.5,
                "width": 3,
            },
            customdata=[[guarantee_of(row)] for _, row in rows.assign(status="proved").iterrows()],
            hovertemplate=f"ε = %{{x:.3g}}: %{{y:{'.1%' if quality.percent else '.3g'}}}"
            "<br>%{customdata[0]}",
        )
    wanted = ReferenceLine(f"wanted: {quality.shown(reach.wanted)}", reach.wanted, dash="dot")
    add_references(figure, [wanted], dark=dark)
    reached = _reached(best, reach, titles, records, records_are, epsilon, quality)
    sentence = f"{reached} {_who(best, titles, guess, quality)}"
    return Drawn(figure, sentence, f"The best proved method at each ε. {sentence}")


def _reached(
    best: pd.DataFrame,
    reach: Reach,
    titles: Mapping[str, str],
    records: int,
    records_are: str,
    epsilon: float,
    quality: Quality,
) -> str:
    asked, measure = quality.named(reach.wanted), quality.measure
    if math.isnan(reach.best):
        return "No method that is chosen is proved at any ε."
    if reach.epsilon is None and measure.reaches(reach.best, reach.wanted):
        there = best.loc[
            [measure.reaches(value, reach.wanted) for value in best[quality.column]], "epsilon"
        ]
        low, high = plain(there.min()), plain(there.max())
        where = f"at ε = {low}" if low == high else f"at some ε from {low} to {high}"
        return (
            f"{asked} is reached {where}, {quality.shown(reach.best)} at best, but lost again at "
            "the largest ε here: no ε can be named from which on it holds."
        )
    if reach.epsilon is None:
        return (
            f"{asked} is not reached with {records:,} {records_are} at any ε here: the proved "
            f"methods chosen come to {quality.shown(reach.best)} at best. A smaller λ, other "
            "methods or other inputs may help; a larger ε will not."
        )
    safe = (
        "nine of ten single runs nowhere here"
        if reach.safe is None
        else f"nine of ten single runs from ε {_placed(reach.safe)} on"
    )
    lucky = [] if reach.lucky is None else [f"a lucky run from ε {_placed(reach.lucky)} on"]
    said = (
        f"**{asked} takes ε {_placed(reach.epsilon)}**, with {titles.get(reach.method, '')}, on "
        f"average over the noise; {listed([*lucky, safe])}."
    )
    if reach.epsilon <= epsilon:
        return said
    needed = records_needed(records, reach.epsilon, epsilon)
    return (
        f"{said} At ε = {plain(epsilon)} it is not reachable with {records:,} {records_are}; "
        f"about {plain(needed)} would be needed (an estimate: noise counts against n·ε)."
    )


def _placed(epsilon: float) -> str:
    """An ε of the grid, which goes on to the left of what is shown."""
    least = EPSILON_RANGE[0]
    return f"below {plain(least)}" if epsilon < least else f"= {plain(epsilon)}"


def _who(
    best: pd.DataFrame, titles: Mapping[str, str], guess: float | None, quality: Quality
) -> str:
    """Which method is best where, from the most private end that is shown on."""
    best = best[best["epsilon"].between(*EPSILON_RANGE)]
    chance = ""
    if guess is not None:
        worse_end = f"{quality.column}_{'low' if quality.share else 'high'}"
        lost = [quality.measure.reaches(guess, value) for value in best[worse_end]]
        first = lost.index(False) if False in lost else len(lost)
        if first:
            chance = (
                f"Up to ε = {plain(best['epsilon'].iloc[first - 1])} some single runs of the best "
                f"one do no better than {quality.words.guessing} ({quality.shown(guess)}). "
            )
        best = best.iloc[first:]
    parts: list[str] = []
    runs = (best["method"] != best["method"].shift()).cumsum()
    stretches = [rows for _, rows in best.groupby(runs, sort=False)]
    for rows in stretches[:4]:
        title = titles.get(rows["method"].iloc[0], rows["method"].iloc[0])
        low, high = rows["epsilon"].iloc[0], rows["epsilon"].iloc[-1]
        where = plain(low) if low == high else f"{plain(low)} to {plain(high)}"
        parts.append(f"{title} (ε = {where})")
    if not parts:
        return chance.rstrip()
    more = " and so on" if len(stretches) > 4 else ""
    named = f"{listed(parts)}{more}"
    return f"{chance}Best by mean {quality.name} among the proved methods chosen: {named}."
