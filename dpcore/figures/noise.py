"""The noise scale σ against ε, and where it stops growing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from dpcore.figures.curves import add_series, against_epsilon, name_of, series
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import NEUTRAL, ink
from dpcore.figures.words import listed, plain

# σ within this factor of its value at the smallest ε counts as "no longer growing".
FLAT = 0.95
# A method whose σ still grows tenfold a decade at the left end has no plateau there.
LEAST_DECADES = 1.0
# σ that is larger by less than this share counts as unchanged.
ROUNDING = 1e-9


def plateau(rows: pd.DataFrame) -> float | None:
    """ε below which σ no longer grows, or None where it grows to the grid's end.

    Parameters
    ----------
    rows : pandas.DataFrame
        One series sorted by ε, with columns epsilon and sigma.
    """
    rows = rows[rows["sigma"].notna()]
    if len(rows) < 3:
        return None
    flat = rows[rows["sigma"] >= FLAT * rows["sigma"].iloc[0]]
    first, last = float(rows["epsilon"].iloc[0]), float(flat["epsilon"].iloc[-1])
    return last if math.log10(last / first) >= LEAST_DECADES else None


@dataclass(frozen=True)
class Rise:
    """Where σ grows with ε, because the rule for the number of steps T takes more of them.

    Parameters
    ----------
    start, end : float
        ε before the first growth and after the last.
    start_steps, end_steps : int
        T there.
    """

    start: float
    end: float
    start_steps: int
    end_steps: int


def rise(rows: pd.DataFrame) -> Rise | None:
    """Where σ grows with ε in one series sorted by ε, with T changing; None where it never does."""
    rows = rows[rows["sigma"].notna()]
    sigmas, steps = rows["sigma"].to_numpy(), rows["steps"].to_numpy()
    grows = [
        place
        for place in range(len(rows) - 1)
        if sigmas[place + 1] > sigmas[place] * (1.0 + ROUNDING) and steps[place + 1] > steps[place]
    ]
    if not grows:
        return None
    first, last = grows[0], grows[-1] + 1
    epsilons = rows["epsilon"].to_numpy()
    return Rise(float(epsilons[first]), float(epsilons[last]), int(steps[first]), int(steps[last]))


def _rises(found: Sequence[tuple[str, Rise]]) -> str:
    """Why σ grows with ε, in a few sentences."""
    where = [
        f"{name} between ε = {plain(one.start)} (T = {one.start_steps:,}) and ε = "
        f"{plain(one.end)} (T = {one.end_steps:,})"
        for name, one in found
    ]
    said = (
        f"σ also grows with ε: {listed(where)}. There the rule for the number of training steps T "
        "takes more of them: they fit the data better, but let one record move the model further, "
        "which takes more noise."
    )
    if any(one.start_steps == 1 for _, one in found):
        said += " Further left the rule takes a single step; where it ends, the curves have a kink."
    return said


def sigma(table: pd.DataFrame, *, titles: Mapping[str, str], dark: bool = False) -> Drawn:
    """σ against ε, both logarithmic, over the whole grid, with the plateau marked.

    σ is the noise added to one coordinate of the query, in the query's own units; a query that is
    noised at every step (a gradient) and one that is noised once (a model) are not comparable.
    """
    values = table.loc[(table["sigma"] > 0) & table["sigma"].map(math.isfinite), "sigma"]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.1, 1.0)
    figure = against_epsilon(
        title="Noise scale σ (standard deviation)",
        low=0.5 * low,
        high=3.0 * high,
        log=True,
        dark=dark,
    )
    private = table[table["method"] != "nonprivate"]
    if len(private):
        figure.update_xaxes(
            range=[math.log10(private["epsilon"].min()), math.log10(private["epsilon"].max())]
        )
    add_series(figure, table, "sigma", titles=titles, shown=plain, dark=dark, band=False)
    stops, grows, rises = [], [], []
    start = private["epsilon"].min()
    for method, edition, rows in series(table):
        rows = rows[rows["sigma"].notna()]
        again = rise(rows)
        if again is not None:
            rises.append((name_of(table, method, edition, titles), again))
        # A series that begins further right says nothing about where its σ goes.
        if rows.empty or rows["epsilon"].iloc[0] > start:
            continue
        name = name_of(table, method, edition, titles)
        end = plateau(rows)
        if end is None:
            grows.append(name)
            continue
        top = float(rows["sigma"].dropna().iloc[0])
        stops.append((end, name, top))
        figure.add_annotation(
            x=math.log10(end),
            y=math.log10(top),
            text=f"{name}: σ stops growing",
            showarrow=True,
            arrowhead=2,
            arrowcolor=NEUTRAL,
            ax=0,
            ay=34,
            xanchor="center",
            font={"size": 12, "color": ink(dark)},
        )
    parts = []
    if stops:
        named = [f"{name} below ε ≈ {plain(end, 1)} (σ = {plain(top)})" for end, name, top in stops]
        parts.append(
            f"The noise stops growing: {listed(named)}. At a fixed δ the promise cannot become "
            "stricter than δ itself, so a smaller ε costs nothing more and protects no better."
        )
    if grows:
        parts.append(f"It keeps growing as 1/ε: {listed(grows)}.")
    if rises:
        parts.append(_rises(rises))
    sentence = " ".join(parts) or "No noise is added."
    return Drawn(figure, sentence, f"Noise scale σ against ε, both logarithmic. {sentence}")
