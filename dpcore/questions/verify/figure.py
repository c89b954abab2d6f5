"""How a trial goes: the ε that is proved to be lost, output by output, and the two worlds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.accounting import tradeoff
from dpcore.audit.attack import AttackResult
from dpcore.audit.bounds import least_share, most_share
from dpcore.figures.canvas import LEGEND, add_rule, add_scatter, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLUE, NEUTRAL, ORANGE, SKY, VERMILLION
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_mu
from dpcore.questions.verify.words import sentence
from dpcore.words import at_least, at_most, lasting, percent, plain

HEIGHT, WORLDS_HEIGHT, ROC_HEIGHT = 380, 180, 200
CLAIMED, PROVED, ATTACKED = "claimed", "proved", "shown to be lost"
BINS = 26
DOTS = 20
"""Each stands for as large a share of a world's outputs."""


def rising(
    bounds: Sequence[tuple[int, float]],
    row: dict[str, Any],
    title: str,
    most: int,
    *,
    dark: bool = False,
) -> Drawn:
    """The lower bound against outputs, with what is claimed and what is proved as levels."""
    figure = canvas(HEIGHT, dark, legend=LEGEND, keeps_zoom=False)
    levels = {CLAIMED: (row["claimed"], "dot"), PROVED: (row["proved"], "solid")}
    drawn = {name: level for name, level in levels.items() if level[0] is not None}
    colour = ORANGE if dark else VERMILLION
    for name, (level, dash) in drawn.items():
        add_rule(figure, y=level, color=NEUTRAL, dash=dash, width=2)
        figure.add_annotation(
            text=f"{name} ε = {at_most(level)}, δ = {plain(row['delta'])}",
            x=1,
            xref="x domain",
            xanchor="right",
            y=level,
            yanchor="bottom" if name == PROVED else "top",
            showarrow=False,
        )
    pairs, found = zip(*bounds, strict=True)
    add_scatter(
        figure,
        x=list(pairs),
        y=list(found),
        mode="lines+markers",
        name=ATTACKED,
        line={"color": colour, "width": 3, "shape": "hv"},
        marker={"size": 7, "color": colour},
        hovertemplate="%{x} outputs: ε ≥ %{y:.3f}<extra></extra>",
    )
    top = 1.15 * max([*found, *(level for level, _ in drawn.values())])
    figure.update_xaxes(title_text="outputs on either data set", range=[0, 1.02 * most])
    figure.update_yaxes(title_text="ε", range=[0.0, top])
    return Drawn(
        figure,
        sentence(row, title),
        f"The ε that is shown to be lost against outputs: ε ≥ {at_least(found[-1])} after "
        f"{pairs[-1]}. "
        + ", ".join(f"{name} ε = {at_most(level)}" for name, (level, _) in drawn.items())
        + ".",
        f"{Adjacency(row['adjacency']).meaning} Proved by: {row['proved_by']}. "
        f"Lower bound: {row['bound_by']}, {lasting(row['seconds'])}. {row['attack']}",
    )


def worlds(
    first: NDArray[np.floating],
    second: NDArray[np.floating],
    names: Sequence[str] = ("with the record", "without it"),
    *,
    dark: bool = False,
) -> Drawn:
    """Twenty dots for the outputs on each data set, stacked where they are alike."""
    figure = canvas(WORLDS_HEIGHT, dark, legend=LEGEND, keeps_zoom=False)
    with_record, without = dots(first), dots(second)
    both = np.concatenate([with_record, without])
    width = float(np.ptp(both)) / BINS or 1.0
    colours = (SKY if dark else BLUE, ORANGE if dark else VERMILLION)
    for scores, name, colour, sign in zip(
        (with_record, without), names, colours, (1, -1), strict=True
    ):
        places = np.floor((scores - both.min()) / width)
        heights = [int(np.sum(places[:at] == place)) + 0.5 for at, place in enumerate(places)]
        add_scatter(
            figure,
            x=(both.min() + (places + 0.5) * width).tolist(),
            y=[sign * height for height in heights],
            mode="markers",
            name=name,
            marker={"size": 9, "color": colour},
            hoverinfo="skip",
        )
    figure.update_xaxes(title_text="score of an output", showticklabels=False)
    figure.update_yaxes(visible=False)
    apart = (np.mean(first) - np.mean(second)) / (np.std(second) or 1.0)
    # Who says of a score above the middle, or of one below it, that the record is there.
    middle = np.median(np.concatenate([first, second]))
    right = (np.mean(first > middle) + np.mean(second <= middle)) / 2.0
    return Drawn(
        figure,
        f"Each dot is a twentieth of the outputs. Whoever goes by the middle is right "
        f"{percent(float(max(right, 1.0 - right)))} of the time.",
        f"Outputs {names[0]} lie {apart:.2f} standard deviations above those {names[1]}.",
    )


