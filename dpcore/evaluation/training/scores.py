"""How good a network's outputs are: accuracy, area under the ROC curve, loss; one value a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.evaluation.scoring import auc as roc

Outputs = NDArray[np.float32]
"""(runs, records, classes or labels), before softmax or logistic function."""


def accuracies(outputs: Outputs, targets: NDArray[Any], task: str) -> NDArray[np.float64]:
    """Share judged rightly, shape (runs,).

    Parameters
    ----------
    outputs : array (runs, records, classes or labels)
        A label is judged present where its output is above 0.
    targets : array (records,) of int, or (records, labels) of 0, 1 or nan
        Unknown labels (nan) count nothing.
    task : str
        "classes" or "labels".
    """
    if task == "classes":
        return np.asarray((outputs.argmax(-1) == targets).mean(-1))
    known = np.isfinite(targets)
    right = (outputs > 0.0) == (targets > 0.5)
    return np.asarray((right & known).sum((1, 2)) / known.sum())


def areas(outputs: Outputs, targets: NDArray[Any], task: str) -> NDArray[np.float64]:
    """Area under the ROC curve, shape (runs,): of the second of two classes, or mean over labels.

    ``nan`` for more than two classes, where a class or a label is not in the targets both ways, and
    where an output is no number.
    """
    if task == "classes":
        if outputs.shape[-1] != 2:
            return np.full(len(outputs), np.nan)
        return np.asarray(roc.areas(outputs[..., 1] - outputs[..., 0], targets == 1))
    known = np.isfinite(targets)
    each = [
        roc.areas(outputs[:, known[:, label], label], targets[known[:, label], label] == 1)
        for label in range(outputs.shape[-1])
    ]
    return np.asarray(np.mean(each, axis=0))


def losses(outputs: Outputs, targets: NDArray[Any], task: str) -> NDArray[np.float64]:
    """Mean loss of a record, shape (runs,): the one that training makes small."""
    import torch

    from dpcore.deep.training import class_loss, label_loss

    given = torch.as_tensor(outputs)
    if task == "classes":
        wanted = torch.as_tensor(targets, dtype=torch.int64).expand(given.shape[:-1])
        found = class_loss(given, wanted)
    else:
        found = label_loss(given, torch.as_tensor(targets, dtype=torch.float32).expand_as(given))
    return np.asarray(found.double().mean(-1).numpy())
