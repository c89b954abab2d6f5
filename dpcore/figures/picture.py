"""Hold all that a page says at each stop of a row, for a browser that moves it by itself.

Stops are values of ε, epochs or days. `Picture.payload` is what `assets/picture.js` draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

from dpcore.words import as_set, percent, plain

DIGITS = 5
"""Significant digits of what is drawn: half a pixel of a screen 8,000 pixels high takes four."""
PEOPLE, GUESSERS = 1_000, 100
GUESS_KINDS = ("right by chance", "right thanks to the release", "wrong")
MOST_TICKS = 6
AIR = 0.05
"""The part of an axis that is left free above and below what is drawn in it."""
DASHES = {
    "solid": "",
    "dash": "7 4",
    "dot": "2 3",
    "dashdot": "8 3 2 3",
    "longdash": "12 4",
    "longdashdot": "12 3 2 3",
}
"""What Plotly calls a dash, as SVG writes it."""
Run: TypeAlias = tuple[int, int, int, int]
"""Of a thousand people, those who are found, missed, falsely alarmed and rightly left alone."""


@dataclass(frozen=True)
class Line:
    """A measure by stop.

    Parameters
    ----------
    name : str
    values : tuple of float
        One a stop; nan where there is none.
    colours : tuple of str
        On a light and on a dark ground, as "#rrggbb".
    dash : str
        As Plotly takes it: a name of `DASHES`, or lengths such as "6px,6px".
    low, high : tuple of float
        Ends of its band, one a stop; empty without a band.
    strong : bool
        Drawn thick, with its band, and read at the cursor.
    """

    name: str
    values: tuple[float, ...]
    colours: tuple[str, str]
    dash: str = "solid"
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    strong: bool = False


@dataclass(frozen=True)
class Rule:
    """A horizontal line that no stop moves."""

    label: str
    value: float
    dash: str = "dash"


@dataclass(frozen=True)
class Panel:
    """Lines over one vertical axis, whose ends follow from them unless they are given."""

    title: str
    lines: tuple[Line, ...]
    rules: tuple[Rule, ...] = ()
    percent: bool = False
    log: bool = False
    ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class Curves:
    """Lines over an axis of their own, which each stop draws anew.

    Parameters
    ----------
    title, axis_title : str
    places : tuple of float
        Where the values of every line lie on that axis, in rising order.
    stops : tuple of Panel
        One a stop, each with the same `ends`; every line has its band.
    """

    title: str
    axis_title: str
    places: tuple[float, ...]
    stops: tuple[Panel, ...]


@dataclass(frozen=True)
class Reading:
    """A number in large type, with a note below it: a text of each a stop."""

    label: str
    values: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class People:
    """A thousand people in trained runs.

    Parameters
    ----------
    title : str
    kinds : tuple of str
        What one person is, in the order of `Run`.
    many : tuple of str
        What several are.
    cases : tuple of tuple of Run
        The runs of each stop; none where nothing is trained yet.
    """

    title: str
    kinds: tuple[str, str, str, str]
    many: tuple[str, str, str, str]
    cases: tuple[tuple[Run, ...], ...]


@dataclass(frozen=True)
class Guesses:
    """A hundred people who guess at one person's record: how many are right, and a sentence.

    `right` is None where it isn't known. Without a release `by_chance` are right.
    """

    title: str
    right: tuple[int | None, ...]
    sentences: tuple[str, ...]
    by_chance: int = 50


@dataclass(frozen=True)
class Picture:
    """All that is shown at each stop.

    Parameters
    ----------
    label : str
        What the cursor moves along; pictures of one label and the same stops move together.
    stops : tuple of float
        In rising order.
    stop_texts : tuple of str
        Short, for the axis.
    axis_title : str
    log_axis : bool
    panels : tuple of Panel
    sentences : tuple of str
        One a stop, which may hold `**bold**` text.
    spoken : tuple of str
        One a stop, short, for who hears the cursor.
    alt : str
        What the picture shows, for who doesn't see it.
    """

    label: str
    stops: tuple[float, ...]
    stop_texts: tuple[str, ...]
    axis_title: str
    log_axis: bool
    panels: tuple[Panel, ...]
    sentences: tuple[str, ...]
    spoken: tuple[str, ...]
    alt: str
    readings: tuple[Reading, ...] = ()
    people: People | None = None
    guesses: Guesses | None = None
    curves: Curves | None = None

    def __post_init__(self) -> None:
        if not self.stops or any(first >= second for first, second in pairwise(self.stops)):
            raise ValueError("stops must rise")
        for rows in _rows_of(self):
            if len(rows) != len(self.stops):
                raise ValueError(f"{len(rows)} entries for {len(self.stops)} stops")
        for runs in self.people.cases if self.people else ():
            if any(sum(run) != PEOPLE or min(run) < 0 for run in runs):
                raise ValueError(f"a run is of {PEOPLE} people")
        if self.guesses:
            known = [right for right in self.guesses.right if right is not None]
            if any(not self.guesses.by_chance <= right <= GUESSERS for right in known):
                raise ValueError(f"at least {self.guesses.by_chance} guess right")

    @cached_property
    def payload(self) -> dict[str, Any]:
        """Write a picture as JSON takes it: no nan, few digits, ticks and places worked out."""
        first, last = self.stops[0], self.stops[-1]
        people, guesses = self.people, self.guesses
        return {
            "label": self.label,
            "alt": self.alt,
            "axis": {
                "title": self.axis_title,
                "places": [_place(stop, first, last, self.log_axis) for stop in self.stops],
                "texts": list(self.stop_texts),
                "ticks": [
                    [_place(tick, first, last, self.log_axis), plain(tick)]
                    for tick in _ticks(first, last, self.log_axis)
                ],
            },
            "panels": [_panel(panel) for panel in self.panels],
            **({"curves": _curves(self.curves)} if self.curves else {}),
            "sentences": list(self.sentences),
            "spoken": list(self.spoken),
            "readings": [
                {"label": one.label, "values": list(one.values), "notes": list(one.notes)}
                for one in self.readings
            ],
            "people": people
            and {
                "title": people.title,
                "kinds": [list(both) for both in zip(people.kinds, people.many, strict=True)],
                # Who is left over is rightly left alone.
                "cases": [[count for run in runs for count in run[:3]] for runs in people.cases],
            },
            "guesses": guesses
            and {
                "title": guesses.title,
                "right": list(guesses.right),
                "byChance": guesses.by_chance,
                "kinds": list(GUESS_KINDS),
                "sentences": list(guesses.sentences),
            },
        }


def _rows_of(picture: Picture) -> Iterator[Sequence[object]]:
    yield from (picture.stop_texts, picture.sentences, picture.spoken)
    for panel in picture.panels:
        for line in panel.lines:
            yield line.values
            yield from filter(None, (line.low, line.high))
    for reading in picture.readings:
        yield from (reading.values, reading.notes)
    if picture.curves:
        yield picture.curves.stops
    if picture.people:
        yield picture.people.cases
    if picture.guesses:
        yield from (picture.guesses.right, picture.guesses.sentences)


def _curves(curves: Curves) -> dict[str, Any]:
    first, last = curves.places[0], curves.places[-1]
    drawn = [_panel(panel, has_bands=True) for panel in curves.stops]
    return drawn[0] | {
        "title": curves.title,
        "axis": {
            "title": curves.axis_title,
            "places": [_place(each, first, last, False) for each in curves.places],
            "ticks": [
                [_place(tick, first, last, False), plain(tick)]
                for tick in _ticks(first, last, False)
            ],
        },
        "stops": [panel["lines"] for panel in drawn],
    }


def _panel(panel: Panel, *, has_bands: bool = False) -> dict[str, Any]:
    low, high = panel.ends or _ends(panel)
    ticks = _ticks(low, high, panel.log)
    shown = percent if panel.percent else plain

    def places(values: Sequence[float]) -> list[float | None]:
        return [_height(value, low, high, panel.log) for value in values]

    return {
        "title": panel.title,
        "ticks": [
            [place, f"{as_set(100 * tick)} %" if panel.percent else plain(tick)]
            for place, tick in zip(places(ticks), ticks, strict=True)
        ],
        "lines": [
            {
                "name": line.name,
                "places": places(line.values),
                "texts": [shown(value) if math.isfinite(value) else "" for value in line.values],
                "low": places(line.low) if line.strong or has_bands else [],
                "high": places(line.high) if line.strong or has_bands else [],
                "colours": list(line.colours),
                "dash": DASHES.get(line.dash, line.dash.replace("px", "").replace(",", " ")),
                "strong": line.strong,
            }
            for line in panel.lines
        ],
        "rules": [
            {"label": rule.label, "place": place, "dash": DASHES[rule.dash]}
            for rule in panel.rules
            if (place := _height(rule.value, low, high, panel.log)) is not None
        ],
    }


def _ends(panel: Panel) -> tuple[float, float]:
    """The ends of an axis that holds all of a panel, with some air."""
    held = [rule.value for rule in panel.rules]
    for line in panel.lines:
        held += line.values + (line.low + line.high if line.strong else ())
    held = [value for value in held if math.isfinite(value) and (value > 0.0 or not panel.log)]
    low, high = (min(held), max(held)) if held else (0.1, 1.0)
    if panel.log:
        air = (high / low) ** AIR if high > low else 2.0
        return low / air, high * air
    air = AIR * (high - low) or AIR * abs(high) or 1.0
    if panel.percent:
        return max(0.0, low - air), min(1.0, high + air)
    return low - air, high + air


def _place(value: float, low: float, high: float, log: bool) -> float:
    """Where a value is on an axis, from 0 to 1."""
    if log:
        value, low, high = math.log(value), math.log(low), math.log(high)
    return _rounded((value - low) / (high - low)) if high > low else 0.5


def _height(value: float, low: float, high: float, log: bool) -> float | None:
    """Where a value is on a vertical axis; None where it is no number, or none of its logarithm."""
    if not math.isfinite(value) or (log and value <= 0.0):
        return None
    return _place(value, low, high, log)


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _ticks(low: float, high: float, log: bool) -> list[float]:
    """At most a few round values on an axis: those of 1, 2, 5, 10 on a logarithmic one."""
    if log and high / low >= 10.0:
        powers = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
        every = [factor * 10.0**power for power in (powers[0] - 1, *powers) for factor in (1, 2, 5)]
        held = [_rounded(each) for each in every if 0.999999 * low <= each <= 1.000001 * high]
        if len(held) <= MOST_TICKS:
            return held
        apart = math.ceil(len(powers) / MOST_TICKS)
        return [10.0**power for power in powers if power % apart == 0]
    if high <= low:
        return [low]
    least = (high - low) / (MOST_TICKS - 1)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [_rounded(count * step) for count in range(first, last + 1)]