def dots(scores: NDArray[np.floating]) -> NDArray[np.floating]:
    """Scores that part a world's outputs into equal shares: their middles."""
    return np.asarray(np.quantile(scores, (np.arange(DOTS) + 0.5) / DOTS))


def roc(result: AttackResult, *, is_normal: bool, dark: bool = False) -> Drawn:
    """Hits of the attack against its false alarms, and the most that the promise allows."""
    figure = canvas(ROC_HEIGHT, dark, legend=LEGEND, keeps_zoom=False)
    promise = result.promise
    assert promise.epsilon is not None
    budget = promise.epsilon, promise.delta or 0.0
    curve, whom = tradeoff.from_budget(*budget, promise.adjacency), ""
    if is_normal and promise.delta:
        # Of two normal laws with one variance, one ε at one δ tells the whole curve.
        curve = tradeoff.from_gaussian(float(analytic_mu(*budget)), promise.adjacency)
        whom = " normal scores"
    allowed = tradeoff.roc(curve)
    levels = np.quantile(np.concatenate([result.first, result.second]), np.linspace(1.0, 0.0, 101))
    found = [
        np.mean(each[None, :] >= levels[:, None], axis=1) for each in (result.second, result.first)
    ]
    colour = ORANGE if dark else VERMILLION
    for (false, true), name, line in (
        (allowed, f"most that ε = {at_most(promise.epsilon)} allows{whom}", {"color": NEUTRAL}),
        (found, "this attack", {"color": colour, "width": 3}),
    ):
        add_scatter(
            figure,
            x=false,
            y=true,
            mode="lines",
            name=name,
            line=line,
            hovertemplate="false alarms %{x:.1%}, hits %{y:.1%}<extra></extra>",
        )
    for axis, title in (("x", "false alarms"), ("y", "hits")):
        figure.update_layout({f"{axis}axis": {"title": title, "tickformat": ".0%"}})
    # At the level of a tenth of the outputs without the record, both to the safe side.
    count, few = len(result.second), 0.1
    level = np.quantile(result.second, 1.0 - few, method="higher")
    alarms, hits = (int(np.sum(each >= level)) for each in (result.second, result.first))
    sure = 1.0 - (1.0 - result.confidence) / 2.0
    most_alarms = float(most_share(alarms, count, sure))
    least_hits = percent(float(least_share(hits, count, sure)), 0)
    most_hits = percent(float(np.interp(most_alarms, *allowed)), 0)
    return Drawn(
        figure,
        f"It finds at least {least_hits} of the outputs with the record, by at most "
        f"{percent(most_alarms, 0)} false alarms. The promise allows{whom} {most_hits}.",
        f"Hits against false alarms. Allowed by {curve.by}, {promise.adjacency}.",
    )


def table(bounds: Sequence[tuple[int, float]], row: dict[str, Any]) -> pd.DataFrame:
    """What is drawn: a row a look."""
    rows = pd.DataFrame(bounds, columns=["outputs", "attacked"])
    names = ("claimed", "proved", "delta", "adjacency", "confidence", "noise_share")
    return rows.assign(**{name: row[name] for name in names})
