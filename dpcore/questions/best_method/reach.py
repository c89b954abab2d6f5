"""The best sound method at each ε, and the least ε for a target accuracy or error.

Choosing among methods by their measures looks at the data, like every curve on a page of real
records: the frontier is for planning, and no release's hyper-parameter may come from it for free.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.accounting.risk import largest_advantage
from dpcore.evaluation.at_epsilon import crossing
from dpcore.evaluation.scoring import ACCURACY, Metric
from dpcore.guarantee import PrivacyBudget, Status

if TYPE_CHECKING:
    import pandas as pd

SAME = 0.001
"""Share of a measure's span by which a mean may fall short of the best and count as good as it."""


def best_rows(table: pd.DataFrame, measure: Metric = ACCURACY) -> pd.DataFrame:
    """One row an ε: the method that is proved there and has the best mean.

    Of those that are as good, within `SAME`, it is the one whose noise allows the fewest right
    guesses. Only ε at which every method of the table has a curve: elsewhere one may be best
    because the others were not tried.
    """
    complete = table.groupby("epsilon")["method"].transform("nunique") == table["method"].nunique()
    good = measure.sign * table[measure.column]
    proved = complete & (table["status"] == str(Status.PROVED)) & good.notna()
    rows = table[proved].assign(good=good[proved])
    lost = rows.groupby("epsilon")["good"].transform("max") - rows["good"]
    rows = rows[lost <= SAME * measure.span]
    revealed = [_advantage(row) for _, row in rows.iterrows()]
    best: pd.DataFrame = (
        rows.assign(revealed=revealed)
        .sort_values(["epsilon", "revealed", "good"], kind="stable", ascending=[True, True, False])
        .groupby("epsilon")
        .head(1)
    )
    return best.drop(columns=["good", "revealed"]).reset_index(drop=True)


def _advantage(row: pd.Series) -> float:
    """The most that a row's proved guarantee, or its own noise where known, allows to tell."""
    noise = row.get("noise_advantage", math.nan)
    budget = PrivacyBudget(float(row["epsilon"]), float(row["delta"]))
    return largest_advantage(budget, None if math.isnan(noise) else float(noise))


@dataclass(frozen=True)
class Reach:
    """The ε from which on an accuracy, or an error, is reached."""

    target: float
    epsilon: float | None  # least ε of the grid from which on the mean is never worse
    lucky: float | None  # the same for the better end of the 90 % band of single runs
    safe: float | None  # and for the worse end
    method: str  # best at `epsilon`; "" where there is none
    best: float  # mean on the frontier, nan if it is empty


def reach(best: pd.DataFrame, target: float, measure: Metric = ACCURACY) -> Reach:
    """The ε from which on `best_rows` reach an accuracy, or an error, for good."""
    name = measure.column
    better, worse = ("high", "low") if measure.sign > 0.0 else ("low", "high")
    mean = crossing(best, name, target, measure.sign)
    at = best[best["epsilon"] == mean]
    method = "" if mean is None else str(at["method"].iloc[0])
    return Reach(
        target=target,
        epsilon=mean,
        lucky=crossing(best, f"{name}_{better}", target, measure.sign),
        safe=crossing(best, f"{name}_{worse}", target, measure.sign),
        method=method,
        best=measure.sign * float((measure.sign * best[name]).max()) if len(best) else math.nan,
    )


def records_needed(records: int, reached: float, wanted: float, power: int = 1) -> int:
    """About how many records a smaller ε would take: noise counts against n·ε, or √n·ε.

    A planning estimate, at one δ and one λ.
    """
    return max(records, math.ceil(records * (reached / wanted) ** power))
