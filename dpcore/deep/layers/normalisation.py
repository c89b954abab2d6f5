"""Layers that normalise each record by itself: their few parameters' gradients are written out."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from dpcore.deep.layers.gradients import GradientRule, Gradients, WrittenOut
from dpcore.deep.memory import Memory
from dpcore.errors import InvalidInput


def _group(layer: nn.Module, inputs: Tensor, derivatives: Tensor, memory: Memory) -> Gradients:
    assert isinstance(layer, nn.GroupNorm)
    plain = functional.group_norm(inputs, layer.num_groups, eps=layer.eps)
    weight = (derivatives * plain).flatten(2).sum(2)
    return WrittenOut((weight, derivatives.flatten(2).sum(2)))


def _layer(layer: nn.Module, inputs: Tensor, derivatives: Tensor, memory: Memory) -> Gradients:
    assert isinstance(layer, nn.LayerNorm)
    if inputs.dim() <= len(layer.normalized_shape):
        raise InvalidInput(
            f"LayerNorm normalises over {len(layer.normalized_shape)} dimensions of "
            f"{inputs.dim()}, but it must leave out the first, which counts the records."
        )
    plain = functional.layer_norm(inputs, layer.normalized_shape, eps=layer.eps)
    between = tuple(range(1, inputs.dim() - len(layer.normalized_shape)))

    def summed(values: Tensor) -> Tensor:
        return torch.sum(values, between) if between else values

    weight = summed(derivatives * plain)
    return WrittenOut((weight,) if layer.bias is None else (weight, summed(derivatives)))


LAYERS: dict[type[nn.Module], GradientRule] = {nn.GroupNorm: _group, nn.LayerNorm: _layer}
