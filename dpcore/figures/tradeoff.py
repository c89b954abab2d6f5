"""Objective and excess risk against ε."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from dpcore.figures.canvas import add_scatter, each
from dpcore.figures.curves import (
    EPSILON_RANGE,
    ReferenceLine,
    add_references,
    add_series,
    against_epsilon,
    at,
    guarantee_of,
    name_of,
    named,
    series,
)
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import faded, look
from dpcore.figures.words import listed, plain


def objective(
    table: pd.DataFrame,
    references: Sequence[ReferenceLine],
    *,
    titles: Mapping[str, str],
    epsilon: float = 1.0,
    dark: bool = False,
) -> Drawn:
    """Value of the training objective against ε (logarithmic), with the band of a single run."""
    in_range = table["epsilon"] >= EPSILON_RANGE[0]
    values = table.loc[in_range & (table["objective"] > 0), "objective"].dropna()
    # Where a model without noise fits exactly, its objective of 0 has no place on the axis.
    lines = [reference for reference in references if reference.value > 0.0]
    floor = min([*values, *(reference.value for reference in lines)], default=0.1)
    top = min(float(values.max()), 1e4 * floor) if len(values) else 10.0 * floor
    figure = against_epsilon(
        title="Objective (lower fits better)", low=0.8 * floor, high=1.5 * top, log=True, dark=dark
    )
    add_series(figure, table, "objective", titles=titles, shown=plain, dark=dark)
    add_references(figure, lines)
    parts = [
        f"{name} {plain(at(rows, epsilon)['objective'])}"
        for name, _, _, rows in named(table, "objective", titles)
    ]
    best = f"; without privacy it is {plain(references[0].value)}" if references else ""
    sentence = f"At ε = {plain(epsilon)} the objective is: {listed(parts)}{best}." if parts else ""
    return Drawn(
        figure,
        sentence or "No private method is drawn.",
        f"Objective against ε, both logarithmic. {sentence}",
    )


BOUNDS = (
    ("excess_risk_bound_published", "bound from the paper's proof", "dot"),
    ("excess_risk_bound_sound", "bound with the exact Δ", "dash"),
)


def excess_risk(
    table: pd.DataFrame, *, titles: Mapping[str, str], epsilon: float = 1.0, dark: bool = False
) -> Drawn:
    """Measured excess risk under the explicit bounds of the proofs, both logarithmic."""
    columns = ["excess_risk", *(column for column, _, _ in BOUNDS)]
    visible = table[table["epsilon"] >= EPSILON_RANGE[0]]
    values = [
        float(value) for column in columns for value in visible[column].dropna() if value > 0.0
    ]
    low, high = (min(values), max(values)) if values else (0.1, 1.0)
    figure = against_epsilon(
        title="Excess risk (objective above its minimum)",
        low=max(0.5 * low, 1e-9 * high),
        high=2.0 * high,
        log=True,
        dark=dark,
    )
    add_series(figure, table, "excess_risk", titles=titles, shown=plain, dark=dark)
    satisfied = checked = 0
    slack: list[float] = []
    without: list[str] = []
    for method, edition, rows in series(table):
        name = name_of(table, method, edition, titles)
        bounded = False
        for column, words, dash in BOUNDS:
            drawn = rows[rows[column].notna()]
            if drawn.empty:
                continue
            bounded = True
            colour = look(method).on(dark)
            add_scatter(
                figure,
                x=drawn["epsilon"],
                y=drawn[column],
                mode="lines",
                name=f"{name}: {words}",
                line={"color": faded(colour, 0.75), "dash": dash, "width": 1.5},
                customdata=[[guarantee_of(row)] for row in each(drawn)],
                hovertemplate=f"{name}: {words}<br>ε = %{{x:.3g}}: %{{y:.3g}}<br>"
                "%{customdata[0]}<extra></extra>",
            )
            compared = drawn[drawn["excess_risk"] > 0.0]
            checked += len(compared)
            satisfied += int((compared["excess_risk"] <= compared[column]).sum())
            slack.extend(compared[column] / compared["excess_risk"])
        if not bounded and not rows.empty:
            without.append(name)
    if not checked:
        sentence = "No proof behind these methods gives a bound with constants."
    elif satisfied == checked:
        sentence = (
            f"Every measured value lies below its bound; the tightest bound is "
            f"{plain(min(slack), 2)} times what is measured, the loosest {plain(max(slack), 2)}."
        )
    else:
        sentence = f"{checked - satisfied} of {checked} measured values lie above their bound."
    if checked and without:
        sentence += f" No bound with constants: {listed(without)}."
    there = [
        f"{name} {plain(at(rows, epsilon)['excess_risk'])}"
        for name, _, _, rows in named(table, "excess_risk", titles)
    ]
    at_epsilon = f"At ε = {plain(epsilon)} the excess risk is: {listed(there)}." if there else ""
    alt = f"Excess risk against ε, both logarithmic. {at_epsilon} {sentence}"
    return Drawn(figure, at_epsilon or sentence, alt, sentence)
