"""What a released model says of one person: the number in words, its parts, column curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from dpcore.datasets.schema import Column, Label
from dpcore.figures.bands import Row
from dpcore.figures.canvas import add_curve, add_rule, add_scatter, axis, canvas, cut, each
from dpcore.figures.curves import HEIGHT
from dpcore.figures.drawn import Drawn
from dpcore.figures.escape import literal
from dpcore.figures.style import BLUE, LOOKS, NEUTRAL, ORANGE, SKY, SURVEY, VERMILLION
from dpcore.words import plain, spaced

MAX_BARS = 12
"""At most so many parts are drawn, the largest; the table has them all."""
ROW, ROW_OF_TWO = 26, 34
"""Pixels of a row with one line of words, and with two."""
PARTS = (
    "A bar begins at the risk with the column’s public reference in the value’s place, all else as "
    "typed. To the right the value raises the risk; to the left, and striped, it lowers it. The "
    "thin line is what other values of the column would do. The bars do not add up, as every "
    "person is brought to one length. Each value so moves the parts of all others. References are "
    "the middle of a number’s public range and the first entry of a list. An unknown number counts "
    "as its reference. None of it says what causes the outcome."
)
FEW, MANY = 100, 1_000
"""Numbers of people in which a risk is expressed."""
MIN = 5e-4
"""A smaller part moves nothing that is shown."""


@dataclass(frozen=True)
class OutcomeWording:
    """The wording of a model's outcome."""

    is_risk: bool  # a probability, else a score
    label: Label
    is_corrected: bool = False
    among: int = FEW

    @property
    def name(self) -> str:
        """What the outcome is called."""
        return "risk" if self.is_risk else "score"

    def shown(self, value: float) -> str:
        """An outcome in words."""
        return frequency(value, self.among) if self.is_risk else plain(round(value, 3))

    def size(self, value: float) -> float:
        """A part as it is drawn: of so many people, or as a score."""
        return self.among * value if self.is_risk else value

    @property
    def title(self) -> str:
        """The title of an axis of outcomes."""
        return f"{self.name}, of {spaced(self.among)}" if self.is_risk else self.name

    def headline(self, value: float, ends: Sequence[float] | None = None) -> str:
        """What the model says, in one sentence, and what noise alone would."""
        noise = "not known" if ends is None else self._between(*ends)
        if self.is_risk:
            return (
                f"Of {spaced(self.among)} people with these values, the model expects "
                f"{_count(value, self.among)} with {outcome_words(self.label, is_positive=True)}; "
                f"noise alone: {noise}."
            )
        outcome = outcome_words(self.label, is_positive=value > 0.0)
        return f"The model’s score is {self.shown(value)}: it says {outcome}; noise alone: {noise}."

    def _between(self, least: float, most: float) -> str:
        """Two risks in people, rounded apart."""
        return f"{spaced(math.floor(self.among * least))} to {spaced(math.ceil(self.among * most))}"

    def meaning(self) -> str:
        """What the number is, and what it is not."""
        if self.is_corrected:
            return (
                "A probability, corrected at the release by noisy counts. How right it is was not "
                "measured."
            )
        if self.is_risk:
            return "A probability as the model states it. How right it is was not measured."
        above, else_ = (outcome_words(self.label, is_positive=one) for one in (True, False))
        return (
            f"A score, no probability. Above 0 the model says {above}, else {else_}; the farther "
            "from 0, the surer."
        )


def among(risk: float) -> int:
    """The number of people to express a risk in: 100, or 1,000 where that gives none or all."""
    return FEW if 0 < round(FEW * risk) < FEW else MANY


def frequency(risk: float, people: int) -> str:
    return f"{_count(risk, people)} of {spaced(people)}"


def _count(risk: float, people: int) -> str:
    count = round(people * risk)
    if 0 < count < people:
        return spaced(count)
    return "fewer than 1" if risk < 0.5 else f"more than {spaced(people - 1)}"


def readable_name(name: str) -> str:
    """A column's name with spaces for its underscores, which files keep."""
    return name.replace("_", " ")


