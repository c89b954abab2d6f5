"""An answer as a picture that moves in the browser."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.accounting.answers import answer
from dpcore.accounting.risk import RIGHT_GUESSES, hedge
from dpcore.figures.curves import guarantee_in_short
from dpcore.figures.picture import Guesses, Line, Panel, People, Picture, Reading, Rule, Run
from dpcore.figures.quality import Quality
from dpcore.figures.style import look
from dpcore.questions.cost import words
from dpcore.questions.cost.decision import Decision
from dpcore.words import percent, plain

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.datasets import Entry

LABEL = "Privacy loss ε"
MOST_RUNS = 30
"""Runs of each ε of which single people are shown."""


def picture(
    decision: Decision,
    others: Sequence[tuple[str, Decision]],
    entry: Entry,
    titles: Mapping[str, str],
    by_rule: bool,
) -> Picture:
    """Draw a model's measure against ε, its people and what attackers reach.

    Parameters
    ----------
    decision : Decision
        Of the model that the picture is about.
    others : sequence of (str, Decision)
        Names and answers of methods that are drawn thin, at the same threshold.
    entry : Entry
        Of the data set.
    titles : mapping
        Names of methods by key.
    by_rule : bool
        Whether a rule chose the model, at each ε.
    """
    stops = tuple(float(each) for each in decision.epsilons)
    places = range(len(stops))
    method = titles[str(decision.rows.iloc[0]["method"])]
    named = "the model" if by_rule else method
    return Picture(
        label=LABEL,
        stops=stops,
        stop_texts=tuple(plain(stop) for stop in stops),
        axis_title="← more private    ε    less private →",
        log_axis=True,
        panels=(_panel(decision, others, f"by rule: {method}" if by_rule else method),),
        sentences=tuple(words.sentence(decision, place, entry, named) for place in places),
        spoken=tuple(words.spoken(decision, place) for place in places),
        alt=_alt(decision),
        readings=_readings(decision),
        people=_people(decision, entry),
        guesses=Guesses(
            title="A hundred who guess",
            right=tuple(50 + words.odds_at(decision, place).by_release for place in places),
            sentences=tuple(words.odds_at(decision, place).sentence for place in places),
        ),
    )


def measured(decision: Decision) -> str:
    """What the vertical axis holds."""
    if decision.is_counted:
        return f"Right decisions, acting from {percent(decision.threshold, 0)}"
    return Quality(decision.measure).axis


def _line(
    name: str,
    method: str,
    stops: Iterable[float],
    known: Iterable[tuple[float, float]],
    dash: str = "",
) -> Line:
    """A line in a method's look: its known values by ε at the stops, nan where there is none."""
    style, at = look(method), dict(known)
    values = tuple(float(at.get(stop, math.nan)) for stop in stops)
    return Line(name, values, (style.colour, style.colour_on_dark), dash or style.dash)


def _mean_line(name: str, decision: Decision, stops: Iterable[float]) -> Line:
    method = str(decision.rows.iloc[0]["method"])
    known = zip(decision.epsilons.tolist(), decision.band[0].tolist(), strict=True)
    return _line(name, method, stops, known)


def _panel(decision: Decision, others: Sequence[tuple[str, Decision]], name: str) -> Panel:
    quality, stops = Quality(decision.measure), decision.epsilons.tolist()
    _, low, high = decision.band
    thin = [_mean_line(title, other, stops) for title, other in others]
    strong = replace(
        _mean_line(name, decision, stops),
        low=tuple(map(float, low)),
        high=tuple(map(float, high)),
        strong=True,
    )
    baseline, guess = decision.baseline, decision.guess
    guessing = "acting on all or nobody" if decision.is_counted else quality.words.guess
    return Panel(
        measured(decision),
        (strong, *thin),
        (
            Rule(f"without privacy: {quality.shown(baseline)}", baseline),
            Rule(f"{guessing}: {quality.shown(guess)}", guess, "dot"),
        ),
        percent=quality.percent,
    )


