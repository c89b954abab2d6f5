"""Measures of a network's outputs: accuracy, area under the ROC curve, loss; one value a run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.evaluation.scoring import auc as roc

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

    from dpcore.deep.losses import class_loss, label_loss

    logits = torch.as_tensor(outputs)
    if task == "classes":
        classes = torch.as_tensor(targets, dtype=torch.int64).expand(logits.shape[:-1])
        record_losses = class_loss(logits, classes)
    else:
        record_losses = label_loss(
            logits, torch.as_tensor(targets, dtype=torch.float32).expand_as(logits)
        )
    return np.asarray(record_losses.double().mean(-1).numpy())
