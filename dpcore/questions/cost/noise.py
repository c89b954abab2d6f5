"""The noise scale σ against ε, and where it stops growing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpcore.figures.curves import add_series, against_epsilon, at, decades, name_of, named, series
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import NEUTRAL
from dpcore.words import at_most, listed, plain, spaced

if TYPE_CHECKING:
    import plotly.graph_objects as go

# σ that stays within this factor of its value at the smallest ε counts as "no longer growing".
FLAT = 0.95
# A method whose σ still grows tenfold a decade at the left end has no plateau there.
MIN_DECADES = 1.0
# σ that is larger by less than this share counts as unchanged.
ROUNDING = 1e-9
# On a narrow screen, more would stand upright.
MAX_TICKS = 6
# Nearer to an end of the axis than these shares of it, a point's label would leave the figure.
NEAR_END, NEAR_BOTTOM = 0.25, 0.2


def plateau(rows: pd.DataFrame) -> float | None:
    """ε below which σ no longer grows, or None where it grows to the grid's end."""
    rows = rows[rows["sigma"].notna()]
    if len(rows) < 3:
        return None
    share = (rows["sigma"] / rows["sigma"].iloc[0]).to_numpy()
    # σ that comes back to that height further right is on no plateau.
    level = np.logical_and.accumulate((share >= FLAT) & (share <= 1.0 / FLAT))
    first, last = float(rows["epsilon"].iloc[0]), float(rows["epsilon"][level].iloc[-1])
    return last if math.log10(last / first) >= MIN_DECADES else None


@dataclass(frozen=True)
class Rise:
    epsilons: tuple[float, float]  # before the first rise and after the last
    steps: tuple[int, int]  # T there
    sensitivities: tuple[float, float]
    throughout: bool  # whether σ grows at every ε between

    @property
    def where(self) -> str:
        """The range of ε in words."""
        return "between" if self.throughout else "in places between"


def rise(rows: pd.DataFrame, *, more_steps: bool = True) -> Rise | None:
    """The rise of σ with ε in one series sorted by ε; None where it never grows."""
    rows = rows[rows["sigma"].notna()]
    sigmas, steps = rows["sigma"].to_numpy(), rows["steps"].to_numpy()
    grows = [
        place
        for place in range(len(rows) - 1)
        if sigmas[place + 1] > sigmas[place] * (1.0 + ROUNDING)
        and (steps[place + 1] > steps[place]) == more_steps
    ]
    if not grows:
        return None
    first, last = grows[0], grows[-1] + 1
    epsilons, moved = rows["epsilon"].to_numpy(), rows["sensitivity"].to_numpy()
    return Rise(
        (float(epsilons[first]), float(epsilons[last])),
        (int(steps[first]), int(steps[last])),
        (float(moved[first]), float(moved[last])),
        len(grows) == last - first,
    )


def _rises(rises: Sequence[tuple[str, Rise]]) -> str:
    ranges = [
        f"{name} {rise.where} ε = {plain(rise.epsilons[0])} (T = {spaced(rise.steps[0])}) and ε = "
        f"{plain(rise.epsilons[1])} (T = {spaced(rise.steps[1])})"
        for name, rise in rises
    ]
    sentences = (
        f"σ also grows with ε: {listed(ranges)}. There the rule for the number of training steps T "
        "takes more of them. They fit the data better, but let one record move the model further, "
        "which takes more noise."
    )
    if any(rise.steps[0] == 1 for _, rise in rises):
        sentences += (
            " Further left the rule takes a single step; where it ends, the curves have a kink."
        )
    return sentences


def _longer(rises: Sequence[tuple[str, Rise]]) -> str:
    ranges = [
        f"{name} {rise.where} ε = {plain(rise.epsilons[0])} (Δ = {plain(rise.sensitivities[0])}) "
        f"and ε = {plain(rise.epsilons[1])} (Δ = {plain(rise.sensitivities[1])})"
        for name, rise in rises
    ]
    sentences = f"At the same number of steps σ also grows with ε: {listed(ranges)}."
    if all(rise.sensitivities[1] > rise.sensitivities[0] for _, rise in rises):
        sentences += (
            " There training goes further with each step. It fits the data better, but lets one "
            "record move the model further (its sensitivity Δ grows). That takes more noise."
        )
    return sentences


def _words(figure: go.Figure, place: float, height: float) -> dict[str, Any]:
    """Position of a point's label, chosen so that it stays inside the axes."""
    left, right = figure.layout.xaxis.range
    low, high = figure.layout.yaxis.range
    across, up = (place - left) / (right - left), (height - low) / (high - low)
    end = "left" if across < NEAR_END else "right" if across > 1.0 - NEAR_END else "center"
    return {"ax": 0, "ay": 34 if up > NEAR_BOTTOM else -34, "xanchor": end}


