"""Curves of survival as a picture that moves with ε, above how wrong they are at each."""

from __future__ import annotations

from dpcore.accounting.risk import RIGHT_GUESSES, hedge
from dpcore.figures.picture import Curves, Line, Panel, Picture, Reading, Rule
from dpcore.questions.describe.figure import LABEL, LOOKS
from dpcore.questions.describe.words import guarantee, points
from dpcore.questions.survival import words
from dpcore.questions.survival.summary import SurvivalSummary
from dpcore.summaries.mechanism import EVERYBODY
from dpcore.words import percent, plain


def picture(summary: SurvivalSummary) -> Picture:
    """Draw the curves at each ε, and their errors against it."""
    stops, places = summary.stops, range(len(summary.stops))
    chances, compared = summary.odds, [words.at_the_end(summary, place) for place in places]
    about = guarantee(summary.question.study)
    others = summary.groups[1:]
    at_the_end = f"{others[0]} less {summary.groups[0]}" if others else "Without the event"
    return Picture(
        label=LABEL,
        stops=stops,
        stop_texts=tuple(map(plain, stops)),
        axis_title="← more private    ε    less private →",
        log_axis=True,
        panels=(_errors(summary),),
        sentences=tuple(words.sentence(summary, place) for place in places),
        spoken=tuple(words.spoken(summary, place) for place in places),
        alt=_alt(summary),
        readings=(
            Reading(
                "Typical error",
                tuple(points(words.typical(summary, place)) for place in places),
                tuple(
                    f"{points(words.typical(summary, place, 'sampling_error'))} without noise"
                    for place in places
                ),
            ),
            Reading(
                f"{at_the_end} at {summary.time(summary.end)}",
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
    label = f"chance alone, {_name(summary, first)}: ± {plain(floor, 2)} points"
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
