"""What every accountant certifies for a run: a table, and ε against steps."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from dpcore.accounting import accountants, epsilon_curve, planner
from dpcore.accounting.events import TrainingPlan
from dpcore.figures.canvas import LEGEND, add_scatter, canvas, each
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLACK, BLUE, GREEN, ORANGE, SKY, VERMILLION, YELLOW, Look
from dpcore.progress import Progress, silent
from dpcore.words import at_most, listed, spaced

if TYPE_CHECKING:
    import pandas as pd

HEIGHT = 380
LINES = {
    "pld": Look(BLUE, SKY, "solid", "circle"),
    "rdp": Look(GREEN, GREEN, "dash", "square"),
    "tcdp": Look(BLACK, YELLOW, "dashdot", "diamond"),
    "printed": Look(VERMILLION, ORANGE, "dot", "x"),
}
SHORT = {"pld": "PLD", "rdp": "Rényi", "tcdp": "tCDP with all conditions", "printed": "as printed"}
CERTIFIED = ("pld", "rdp", "tcdp")
WIDE = 50.0
"""Lines whose ends are further apart than this factor are drawn on a logarithmic axis."""
POINTS, FEW_POINTS, MANY_LEVELS = 24, 6, 50


def guarantees(training: TrainingPlan, progress: Progress = silent) -> pd.DataFrame:
    """ε of the run by every accountant, or why it has none."""
    import pandas as pd

    rows: list[dict[str, object]] = []
    for position, (key, accountant) in enumerate(accountants.ACCOUNTANTS.items()):
        progress(position / len(accountants.ACCOUNTANTS), accountant.title)
        guarantee = planner.spent(training, key)
        rows.append(
            {
                "accountant": accountant.title,
                "ε": guarantee.epsilon,
                "δ": training.delta,
                "adjacency": str(guarantee.adjacency),
                "why not": guarantee.reason,
                "source": accountant.source,
            }
        )
    return pd.DataFrame(rows)


def covering(training: TrainingPlan, *, is_compared: bool) -> list[str]:
    """The curves of ε against steps that there are for the run; paper 003's where compared.

    The paper's is of one run, and not beside those of several.
    """
    # Its first step decides whether there is a theorem. That of tCDP is about fixed-size batches.
    first = replace(training, steps=1).event()
    return [
        kind
        for kind in epsilon_curve.CURVES
        if (
            is_compared and training.chosen_of == 1
            if kind == "printed"
            else not accountants.refusal(first, training.adjacency, kind)
        )
    ]


def along(training: TrainingPlan, kinds: list[str], progress: Progress = silent) -> pd.DataFrame:
    """ε against steps by these curves, on fewer points where the noise has many levels."""
    points = FEW_POINTS if training.levels > MANY_LEVELS else POINTS
    return epsilon_curve.epsilon_curve(training, kinds, points, progress)


def spending(table: pd.DataFrame, *, dark: bool = False) -> Drawn:
    """ε against steps, one line per accountant."""
    figure = canvas(HEIGHT, dark, legend=LEGEND)
    finite = table[table["epsilon"].notna()]
    finite = finite[finite["epsilon"].map(math.isfinite)]
    for curve, look in LINES.items():
        rows = finite[finite["curve"] == curve]
        if rows.empty:
            continue
        add_scatter(
            figure,
            x=rows["steps"],
            y=rows["epsilon"],
            name=rows["title"].iloc[0],
            mode="lines+markers",
            line={"color": look.on(dark), "dash": look.dash, "width": 2},
            marker={"symbol": look.marker, "size": 6},
            hovertext=[
                f"{spaced(row['steps'])} steps: ε = {at_most(row['epsilon'])}<br>δ = "
                f"{at_most(row['delta'])} · {row['adjacency']}<br>{row['accountant']} · "
                f"{row['status']}"
                for row in each(rows)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    last = int(table["steps"].max())
    final = finite[finite["steps"] == last]
    ends = dict(zip(final["curve"].map(str), final["epsilon"].map(float), strict=True))
    figure.update_xaxes(title="steps", range=[0, last * 1.02], automargin=True)
    figure.update_yaxes(title="ε spent", automargin=True, **_axis(finite, ends))
    alt = f"ε spent over {spaced(last)} steps. At the end: " + (
        listed([f"{SHORT[curve]} {at_most(ends[curve])}" for curve in LINES if curve in ends])
        or "no finite ε"
    )
    return Drawn(figure, _words(ends, last), f"{alt}.")


def _axis(finite: pd.DataFrame, ends: dict[str, float]) -> dict[str, object]:
    positive = finite.loc[finite["epsilon"] > 0.0, "epsilon"]
    if positive.empty:
        return {"range": [0.0, 1.0]}
    top = float(positive.max())
    if min(ends.values(), default=top) * WIDE < max(ends.values(), default=top):
        low = max(float(positive.min()), 1e-4 * top)
        return {
            "type": "log",
            "range": [math.log10(low / 1.3), math.log10(top * 1.3)],
        }
    return {"range": [0.0, top * 1.05]}


def _words(ends: dict[str, float], last: int) -> str:
    certified = {curve: ends[curve] for curve in CERTIFIED if curve in ends}
    if not certified:
        return "No accountant here certifies a finite ε for these settings."
    best = min(certified, key=certified.__getitem__)
    sentence = (
        f"After {spaced(last)} steps the certified ε is {at_most(certified[best])} ({SHORT[best]})"
    )
    if "printed" in ends:
        # No ratio: the formula speaks of replace-one, the certified lines of the run's adjacency.
        sentence += (
            f"; paper 003's printed formula, a claim about one record replaced, says "
            f"{at_most(ends['printed'])}"
        )
    return sentence + "."
