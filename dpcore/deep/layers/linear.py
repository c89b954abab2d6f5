"""Fully connected layers, of one network or of many trained side by side.

‖δ aᵀ‖² = ‖δ‖² ‖a‖² (Goodfellow 2015), so no per-example gradient is ever written out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dpcore.deep.layers.gradients import GradientRule, Gradients, Scales
from dpcore.deep.memory import Memory
from dpcore.errors import InvalidInput


class StackedLinear(nn.Module):
    """Hold one fully connected layer for each of several networks that train side by side."""

    def __init__(self, runs: int, inputs: int, outputs: int) -> None:
        super().__init__()
        limit = 1.0 / math.sqrt(inputs)
        self.weight = nn.Parameter(torch.empty(runs, outputs, inputs).uniform_(-limit, limit))
        self.bias = nn.Parameter(torch.empty(runs, 1, outputs).uniform_(-limit, limit))

    def forward(self, inputs: Tensor) -> Tensor:
        return torch.baddbmm(self.bias, inputs, self.weight.transpose(1, 2))


@dataclass(frozen=True)
class OuterProducts:
    """Gradients δ aᵀ, and δ for the bias."""

    inputs: Tensor  # a, (…, records, inputs)
    derivatives: Tensor  # δ, (…, records, outputs)
    bias: bool

    def squared_norms(self, scales: Scales = None) -> Tensor:
        """‖δ‖²(‖a‖² + 1); with elementwise D, Σ_ij δ_i² a_j² / D_ij²."""
        if scales is None:
            inner = torch.linalg.vector_norm(self.inputs, dim=-1).square()
            outer = torch.linalg.vector_norm(self.derivatives, dim=-1).square()
            total: Tensor = outer * (inner + 1.0 if self.bias else inner)
            return total
        outer = self.derivatives.square()
        weight = scales[0]
        if isinstance(weight, Tensor):
            through = self.inputs.square() @ weight.square().reciprocal().transpose(-1, -2)
            total = (outer * through).sum(-1)
        else:
            total = outer.sum(-1) * self.inputs.square().sum(-1) / weight**2
        if self.bias:
            scale = scales[1]
            total = total + (outer / scale**2).sum(-1)
        return total

    def weighted_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        """See `Gradients`; one matrix product for each layer."""
        weighted = self.derivatives * weights.unsqueeze(-1)
        weight = weighted.transpose(-1, -2) @ self.inputs
        if not self.bias:
            return (weight,)
        stacked = weighted.dim() == 3
        return weight, weighted.sum(-2, keepdim=stacked)

    def squared_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        """See `Gradients`: (δ_i a_j)² is an outer product as well."""
        squares = OuterProducts(self.inputs.square(), self.derivatives.square(), self.bias)
        return squares.weighted_sum(weights)


def _linear(layer: nn.Module, inputs: Tensor, derivatives: Tensor, memory: Memory) -> Gradients:
    if inputs.dim() != 2:
        raise InvalidInput(
            f"input of a Linear layer has {inputs.dim()} dimensions, but it must have 2 (records, "
            "features)."
        )
    return OuterProducts(inputs, derivatives, layer.bias is not None)


def _stacked(layer: nn.Module, inputs: Tensor, derivatives: Tensor, memory: Memory) -> Gradients:
    return OuterProducts(inputs, derivatives, True)


LAYERS: dict[type[nn.Module], GradientRule] = {nn.Linear: _linear, StackedLinear: _stacked}
