"""The effect of one setting at a fixed budget: a metric, and what gave way, against its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcore.figures.bands import Row, in_band
from dpcore.figures.canvas import LEGEND, add_band, add_curve, add_rule, axis, canvas, each
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import ink
from dpcore.questions.training.series import (
    AXES,
    HEIGHT,
    METRICS,
    REPETITION,
    SERIES,
    SHARES,
    band_of,
    certified,
    shown,
    values_within,
)
from dpcore.words import counted, plain

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.evaluation.effects import Effect

GAVE_WAY = {"epoch": "Epochs", "sigma": "First noise σ₀"}


def effect(
    table: pd.DataFrame,
    varied: Effect,
    column: str,
    *,
    now: float,
    beside: pd.DataFrame | None = None,
    dark: bool = False,
) -> Drawn:
    """A metric with its band over runs, or what gave way, against the values of one setting.

    Beside a metric may stand the same with constant isotropic noise; its σ is of another unit.
    """
    beside = beside if column in METRICS else None
    name = AXES[column] if column in METRICS else GAVE_WAY[column]
    rows = table[table[column].notna()].sort_values("value") if column in table else table[:0]
    # On a line of its own: a narrow screen would cut it off.
    unit = f"<br>{varied.unit}" if varied.unit else ""
    title = f"{varied.title} {varied.symbol}".strip() + unit
    setting = axis(title, type="linear" if varied.key == "decay" else "log")
    figure = canvas(
        HEIGHT,
        dark,
        showlegend=beside is not None,
        legend=LEGEND,
        hovermode="closest",
        xaxis=setting,
        yaxis=axis(name),
    )
    add_rule(figure, x=now, color=ink(dark), dash="dot")
    if rows.empty:
        return Drawn(figure, "Waiting for the first epoch.", f"{name}: nothing yet.")
    values = [plain(value, 4) for value in rows["value"]]
    figure.update_xaxes(tickvals=list(rows["value"]), ticktext=values)
    drawn = {"private": rows}
    if beside is not None:
        drawn["constant"] = beside[beside[column].notna()].sort_values("value")
    low, high = f"{column}_low", f"{column}_high"
    for series, line in drawn.items():
        look = SERIES[series].look
        if low in line:
            add_band(figure, line["value"], line[low], line[high], look.on(dark), showlegend=False)
        hover = [_hover(varied, row, column) for row in each(line)]
        add_curve(
            figure,
            line["value"],
            line[column],
            look,
            hover,
            name=SERIES[series].title,
            size=9,
            dark=dark,
        )
    shown_values = [value for line in drawn.values() for value in line[column]]
    if column in METRICS:
        ends = values_within(shown_values)
        figure.update_yaxes(range=list(ends), tickformat=".0%" if column in SHARES else None)
        sentence = _best(rows, varied, column, now)
    else:
        figure.update_yaxes(range=[0.0, 1.1 * max(shown_values)])
        sentence = _afforded(rows, varied, column)
    if beside is not None:
        sentence += _reached(drawn["constant"], column)
    return Drawn(figure, sentence, f"{name} against {varied.title}. {sentence}")


def written(varied: Effect, value: float) -> str:
    """A value of the setting with its name."""
    name = varied.symbol or varied.title
    return f"{name} = {plain(value, 4)}"


def _hover(varied: Effect, row: Row, column: str) -> str:
    return (
        f"<b>{written(varied, row['value'])}</b><br>{shown(column)(row[column])}"
        f"{band_of(row, column)}<br>σ₀ = {plain(row['sigma'])}, {counted(row['epoch'], 'epoch')}"
        f"<br>{certified(row)}"
    )


def _best(rows: pd.DataFrame, varied: Effect, column: str, now: float) -> str:
    if len(rows) == 1:
        return f"{written(varied, rows['value'].iloc[0])}: {shown(column)(rows[column].iloc[0])}."
    best = rows.iloc[int(rows[column].argmax())]
    sentence = (
        f"The best {METRICS[column]} of {len(rows)} values is {shown(column)(best[column])}, at "
        f"{written(varied, best['value'])}"
    )
    present = rows[rows["value"] == now]
    if best["value"] == now:
        sentence += ", as set."
    elif len(present):
        value = present.iloc[0]
        sentence += f"; as set, at {plain(now, 4)}, it is {shown(column)(value[column])}."
        if value[f"{column}_high"] >= best[f"{column}_low"] and int(rows["runs"].max()) > 1:
            sentence += " Their bands overlap: it may be chance."
    else:
        sentence += "."
    most = int(rows["runs"].max())
    return f"{sentence} {in_band(most, REPETITION) if most > 1 else 'One repetition each.'}"


def _reached(rows: pd.DataFrame, column: str) -> str:
    if rows.empty:
        return ""
    low, high = (shown(column)(value) for value in (rows[column].min(), rows[column].max()))
    return f" With {SERIES['constant'].title} it is {low} to {high}."


def _afforded(rows: pd.DataFrame, varied: Effect, column: str) -> str:
    first, last = rows.iloc[0], rows.iloc[-1]
    quantity = "epochs are run" if column == "epoch" else "is the first noise σ₀"
    if first[column] == last[column]:
        return f"{plain(last[column])} {quantity} with each value."
    return (
        f"Within the same ε, {plain(first[column])} {quantity} at "
        f"{written(varied, first['value'])} and {plain(last[column])} at {plain(last['value'], 4)}."
    )
