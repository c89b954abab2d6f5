"""What a private model says about one column, beside the one without privacy, and its sentence.

A table has the columns of `dpcore.evaluation.clinic.column_curves`.
"""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from dpcore.datasets.grouping import grouping
from dpcore.datasets.schema import Column, Entry
from dpcore.evaluation.runs import MANY
from dpcore.figures.calibration import WITHOUT
from dpcore.figures.canvas import LEGEND, add_band, add_curve, axis, canvas, single_runs
from dpcore.figures.curves import HEIGHT, guarantee_of
from dpcore.figures.decisions import THIN
from dpcore.figures.drawn import Drawn
from dpcore.figures.groups import MOST_LETTERS, ROW
from dpcore.figures.style import NEUTRAL, look
from dpcore.figures.words import band, literal, plain

ODDS = "log odds against the reference"
ROOM = 0.06
DETAIL = (
    "The model adds up one part for each column; this is the part of one. "
    "Every record is brought to one length first, which stretches or shrinks all parts of a person "
    "alike. "
    "The curve is that part at average length. "
    "A value far from the middle also makes a record longer, which shrinks all its parts. "
    "So the odds of a person move otherwise, with few columns by multiples. "
    "Adding 0.7 to the log odds doubles the odds. "
    "The curve says what the model does, not what causes the condition. "
    "Whoever corrects published weights by hand, without a look at the records, pays no ε for it."
)


def column_curve(
    model: pd.DataFrame,
    without: pd.DataFrame,
    entry: Entry,
    *,
    fills: bool = True,
    dark: bool = False,
) -> Drawn:
    """The curve of one column at one ε, with the band of single runs.

    Parameters
    ----------
    model : pandas.DataFrame
        Rows of one private model at one ε, of one column.
    without : pandas.DataFrame
        Rows of the model without privacy, with the same features, of the same column.
    entry : Entry
        Of the data set.
    fills : bool
        Whether unknown values are filled in; else their records are left out.
    dark : bool
        Whether it is drawn on a dark ground.
    """
    column = entry.column(str(model["column"].iloc[0]))
    draw = _of_number if column.kind == "number" else _of_levels
    figure = draw(model, without, column, entry, dark)
    sentence = _sentence(model, without, column)
    named = _cut(column.name)
    alt = f"Log odds against {named}, with and without privacy. {sentence}"
    reference = _at(_reference(model), column)
    detail = f"0 is {named} at {reference}. "
    if column.kind == "number":
        detail += "Values beyond the axis count as its ends. "
        if column.missing_mark and fills:
            detail += f"An unknown value counts as {reference}. "
    return Drawn(figure, sentence, alt, detail + DETAIL)


def _of_number(
    model: pd.DataFrame, without: pd.DataFrame, column: Column, entry: Entry, dark: bool
) -> go.Figure:
    """Log odds against the number; where it has a public transform, on an axis after that."""
    unit = f" ({literal(_cut(column.unit))})" if column.unit else ""
    values = axis(f"{literal(_cut(column.name))}{unit}", dark)
    if column.transform != "none":
        ends = column.bounds
        marks = [ends[0], *grouping(entry, column.name).edges, ends[1]]
        places = _places(pd.Series(marks, dtype=float), column)
        values |= {"tickvals": places.tolist(), "ticktext": [plain(mark) for mark in marks]}
    figure = canvas(
        HEIGHT,
        kept=False,
        hovermode="closest",
        showlegend=True,
        legend=LEGEND,
        xaxis=values,
        yaxis=axis(ODDS, dark, range=_range(model, without)),
    )
    figure.add_hline(y=0.0, line={"color": NEUTRAL, "dash": "dot", "width": 1})
    first, reference = model.iloc[0], without.iloc[0]
    style, name = look(first["method"]), f"{first['title']}, ε = {plain(first['epsilon'])}"
    ends_of_band = model["log_odds_low"], model["log_odds_high"]
    add_band(figure, _places(model["at"], column), *ends_of_band, style.on(dark), showlegend=False)
    beside = f"{reference['title']}: {reference['baseline']}"
    for rows, drawn, label in ((without, WITHOUT, beside), (model, style, name)):
        texts = [_hover(row, column, label) for _, row in rows.iterrows()]
        curve = _places(rows["at"], column), rows["log_odds"], drawn, texts
        add_curve(figure, *curve, size=0, dark=dark, mode="lines", name=label)
    figure.data[-2].line.width = THIN
    return figure


