"""The noise of releases that share a budget: in words, to take along, and drawn against ε."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpcore.accounting.answers import BudgetSplit, ladder
from dpcore.figures.canvas import LEGEND, add_curve, add_rule, axis, canvas, each
from dpcore.figures.drawn import Drawn
from dpcore.figures.style import BLUE, GREEN, NEUTRAL, ORANGE, PURPLE, SKY, VERMILLION, Look
from dpcore.guarantee import PrivacyBudget
from dpcore.questions.lines import joined
from dpcore.questions.plan.figure import around_one
from dpcore.words import at_most, plain, spaced

if TYPE_CHECKING:
    import pandas as pd

DIGITS = 4


def releases(budget_split: BudgetSplit, budget: PrivacyBudget) -> str:
    """The noise of equal releases in their own unit, in one sentence."""
    sigma, count = budget_split.portions[0].sigma, len(budget_split.portions)
    many = "One release needs" if count == 1 else f"Each of {spaced(count)} releases needs"
    return f"{many} noise σ = {at_most(sigma, DIGITS)} to keep ε = {plain(budget.epsilon)}."


def command(budget: PrivacyBudget, releases: int, sensitivity: float) -> str:
    """The command line that gives the noise of equal releases."""
    return joined(
        "python -m dpcore split",
        f"--epsilon {budget.epsilon}",
        f"--delta {budget.delta}",
        f"--releases {releases}",
        f"--sensitivity {sensitivity}",
    )


def snippet(budget: PrivacyBudget, releases: int, sensitivity: float) -> str:
    """Python that gives the noise of equal releases, in units of the release."""
    return "\n".join(
        [
            "import dpcore",
            "",
            "statement = dpcore.account(",
            f'    [{{"kind": "release", "count": {releases}, "share": 1}}],',
            f"    epsilon={budget.epsilon!r},",
            f"    delta={budget.delta!r},",
            ")",
            f"print({sensitivity!r} * statement.entries[0].noise)",
            "",
        ]
    )


HEIGHT = 280
LOOKS = {
    "classical": Look(VERMILLION, ORANGE, "dash", "square"),
    "zcdp": Look(PURPLE, PURPLE, "longdash", "triangle-up"),
    "rdp": Look(GREEN, GREEN, "dashdot", "diamond"),
    "analytic": Look(BLUE, SKY, "solid", "circle"),
}
"""What is drawn: one Gaussian costs as much by tCDP as by zCDP, and by PLD as exactly."""
TITLES = {
    "classical": "Classical Gaussian",
    "zcdp": "zCDP and tCDP",
    "rdp": "Rényi",
    "analytic": "Analytic Gaussian and PLD",
}
MARKS = (1, 2, 5)
MAX_EPSILON = 1000.0


def ladder_curve(epsilon: float, delta: float, sensitivity: float, releases: int) -> pd.DataFrame:
    """The noise of every mechanism for all releases together, from ε/4 to 4 ε.

    As many Gaussian releases spend together what one spends that a person moves by √releases Δ.
    """
    import pandas as pd

    rows = [
        {
            "mechanism": row["mechanism"],
            "epsilon": each,
            "sigma": row["claim"]["sigma"],
            "status": "proved" if row["sigma"] is not None else "conditions not met",
            "reason": " ".join(
                condition["why"] for condition in row["conditions"] if not condition["met"]
            ),
            "delta": delta,
            "certified_epsilon": row["certified_epsilon"],
            "by": row["theorem"],
        }
        for each in (epsilon * factor for factor in around_one(4.0))
        if each <= max(epsilon, MAX_EPSILON)
        for row in ladder(each, delta, math.sqrt(releases) * sensitivity)
    ]
    return pd.DataFrame(rows)


def sigmas(table: pd.DataFrame, epsilon: float, *, dark: bool = False) -> Drawn:
    """σ against ε, one line per mechanism; markers are open where its theorem does not apply."""
    figure = canvas(
        HEIGHT,
        dark,
        legend=LEGEND,
        xaxis=axis("ε of all releases", type="log", **_ticks(table["epsilon"])),
        yaxis=axis("noise σ", type="log", **_ticks(table["sigma"])),
    )
    for mechanism, look in LOOKS.items():
        rows, title = table[table["mechanism"] == mechanism], TITLES[mechanism]
        hover = [
            f"{title}: σ = {at_most(row['sigma'], 5)}<br>for ε = {at_most(row['epsilon'])}, "
            f"δ = {at_most(row['delta'])}, adjacency that of Δ<br>{row['by']} · {row['status']}"
            for row in each(rows)
        ]
        add_curve(
            figure, rows["epsilon"], rows["sigma"], look, hover, size=7, dark=dark, name=title
        )
        figure.data[-1].marker.symbol = [
            look.marker if status == "proved" else f"{look.marker}-open"
            for status in rows["status"]
        ]
    add_rule(figure, x=epsilon, color=NEUTRAL, width=1, dash="dot")
    here = table[(table["epsilon"] == epsilon) & table["mechanism"].isin(LOOKS)]
    told = [
        f"{TITLES[str(row['mechanism'])]} {at_most(row['sigma'], DIGITS)}"
        + ("" if row["status"] == "proved" else " (nothing is proved)")
        for row in each(here.sort_values("sigma"))
    ]
    sentence = f"Noise σ at ε = {plain(epsilon)}, least first: {', '.join(told)}."
    return Drawn(figure, sentence, f"Noise against ε, one line per mechanism. {sentence}")


def _ticks(values: pd.Series) -> dict[str, object]:
    """1, 2 and 5 times the powers of ten within the values."""
    low, high = float(values.min()), float(values.max())
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [mark * 10.0**power for power in powers for mark in MARKS]
    shown = [tick for tick in ticks if low / 1.5 <= tick <= 1.5 * high]
    return {"tickvals": shown, "ticktext": [plain(tick) for tick in shown]}
