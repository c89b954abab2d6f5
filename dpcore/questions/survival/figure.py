"""Curves of survival as a picture that moves with ε, what is said of it, and the table's lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dpcore.accounting.risk import RIGHT_GUESSES, hedge
from dpcore.figures.picture import Curves, Line, Panel, Picture, Reading, Rule
from dpcore.questions.describe.figure import LABEL, LOOKS
from dpcore.questions.describe.words import guarantee, points
from dpcore.questions.survival.summary import SurvivalSummary
from dpcore.summaries import table_lines
from dpcore.summaries.estimates import ALIVE, CONFIDENCE, READABLE
from dpcore.summaries.mechanism import EVERYBODY
from dpcore.summaries.survival import LESS
from dpcore.summaries.table_lines import TableLine
from dpcore.words import counted, percent, plain, spaced

if TYPE_CHECKING:
    import pandas as pd


def picture(summary: SurvivalSummary) -> Picture:
    """Draw the curves at each ε, and their errors against it."""
    stops, places = summary.stops, range(len(summary.stops))
    chances, compared = summary.odds, [at_the_end(summary, place) for place in places]
    about = guarantee(summary.question.study)
    others = summary.groups[1:]
    compares = f"{others[0]} less {summary.groups[0]}" if others else "Without the event"
    return Picture(
        label=LABEL,
        stops=stops,
        stop_texts=tuple(map(plain, stops)),
        axis_title="← more private    ε    less private →",
        log_axis=True,
        panels=(_errors(summary),),
        sentences=tuple(sentence(summary, place) for place in places),
        spoken=tuple(spoken(summary, place) for place in places),
        alt=_alt(summary),
        readings=(
            Reading(
                "Typical error",
                tuple(points(typical(summary, place)) for place in places),
                tuple(
                    f"{points(typical(summary, place, 'sampling_error'))} without noise"
                    for place in places
                ),
            ),
            Reading(
                f"{compares} at {summary.time(summary.end)}",
                tuple(value for value, _ in compared),
                tuple(interval for _, interval in compared),
            ),
            Reading(
                RIGHT_GUESSES,
                tuple(f"{one.shown} of 100" for one in chances),
                tuple(f"{hedge(one.shown)}; {about}".removeprefix("; ") for one in chances),
            ),
        ),
        curves=Curves(
            "Share without the event, with what it may be",
            f"{summary.question.follow_up.name.replace('_', ' ')}, {summary.unit}".rstrip(", "),
            (0.0, *summary.question.follow_up.ends),
            tuple(_curves(summary, place) for place in places),
        ),
    )


def _name(summary: SurvivalSummary, group: str) -> str:
    return group if group == EVERYBODY else f"{summary.question.by.replace('_', ' ')}: {group}"


def _curves(summary: SurvivalSummary, place: int) -> Panel:
    lines = []
    for group, (colours, dash) in zip(summary.groups, LOOKS, strict=False):
        rows = summary.curve(place, group)
        values, low, high = ((1.0, *rows[name].tolist()) for name in ("value", "low", "high"))
        lines.append(Line(_name(summary, group), values, colours, dash, low, high))
    return Panel("", tuple(lines), percent=True, ends=(0.0, 1.0))


def _errors(summary: SurvivalSummary) -> Panel:
    first = summary.groups[0]
    floor = summary.errors(first, "sampling_error")[-1]
    lines = tuple(
        Line(_name(summary, group), summary.errors(group), colours, dash, strong=group == first)
        for group, (colours, dash) in zip(summary.groups, LOOKS, strict=False)
    )
    label = f"chance alone, {first}: ± {plain(floor, 2)}"
    return Panel("Typical error of the curve, ± points", lines, (Rule(label, floor),), log=True)


def _alt(summary: SurvivalSummary) -> str:
    told = []
    for place in (0, len(summary.stops) // 2, len(summary.stops) - 1):
        ends = [
            f"{_name(summary, group)} {percent(row['value'])} ({percent(row['low'])} to "
            f"{percent(row['high'])})"
            for group in summary.groups
            for row in (summary.curve(place, group).iloc[-1],)
        ]
        told.append(f"at ε = {plain(summary.stops[place])} {', '.join(ends)}")
    after = summary.time(summary.end)
    return f"Curves of the share without the event against time. After {after}: {'; '.join(told)}."


MOMENTS = 6
"""Ends of intervals that the table on a page has; the file has all."""
POINTWISE = (
    f"In brackets: between what the number lies for the population, in {percent(CONFIDENCE, 0)} of "
    "such tables. Chance and noise are both in it. Bands are pointwise: a whole curve lies in its "
    "band less often."
)
HOW = (
    "Kaplan and Meier's curve from noisy counts. Who leaves counts as at risk for half of the "
    "interval."
)


def not_reached(summary: SurvivalSummary) -> str:
    """What a median at the end means."""
    return f"A median of {summary.time(summary.end)} is one that was not reached."


def typical(summary: SurvivalSummary, place: int, of: str = "error") -> float:
    """The median error along the curves in points."""
    each = [summary.errors(group, of)[place] for group in summary.groups]
    return sum(each) / len(each)


def sentence(summary: SurvivalSummary, place: int) -> str:
    """The answer at one ε: how wrong curves are, where they end, and what noise costs."""
    told = (
        f"At ε = {plain(summary.stops[place])} curves are good to "
        f"**{points(typical(summary, place))}**, without noise to "
        f"{points(typical(summary, place, 'sampling_error'))}."
    )
    ends = [
        f"**{percent(float(summary.curve(place, group)['value'].iloc[-1]), 1)}**"
        + (f" of {group}" if group != EVERYBODY else "")
        for group in summary.groups
    ]
    told += f" After {summary.time(summary.end)} there are {' and '.join(ends)} without the event."
    enough = summary.free_from
    if enough is None:
        return f"{told} Noise costs something at every ε here."
    return f"{told} From ε = {plain(enough)} on, noise costs next to nothing."


def spoken(summary: SurvivalSummary, place: int) -> str:
    """The answer at one ε in a few words, for who hears the cursor."""
    error = plain(typical(summary, place), 2)
    return f"ε = {plain(summary.stops[place])}: typical error {error} points"


def at_the_end(summary: SurvivalSummary, place: int) -> tuple[str, str]:
    """What two groups differ by at the end, or the share of everybody, and its interval."""
    compared = summary.compared(place)
    if compared is None:
        row = summary.curve(place, summary.groups[0]).iloc[-1]
        low, high = (plain(100.0 * row[end]) for end in ("low", "high"))
        return percent(float(row["value"]), 1), f"{low} to {high} %"
    value, low, high = (plain(100.0 * compared[end]) for end in ("value", "low", "high"))
    return f"{value} points", f"{low} to {high}"


def too_noisy(summary: SurvivalSummary, place: int) -> str:
    """What the grey numbers are, and which ε would do; "" where there are none."""
    rows = _told(summary, place)
    noisy = int((~rows["readable"]).sum())
    if not noisy:
        return ""
    told = (
        f"In grey: {counted(noisy, 'number')} of {spaced(len(rows))} too noisy to "
        f"read, wider than ± {plain(100.0 * READABLE)} points."
    )
    enough = summary.readable_from()
    if enough is None:
        return f"{told} No ε here would do for all of them; fewer groups may."
    if enough <= summary.stops[place]:
        return f"{told} At this ε all are readable in most draws; this one was unlucky."
    return f"{told} ε = {plain(enough)} would do for all."


def _told(summary: SurvivalSummary, place: int) -> pd.DataFrame:
    """The rows of the table at one ε: of each curve a few times, and all other numbers."""
    ends = summary.question.follow_up.ends
    step = max(len(ends) // MOMENTS, 1)
    rows = summary.at(place)
    is_curve = (rows["statistic"] == ALIVE) & ~rows["level"].str.contains(LESS)
    return rows[~is_curve | rows["time"].isin(ends[step - 1 :: step])]


def lines(summary: SurvivalSummary, place: int) -> Iterator[TableLine]:
    """The table at one ε, a line each."""
    return table_lines.lines(
        _told(summary, place).to_dict("records"),
        groups(summary),
        by=summary.question.by,
        records=summary.question.study.entry.records,
        records_are=summary.question.study.entry.records_are,
    )


def groups(summary: SurvivalSummary) -> tuple[str, ...]:
    """The columns of the table: everybody, then each group that has a name."""
    return tuple(dict.fromkeys((EVERYBODY, *summary.groups)))
