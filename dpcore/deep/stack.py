"""A plain stack of fully connected layers, with explicit forward and backward passes.

It needs no graph of back-propagation, which costs about as much as the matrix products.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dpcore.deep.layers.gradients import ExampleLoss
from dpcore.deep.layers.linear import StackedLinear
from dpcore.deep.losses import with_derivative

LINEAR = (nn.Linear, StackedLinear)
SLOPES: dict[type[nn.Module], Callable[[Tensor, Tensor], Tensor]] = {
    # Its output is never negative: the sign is the slope, and no mask is made for it.
    nn.ReLU: lambda above, output: above * output.sign(),
    nn.Tanh: lambda above, output: above * (1.0 - output * output),
    nn.Sigmoid: lambda above, output: above * (output * (1.0 - output)),
}
"""(derivative at an activation's output, that output) to the derivative at its input."""


@dataclass(frozen=True)
class Stack:
    """Linear layers with activations between them."""

    layers: tuple[nn.Module, ...]

    @classmethod
    def of(cls, network: nn.Module, trained: Sequence[nn.Module]) -> Stack | None:
        """The network as a stack; ``None`` if it is not one, or is not trained completely."""
        if type(network) is not nn.Sequential:
            return None
        layers = tuple(network)
        if any(type(layer) not in (*LINEAR, *SLOPES) for layer in layers):
            return None
        if [layer for layer in layers if type(layer) in LINEAR] != list(trained):
            return None
        return cls(layers)

    def derivatives(
        self, inputs: Tensor, targets: Tensor, loss: ExampleLoss
    ) -> tuple[list[tuple[Tensor, Tensor]], Tensor]:
        """Each linear layer's input a and the losses' derivative δ at its output; the losses.

        Inputs are (records, features), or (runs, records, features) for stacked layers.
        """
        activations = [inputs]
        with torch.no_grad():
            for layer in self.layers:
                activations.append(_through(layer, activations[-1]))
            output = activations.pop()
            losses, above = with_derivative(loss, output, targets)
            pairs = []
            for layer, layer_input in zip(
                reversed(self.layers), reversed(activations), strict=True
            ):
                if not isinstance(layer, LINEAR):
                    above = SLOPES[type(layer)](above, output)
                else:
                    pairs.append((layer_input, above))
                    if layer_input is not inputs:
                        above = above @ layer.weight
                output = layer_input
        return pairs[::-1], losses


def _through(layer: nn.Module, inputs: Tensor) -> Tensor:
    if type(layer) is nn.Linear:
        return nn.functional.linear(inputs, layer.weight, layer.bias)
    output: Tensor = layer(inputs)
    return output
