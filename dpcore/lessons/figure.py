"""The figure of a lesson: one's guess, the true curve, and the curve after a change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import pandas as pd

from dpcore.figures.bands import Row
from dpcore.figures.canvas import LEGEND, add_band, add_rule, add_scatter, axis, canvas, each
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLUE, GREEN, NEUTRAL, ORANGE, SKY, VERMILLION
from dpcore.lessons.lesson import Lesson
from dpcore.lessons.randomised_response import Estimate, truth_share
from dpcore.words import at_most, counted, listed, plain, spaced

if TYPE_CHECKING:
    import plotly.graph_objects as go

Guess = Mapping[float, float]
"""Point of a lesson, such as an ε, to the value that was guessed there."""
NO_GUESS: Guess = MappingProxyType({})
HEIGHT, LARGE = 330, 272
"""In pixels; what a room looks at leaves room for large words on the same screen."""
GUESS, CHANGED, CLASS = "your guess", "after your change", "guesses of the class"
WORDS, LARGE_WORDS = 13, 18
"""Size of a figure's words, in pixels."""
COMES = "The true curve comes after your guess."
UNMOVED = "Move a slider to guess: one left in the middle is no guess."
GOLDEN = 0.618034
"""Its multiples, without their whole parts, lie far from each other."""
NEAR = 2.0
"""How far off, in the unit of the values, a guess may be and still be called right."""


def curve(
    lesson: Lesson,
    *,
    guess: Guess = NO_GUESS,
    others: Sequence[Guess] | None = None,
    true: pd.DataFrame | None = None,
    changed: pd.DataFrame | None = None,
    given: pd.DataFrame | None = None,
    dark: bool = False,
    large: bool = False,
) -> Drawn:
    """Draw a lesson; x is spaced evenly, as each step multiplies it.

    `others` are the guesses of a class, where one is shown them.
    """
    font = {"size": LARGE_WORDS if large else WORDS}
    figure = canvas(
        LARGE if large else HEIGHT,
        dark,
        keeps_zoom=False,
        legend={**LEGEND, "font": font},
        font=font,
    )
    places = {x: place for place, x in enumerate(lesson.grid)}
    figure.update_xaxes(
        **axis(lesson.across),
        range=[-0.3, len(places) - 0.7],
        tickvals=list(places.values()),
        ticktext=[plain(x) for x in places],
        fixedrange=True,
    )
    low, high = lesson.limits
    figure.update_yaxes(
        **axis(lesson.up),
        range=[low - 0.04 * (high - low), high + 0.04 * (high - low)],
        fixedrange=True,
    )
    for series, rows, is_first in _drawn_series(lesson, true, changed, given):
        _add(figure, lesson, series, rows, is_first, dark)
    if guess:
        colour = GREEN
        add_scatter(
            figure,
            x=[places[x] for x in guess],
            y=list(guess.values()),
            name=GUESS,
            mode="lines+markers",
            line={"color": colour, "dash": "dot", "width": 2},
            marker={"symbol": "diamond", "size": 11, "color": colour},
            hovertemplate=f"{GUESS}: %{{y:.0f}}{lesson.unit}<extra></extra>",
        )
    if others:
        _add_others(figure, lesson, others)
    if large:
        figure.update_xaxes(title_font_size=LARGE_WORDS)
        figure.update_yaxes(title_font_size=LARGE_WORDS)
    sentence = _sentence(lesson, guess, others, true, changed)
    return Drawn(figure, sentence, f"{lesson.up} against {lesson.across}. {sentence}")


def _add_others(figure: go.Figure, lesson: Lesson, others: Sequence[Guess]) -> None:
    """Add a dot for each guess, beside each other where several are the same."""
    places = {x: place for place, x in enumerate(lesson.grid)}
    dots = [
        (places[x] + 0.3 * ((GOLDEN * number + 0.5) % 1.0 - 0.5), value)
        for number, guess in enumerate(others)
        for x, value in guess.items()
    ]
    add_scatter(
        figure,
        x=[x for x, _ in dots],
        y=[value for _, value in dots],
        name=CLASS,
        mode="markers",
        marker={"symbol": "circle-open", "size": 10, "color": GREEN, "line": {"width": 2}},
        hovertemplate=f"%{{y:.0f}}{lesson.unit}<extra></extra>",
    )


def _drawn_series(
    lesson: Lesson,
    true: pd.DataFrame | None,
    changed: pd.DataFrame | None,
    given: pd.DataFrame | None,
) -> Iterator[tuple[str, pd.DataFrame, bool]]:
    """Each series with its rows, and whether it is of the first settings."""
    first = given if true is None else true
    if first is None:
        return
    for series, rows in first.groupby("series", sort=False):
        if true is not None or series in lesson.given:
            yield str(series), rows, True
    if changed is None:
        return
    for series, rows in changed.groupby("series", sort=False):
        before = first[first["series"] == series]["value"]
        if series == lesson.series or (rows["value"].to_numpy() != before.to_numpy()).any():
            yield str(series), rows, False