def _alt(decision: Decision) -> str:
    quality, value = Quality(decision.measure), decision.band[0]
    ends = [
        f"{quality.shown(float(value[place]))} at ε = {plain(decision.epsilons[place])}"
        for place in (0, len(value) // 2, -1)
    ]
    return (
        f"{measured(decision)} against ε: {', '.join(ends)}. "
        f"{quality.shown(decision.baseline)} without privacy."
    )


def _readings(decision: Decision) -> tuple[Reading, ...]:
    quality, value = Quality(decision.measure), decision.band[0]
    title = "Right decisions" if decision.is_counted else quality.title
    first = Reading(
        title,
        tuple(quality.shown(float(one)) for one in value),
        tuple(f"± {quality.amount(float(half))}" for half in decision.half_width),
    )
    every = [words.odds_at(decision, place) for place in range(len(value))]
    guesses = Reading(
        RIGHT_GUESSES,
        tuple(f"{one.shown} of 100" for one in every),
        tuple(
            f"{hedge(one.shown)}; {guarantee_in_short(decision.model_at(place))}".removeprefix("; ")
            for place, one in enumerate(every)
        ),
    )
    return (first, *_second(decision), guesses)


def _second(decision: Decision) -> tuple[Reading, ...]:
    rows, compared = decision.rows, decision.compared.measured

    def reading(label: str, value: Callable[[float], str], column: str, note: str) -> Reading:
        notes = (f"{value(compared[column])} {note}",) * len(rows)
        return Reading(label, tuple(map(value, rows[column])), notes)

    if "missed_per_1000" in rows:
        if decision.outcomes is None:
            missed, false = (rows[f"{kind}_per_1000"].to_numpy() for kind in ("missed", "false"))
            before = (compared["missed_per_1000"], compared["false_per_1000"])
        else:
            missed, false, before = decision.missed, decision.false, decision.baseline_cases
        note = f"of 1 000; {before[0]:.0f} · {before[1]:.0f} without privacy"
        return (
            Reading(
                "Missed · false alarms",
                tuple(f"{one:.0f} · {two:.0f}" for one, two in zip(missed, false, strict=True)),
                (note,) * len(rows),
            ),
        )
    if "balanced_accuracy" in rows:
        return (reading("Class average", percent, "balanced_accuracy", "without privacy"),)
    return (reading("R²", lambda value: plain(value, 2), "r2", "without privacy"),)


def _people(decision: Decision, entry: Entry) -> People | None:
    if decision.counts is None:
        return None

    def runs(place: int) -> tuple[Run, ...]:
        assert decision.counts is not None
        every = decision.counts.single(place, decision.threshold, MOST_RUNS)
        return tuple((int(a), int(b), int(c), int(d)) for a, b, c, d in np.asarray(every).tolist())

    return People(
        title=f"1 000 {entry.records_are}",
        kinds=("found", "missed", "false alarm", "rightly left alone"),
        many=("found", "missed", "false alarms", "rightly left alone"),
        cases=tuple(runs(place) for place in range(len(decision.epsilons))),
    )


SECONDS = "seconds"
MEASURES = {
    "objective": ("Objective (lower fits better)", True),
    "excess_risk": ("Excess risk (objective above its minimum)", True),
    "auc": ("AUC on test records", False),
    "rmse": ("RMSE on test records", False),
    SECONDS: ("Seconds to train one model, on this machine", True),
}
"""What a plot beside σ and the measure may hold: its title, and whether it is logarithmic."""
BOUNDS = {
    "excess_risk_bound_published": "the paper's bound",
    "excess_risk_bound_sound": "bound with the exact Δ",
}
"""Columns of what proofs say of the excess risk."""
Series = tuple[str, str, "pd.DataFrame"]
"""Name on screen, key of the method, and rows by ascending ε."""


def plots(
    decision: Decision,
    others: Sequence[tuple[str, Decision]],
    series: Sequence[Series],
    queries: Mapping[str, str],
    measure: str,
    name: str,
    delta: float,
) -> Picture:
    """Draw σ, the measure and another one side by side, under the cursor of the first picture.

    Parameters
    ----------
    decision, others
        As of `picture`.
    series : sequence of (str, str, DataFrame)
        Methods whose σ and other measure are drawn.
    queries : mapping
        What each method adds noise to, in words: σ of different things has an axis each.
    measure : str
        One of `MEASURES`.
    name : str
        Of the decision's line.
    delta : float
        At which one Gaussian release is calibrated in three ways.
    """
    stops = tuple(float(each) for each in decision.epsilons)

    def line(title: str, method: str, rows: pd.DataFrame, column: str, dash: str = "") -> Line:
        known = zip(rows["epsilon"].tolist(), rows[column].tolist(), strict=True)
        return _line(title, method, stops, known, dash)

    panels = []
    for query in dict.fromkeys(queries.get(method, "") for _, method, _ in series):
        lines = tuple(
            line(title, method, rows, "sigma")
            for title, method, rows in series
            if queries.get(method, "") == query and (rows["sigma"] > 0.0).any()
        )
        if lines:
            panels.append(Panel(f"Noise σ on {query}", lines, log=True))
    panels.append(_panel(decision, others, name))
    title, is_log = MEASURES[measure]
    lines = tuple(
        line(each, method, rows, measure)
        for each, method, rows in series
        if measure in rows and rows[measure].notna().any()
    )
    if measure == "excess_risk":
        lines += tuple(
            line(f"{each}: {bound}", method, rows, column, "dot")
            for each, method, rows in series
            for column, bound in BOUNDS.items()
            if rows[column].notna().any()
        )
    if lines:
        panels.append(Panel(title, lines, log=is_log))
    panels.append(_one_gaussian(stops, delta))
    told = tuple(words.parts(decision, place) for place in range(len(stops)))
    return Picture(
        label=LABEL,
        stops=stops,
        stop_texts=tuple(plain(stop) for stop in stops),
        axis_title="ε",
        log_axis=True,
        panels=tuple(panels),
        sentences=told,
        spoken=tuple(words.spoken(decision, place) for place in range(len(stops))),
        alt=f"{', '.join(panel.title for panel in panels)} against ε.",
    )


def _one_gaussian(stops: Sequence[float], delta: float) -> Panel:
    """σ of one Gaussian release with sensitivity 1, calibrated in three ways."""
    ways = (
        ("classical, below ε = 1", "classical", "outpert"),
        ("by tCDP", "tcdp", "grpua"),
        ("analytic", "analytic", "opera"),
    )
    lines = []
    for title, mechanism, alike in ways:
        told = [
            (stop, answer("sigma", mechanism, epsilon=stop, delta=delta)["sigma"]) for stop in stops
        ]
        proved = [(stop, sigma) for stop, sigma in told if sigma is not None]
        lines.append(_line(title, alike, stops, proved))
    return Panel("Noise σ of one Gaussian, Δ = 1", tuple(lines), log=True)
