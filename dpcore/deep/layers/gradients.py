"""The result of a layer's rule: one batch of per-example gradients, seldom written out.

Squared norms and weighted sums have closed forms without records × parameters numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from dpcore.deep.memory import Memory

Scales = Sequence[Tensor | float] | None
"""D of a scaled norm ‖D⁻¹g‖, one entry a parameter: a number, or a tensor of its shape."""

ExampleLoss = Callable[[Tensor, Tensor], Tensor]
"""(outputs, targets) to one loss a record, shape `lead`."""


class Gradients(Protocol):
    """Per-example gradients of one layer over one batch, records first: shape `lead`."""

    def squared_norms(self, scales: Scales = None) -> Tensor:
        """‖D⁻¹g_i‖² over the layer's parameters, shape `lead`; plain norms without `scales`."""

    def weighted_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        """Σ_i weights_i g_i for each parameter of the layer; `weights` has shape `lead`."""

    def squared_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        """Σ_i weights_i g_i², element by element, for each parameter."""


GradientRule = Callable[[nn.Module, Tensor, Tensor, Memory], Gradients]
"""(layer, its inputs, the loss's derivative with respect to its outputs, memory) to its gradients.

Tensors in the memory are valid until the layer's next gradients."""


@dataclass(frozen=True)
class WrittenOut:
    """Gradients stored for every record, for layers with few parameters."""

    gradients: tuple[Tensor, ...]  # one for each parameter, (records, *shape of the parameter)

    def squared_norms(self, scales: Scales = None) -> Tensor:
        scaled = self.gradients
        if scales is not None:
            scaled = tuple(gradient / scale for gradient, scale in zip(scaled, scales, strict=True))
        norms = [torch.linalg.vector_norm(gradient.flatten(1), dim=1) for gradient in scaled]
        return torch.stack(norms).square().sum(0)

    def weighted_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        return tuple(
            (weights @ gradient.flatten(1)).reshape(gradient.shape[1:])
            for gradient in self.gradients
        )

    def squared_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        return WrittenOut(self._squares()).weighted_sum(weights)

    def _squares(self) -> tuple[Tensor, ...]:
        return tuple(gradient.square() for gradient in self.gradients)