def outcome_words(label: Label, *, is_positive: bool) -> str:
    """One of the two outcomes, in words: its name as `readable_name`, its value as it is."""
    text = label.positive if is_positive else label.negative
    value = text.removeprefix(label.name)
    return text if value == text else readable_name(label.name) + value


def _named(column: Column) -> str:
    return cut(readable_name(column.name))


def with_unit(value: str, column: Column) -> str:
    is_number = column.kind == "number" and value != "unknown"
    return f"{cut(value)} {cut(column.unit)}".rstrip() if is_number else cut(value)


def parts(
    rows: pd.DataFrame, columns: tuple[Column, ...], wording: OutcomeWording, *, dark: bool
) -> Drawn:
    """How far each value moves the outcome from where its public reference would have it."""
    by_name = {column.name: column for column in columns}
    width = (rows["most"] - rows["least"]).rename("width")
    order = pd.concat([rows["part"].abs().round(3), width], axis=1)
    order = order.sort_values(["part", "width"], ascending=False, kind="stable")[:MAX_BARS]
    rows = rows.loc[order.index]
    names = [_bar_name(row, by_name[row["column"]]) for row in each(rows)]
    outcome = wording.size(float(rows["outcome"].iloc[0]))
    places = list(range(len(rows)))
    there = rows["at_reference"].map(wording.size)
    least, most = (rows[name].map(wording.size) - there for name in ("least", "most"))
    moved = [outcome - other for other in there]
    ends = [*least, *most, 0.0]
    room = 0.06 * ((max(ends) - min(ends)) or 1.0)
    figure = canvas(
        70 + ROW_OF_TWO * len(rows),
        dark,
        keeps_zoom=False,
        bargap=0.4,
        showlegend=False,
        xaxis=axis(
            f"← lowers    {wording.title}    raises →",
            range=[min(ends) - room, max(ends) + room],
        ),
        yaxis=axis(
            "",
            range=[len(rows) - 0.5, -0.5],
            tickvals=places,
            ticktext=names,
        ),
    )
    add_scatter(
        figure,
        x=[end for pair in zip(least, most, strict=True) for end in (*pair, None)],
        y=[place for each in places for place in (each, each, None)],
        mode="lines",
        line={"color": NEUTRAL, "width": 2},
        hoverinfo="skip",
    )
    up, down = (ORANGE, SKY) if dark else (VERMILLION, BLUE)
    rises = [size >= 0.0 for size in moved]
    figure.add_bar(
        x=moved,
        y=places,
        orientation="h",
        marker={
            "color": [up if rise else down for rise in rises],
            # Distinguishable without colour.
            "pattern": {"shape": ["" if rise else "/" for rise in rises]},
            "line": {"color": [up if rise else down for rise in rises], "width": 1.5},
        },
        hovertext=[literal(_sentence(row, by_name, wording)) for row in each(rows)],
        hovertemplate="%{hovertext}<extra></extra>",
        zorder=1,
    )
    add_rule(figure, x=0.0, color=NEUTRAL, width=1, dash="dot")
    first = rows.iloc[0]
    column = by_name[first["column"]]
    if abs(first["part"]) < MIN:
        sentence = (
            "Every value is at its public reference, or moves nothing. "
            f"{_most_possible(first, column, wording)}"
        )
    else:
        sentence = f"The most: {_sentence(first, by_name, wording)}"
    alt = f"What each of {len(rows)} values has to do with the {wording.name}. {sentence}"
    detail = PARTS if wording.is_risk else PARTS.replace("risk", "score")
    return Drawn(figure, sentence, alt, detail)


def _most_possible(row: Row, column: Column, wording: OutcomeWording) -> str:
    least, most = (wording.shown(row[name]) for name in ("least", "most"))
    if least == most:
        return f"No other value of one column would change the {wording.name} by much."
    return f"The most could be moved by {_named(column)}: from {least} to {most}."


