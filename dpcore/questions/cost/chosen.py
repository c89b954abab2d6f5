"""Small figures at the one chosen ε: accuracy or error a method, and cases in 1,000 patients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpcore.figures.canvas import LEGEND, add_rule, add_scatter, canvas, each
from dpcore.figures.curves import NO_PRIVACY, PROVED, ReferenceLine, guarantee_of, name_of
from dpcore.figures.drawn import Drawn
from dpcore.figures.escape import literal
from dpcore.figures.quality import ACCURACY, Quality
from dpcore.figures.style import NEUTRAL, look
from dpcore.questions.cost.words import rough_count
from dpcore.words import capitalised, listed, plain, spaced

ROW = 38


def best_first(rows: pd.DataFrame, quality: Quality) -> pd.DataFrame:
    """Rows of methods in the order in which they are drawn: the proved ones, best first."""
    rows = rows.assign(proved=rows["status"] == PROVED)
    return rows.sort_values(["proved", quality.column], ascending=[False, not quality.share])


def accuracy(
    rows: pd.DataFrame,
    references: Sequence[ReferenceLine],
    *,
    titles: Mapping[str, str],
    quality: Quality = ACCURACY,
    dark: bool = False,
) -> Drawn:
    """Draw every method at one ε, each with its 90 % band: the proved ones, best first."""
    column, low, high = quality.column, f"{quality.column}_low", f"{quality.column}_high"
    private = best_first(rows[(rows["method"] != NO_PRIVACY) & rows[column].notna()], quality)
    figure = canvas(70 + ROW * max(1, len(private)), dark, keeps_zoom=False)
    losses: list[tuple[float, str]] = []
    unproved: list[tuple[float, str]] = []
    for row in each(private):
        style = look(row["method"])
        name = name_of(rows, row["method"], row["edition"], titles)
        colour = style.on(dark)
        band = {
            "type": "data",
            "symmetric": False,
            "array": [row[high] - row[column]],
            "arrayminus": [row[column] - row[low]],
            "color": colour,
            "thickness": 2,
            "width": 5,
        }
        add_scatter(
            figure,
            x=[row[column]],
            y=[name],
            mode="markers",
            showlegend=False,
            marker={"symbol": style.symbol(row["edition"]), "size": 11, "color": colour},
            error_x=band if pd.notna(row[low]) else None,
            hovertemplate=f"<b>{name}</b> {quality.shown(row[column])}<br>"
            f"{guarantee_of(row)}<extra></extra>",
        )
        if references:
            difference = quality.difference(row[column], references[0].value)
            entry = (-quality.good(difference), f"{name} {quality.signed(difference)}")
            (losses if row["proved"] else unproved).append(entry)
    for reference in references:
        add_rule(figure, x=reference.value, color=NEUTRAL, dash=reference.dash, width=1.5)
    ends = [*private[high].dropna(), *private[column], *(r.value for r in references)]
    figure.update_xaxes(
        range=[0.0, 1.02 if quality.share else 1.05 * max(ends, default=1.0)],
        tickformat=".0%" if quality.percent else None,
        automargin=True,
        zeroline=False,
    )
    figure.update_yaxes(autorange="reversed", automargin=True, type="category")
    unit = "in points" if quality.percent else f"in {quality.name}"
    if not losses and not unproved:
        sentence = "No private method has a result here yet."
    else:
        parts = [
            f"{words}{listed([entry for _, entry in sorted(entries)])}"
            for words, entries in (("", losses), ("not proved here: ", unproved))
            if entries
        ]
        sentence = (
            f"{_at(private)}, {unit} against the model without privacy, the least loss first: "
            f"{'; '.join(parts)}."
        )
    return Drawn(figure, sentence, f"{quality.title} of each method. {sentence}")


def _at(rows: pd.DataFrame) -> str:
    epsilons = sorted(set(rows["epsilon"]))
    return f"At ε = {listed([plain(float(epsilon)) for epsilon in epsilons])}"


@dataclass(frozen=True)
class Cases:
    """The cases that one model misses and sees where there are none."""

    name: str
    missed: float
    false: float


def patients(
    rows: pd.DataFrame,
    references: Sequence[Cases],
    *,
    titles: Mapping[str, str],
    positive: str,
    negative: str,
    records_are: str,
    ill: float,
    test_records: int,
    dark: bool = False,
) -> Drawn:
    """Missed and false cases among 1,000 records, a bar of each for every method."""
    private = rows[(rows["method"] != NO_PRIVACY) & rows["missed_per_1000"].notna()]
    bars = [*references]
    for row in each(private):
        name = name_of(rows, row["method"], row["edition"], titles)
        bars.append(Cases(name, row["missed_per_1000"], row["false_per_1000"]))
    missed, false = (np.array([getattr(bar, kind) for bar in bars]) for kind in ("missed", "false"))
    most = max([*missed, *false], default=0.0)
    ill_are, well_are = literal(positive), literal(negative)
    figure = canvas(
        110 + 52 * max(1, len(bars)),
        dark,
        right=30,
        keeps_zoom=False,
        barmode="group",
        legend=LEGEND,
    )
    for values, words, pattern, colour in (
        (missed, f"missed: {ill_are} taken for {well_are}", "", look("outpert")),
        (false, f"false alarm: {well_are} taken for {ill_are}", "/", look("opera")),
    ):
        figure.add_bar(
            x=values,
            y=[bar.name for bar in bars],
            orientation="h",
            name=words,
            text=[f"{value:.0f}" for value in values],
            textposition="outside",
            cliponaxis=False,
            marker={"color": colour.on(dark), "pattern": {"shape": pattern}},
            hovertemplate=f"%{{y}}: %{{x:.0f}} of 1 000 {words}<extra></extra>",
        )
    figure.update_xaxes(
        range=[0, max(500.0, 1.15 * most)],
        title=f"of 1 000 {records_are}",
        automargin=True,
        zeroline=False,
    )
    figure.update_yaxes(autorange="reversed", automargin=True)

    def counted(count: float, most: float) -> str:
        between = rough_count(count, most, test_records)
        return f"about {count:.0f} [{between}]" if between else f"{count:.0f}"

    counts = [
        f" {capitalised(bar.name)} misses {counted(bar.missed, ill)} of them and raises "
        f"{counted(bar.false, 1000.0 - ill)} false alarms."
        for bar in bars
    ]
    beginning = "Of" if rows.empty else f"{_at(rows)}, of"
    sentence = (
        f"{beginning} 1 000 {records_are} like the test records, {ill:.0f} are cases of {positive}."
        f"{''.join(counts)}"
        if counts
        else "No method has a result here yet."
    )
    if "[" in sentence:
        sentence += (
            f" In brackets: what it may be on new records, judged from {spaced(test_records)} test "
            "records (95 % interval); the noise adds to that."
        )
    return Drawn(figure, sentence, sentence)
