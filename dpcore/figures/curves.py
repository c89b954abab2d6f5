"""Shared parts of every figure against ε: the axis, the lines with their bands, the hover text.

A table has the columns of `dpcore.evaluation.curves`: one row per (method, edition, ε).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.figures.bands import Row
from dpcore.figures.canvas import (
    LEGEND,
    add_band,
    add_curve,
    add_rule,
    axis,
    canvas,
    each,
    single_runs,
)
from dpcore.figures.style import NEUTRAL, look
from dpcore.guarantee import EDITION_NAMES, STATUS_NAMES
from dpcore.words import place_below, plain

HEIGHT = 430
# From "next to nothing leaks" to "next to no promise"; a wider grid is reached by zooming out.
EPSILON_RANGE = (1e-3, 1e2)
# As `dpcore.guarantee.Status` words them.
PROVED, UNSUPPORTED = "proved", "claim not supported"
NO_PRIVACY = "nonprivate"
LABEL = 0.05  # height of one line of words, as a share of the vertical axis
DETAILS = re.compile(r" \(|[,;] | with | at | on ")
"""Where an accountant's name ends, and how it is used and by whom begins."""
LETTER = 0.024  # width of a letter as a share of the ε axis, on a narrow screen (6 of 250 pixels)


@dataclass(frozen=True)
class ReferenceLine:
    """A horizontal line that does not depend on ε."""

    label: str
    value: float
    dash: str = "dash"
    width: float = 1.5


