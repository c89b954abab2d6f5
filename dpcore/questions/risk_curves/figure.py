"""What a private model says about one column, beside the one without privacy, and its sentence."""

from __future__ import annotations

import math

import pandas as pd
import plotly.graph_objects as go

from dpcore.datasets.grouping import grouping
from dpcore.datasets.schema import Column, Entry
from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.clinic.risks import REFERENCE
from dpcore.figures.bands import Row
from dpcore.figures.canvas import (
    LEGEND,
    ROW,
    THIN,
    add_band,
    add_curve,
    add_rule,
    add_scatter,
    axis,
    canvas,
    cut,
    each,
    single_runs,
)
from dpcore.figures.curves import HEIGHT, guarantee_of
from dpcore.figures.drawn import Drawn
from dpcore.figures.escape import literal
from dpcore.figures.style import NEUTRAL, WITHOUT_PRIVACY, look
from dpcore.questions.risk_curves import words
from dpcore.questions.risk_curves.question import CURVE_AS, CURVE_OF, RiskCurvesQuestion, curve_part
from dpcore.questions.shown import Chosen, Shown
from dpcore.words import percent, plain

ROOM = 0.06


def column_curve(
    model: pd.DataFrame,
    without: pd.DataFrame,
    entry: Entry,
    *,
    measure: str = "log_odds",
    others: pd.DataFrame | None = None,
    fills: bool = True,
    dark: bool = False,
) -> Drawn:
    """The curve of one column at one ε, with the band of single runs."""
    column, quantity = entry.column(str(model["column"].iloc[0])), words.MEASURES[measure]
    figure = drawn_against(model, without, entry, quantity, dark)
    sentence = words.sentence(model, without, column, quantity)
    named = cut(column.name)
    what = "Risk" if quantity.others_at else "Log odds"
    alt = f"{what} against {named}, with and without privacy. {sentence}"
    ends = ""
    if column.kind == "number":
        ends = "Values beyond the axis count as its ends. "
        if column.missing_marks and fills:
            reference = words.value_at(words.reference_of(model), column)
            ends += f"An unknown value counts as {reference}. "
    detail = words.detail(model, entry, quantity, model if others is None else others)
    return Drawn(figure, sentence, alt, ends + detail)


def drawn_against(
    model: pd.DataFrame,
    without: pd.DataFrame,
    entry: Entry,
    measure: words.Measure,
    dark: bool,
) -> go.Figure:
    """The figure of a model and another one to compare; parameters as of `column_curve`."""
    column = entry.column(str(model["column"].iloc[0]))
    draw = _of_number if column.kind == "number" else _of_levels
    return draw(model, without, column, entry, measure, dark)


def _of_number(
    model: pd.DataFrame,
    without: pd.DataFrame,
    column: Column,
    entry: Entry,
    measure: words.Measure,
    dark: bool,
) -> go.Figure:
    """Log odds against the number; where it has a public transform, on an axis after that."""
    unit = f" ({literal(cut(column.unit))})" if column.unit else ""
    values = axis(f"{literal(cut(column.name))}{unit}")
    if column.transform != "none":
        ends = column.bounds
        marks = [ends[0], *grouping(entry, column.name).edges, ends[1]]
        places = _places(pd.Series(marks, dtype=float), column)
        values |= {"tickvals": places.tolist(), "ticktext": [plain(mark) for mark in marks]}
    figure = canvas(
        HEIGHT,
        dark,
        keeps_zoom=False,
        hovermode="closest",
        showlegend=True,
        legend=LEGEND,
        fixed=True,
        xaxis=values,
        yaxis=_scale(model, without, measure),
    )
    if not measure.others_at:
        add_rule(figure, y=0.0, color=NEUTRAL, dash="dot", width=1)
    first, reference = model.iloc[0], without.iloc[0]
    style, name = look(first["method"]), f"{first['title']}, ε = {plain(first['epsilon'])}"
    ends_of_band = model[f"{measure.column}_low"], model[f"{measure.column}_high"]
    add_band(figure, _places(model["at"], column), *ends_of_band, style.on(dark), showlegend=False)
    reference_name = f"{reference['title']}: {reference['baseline']}"
    for rows, drawn, label in ((without, WITHOUT_PRIVACY, reference_name), (model, style, name)):
        texts = [_hover(row, column, measure, label) for row in each(rows)]
        curve = _places(rows["at"], column), rows[measure.column], drawn, texts
        add_curve(figure, *curve, size=0, dark=dark, mode="lines", name=label)
    figure.data[-2].line.width = THIN
    return figure