def _of_levels(
    model: pd.DataFrame, without: pd.DataFrame, column: Column, entry: Entry, dark: bool
) -> go.Figure:
    """The log odds of each level, one below the other."""
    names = [literal(_cut(level)) for level in model["level"]]
    figure = canvas(
        110 + ROW * len(model),
        kept=False,
        hovermode="closest",
        showlegend=True,
        legend=LEGEND,
        xaxis=axis(ODDS, dark, range=_range(model, without)),
        yaxis=axis(
            literal(_cut(column.name)),
            dark,
            range=[len(model) - 0.5, -0.5],
            tickvals=list(range(len(model))),
            ticktext=names,
        ),
    )
    figure.add_vline(x=0.0, line={"color": NEUTRAL, "dash": "dot", "width": 1})
    first, reference = model.iloc[0], without.iloc[0]
    style, name = look(first["method"]), f"{first['title']}, ε = {plain(first['epsilon'])}"
    beside = f"{reference['title']}: {reference['baseline']}"
    ends = {
        "type": "data",
        "symmetric": False,
        "array": model["log_odds_high"] - model["log_odds"],
        "arrayminus": model["log_odds"] - model["log_odds_low"],
        "color": style.on(dark),
        "thickness": 2,
        "width": 5,
    }
    open_mark = {"symbol": "diamond-open", "size": 12, "color": NEUTRAL, "line": {"width": 2}}
    mark = {"symbol": style.marker, "size": 10, "color": style.on(dark)}
    for rows, label, marker, bars in (
        (without, beside, open_mark, None),
        (model, name, mark, ends),
    ):
        figure.add_scatter(
            x=rows["log_odds"],
            y=rows["at"],
            mode="markers",
            name=label,
            marker=marker,
            error_x=bars,
            hovertext=[_hover(row, column, label) for _, row in rows.iterrows()],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    return figure


def _hover(row: pd.Series, column: Column, label: str) -> str:
    value = row["log_odds"]
    text = (
        f"<b>{label}</b><br>{literal(_at(row, column))}: {_shown(value)}, {_times(value)} the odds"
    )
    if row["epsilon"] != row["epsilon"]:
        return text
    ends = single_runs(row["log_odds_low"], row["log_odds_high"], _shown, int(row["runs"]))
    return f"{text}{ends}<br>{guarantee_of(row)}"


def _sentence(model: pd.DataFrame, without: pd.DataFrame, column: Column) -> str:
    """What the model says at the value that it moves most from the reference, and how sure."""
    place = int(model["log_odds"].abs().to_numpy().argmax())
    row, beside = model.iloc[place], without.iloc[place]
    value, low, high = (float(row[f"log_odds{end}"]) for end in ("", "_low", "_high"))
    reference = _at(_reference(model), column)
    named, at = _cut(column.name), _at(row, column)
    told = (
        f"At ε = {plain(row['epsilon'])} {row['title']}’s part for {named} puts the odds at {at} "
        f"at {_times(value)} those at {reference}."
    )
    runs = band(int(row["runs"]))
    within = f"{runs}: {_odds(low)} to {_times(high)}"
    agree = "all runs" if int(row["runs"]) < MANY else "19 of 20 runs"
    # By the numbers as they are shown: nobody sees that 1 stands for 1.003.
    if low * high > 0.0 and "1" not in (_odds(low), _odds(high)):
        sure = f"{within}, so {agree} say {'more' if low > 0.0 else 'less'}."
    else:
        sure = f"{within}, so single runs do not agree on more or less."
    return f"{told} {sure} Without privacy: {_times(float(beside['log_odds']))}."


def _reference(rows: pd.DataFrame) -> pd.Series:
    return rows[rows["is_reference"]].iloc[0]


def _at(row: pd.Series, column: Column) -> str:
    """A value with its unit, or a level."""
    if column.kind != "number":
        return _cut(str(row["level"]))
    return f"{plain(row['at'])} {_cut(column.unit)}".rstrip()


def _times(log_odds: float) -> str:
    """Log odds as a factor of the odds."""
    return f"{_odds(log_odds)} times"


def _odds(log_odds: float) -> str:
    return plain(math.exp(min(log_odds, 700.0)), 2)


def _shown(value: float) -> str:
    return plain(round(value, 2))


def _cut(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _places(values: pd.Series, column: Column) -> pd.Series:
    """Numbers on the axis: after the column's public transform, in which a line is straight."""
    if column.transform == "none":
        return values
    return values.map(lambda value: math.copysign(math.log1p(abs(value)), value))


def _range(model: pd.DataFrame, without: pd.DataFrame) -> list[float]:
    ends = [*model["log_odds_low"], *model["log_odds_high"], *without["log_odds"]]
    least, most = min(ends), max(ends)
    room = ROOM * ((most - least) or 1.0)
    return [least - room, most + room]
