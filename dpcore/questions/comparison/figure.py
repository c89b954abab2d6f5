"""What privacy costs a network: clipping and noise apart, as parts of a bar and as trainings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.figures.canvas import add_rule, add_scatter, canvas
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import NEUTRAL, faded
from dpcore.guarantee import Status
from dpcore.questions.comparison.words import QUALITIES, Compared, effect, in_words, parted
from dpcore.questions.cost.two_parts import Cost, bars
from dpcore.questions.training.series import (
    AXES,
    HEIGHT,
    METRICS,
    SERIES,
    SHARES,
    ends_of_axis,
    lost,
    of_each,
    shown,
)
from dpcore.words import listed, spaced

if TYPE_CHECKING:
    import pandas as pd

ABLATION_TITLES = {
    "nonprivate": "No privacy",
    "clipped": "Clipping only",
    "noisy": "Noise only",
    "private": "Both (your settings)",
}


def cost(compared: Compared | None, column: str, *, waits: str, dark: bool = False) -> Drawn:
    """What clipping and noise take of a metric, as the two parts of one bar."""
    known, quality = parted(compared, column), QUALITIES[column]
    drawn = bars({"": known} if known else {}, quality, dark=dark)
    sentence = waits
    if known and compared:
        after = "" if compared.epoch is None else f", after epoch {spaced(compared.epoch)}"
        lost = known.difference(known.value, known.baseline)
        sentence = (
            f"{effect('Privacy', lost, known)} {quality.unit} against "
            f"{quality.shown(known.baseline)} without it{after}: {in_words(known)}."
        )
        if max(known.changes.values()) > 0.0:
            sentence += " A gain may be chance."
    return replace(
        drawn, sentence=sentence, alt=f"What privacy costs in {METRICS[column]}: {sentence}"
    )


def cost_table(cost: Cost, column: str, status: str) -> pd.DataFrame:
    """The trainings behind the bar: a row each, its mean, and its change from the row before."""
    import pandas as pd

    clipping, noise = cost.changes.values()
    others = str(Status.NOT_PRIVATE)
    return pd.DataFrame(
        [
            ("No clipping, no noise", cost.baseline, None, others),
            ("Clipping, no noise", cost.noiseless, clipping, others),
            ("Clipping and noise (your settings)", cost.value, noise, status),
        ],
        columns=["training", column, "change as shown", "status"],
    )


def ablation(table: pd.DataFrame, column: str, *, dark: bool = False) -> Drawn:
    """Where training ended with clipping only, noise only and both: means, and a dot a run."""
    figure = canvas(HEIGHT, dark, showlegend=False)
    means: dict[str, float] = {}
    ends = dict(of_each(table, column))
    for series, name in ABLATION_TITLES.items():
        if series not in ends:
            continue
        rows, look = ends[series], SERIES[series].look
        means[series] = float(rows[column].mean())
        add_scatter(
            figure,
            x=[name] * len(rows),
            y=rows[column],
            mode="markers",
            marker={"symbol": look.marker, "color": faded(look.on(dark), 0.45), "size": 8},
            customdata=rows["run"],
            hovertemplate=f"{name}, repetition %{{customdata}}: %{{y:.4f}}<extra></extra>",
        )
        add_scatter(
            figure,
            x=[name],
            y=[means[series]],
            mode="markers",
            marker={"symbol": "line-ew-open", "color": look.on(dark), "size": 44, "line_width": 4},
            hovertemplate=f"{name}, mean of {len(rows)} repetitions: %{{y:.4f}}<extra></extra>",
        )
    if "nonprivate" in means:
        add_rule(figure, y=means["nonprivate"], color=NEUTRAL, dash="dot")
    figure.update_xaxes(
        type="category",
        range=[-0.5, len(ABLATION_TITLES) - 0.5],
        categoryarray=list(ABLATION_TITLES.values()),
        tickvals=list(ABLATION_TITLES.values()),
        ticktext=[
            # In narrow lines, so that they stand upright on a phone too.
            f"{name.split(' (')[0].replace(' ', '<br>')}<br>"
            + (shown(column)(means[series]) if series in means else "…")
            for series, name in ABLATION_TITLES.items()
        ],
        tickfont={"size": 14},
        tickangle=0,
    )
    figure.update_yaxes(
        title={"text": AXES[column]},
        range=list(ends_of_axis(table, column)),
        tickformat=".0%" if column in SHARES else None,
        automargin=True,
    )
    sentence = _blame(means, column)
    return Drawn(figure, sentence, f"What cost {METRICS[column]}. {sentence}")


def _blame(means: dict[str, float], column: str) -> str:
    if "nonprivate" not in means or len(means) < 2:
        return "The points come as repetitions end."
    reference = means["nonprivate"]
    words = {"clipped": "clipping alone", "noisy": "noise alone", "private": "both together"}
    parts = [
        f"{words[series]} {lost(value, reference, column)}"
        for series, value in means.items()
        if series in words
    ]
    sentence = f"Against {shown(column)(reference)} without privacy: {listed(parts)}."
    if "clipped" in means and "noisy" in means:
        clipping, noise = reference - means["clipped"], reference - means["noisy"]
        if max(clipping, noise) > 0.005:
            more = "clipping" if clipping > noise else "noise"
            sentence += f" The larger part is {more}."
    return sentence
