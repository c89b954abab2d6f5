"""A plain stack of fully connected layers, passed through and back again by hand.

For a small network the graph that back-propagation records and walks costs about as much as its
products. A stack needs none: each layer's input is at hand, and the derivative at its output
follows from the one above by the weights and the activation's slope.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dpcore.deep.layers.gradients import Loss
from dpcore.deep.layers.linear import StackedLinear

LINEAR = (nn.Linear, StackedLinear)
SLOPES: dict[type[nn.Module], Callable[[Tensor, Tensor], Tensor]] = {
    nn.ReLU: lambda above, made: torch.where(made > 0.0, above, 0.0),
    nn.Tanh: lambda above, made: above * (1.0 - made * made),
    nn.Sigmoid: lambda above, made: above * (made * (1.0 - made)),
}
"""(derivative at an activation's output, that output) to the derivative at its input."""


@dataclass(frozen=True)
class Stack:
    """Linear layers with activations between them.

    Parameters
    ----------
    layers : tuple of torch.nn.Module
        Of `LINEAR` and `SLOPES`.
    """

    layers: tuple[nn.Module, ...]

    @classmethod
    def of(cls, network: nn.Module, trained: Sequence[nn.Module]) -> Stack | None:
        """The network as a stack; ``None`` if it is none, or not all of it is trained."""
        if type(network) is not nn.Sequential:
            return None
        layers = tuple(network)
        if any(type(layer) not in (*LINEAR, *SLOPES) for layer in layers):
            return None
        if [layer for layer in layers if type(layer) in LINEAR] != list(trained):
            return None
        return cls(layers)

    def derivatives(
        self, inputs: Tensor, targets: Tensor, loss: Loss
    ) -> tuple[list[tuple[Tensor, Tensor]], Tensor]:
        """Each linear layer's input a and the losses' derivative δ at its output; the losses.

        Parameters
        ----------
        inputs : Tensor
            (records, features), or (runs, records, features) for stacked layers.
        targets : Tensor
            Whatever `loss` takes.
        loss : callable
            To one loss a record; it must not mix records.
        """
        passed = [inputs]
        with torch.no_grad():
            for layer in self.layers:
                passed.append(_through(layer, passed[-1]))
        outputs = passed.pop().requires_grad_()
        losses = loss(outputs, targets)
        (above,) = torch.autograd.grad(losses, outputs, torch.ones_like(losses))
        found, made = [], outputs
        with torch.no_grad():
            for layer, given in zip(reversed(self.layers), reversed(passed), strict=True):
                if not isinstance(layer, LINEAR):
                    above = SLOPES[type(layer)](above, made)
                else:
                    found.append((given, above))
                    if given is not inputs:
                        above = above @ layer.weight
                made = given
        return found[::-1], losses.detach()


def _through(layer: nn.Module, given: Tensor) -> Tensor:
    if type(layer) is nn.Linear:
        return nn.functional.linear(given, layer.weight, layer.bias)
    made: Tensor = layer(given)
    return made