def _bar_name(row: Row, column: Column) -> str:
    name = cut(f"{_named(column)}: {with_unit(row['value'], column)}")
    # Its unit stands above it: a first screen has few words.
    is_same = row["value"] == row["reference"]
    compared = "the reference" if is_same else f"against {row['reference']}"
    return f'{literal(name)}<br><span style="font-size:10px">{literal(cut(compared))}</span>'


def curve(rows: pd.DataFrame, column: Column, wording: OutcomeWording, *, dark: bool) -> Drawn:
    """The outcome at each value of one column, with the person's marked."""
    shown = rows.assign(outcome=rows["outcome"].map(wording.size))
    here = shown[shown["here"]].iloc[0]
    texts = [
        literal(f"{_at(row, column)}: {wording.shown(value)}")
        for row, value in zip(each(rows), rows["outcome"], strict=True)
    ]
    scale = axis(wording.title, range=_range([*shown["outcome"]], zero=wording.is_risk))
    name = literal(_named(column))
    look = LOOKS[SURVEY]
    mark = {"symbol": "diamond", "size": 14, "color": ORANGE if dark else VERMILLION}
    if column.kind == "number":
        unit = f" ({literal(cut(column.unit))})" if column.unit else ""
        across = axis(name + unit)
        figure = canvas(HEIGHT, dark, keeps_zoom=False, showlegend=False, xaxis=across, yaxis=scale)
        add_curve(
            figure,
            shown["at"],
            shown["outcome"],
            look,
            texts,
            size=0,
            dark=dark,
            mode="lines",
        )
        x, y = [here["at"]], [here["outcome"]]
    else:
        figure = canvas(
            90 + ROW * len(rows),
            dark,
            keeps_zoom=False,
            showlegend=False,
            xaxis=scale,
            yaxis=axis(
                name,
                range=[len(rows) - 0.5, -0.5],
                tickvals=list(range(len(rows))),
                ticktext=[literal(cut(level)) for level in rows["level"]],
            ),
        )
        points = shown["outcome"], shown["at"]
        add_curve(figure, *points, look, texts, size=10, dark=dark, mode="markers")
        x, y = [here["outcome"]], [here["at"]]
    add_scatter(
        figure,
        x=x,
        y=y,
        mode="markers",
        marker=mark,
        hovertext=[f"{texts[list(rows['here']).index(True)]} (this person)"],
        hovertemplate="%{hovertext}<extra></extra>",
    )
    least, most = (rows.loc[rows["outcome"].agg(end)] for end in ("idxmin", "idxmax"))
    mine = rows[rows["here"]].iloc[0]
    low, high = wording.shown(least["outcome"]), wording.shown(most["outcome"])
    sentence = f"All else as typed, {_named(column)} " + (
        f"hardly changes the {wording.name}: it is {low} at every value."
        if low == high
        else f"moves the {wording.name} from {low} at {_at(least, column)} to {high} at "
        f"{_at(most, column)}; this person’s {_at(mine, column)}: "
        f"{wording.shown(mine['outcome'])}."
    )
    alt = f"The {wording.name} against {_named(column)}, this person’s value marked. {sentence}"
    return Drawn(figure, sentence, alt)


def _at(row: Row, column: Column) -> str:
    value = plain(row["at"], 4) if column.kind == "number" else str(row["level"])
    return with_unit(value, column)


def _sentence(row: Row, columns: dict[str, Column], wording: OutcomeWording) -> str:
    column = columns[row["column"]]
    there, here = wording.shown(row["at_reference"]), wording.shown(row["outcome"])
    return (
        f"{_named(column)}, {with_unit(row['value'], column)}. At its public reference, "
        f"{with_unit(row['reference'], column)}, the {wording.name} would "
        + (f"hardly change from {here}." if there == here else f"be {there}, not {here}.")
    )


def _range(values: list[float], zero: bool = True) -> list[float]:
    ends = [*values, 0.0] if zero else values
    room = 0.15 * ((max(ends) - min(ends)) or 1.0)
    return [min(ends) - room * (min(ends) < 0.0 or not zero), max(ends) + room]
