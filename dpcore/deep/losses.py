"""The losses of training, one number a record, and their derivatives at the network's outputs."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from dpcore.deep.layers.gradients import ExampleLoss


def class_loss(outputs: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy of each record; outputs (…, records, classes), targets (…, records)."""
    flat = nn.functional.cross_entropy(outputs.flatten(0, -2), targets.flatten(), reduction="none")
    return flat.view(targets.shape)


def label_loss(outputs: Tensor, targets: Tensor) -> Tensor:
    """Binary cross-entropy summed over labels; a target of nan is unknown and has no loss.

    Outputs and targets are (…, records, labels); the losses are (…, records).
    """
    is_known = targets.isfinite()
    losses = nn.functional.binary_cross_entropy_with_logits(
        outputs, torch.where(is_known, targets, 0.0), reduction="none"
    )
    return (losses * is_known).sum(-1)


def _class_derivative(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    log_probabilities, classes = torch.log_softmax(outputs, -1), targets.unsqueeze(-1)
    losses = -log_probabilities.gather(-1, classes).squeeze(-1)
    minus_one = outputs.new_full((1,), -1.0).expand(classes.shape)
    return losses, log_probabilities.exp_().scatter_add_(-1, classes, minus_one)


def _label_derivative(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    is_known = targets.isfinite()
    derivative = torch.where(is_known, outputs.sigmoid() - targets, 0.0)
    return label_loss(outputs, targets), derivative


CLOSED_FORMS: dict[ExampleLoss, Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]] = {
    class_loss: _class_derivative,
    label_loss: _label_derivative,
}


def with_derivative(loss: ExampleLoss, outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Each record's loss, and its derivative with respect to the outputs."""
    if loss in CLOSED_FORMS:
        with torch.no_grad():
            return CLOSED_FORMS[loss](outputs, targets)
    with torch.enable_grad():
        outputs = outputs.detach().requires_grad_()
        losses = loss(outputs, targets)
        (derivative,) = torch.autograd.grad(losses, outputs, torch.ones_like(losses))
    return losses.detach(), derivative
