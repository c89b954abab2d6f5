"""The best proved method at each ε, and the least ε for an accuracy or error: found, and drawn.

Choosing among methods by their measures looks at the data, like every curve on a page of real
records: the frontier is for planning, and no release's hyper-parameter may come from it for free.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.accounting.risk import largest_advantage
from dpcore.evaluation.at_epsilon import crossing
from dpcore.evaluation.scoring import Metric
from dpcore.figures.bands import agreeing
from dpcore.figures.canvas import add_scatter, each
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
from dpcore.guarantee import PrivacyBudget, Status
from dpcore.predictors import predictor_named
from dpcore.words import listed, plain, spaced

if TYPE_CHECKING:
    import pandas as pd

SAME = 0.001
"""Share of a measure's span by which a mean may fall short of the best and count as good as it."""


def best_rows(table: pd.DataFrame, measure: Metric = ACCURACY.measure) -> pd.DataFrame:
    """One row an ε: the method that is proved there and has the best mean.

    Of those that are as good, within `SAME`, it is the one whose noise allows the fewest right
    guesses. Only ε at which every method of the table has a curve: elsewhere one may be best
    because the others were not tried.
    """
    complete = table.groupby("epsilon")["method"].transform("nunique") == table["method"].nunique()
    good = measure.sign * table[measure.column]
    proved = complete & (table["status"] == str(Status.PROVED)) & good.notna()
    rows = table[proved].assign(good=good[proved])
    lost = rows.groupby("epsilon")["good"].transform("max") - rows["good"]
    rows = rows[lost <= SAME * measure.span]
    revealed = [_advantage(row) for _, row in rows.iterrows()]
    best: pd.DataFrame = (
        rows.assign(revealed=revealed)
        .sort_values(["epsilon", "revealed", "good"], kind="stable", ascending=[True, True, False])
        .groupby("epsilon")
        .head(1)
    )
    return best.drop(columns=["good", "revealed"]).reset_index(drop=True)


def _advantage(row: pd.Series) -> float:
    """The most that a row's proved guarantee, or its own noise where known, allows to tell."""
    noise = row.get("noise_advantage", math.nan)
    budget = PrivacyBudget(float(row["epsilon"]), float(row["delta"]))
    return largest_advantage(budget, None if math.isnan(noise) else float(noise))


@dataclass(frozen=True)
class Reach:
    """The ε from which on an accuracy, or an error, is reached."""

    target: float
    epsilon: float | None  # least ε of the grid from which on the mean is never worse
    lucky: float | None  # the same for the better end of the 90 % band of single runs
    safe: float | None  # and for the worse end
    method: str  # best at `epsilon`; "" where there is none
    best: float  # mean on the frontier, nan if it is empty


def reach(best: pd.DataFrame, target: float, measure: Metric = ACCURACY.measure) -> Reach:
    """The ε from which on `best_rows` reach an accuracy, or an error, for good."""
    name = measure.column
    better, worse = ("high", "low") if measure.sign > 0.0 else ("low", "high")
    mean = crossing(best, name, target, measure.sign)
    at = best[best["epsilon"] == mean]
    method = "" if mean is None else str(at["method"].iloc[0])
    return Reach(
        target=target,
        epsilon=mean,
        lucky=crossing(best, f"{name}_{better}", target, measure.sign),
        safe=crossing(best, f"{name}_{worse}", target, measure.sign),
        method=method,
        best=measure.sign * float((measure.sign * best[name]).max()) if len(best) else math.nan,
    )


def records_needed(records: int, reached: float, wanted: float, power: int = 1) -> int:
    """About how many records a smaller ε would take: noise counts against n·ε, or √n·ε.

    A planning estimate, at one δ and one λ.
    """
    return max(records, math.ceil(records * (reached / wanted) ** power))


