"""Moments of the gradients over examples: mean, squares, and curvature."""

from __future__ import annotations

import torch
from torch import Tensor

from dpcore.deep.clipping import PerExample
from dpcore.deep.shapes.shape import ExampleGradients, flat

UNCLIPPED = float(torch.finfo(torch.float32).max)


def mean(per_example: PerExample, examples: ExampleGradients) -> Tensor:
    """Mean gradient (1/n) Σ g_i over all coordinates; a record without a gradient counts as 0."""
    total = sum(
        flat(per_example.clipped_sum(part.inputs, part.targets, part.loss, UNCLIPPED).total)
        for part in examples.parts()
    )
    assert isinstance(total, Tensor)
    return total / len(examples.inputs)


def squares(per_example: PerExample, examples: ExampleGradients, clip: float) -> Tensor:
    """E ĝ_i² over all coordinates, ĝ the gradients clipped to C in the plain norm."""
    total: Tensor | float = 0.0
    for part in examples.parts():
        layer_gradients, _ = per_example.gradients(part.inputs, part.targets, part.loss)
        norms = torch.stack([square.squared_norms() for square in layer_gradients]).sum(0)
        if not bool(norms.isfinite().all()):  # such records count as null, as in training
            layer_gradients, _ = per_example.gradients(
                part.inputs, part.targets, part.loss, norms.isfinite()
            )
        weights = (clip**2 / norms).clamp_max(1.0).nan_to_num(0.0)
        total = total + flat(
            [square for layer in layer_gradients for square in layer.squared_sum(weights)]
        )
    assert isinstance(total, Tensor)
    return total / len(examples.inputs)


def curvature(per_example: PerExample, examples: ExampleGradients) -> Tensor:
    """Diagonal of the Fisher information: the loss's second derivatives, Gauss-Newton.

    E g_i² with labels drawn from the model itself instead of the data's (one draw for each record,
    from a separate stream); its mean for these losses is the Gauss-Newton diagonal. Integer targets
    are classes, others labels.
    """
    classes = not examples.targets.is_floating_point()
    stream = torch.Generator(examples.inputs.device).manual_seed(0)
    targets = []
    for part in examples.parts():
        with torch.no_grad():
            outputs = per_example.network(part.inputs)
        probabilities = outputs.softmax(-1) if classes else outputs.sigmoid()
        targets.append(
            torch.multinomial(probabilities, 1, generator=stream)[:, 0]
            if classes
            else torch.bernoulli(probabilities, generator=stream)
        )
    model = ExampleGradients(examples.inputs, torch.cat(targets), examples.loss)
    return squares(per_example, model, UNCLIPPED)