def series(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """(method, edition, rows sorted by ε) for every private series in the table."""
    private = table[table["method"] != NO_PRIVACY]
    for (method, edition), rows in private.groupby(["method", "edition"], sort=False):
        yield str(method), str(edition), rows.sort_values("epsilon")


def named(
    table: pd.DataFrame, column: str, titles: Mapping[str, str]
) -> Iterator[tuple[str, str, str, pd.DataFrame]]:
    """(display name, method, edition, rows) for every private series with values in `column`."""
    for method, edition, rows in series(table):
        rows = rows[rows[column].notna()]
        if len(rows):
            yield name_of(table, method, edition, titles), method, edition, rows


def name_of(table: pd.DataFrame, method: str, edition: str, titles: Mapping[str, str]) -> str:
    """Display name of a series, with its verdict where the claim behind its ε does not hold."""
    rows = table[table["method"] == method]
    title = titles.get(method, method)
    if rows["edition"].nunique() > 1:
        title = f"{title}, {EDITION_NAMES[edition]}"
    rows = rows[rows["edition"] == edition]
    unsupported = rows.loc[rows["status"] == UNSUPPORTED, "epsilon"]
    if unsupported.empty:
        return title
    first = unsupported.min()
    later = len(unsupported) < len(rows) and (rows["epsilon"] >= first).sum() == len(unsupported)
    return f"{title} ({STATUS_NAMES[UNSUPPORTED]}{f' from ε = {plain(first)} on' if later else ''})"


def guarantee_of(row: Row) -> str:
    """Accountant, adjacency and δ of one row, which belong beside every ε."""
    parts = [f"δ = {plain(float(row['delta']))}", str(row["adjacency"])]
    accountant = row.get("accountant", "")
    if isinstance(accountant, str) and accountant:
        parts.append(accountant)
    return f"{STATUS_NAMES.get(row['status'], row['status'])}: " + " · ".join(parts)


def guarantee_at(model: ModelAtEpsilon) -> str:
    """ε with its verdict, δ, adjacency and accountant."""
    return f"ε = {plain(model.epsilon)}, {guarantee_of(vars(model))}."


def guarantee_in_short(model: ModelAtEpsilon) -> str:
    """δ, adjacency and kind of accountant of a model, where there is room for a few words."""
    parts = [f"δ = {plain(model.delta)}", model.adjacency]
    if not model.is_proved:
        parts.append(STATUS_NAMES.get(model.status, model.status))
    elif model.delta == 0.0:
        parts.append("pure ε")
    elif not model.is_gaussian:
        parts.append(DETAILS.split(model.accountant)[0])
    else:
        parts.append("Gaussian DP")
    return " · ".join(parts)


def decades(low: float, high: float) -> tuple[list[float], list[str]]:
    """Ticks of a logarithmic ε axis, one a decade, and their texts."""
    exponents = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
    values = [10.0**exponent for exponent in exponents]
    return values, [plain(value) for value in values]


def against_epsilon(
    *,
    title: str,
    low: float,
    high: float,
    log: bool = False,
    percent: bool = False,
    dark: bool = False,
) -> go.Figure:
    """An empty figure with the shared ε axis and a fixed vertical range."""
    ticks, texts = decades(1e-9, 1e3)
    epsilons = axis(
        "← more private    ε    less private →",
        type="log",
        range=[math.log10(end) for end in EPSILON_RANGE],
        tickvals=ticks,
        ticktext=texts,
    )
    values = axis(
        title,
        type="log" if log else "linear",
        range=[math.log10(low), math.log10(high)] if log else [low, high],
        tickformat=".0%" if percent else None,
        dtick=1 if log else None,
    )
    return canvas(
        HEIGHT,
        dark,
        hovermode="closest",
        showlegend=True,
        legend=LEGEND,
        fixed=True,
        xaxis=epsilons,
        yaxis=values,
    )


def add_series(
    figure: go.Figure,
    table: pd.DataFrame,
    column: str,
    *,
    titles: Mapping[str, str],
    shown: Callable[[float], str],
    dark: bool,
    band: bool = True,
) -> None:
    """Draw `column` against ε: a line with markers a method, and its band where there is one."""
    for name, method, edition, rows in named(table, column, titles):
        style = look(method)
        low, high = f"{column}_low", f"{column}_high"
        banded = band and low in rows and bool(rows[low].notna().any())
        if banded:
            edges = rows[rows[low].notna() & rows[high].notna()]
            ends = edges["epsilon"], edges[low], edges[high]
            add_band(figure, *ends, style.on(dark), showlegend=False, legendgroup=name, name=name)
        texts = []
        for row in each(rows):
            has_spread = banded and pd.notna(row[low])
            spread = single_runs(row[low], row[high], shown, row) if has_spread else ""
            texts.append(
                f"<b>{name}</b> at ε = {plain(row['epsilon'])}<br>"
                f"{shown(row[column])}{spread}<br>{guarantee_of(row)}"
            )
        marked = replace(style, marker=style.symbol(edition))
        entry = {"name": name, "legendgroup": name}
        add_curve(figure, rows["epsilon"], rows[column], marked, texts, size=7, dark=dark, **entry)


def add_references(figure: go.Figure, references: Iterable[ReferenceLine]) -> None:
    """Draw horizontal lines, each with its label above it, at the end where no curve crosses it."""
    log = figure.layout.yaxis.type == "log"
    low, high = figure.layout.yaxis.range
    label = LABEL * (high - low)
    groups: list[list[tuple[float, str]]] = []
    for reference in sorted(references, key=lambda line: line.value, reverse=True):
        add_rule(
            figure,
            y=reference.value,
            color=NEUTRAL,
            dash=reference.dash,
            width=reference.width,
        )
        # Unlike a line's, an annotation's place on a logarithmic axis is the exponent.
        position = math.log10(reference.value) if log else reference.value
        # Words below a line and words above the next need twice the room.
        room = label if not groups or len(groups[-1]) == 1 else 2.0 * label
        if groups and groups[-1][-1][0] - position < room:
            groups[-1].append((position, reference.label))
        else:
            groups.append([(position, reference.label)])
    for group in groups:
        words = [(group[0][0], "bottom", group[0][1])]
        if group is groups[-1] and len(group) == 1 and _clearer_below(figure, group[0], label, low):
            words = [(group[0][0], "top", group[0][1])]
        if len(group) > 1:
            words.append((group[-1][0], "top", "<br>".join(text for _, text in group[1:])))
        for position, anchor, text in words:
            height = label * (1 + text.count("<br>"))
            band = (
                (position, position + height)
                if anchor == "bottom"
                else (position - height, position)
            )
            left, right = _room(figure, *band)
            side = "left" if left >= right else "right"
            figure.add_annotation(
                text=text,
                xref="x domain",
                x=0.004 if side == "left" else 0.996,
                y=position,
                align=side,
                xanchor=side,
                yanchor=anchor,
                showarrow=False,
            )


def _clearer_below(
    figure: go.Figure, reference: tuple[float, str], label: float, low: float
) -> bool:
    """Whether a label above a line, but not one below it, meets a curve on a narrow screen."""
    place, text = reference
    wide = LETTER * len(text)
    above = max(_room(figure, place, place + label))
    below = max(_room(figure, place - label, place)) if place - label >= low else 0.0
    return above < min(wide, below)


def _room(figure: go.Figure, low: float, high: float) -> tuple[float, float]:
    """How far from the left and from the right end no curve enters a horizontal band."""
    start, end = figure.layout.xaxis.range
    log = figure.layout.yaxis.type == "log"
    crossings = []
    for trace in figure.data:
        if trace.mode != "lines+markers":
            continue
        places = (np.log10(np.asarray(trace.x, dtype=float)) - start) / (end - start)
        values = np.asarray(trace.y, dtype=float)
        values = np.log10(np.maximum(values, 1e-300)) if log else values
        between = np.linspace(max(0.0, places[0]), min(1.0, places[-1]), 400)
        heights = np.interp(between, places, values)
        crossings.extend(between[(heights >= low) & (heights <= high)])
    return (min(crossings), 1.0 - max(crossings)) if crossings else (1.0, 1.0)


def at(rows: pd.DataFrame, epsilon: float) -> pd.Series:
    """The row of the largest ε that is at most `epsilon`; of the smallest, where all are larger."""
    return rows.iloc[place_below(rows["epsilon"].tolist(), epsilon)]


def stand_in_for(computed: float, epsilon: float) -> str:
    """The ε at which something was computed, where that is not the chosen one, in words."""
    how = "nearest below" if computed < epsilon else "lowest above"
    return f"ε = {plain(computed)}, the {how}"
