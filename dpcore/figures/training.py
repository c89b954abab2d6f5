"""A training's figures: how it learns, how its noise and its ε run, and what cost accuracy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dpcore.figures.drawn import Drawn
from dpcore.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    NEUTRAL,
    ORANGE,
    PURPLE,
    SKY,
    VERMILLION,
    YELLOW,
    Look,
    faded,
    ink,
)
from dpcore.figures.words import listed, percent, plain, points

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

HEIGHT = 300
TITLES = {
    "private": "as set",
    "constant": "constant σ",
    "nonprivate": "no privacy",
    "clipped": "clipping only",
    "noisy": "noise only",
}
LOOKS = {
    "private": Look(BLUE, SKY, "solid", "circle"),
    "constant": Look(VERMILLION, ORANGE, "dash", "square"),
    "nonprivate": Look(BLACK, YELLOW, "dot", "x"),
    "clipped": Look(GREEN, GREEN, "dashdot", "diamond"),
    "noisy": Look(PURPLE, PURPLE, "longdash", "triangle-up"),
}
AXES = {
    "accuracy_test": "Accuracy on test records",
    "auc_test": "AUC on test records",
    "loss_train": "Loss on the batches seen",
    "sigma": "Noise σ on the sum",
    "epsilon": "ε spent",
}
SHARES = ("accuracy_test",)
SMALLEST_BAND, ROOM = 0.15, 0.03
FEW_POINTS = 60
"""Up to so many epochs each has a marker of its own."""


def shown(column: str) -> Callable[[float], str]:
    """How a value of the column is written."""
    return percent if column in SHARES else plain


def learning(table: pd.DataFrame, column: str, *, epochs: int, dark: bool = False) -> Drawn:
    """A metric or the loss against the epoch, one line a series, with its band over runs.

    Parameters
    ----------
    table : pandas.DataFrame
        From `dpcore.evaluation.comparison.averaged`.
    column : str
        "accuracy_test", "auc_test" or "loss_train".
    epochs : int
        Of the whole run: the axis does not move while it trains.
    dark : bool
        Whether it is drawn on a dark ground.
    """
    figure = _against_epochs(column, epochs, _range(table, column), dark)
    if column in SHARES:
        figure.update_yaxes(tickformat=".0%")
    last = []
    for series, rows in _series(table, column):
        _band(figure, series, rows, column, dark)
        _line(figure, series, rows, column, dark)
        last.append((series, int(rows["epoch"].iloc[-1]), float(rows[column].iloc[-1])))
    if not last:
        return Drawn(figure, "The lines come as it trains.", f"{AXES[column]}: nothing yet.")
    reached = max(epoch for _, epoch, _ in last)
    told = listed([f"{TITLES[series]} {shown(column)(value)}" for series, _, value in last])
    state = "At the end" if reached == epochs else f"After epoch {reached:,} of {epochs:,}"
    sentence = f"{state}: {told}."
    if "runs" in table and int(table["runs"].max()) > 1:
        sentence += f" Means over {int(table['runs'].max())} runs; nine of ten lie in the band."
    return Drawn(figure, sentence, f"{AXES[column]} against the epoch. {sentence}")


def course(
    table: pd.DataFrame,
    column: str,
    *,
    epochs: int,
    reached: int | None = None,
    dark: bool = False,
) -> Drawn:
    """σ or the certified ε at the end of each epoch, known before training; where it is now.

    Parameters
    ----------
    table : pandas.DataFrame
        From `dpcore.evaluation.comparison.course`.
    column : str
        "sigma" or "epsilon".
    epochs : int
    reached : int, optional
        Epochs trained so far; ``None`` where the whole run is meant.
    dark : bool
        Whether it is drawn on a dark ground.
    """
    known = table[table[column].notna()]
    top = float(known[column].max()) if len(known) else 1.0
    figure = _against_epochs(column, epochs, (0.0, 1.08 * top), dark)
    rows_of = dict(_series(known, column))
    for series, rows in rows_of.items():
        _line(figure, series, rows, column, dark)
    if reached:
        figure.add_vline(x=reached, line={"color": ink(dark) or "#9AA7B4", "dash": "dot"})
    said = []
    for series, rows in rows_of.items():
        first, last = float(rows[column].iloc[0]), float(rows[column].iloc[-1])
        said.append(f"{TITLES[series]}: {_moved(first, last)}")
    if not said:
        return Drawn(figure, "No finite ε is certified here.", f"{AXES[column]}: none.")
    sentence = f"{'Noise' if column == 'sigma' else 'Certified ε'} {'; '.join(said)}."
    now = rows_of.get("private")
    if reached and now is not None and reached < epochs:
        here = now.loc[now["epoch"] == reached, column]
        if len(here):
            sentence += f" After epoch {reached:,} it is {plain(float(here.iloc[0]))}."
    return Drawn(figure, sentence, f"{AXES[column]} against the epoch. {sentence}")


def _moved(first: float, last: float) -> str:
    if math.isclose(first, last, rel_tol=1e-9):
        return f"{plain(last)} throughout"
    return f"{plain(first)} after the first epoch, {plain(last)} after the last"


def why(table: pd.DataFrame, column: str, *, dark: bool = False) -> Drawn:
    """Where training ended with clipping only, noise only and both: means, and a dot a run.

    Parameters
    ----------
    table : pandas.DataFrame
        From `dpcore.evaluation.comparison.last`: one row a series and run.
    column : str
        "accuracy_test" or "auc_test".
    dark : bool
        Whether it is drawn on a dark ground.
    """
    figure = go.Figure()
    means: dict[str, float] = {}
    ends = dict(_series(table, column))
    for series, name in WHY_TITLES.items():
        if series not in ends:
            continue
        rows, look = ends[series], LOOKS[series]
        means[series] = float(rows[column].mean())
        figure.add_scatter(
            x=[name] * len(rows),
            y=rows[column],
            mode="markers",
            marker={"symbol": look.marker, "color": faded(look.on(dark), 0.45), "size": 8},
            customdata=rows["run"],
            hovertemplate=f"{name}, run %{{customdata}}: %{{y:.4f}}<extra></extra>",
        )
        figure.add_scatter(
            x=[name],
            y=[means[series]],
            mode="markers",
            marker={"symbol": "line-ew-open", "color": look.on(dark), "size": 44, "line_width": 4},
            hovertemplate=f"{name}, mean of {len(rows)} runs: %{{y:.4f}}<extra></extra>",
        )
    if "nonprivate" in means:
        figure.add_hline(y=means["nonprivate"], line={"color": NEUTRAL, "dash": "dot"})
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 8, "r": 12, "t": 8, "b": 8},
        showlegend=False,
        uirevision="kept",
    )
    figure.update_xaxes(
        type="category",
        range=[-0.5, len(WHY_TITLES) - 0.5],
        categoryarray=list(WHY_TITLES.values()),
        tickvals=list(WHY_TITLES.values()),
        ticktext=[
            f"{name}<br>{shown(column)(means[series]) if series in means else '…'}"
            for series, name in WHY_TITLES.items()
        ],
        tickfont={"color": ink(dark), "size": 14},
    )
    figure.update_yaxes(
        title={"text": AXES[column], "font": {"color": ink(dark)}},
        range=list(_range(table, column)),
        tickformat=".0%" if column in SHARES else None,
        tickfont={"color": ink(dark)},
        automargin=True,
    )
    sentence = _blame(means, column)
    return Drawn(figure, sentence, f"What cost {METRICS[column]}. {sentence}")


WHY_TITLES = {
    "nonprivate": "No privacy",
    "clipped": "Clipping only",
    "noisy": "Noise only",
    "private": "Both (as set)",
}
METRICS = {"accuracy_test": "accuracy", "auc_test": "AUC"}


def lost(means: float, reference: float, column: str) -> str:
    """A difference to the reference, in points for shares of records, else as a number."""
    difference = means - reference
    if column in SHARES:
        return f"{points(difference)} points"
    return ("+" if difference > 0.0 else "") + plain(difference, 2)


def _blame(means: dict[str, float], column: str) -> str:
    if "nonprivate" not in means or len(means) < 2:
        return "The points come as their runs end."
    reference = means["nonprivate"]
    words = {"clipped": "clipping alone", "noisy": "noise alone", "private": "both together"}
    parts = [
        f"{words[series]} {lost(value, reference, column)}"
        for series, value in means.items()
        if series in words
    ]
    said = f"Against {shown(column)(reference)} without privacy: {listed(parts)}."
    if "clipped" in means and "noisy" in means:
        clipping, noise = reference - means["clipped"], reference - means["noisy"]
        if max(clipping, noise) > 0.005:
            more = "clipping" if clipping > noise else "noise"
            said += f" The larger part is {more}."
    return said


def _series(table: pd.DataFrame, column: str) -> list[tuple[str, pd.DataFrame]]:
    """Rows of each series that has values, in the order of `LOOKS`."""
    if column not in table:
        return []
    known = table[table[column].notna()]
    parts = [(series, known[known["series"] == series]) for series in LOOKS]
    return [(series, rows) for series, rows in parts if len(rows)]


def _range(table: pd.DataFrame, column: str) -> tuple[float, float]:
    """The ends of the vertical axis: they hold the second half of each line, and the first loss."""
    values = [
        float(value)
        for _, rows in _series(table, column)
        for value in rows[column].iloc[len(rows) // 2 :]
        if math.isfinite(value)
    ]
    if column == "loss_train":
        starts = [float(rows[column].iloc[0]) for _, rows in _series(table, column)]
        return 0.0, 1.1 * max([*values, *starts], default=1.0)
    low = min(values, default=0.0) - SMALLEST_BAND
    return max(0.0, math.floor(20.0 * low) / 20.0), 1.0 + ROOM


def _against_epochs(column: str, epochs: int, ends: tuple[float, float], dark: bool) -> go.Figure:
    figure = go.Figure()
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 8, "r": 12, "t": 8, "b": 8},
        hovermode="closest",
        uirevision="kept",
        showlegend=True,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "font": {"size": 13}},
    )
    figure.update_xaxes(
        title={"text": "epoch", "font": {"color": ink(dark)}},
        range=[0, epochs * 1.02],
        tickfont={"color": ink(dark)},
        automargin=True,
        zeroline=False,
    )
    figure.update_yaxes(
        title={"text": AXES[column], "font": {"color": ink(dark)}},
        range=list(ends),
        tickfont={"color": ink(dark)},
        automargin=True,
        zeroline=False,
    )
    return figure


def _line(figure: go.Figure, series: str, rows: pd.DataFrame, column: str, dark: bool) -> None:
    look = LOOKS[series]
    figure.add_scatter(
        x=rows["epoch"],
        y=rows[column],
        name=TITLES[series],
        legendgroup=series,
        mode="lines+markers" if len(rows) <= FEW_POINTS else "lines",
        line={"color": look.on(dark), "dash": look.dash, "width": 2.5},
        marker={"symbol": look.marker, "size": 6, "color": look.on(dark)},
        hovertext=[_hover(series, row, column) for _, row in rows.iterrows()],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _hover(series: str, row: pd.Series, column: str) -> str:
    said = f"<b>{TITLES[series]}</b>, epoch {row['epoch']:,}<br>{shown(column)(row[column])}"
    if column == "sigma":
        said += f" after {row['steps']:,} steps"
    low, high = f"{column}_low", f"{column}_high"
    if low in row and row[low] < row[high]:
        said += f"<br>90 % of single runs: {shown(column)(row[low])} to {shown(column)(row[high])}"
    return said + f"<br>{spent(row)}"


def spent(row: pd.Series) -> str:
    """ε so far with δ, adjacency and accountant; or that nothing is promised."""
    epsilon = row.get("epsilon")
    if epsilon is None or not math.isfinite(epsilon):
        return "no privacy: nothing is certified"
    return (
        f"ε = {plain(epsilon)} so far · δ = {plain(row['delta'])} · {row['adjacency']} · "
        f"{row['accountant']}"
    )


def _band(figure: go.Figure, series: str, rows: pd.DataFrame, column: str, dark: bool) -> None:
    low, high = f"{column}_low", f"{column}_high"
    if low not in rows or not bool((rows[low] < rows[high]).any()):
        return
    figure.add_scatter(
        x=[*rows["epoch"], *rows["epoch"][::-1]],
        y=[*rows[high], *rows[low][::-1]],
        fill="toself",
        fillcolor=faded(LOOKS[series].on(dark), 0.14),
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
        legendgroup=series,
    )