def _add(
    figure: go.Figure, lesson: Lesson, series: str, rows: pd.DataFrame, is_first: bool, dark: bool
) -> None:
    places = rows["x"].map({x: place for place, x in enumerate(lesson.grid)})
    is_main = series == lesson.series
    if not is_main:
        colour, name = NEUTRAL, series if is_first else f"{series}, {CHANGED}"
        dash, marker = ("dash", "circle-open") if is_first else ("dot", "square-open")
    elif is_first:
        colour, dash, marker, name = (SKY if dark else BLUE), "solid", "circle", series
    else:
        colour, dash, marker, name = (ORANGE if dark else VERMILLION), "dash", "square", CHANGED
    if is_main and is_first and rows["low"].notna().all():
        add_band(figure, places, rows["low"], rows["high"], colour, showlegend=False)
    add_scatter(
        figure,
        x=places,
        y=rows["value"],
        name=name,
        mode="lines+markers",
        line={"color": colour, "dash": dash, "width": 2.5},
        marker={"symbol": marker, "size": 8, "color": colour},
        hovertext=[_hover(lesson, name, row) for row in each(rows)],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _hover(lesson: Lesson, name: str, row: Row) -> str:
    has_band = row["low"] == row["low"]
    band = f" (single runs {plain(row['low'])} to {plain(row['high'])})" if has_band else ""
    return (
        f"{lesson.name} = {plain(row['x'])}<br>{name}: {_shown(row['value'])}{lesson.unit}{band}"
        f"<br>{lesson.noise}: {plain(row['noise'])}<br>{_guarantee(lesson, row)}"
    )


def _guarantee(lesson: Lesson, row: Row) -> str:
    if not math.isfinite(row["epsilon"]):
        return "no ε: nothing is promised"
    return (
        f"{lesson.standing}ε = {at_most(row['epsilon'])}, δ = {plain(row['delta'])}, "
        f"{row['adjacency']}<br>by {row['accountant']}"
    )


def promise(lesson: Lesson, table: pd.DataFrame) -> str:
    """What holds for every ε of the curve: δ, adjacency, accountant; one line for the screen."""
    mine = table[table["series"] == lesson.series]
    is_promised = mine["epsilon"].map(math.isfinite)
    rows = mine[is_promised]
    least, most = float(rows["epsilon"].min()), float(rows["epsilon"].max())
    epsilons = at_most(most) if least == most else f"{at_most(least)} to {at_most(most)}"
    deltas = listed([plain(delta) for delta in rows["delta"].unique()])
    accountants = "; ".join(rows["accountant"].unique())
    standing = lesson.standing.capitalize()
    nowhere = listed([at(lesson, x) for x in mine[~is_promised]["x"]])
    return (
        f"{standing}ε = {epsilons}, δ = {deltas} · {rows['adjacency'].iloc[0]} · {accountants}."
        + (f" At {nowhere} nothing is promised." if nowhere else "")
    )


def _values(series: str, table: pd.DataFrame) -> pd.Series:
    return table[table["series"] == series].set_index("x")["value"]


def _of_given(lesson: Lesson, table: pd.DataFrame, *places: float) -> str:
    parts = []
    for series in lesson.given:
        values = _values(series, table)
        parts.append(f"{series}: {' to '.join(_shown(values[x]) for x in places)}")
    return f" ({'; '.join(parts)})" if parts else ""


def _sentence(
    lesson: Lesson,
    guess: Guess,
    others: Sequence[Guess] | None,
    true: pd.DataFrame | None,
    changed: pd.DataFrame | None,
) -> str:
    """What is true and why, then how far off the guesses were."""
    if true is None:
        if others is not None:
            return f"{phones(others)} guessed."
        return COMES if guess else f"{UNMOVED} {COMES}"
    values = _values(lesson.series, true)
    first, last = lesson.grid[0], lesson.grid[-1]
    if changed is None:
        parts = [
            lesson.why,
            f"From {at(lesson, first)} to {at(lesson, last)} it goes from "
            f"{_shown(values[first])} to {_shown(values[last])}{lesson.unit}"
            f"{_of_given(lesson, true, first, last)}.",
        ]
    else:
        parts = [_of_change(lesson, true, changed)]
    if lesson.shows_noise:
        latest = true if changed is None else changed
        noise = latest[latest["series"] == lesson.series]["noise"]
        parts.append(f"{lesson.noise}: from {plain(noise.iloc[0])} to {plain(noise.iloc[-1])}.")
    if guess:
        parts.append(far_off(lesson, guess, values))
    elif others:
        parts.append(class_far_off(lesson, others, values))
    elif others is None:
        parts.append("No slider was moved: no guess.")
    return " ".join(parts)


def _of_change(lesson: Lesson, true: pd.DataFrame, changed: pd.DataFrame) -> str:
    values, others = _values(lesson.series, true), _values(lesson.series, changed)
    where = max(lesson.grid, key=lambda x: float(abs(others[x] - values[x])))
    if abs(others[where] - values[where]) < 0.05:
        return "Your change moves nothing."
    return (
        f"After your change it is {_shown(others[where])}{lesson.unit} at {at(lesson, where)}"
        f"{_of_given(lesson, changed, where)}; before, it was {_shown(values[where])}"
        f"{_of_given(lesson, true, where)}."
    )


def _shown(value: float) -> str:
    return plain(round(float(value), 1))


def far_off(lesson: Lesson, guess: Guess, values: pd.Series) -> str:
    gaps = {x: value - values[x] for x, value in guess.items()}
    worst = max(gaps, key=lambda x: abs(gaps[x]))
    if abs(gaps[worst]) < NEAR:
        return f"Your guess is nowhere more than {plain(NEAR, 1)}{lesson.unit} away from it."
    mean = sum(map(abs, gaps.values())) / len(gaps)
    return (
        f"Your guess is {_shown(mean)}{lesson.unit} away on average, and furthest at "
        f"{at(lesson, worst)}: {_shown(guess[worst])}, where it is {_shown(values[worst])}."
    )


def class_far_off(lesson: Lesson, others: Sequence[Guess], values: pd.Series) -> str:
    """Where the mean of a class's guesses is furthest off."""
    means = {
        x: sum(guess[x] for guess in guesses) / len(guesses)
        for x in lesson.points
        if (guesses := [guess for guess in others if x in guess])
    }
    if not means:
        return "Nobody moved a slider."
    worst = max(means, key=lambda x: abs(means[x] - values[x]))
    return (
        f"{phones(others)} guessed: {_shown(means[worst])} on average at {at(lesson, worst)}, "
        f"where it is {_shown(values[worst])}."
    )


def phones(others: Sequence[Guess]) -> str:
    """How many phones have done something, as a sentence begins."""
    return f"{counted(len(others), 'phone')} {'has' if len(others) == 1 else 'have'}"


def at(lesson: Lesson, x: float) -> str:
    """A point of the horizontal axis as a sentence names it."""
    if lesson.is_counted:
        return counted(int(x), lesson.name)
    return f"{lesson.name} = {plain(x)}"


def rows(lesson: Lesson, guess: Guess, curves: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The table behind the figure, with headers in words."""
    table = pd.concat([each.assign(settings=name) for name, each in curves.items()])
    is_main = table["series"] == lesson.series
    return pd.DataFrame(
        {
            "Series": table["series"],
            "Settings": table["settings"],
            lesson.across: table["x"],
            lesson.up: table["value"],
            "Low end of single runs": table["low"],
            "High end of single runs": table["high"],
            "Your guess": table["x"].map(dict(guess)).where(is_main),
            lesson.noise: table["noise"],
            f"{lesson.standing.capitalize()}ε": table["epsilon"],
            "δ": table["delta"],
            "What counts as one person's data": table["adjacency"],
            "Proved by": table["accountant"],
        }
    )


ANSWERS_HEIGHT = 150


def answers(
    estimate: Estimate, *, made_up: float | None = None, dark: bool = False, large: bool = False
) -> Drawn:
    """Draw the estimated share of true Yes with its interval, and the truth of a made-up class."""
    font = {"size": LARGE_WORDS if large else WORDS}
    figure = canvas(ANSWERS_HEIGHT, dark, font=font, showlegend=False)
    figure.update_xaxes(**axis("Truly Yes, of 100"), range=[-2, 102], fixedrange=True)
    if large:
        figure.update_xaxes(title_font_size=LARGE_WORDS)
    figure.update_yaxes(visible=False, range=[-1, 1], fixedrange=True)
    share, low, high = (100.0 * each for each in (estimate.share, estimate.low, estimate.high))
    colour = SKY if dark else BLUE
    if made_up is not None:
        add_rule(figure, x=100.0 * made_up, color=NEUTRAL, dash="dash", width=2)
    add_scatter(
        figure,
        x=[low, high],
        y=[0, 0],
        mode="lines",
        line={"color": colour, "width": 10},
        opacity=0.45,
        hoverinfo="skip",
    )
    add_scatter(
        figure,
        x=[share],
        y=[0],
        mode="markers",
        marker={"size": 18, "color": colour},
        hovertemplate="%{x:.0f} of 100<extra></extra>",
    )
    finding = (
        "So few answers say nothing of all yet."
        if (low, high) == (0.0, 100.0)
        else f"About {share:.0f} of 100 truly say Yes: with 95 % confidence {math.floor(low)} to "
        f"{math.ceil(high)}."
    )
    sentence = (
        f"{finding} {spaced(estimate.yes)} of {counted(estimate.answers, 'answer')} came in as Yes."
    )
    return Drawn(figure, sentence, sentence)


def deniability(epsilon: float) -> str:
    """What a Yes that was sent says of the person, in words and as ε."""
    by_chance = 50.0 * (1.0 - truth_share(epsilon))
    ratio = at_most(round(math.exp(epsilon), 9))
    return (
        f"A Yes may be the coin's: of 100 people who truly say No, {plain(by_chance)} send Yes. "
        f"Who truly says Yes sends it {ratio} times as often: ε = ln {ratio} = {at_most(epsilon)}, "
        "δ = 0."
    )
