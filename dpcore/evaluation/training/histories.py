"""Histories of several trainings as one table, and their means over runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dpcore.evaluation.scoring import spread_by

if TYPE_CHECKING:
    import pandas as pd

METRICS = {"accuracy": "accuracy_test", "auc": "auc_test", "loss_train": "loss_train"}
"""What a training is measured by, each with its column in a history."""


def gathered(histories: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Histories by series as one table, with a column `series` in front."""
    import pandas as pd

    parts = [rows.assign(series=series) for series, rows in histories.items() if len(rows)]
    if not parts:
        return pd.DataFrame({"series": []})
    table = pd.concat(parts, ignore_index=True)
    return table[["series", *table.columns.drop("series")]]


def averaged(history: pd.DataFrame) -> pd.DataFrame:
    """Mean and 90 % band over runs at each epoch that every run of a series has reached."""
    import pandas as pd

    if history.empty:
        return history
    keys = ["series", "epoch"]
    groups = history.groupby(keys, sort=False)
    first = groups.first().drop(columns=[*METRICS.values(), "run"], errors="ignore")
    parts = [first, groups.size().rename("runs")]
    for metric in METRICS.values():
        if metric in history:
            names = metric, f"{metric}_low", f"{metric}_high"
            spread = zip(spread_by(groups[metric]), names, strict=True)
            parts += [column.rename(name) for column, name in spread]
    table = pd.concat(parts, axis=1).reset_index()
    most = history.groupby("series")["run"].nunique()
    return table[table["runs"] == table["series"].map(most)].reset_index(drop=True)


def ends(table: pd.DataFrame) -> pd.DataFrame:
    """The last row of each series of `averaged`."""
    if table.empty:
        return table
    rows: pd.DataFrame = table.groupby("series", sort=False).tail(1).reset_index(drop=True)
    return rows


def last(history: pd.DataFrame) -> pd.DataFrame:
    """The last row of each series and run."""
    if history.empty:
        return history
    rows = history.sort_values("epoch", kind="stable").groupby(["series", "run"], sort=False)
    result: pd.DataFrame = rows.tail(1).reset_index(drop=True)
    return result


def seconds(history: pd.DataFrame, series: str) -> float | None:
    """Time that all runs of a series have been trained for; ``None`` before the first epoch."""
    rows = history[history["series"] == series]
    if rows.empty:
        return None
    return float(rows.groupby("run")["seconds"].max().sum())
