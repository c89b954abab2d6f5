"""What a training is measured by: its network's outputs, and histories as one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.evaluation.scoring import metrics as roc
from dpcore.evaluation.scoring import spread_by

if TYPE_CHECKING:
    import pandas as pd


Outputs = NDArray[np.float32]
"""(runs, records, classes or labels), before softmax or logistic function."""


def accuracies(outputs: Outputs, targets: NDArray[Any], task: str) -> NDArray[np.float64]:
    """Share judged correctly, shape (runs,)."""
    if task == "classes":
        return np.asarray((outputs.argmax(-1) == targets).mean(-1))
    is_known = np.isfinite(targets)
    is_correct = (outputs > 0.0) == (targets > 0.5)
    return np.asarray((is_correct & is_known).sum((1, 2)) / is_known.sum())


def auc_of_outputs(outputs: Outputs, targets: NDArray[Any], task: str) -> NDArray[np.float64]:
    """Area under the ROC curve, shape (runs,): of the second of two classes, or mean over labels.

    ``nan`` for more than two classes, where the targets lack a class or one value of a label, and
    where an output is nan.
    """
    if task == "classes":
        if outputs.shape[-1] != 2:
            return np.full(len(outputs), np.nan)
        return np.asarray(roc.auc(outputs[..., 1] - outputs[..., 0], targets == 1))
    is_known = np.isfinite(targets)
    label_aucs = [
        roc.auc(outputs[:, is_known[:, label], label], targets[is_known[:, label], label] == 1)
        for label in range(outputs.shape[-1])
    ]
    return np.asarray(np.mean(label_aucs, axis=0))


def losses(outputs: Outputs, targets: NDArray[Any], task: str) -> NDArray[np.float64]:
    """Mean loss of a record, shape (runs,): the loss that training minimises."""
    import torch

    from dpcore.deep.networks import class_loss, label_loss

    logits = torch.as_tensor(outputs)
    if task == "classes":
        classes = torch.as_tensor(targets, dtype=torch.int64).expand(logits.shape[:-1])
        record_losses = class_loss(logits, classes)
    else:
        record_losses = label_loss(
            logits, torch.as_tensor(targets, dtype=torch.float32).expand_as(logits)
        )
    return np.asarray(record_losses.double().mean(-1).numpy())


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
