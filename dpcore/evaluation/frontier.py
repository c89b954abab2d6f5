"""The best sound method at each ε, and the least ε that a wanted accuracy needs.

Choosing among methods by their measured accuracy looks at the data, like every curve on a page of
real records: the frontier is for planning, and no release's hyper-parameter may come from it
unpaid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.guarantee import Status

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "epsilon",
    "method",
    "edition",
    "accuracy",
    "accuracy_low",
    "accuracy_high",
    "delta",
    "adjacency",
    "accountant",
)


def frontier(table: pd.DataFrame) -> pd.DataFrame:
    """One row an ε: the method that is proved there and has the best mean accuracy.

    Only ε at which every method of the table has a curve: elsewhere one may be best because the
    others were not tried.

    Parameters
    ----------
    table : DataFrame
        Columns as in `dpcore.evaluation.curves`, any number of methods.

    Returns
    -------
    DataFrame
        `COLUMNS`, ascending ε; no row where nothing is proved.
    """
    tried = table.groupby("epsilon")["method"].transform("nunique") == table["method"].nunique()
    proved = table[tried & (table["status"] == str(Status.PROVED)) & table["accuracy"].notna()]
    best = proved.sort_values("accuracy", kind="stable").groupby("epsilon").tail(1)
    return best.sort_values("epsilon")[list(COLUMNS)].reset_index(drop=True)


@dataclass(frozen=True)
class Reach:
    """From which ε on an accuracy is reached.

    Parameters
    ----------
    wanted : float
        The accuracy.
    epsilon : float or None
        The least ε of the grid from which on the mean stays at or above it.
    lucky, safe : float or None
        The same for the upper and the lower end of the 90 % band of single runs.
    method : str
        Best at `epsilon`; "" where there is none.
    best : float
        The highest mean accuracy on the frontier, nan if it is empty.
    """

    wanted: float
    epsilon: float | None
    lucky: float | None
    safe: float | None
    method: str
    best: float


def reach(best: pd.DataFrame, wanted: float) -> Reach:
    """Where a `frontier` reaches an accuracy for good.

    Parameters
    ----------
    best : DataFrame
        From `frontier`.
    wanted : float
        In [0, 1].
    """
    mean = _from(best, "accuracy", wanted)
    at = best[best["epsilon"] == mean]
    method = "" if mean is None else str(at["method"].iloc[0])
    return Reach(
        wanted=wanted,
        epsilon=mean,
        lucky=_from(best, "accuracy_high", wanted),
        safe=_from(best, "accuracy_low", wanted),
        method=method,
        best=float(best["accuracy"].max()) if len(best) else math.nan,
    )


def _from(best: pd.DataFrame, column: str, wanted: float) -> float | None:
    """The least ε from which on no value of the column is below what is wanted."""
    ordered = best.sort_values("epsilon", ascending=False)
    found = None
    for epsilon, value in zip(ordered["epsilon"], ordered[column], strict=True):
        if not value >= wanted:
            break
        found = float(epsilon)
    return found


def records_needed(records: int, reached: float, wanted: float) -> int:
    """About how many records a smaller ε would take: noise counts against n·ε.

    A planning estimate: for every method here noise on a mean falls with n ε, at one δ and one λ.

    Parameters
    ----------
    records : int
        n.
    reached : float
        ε at which n records do.
    wanted : float
        The ε that is to do.
    """
    return max(records, math.ceil(records * reached / wanted))