def frontier(
    best: pd.DataFrame,
    target: float,
    *,
    titles: Mapping[str, str],
    records: int,
    records_are: str,
    epsilon: float,
    guess: float | None = None,
    so_far: bool = False,
    quality: Quality = ACCURACY,
    dark: bool = False,
) -> Drawn:
    """The measure of `best_rows` against ε, each point marked by its method, and what is wanted."""
    best = quality.rows_as_shown(best)
    column, lower, upper = quality.column, f"{quality.column}_low", f"{quality.column}_high"
    ends = best[[lower, column, upper]].to_numpy().ravel()
    values = [*ends[~np.isnan(ends)], target]
    figure = against_epsilon(
        title=quality.axis,
        low=max(0.0, min(values) - 5.0 * quality.still),
        high=1.02 if quality.share else max(values) + 5.0 * quality.still,
        percent=quality.percent,
        dark=dark,
    )
    add_scatter(
        figure,
        x=best["epsilon"],
        y=best[column],
        mode="lines",
        line={"color": NEUTRAL, "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )
    for (method, edition), rows in best.groupby(["method", "edition"], sort=False):
        style = look(str(method))
        add_scatter(
            figure,
            x=rows["epsilon"],
            y=rows[column],
            mode="markers",
            name=titles.get(str(method), str(method)),
            marker={"symbol": style.symbol(str(edition)), "size": 9, "color": style.on(dark)},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": rows[upper] - rows[column],
                "arrayminus": rows[column] - rows[lower],
                "color": faded(style.on(dark), 0.45),
                "thickness": 1.5,
                "width": 3,
            },
            cliponaxis=False,  # points at the ends of the axis are whole
            hovertext=[
                f"ε = {plain(row['epsilon'])}: {quality.shown(row[column])}<br>{guarantee_of(row)}"
                for row in each(rows.assign(status="proved"))
            ],
            hovertemplate="%{hovertext}",
        )
    wanted = ReferenceLine(f"wanted: {quality.shown(target)}", target, dash="dot")
    add_references(figure, [wanted])
    reached = reach(best, target, quality.measure)
    answer = _reached(best, reached, titles, records, records_are, epsilon, quality)
    until_now = " so far" if so_far else ""
    sentence = f"{answer} {_who(best, titles, guess, until_now, quality)}"
    return Drawn(figure, sentence, f"The best proved method{until_now} at each ε. {sentence}")


def _reached(
    best: pd.DataFrame,
    reached: Reach,
    titles: Mapping[str, str],
    records: int,
    records_are: str,
    epsilon: float,
    quality: Quality,
) -> str:
    goal_text, measure = quality.named(reached.target), quality.measure
    if reached.epsilon is None and measure.reaches(reached.best, reached.target):
        epsilons = best.loc[
            [measure.reaches(value, reached.target) for value in best[quality.column]], "epsilon"
        ]
        low, high = plain(epsilons.min()), plain(epsilons.max())
        range_text = f"at ε = {low}" if low == high else f"at some ε from {low} to {high}"
        return (
            f"{goal_text} is reached {range_text}, {quality.shown(reached.best)} at best, but lost "
            "again at the largest ε here. No ε can be named from which on it holds."
        )
    if reached.epsilon is None:
        return (
            f"{goal_text} is not reached with {spaced(records)} {records_are} at any ε here: the "
            f"proved methods come to {quality.shown(reached.best)} at best. A smaller λ, other "
            "methods or other inputs may help; a larger ε will not."
        )
    lucky = ""
    if reached.lucky is not None:
        lucky = f" The best runs reach it from ε {_placed(reached.lucky)} on."
    sentence = (
        f"{goal_text} takes ε {_placed(reached.epsilon)}, with {titles.get(reached.method, '')}, "
        f"on average over the noise.{lucky} {_safe(best, reached)}{_cases(best, reached)}"
    )
    if reached.epsilon <= epsilon:
        return sentence
    power = predictor_named(reached.method).records_power
    needed = records_needed(records, reached.epsilon, epsilon, power)
    product = "n·ε" if power == 1 else "√n·ε"
    return (
        f"{sentence} At ε = {plain(epsilon)} it is not reachable with {spaced(records)} "
        f"{records_are}. About {plain(needed)} would be needed. That is an estimate: noise counts "
        f"against {product}."
    )


def _safe(best: pd.DataFrame, reached: Reach) -> str:
    at = best if reached.safe is None else best[best["epsilon"] == reached.safe]
    runs = agreeing(int(at["runs"].min()), int(at["splits"].max()))
    if reached.safe is None:
        return f"At no ε here is it reached by {runs}."
    return f"From ε {_placed(reached.safe)} on it is reached by {runs}."


def _cases(best: pd.DataFrame, reached: Reach) -> str:
    if "missed_per_1000" not in best:
        return ""
    row = best[best["epsilon"] == reached.epsilon].iloc[0]
    return (
        f" Of 1 000 it then misses {row['missed_per_1000']:.0f} cases and raises "
        f"{row['false_per_1000']:.0f} false alarms."
    )


def _placed(epsilon: float) -> str:
    least = EPSILON_RANGE[0]
    return f"below {plain(least)}" if epsilon < least else f"= {plain(epsilon)}"


def _who(
    best: pd.DataFrame,
    titles: Mapping[str, str],
    guess: float | None,
    until_now: str,
    quality: Quality,
) -> str:
    best = best[best["epsilon"].between(*EPSILON_RANGE)]
    chance = ""
    if guess is not None:
        worse_end = f"{quality.column}_{'low' if quality.share else 'high'}"
        uninformative = [quality.measure.reaches(guess, value) for value in best[worse_end]]
        first = uninformative.index(False) if False in uninformative else len(uninformative)
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
        range_text = plain(low) if low == high else f"{plain(low)} to {plain(high)}"
        parts.append(f"{title} (ε = {range_text})")
    if not parts:
        return chance.rstrip()
    ending = " and so on" if len(stretches) > 4 else ""
    names = f"{listed(parts)}{ending}"
    since = f" from ε = {plain(best['epsilon'].iloc[0])} on" if chance else ""
    among = f"among the proved methods{until_now}{since}"
    return f"{chance}Best by mean {quality.name} {among}: {names}."