def sigma(
    table: pd.DataFrame,
    *,
    titles: Mapping[str, str],
    queries: Mapping[str, str],
    epsilon: float = 1.0,
    dark: bool = False,
) -> list[Drawn]:
    """σ against ε, both logarithmic, over the whole grid, with the plateau marked.

    σ is the noise added to one coordinate of the query, in the query's own units; a query that is
    noised at every step (a gradient) and one that is noised once (a model) are not comparable, and
    so not on one axis.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns as in `dpcore.evaluation.curves`.
    titles : mapping
        Method to title.
    queries : mapping
        Method to what its noise is added to, in words.
    epsilon : float
        That the sentence is about.
    dark : bool
        Whether it is drawn on a dark ground.

    Returns
    -------
    list of Drawn
        One a query; a single one where no noise is added.
    """
    query = table["method"].map(lambda method: queries.get(method, ""))
    used = query[table["sigma"] > 0].unique()
    parts = {name: table[query == name] for name in used} or {"": table}
    return [_sigma(part, titles, name, epsilon, dark) for name, part in parts.items()]


def _sigma(
    table: pd.DataFrame, titles: Mapping[str, str], query: str, epsilon: float, dark: bool
) -> Drawn:
    private = table[table["method"] != "nonprivate"]
    figure = _axes(table["sigma"], private["epsilon"], dark)
    add_series(figure, table, "sigma", titles=titles, shown=at_most, dark=dark, band=False)
    growth = _growth(table, float(private["epsilon"].min()), titles)
    for end, name, top in growth.stops:
        figure.add_annotation(
            x=math.log10(end),
            y=math.log10(top),
            text=f"{name}: σ stops growing",
            showarrow=True,
            arrowhead=2,
            arrowcolor=NEUTRAL,
            **_words(figure, math.log10(end), math.log10(top)),
        )
    added_to = f" on {query}" if query else ""
    there = [
        f"{name} {at_most(float(at(rows, epsilon)['sigma']))}"
        for name, _, _, rows in named(table, "sigma", titles)
    ]
    sentence = (
        f"At ε = {plain(epsilon)} the noise σ{added_to} is: {listed(there)}."
        if there
        else "No noise is added."
    )
    detail = " ".join(growth.sentences())
    alt = f"Noise scale σ against ε, both logarithmic. {sentence} {detail}"
    return Drawn(figure, sentence, alt, detail)


def _axes(sigmas: pd.Series, epsilons: pd.Series, dark: bool) -> go.Figure:
    values = sigmas[(sigmas > 0) & sigmas.map(math.isfinite)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.1, 1.0)
    figure = against_epsilon(
        title="Noise scale σ (standard deviation)",
        low=0.5 * low,
        high=3.0 * high,
        log=True,
        dark=dark,
    )
    if len(epsilons):
        ends = float(epsilons.min()), float(epsilons.max())
        ticks, texts = decades(*ends)
        every = -(-len(ticks) // MAX_TICKS)
        figure.update_xaxes(
            range=[math.log10(end) for end in ends],
            tickvals=ticks[::every],
            ticktext=texts[::every],
        )
    return figure


@dataclass(frozen=True)
class _Growth:
    stops: list[tuple[float, str, float]]
    grows: list[str]
    rises: list[tuple[str, Rise]]
    longer: list[tuple[str, Rise]]

    def sentences(self) -> list[str]:
        """A sentence or two about each that there is."""
        parts = []
        if self.stops:
            plateaus = [
                f"{name} below ε ≈ {plain(end, 1)} (σ = {plain(top)})"
                for end, name, top in self.stops
            ]
            parts.append(
                f"The noise stops growing: {listed(plateaus)}. At a fixed δ the promise cannot "
                "become stricter than δ itself. A smaller ε then costs nothing more and protects "
                "no better."
            )
        if self.grows:
            parts.append(f"It keeps growing as 1/ε: {listed(self.grows)}.")
        if self.rises:
            parts.append(_rises(self.rises))
        if self.longer:
            parts.append(_longer(self.longer))
        return parts


def _growth(table: pd.DataFrame, start: float, titles: Mapping[str, str]) -> _Growth:
    growth = _Growth([], [], [], [])
    for method, edition, rows in series(table):
        rows = rows[rows["sigma"].notna()]
        name = name_of(table, method, edition, titles)
        for rises, more_steps in ((growth.rises, True), (growth.longer, False)):
            one_rise = rise(rows, more_steps=more_steps)
            if one_rise is not None:
                rises.append((name, one_rise))
        # A series that begins further right says nothing about where its σ goes.
        if rows.empty or rows["epsilon"].iloc[0] > start:
            continue
        end = plateau(rows)
        if end is None:
            growth.grows.append(name)
        else:
            growth.stops.append((end, name, float(rows["sigma"].iloc[0])))
    return growth