def _of_levels(
    model: pd.DataFrame,
    without: pd.DataFrame,
    column: Column,
    entry: Entry,
    measure: words.Measure,
    dark: bool,
) -> go.Figure:
    names = [literal(cut(level)) for level in model["level"]]
    figure = canvas(
        110 + ROW * len(model),
        dark,
        keeps_zoom=False,
        hovermode="closest",
        showlegend=True,
        legend=LEGEND,
        fixed=True,
        xaxis=_scale(model, without, measure),
        yaxis=axis(
            literal(cut(column.name)),
            range=[len(model) - 0.5, -0.5],
            tickvals=list(range(len(model))),
            ticktext=names,
        ),
    )
    if not measure.others_at:
        add_rule(figure, x=0.0, color=NEUTRAL, dash="dot", width=1)
    first, reference = model.iloc[0], without.iloc[0]
    style, name = look(first["method"]), f"{first['title']}, ε = {plain(first['epsilon'])}"
    reference_name = f"{reference['title']}: {reference['baseline']}"
    ends = {
        "type": "data",
        "symmetric": False,
        "array": model[f"{measure.column}_high"] - model[measure.column],
        "arrayminus": model[measure.column] - model[f"{measure.column}_low"],
        "color": style.on(dark),
        "thickness": 2,
        "width": 5,
    }
    open_mark = {"symbol": "diamond-open", "size": 12, "color": NEUTRAL, "line": {"width": 2}}
    mark = {"symbol": style.marker, "size": 10, "color": style.on(dark)}
    for rows, label, marker, bars in (
        (without, reference_name, open_mark, None),
        (model, name, mark, ends),
    ):
        add_scatter(
            figure,
            x=rows[measure.column],
            y=rows["at"],
            mode="markers",
            name=label,
            marker=marker,
            error_x=bars,
            hovertext=[_hover(row, column, measure, label) for row in each(rows)],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    return figure


def _hover(row: Row, column: Column, measure: words.Measure, label: str) -> str:
    at = literal(words.value_at(row, column))
    text = f"<b>{label}</b><br>{at}: {measure.in_words(row[measure.column])}"
    if row["epsilon"] != row["epsilon"]:
        return text
    if row["runs"] == 1:
        return f"{text}<br>{guarantee_of(row)}"
    ends = row[f"{measure.column}_low"], row[f"{measure.column}_high"]
    written = percent if measure.others_at else words.shown
    return f"{text}{single_runs(*ends, written, row)}<br>{guarantee_of(row)}"


def _places(values: pd.Series, column: Column) -> pd.Series:
    """Numbers on the axis: after the column's public transform, in which a line is straight."""
    if column.transform == "none":
        return values
    return values.map(lambda value: math.copysign(math.log1p(abs(value)), value))


def _scale(model: pd.DataFrame, without: pd.DataFrame, measure: words.Measure) -> dict[str, object]:
    name = measure.column
    ends = [*model[f"{name}_low"], *model[f"{name}_high"], *without[name]]
    least, most = min(ends), max(ends)
    room = ROOM * ((most - least) or 1.0)
    return axis(measure.title, range=[least - room, most + room], tickformat=measure.tickformat)


def shown(question: RiskCurvesQuestion, rows: pd.DataFrame, chosen: Chosen) -> Shown:
    """What the tab shows of one model at one ε."""
    rows = curve_part(rows)
    others = chosen.of_model(rows)
    here = rows[rows["column"] == chosen.looked[CURVE_OF.key]]
    alike = here["feature_map"] == others["feature_map"].iloc[0]
    model = chosen.of_model(here)
    figure = column_curve(
        model,
        here[(here["method"] == REFERENCE) & alike],
        chosen.entry,
        measure=str(chosen.looked[CURVE_AS.key]),
        others=others,
        fills=question.study.preparation.missing == "impute",
        dark=chosen.dark,
    )
    return Shown(ModelAtEpsilon.of(model.iloc[0]), here, figures=(figure,))
