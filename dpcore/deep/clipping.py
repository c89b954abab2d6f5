"""The clipped sum of per-example gradients: one forward and one backward pass, nothing per record.

Each layer's rule turns its input and derivative into norms and weighted sums in closed form. One
record moves the sum by at most C under add/remove and zero-out, and by 2C under replace-one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from dpcore.deep.device import Memory
from dpcore.deep.layers import LAYERS, ExampleLoss, Gradients, StackedLinear, check
from dpcore.deep.networks import with_derivative
from dpcore.errors import InvalidInput, number

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


SLACK = 1e-4
"""Records are clipped to C(1 - SLACK): norms are sums in single precision, whose rounding error is
far below the slack, so the bound C holds for the sum as computed."""


@dataclass(frozen=True)
class Clipped:
    """Hold a clipped sum over one batch; all but `total` is private and never shown."""

    # Σ_i min(1, C/‖g_i‖) g_i, one tensor a parameter, in the order of `PerExample.parameters`
    total: tuple[Tensor, ...]
    norms: Tensor  # ‖D⁻¹g_i‖ of every record before clipping, shape `lead`
    losses: Tensor  # of every record, shape `lead`
    before: Tensor  # ‖D⁻¹g_i‖² of every layer's part before clipping, (layers, *lead)
    weights: Tensor  # the factor of each part, of the same shape

    @property
    def squares(self) -> Tensor:
        """‖D⁻¹ĝ_i‖² of every layer's part of the clipped gradient ĝ_i, (layers, *lead)."""
        return self.before * self.weights.square()


class PerExample:
    """A network ready for clipped sums.

    A layer whose per-example gradients are not known (`dpcore.deep.layers`) is refused by name.
    """

    def __init__(self, network: nn.Module) -> None:
        check(network)
        self.network = network
        self.layers = [
            layer for layer in network.modules() if any(True for _ in layer.parameters(False))
        ]
        self.trained = [
            layer for layer in self.layers if all(p.requires_grad for p in layer.parameters(False))
        ]
        mixed = [
            layer
            for layer in self.layers
            if layer not in self.trained and any(p.requires_grad for p in layer.parameters(False))
        ]
        if mixed:
            raise InvalidInput(
                f"layer {type(mixed[0]).__name__} is trained in part, but a layer must be trained "
                "or frozen as a whole."
            )
        self.parameters = [
            parameter for layer in self.trained for parameter in layer.parameters(False)
        ]
        self.stack = Stack.of(network, self.trained)
        self.memory = Memory()

    def gradients(
        self, inputs: Tensor, targets: Tensor, loss: ExampleLoss, sound: Tensor | None = None
    ) -> tuple[list[Gradients], Tensor]:
        """Per-example gradients of each trained layer, and the losses.

        They are valid until the next call. `loss` must not mix records; those outside the mask
        `sound`, whose gradients may not be finite, have gradients and losses of 0.
        """
        pass_through = self._recorded if self.stack is None else self.stack.derivatives
        recorded, losses = pass_through(inputs, targets, loss)
        if losses.shape != inputs.shape[: losses.dim()]:
            raise InvalidInput(
                f"loss has shape {tuple(losses.shape)}, but it must be one number a record."
            )
        layer_gradients = [
            LAYERS[type(layer)](
                layer, _only(layer_input, sound), _only(derivative, sound), self.memory
            )
            for layer, (layer_input, derivative) in zip(self.trained, recorded, strict=True)
        ]
        return layer_gradients, _only(losses, sound)

    def _recorded(
        self, inputs: Tensor, targets: Tensor, loss: ExampleLoss
    ) -> tuple[list[tuple[Tensor, Tensor]], Tensor]:
        """Each trained layer's input and the losses' derivative at its output; the losses."""
        recorded: dict[nn.Module, tuple[Tensor, Tensor]] = {}

        def note(layer: nn.Module, layer_inputs: tuple[Tensor, ...], output: Tensor) -> Tensor:
            if layer in recorded:
                raise InvalidInput(
                    f"layer {type(layer).__name__} is used twice, but per-example gradients are "
                    "known only for layers used once."
                )
            # With frozen parameters the first outputs would not belong to any graph.
            output = output if output.requires_grad else output.requires_grad_()
            recorded[layer] = (layer_inputs[0].detach(), output)
            return output

        with _frozen(self.parameters):
            hooks = [layer.register_forward_hook(note) for layer in self.trained]
            try:
                losses = loss(self.network(inputs), targets)
            finally:
                for hook in hooks:
                    hook.remove()
            outputs = [recorded[layer][1] for layer in self.trained]
            derivatives = torch.autograd.grad(losses, outputs, torch.ones_like(losses))
        layer_inputs = [recorded[layer][0] for layer in self.trained]
        return list(zip(layer_inputs, derivatives, strict=True)), losses.detach()

    def clipped_sum(
        self,
        inputs: Tensor,
        targets: Tensor,
        loss: ExampleLoss,
        clip: float | Tensor,
        *,
        present: Tensor | None = None,
        per_layer: bool = False,
        scales: Sequence[Tensor | float] | None = None,
        micro_batch: int | None = None,
    ) -> Clipped:
        """Σ_i min(1, C/‖D⁻¹g_i‖) g_i.

        `clip` is C, for stacked networks also one a run, (runs, 1); `per_layer` clips each of L
        layers to C/√L. `present` is 0 for padding. `scales` are D, one entry a parameter, and must
        not depend on the private batch. `micro_batch` records at a time save memory; the result is
        the same.
        """
        if not isinstance(clip, Tensor):
            clip = number("clip", clip, above=0.0)
        lead = 2 if present is not None and present.dim() == 2 else 1
        records = inputs.shape[lead - 1]
        size = micro_batch or max(records, 1)
        if records == 0:
            zeros = inputs.new_zeros(inputs.shape[:lead])
            nothing = tuple(torch.zeros_like(parameter) for parameter in self.parameters)
            squares = zeros.expand(len(self.trained), *zeros.shape)
            return Clipped(nothing, zeros, zeros, squares, squares)
        parts = [
            self._part(
                _cut(inputs, lead, start, size),
                _cut(targets, lead, start, size),
                loss,
                clip,
                None if present is None else _cut(present, lead, start, size),
                per_layer,
                scales,
            )
            for start in range(0, records, size)
        ]
        if len(parts) == 1:
            return parts[0]
        totals = tuple(
            torch.stack(tensors).sum(0)
            for tensors in zip(*(part.total for part in parts), strict=True)
        )
        return Clipped(
            totals,
            torch.cat([part.norms for part in parts], lead - 1),
            torch.cat([part.losses for part in parts], lead - 1),
            torch.cat([part.before for part in parts], lead),
            torch.cat([part.weights for part in parts], lead),
        )

    def _part(
        self,
        inputs: Tensor,
        targets: Tensor,
        loss: ExampleLoss,
        clip: float | Tensor,
        present: Tensor | None,
        per_layer: bool,
        scales: Sequence[Tensor | float] | None,
        sound: Tensor | None = None,
    ) -> Clipped:
        layer_gradients, losses = self.gradients(inputs, targets, loss, sound)
        squares = torch.stack(
            [
                gradient.squared_norms(part)
                for gradient, part in zip(layer_gradients, self._by_layer(scales), strict=True)
            ]
        )
        norms = squares.sum(0).sqrt()
        if sound is None and not math.isfinite(float(norms.sum())):
            # A record whose gradient is not finite counts as a null record.
            return self._part(
                inputs, targets, loss, clip, present, per_layer, scales, norms.isfinite()
            )
        if per_layer:
            weights = _weights(squares.sqrt(), clip / len(layer_gradients) ** 0.5, present)
        else:
            weights = _weights(norms, clip, present).expand_as(squares)
        total = tuple(
            tensor
            for gradient, weight in zip(layer_gradients, weights, strict=True)
            for tensor in gradient.weighted_sum(weight)
        )
        return Clipped(total, norms, losses, squares, weights)

    def _by_layer(
        self, scales: Sequence[Tensor | float] | None
    ) -> Iterator[Sequence[Tensor | float] | None]:
        remaining = None if scales is None else iter(scales)
        for layer in self.trained:
            count = sum(1 for _ in layer.parameters(False))
            yield None if remaining is None else [next(remaining) for _ in range(count)]


def _weights(norms: Tensor, clip: float | Tensor, present: Tensor | None) -> Tensor:
    """min(1, C/‖g‖), and 0 for padding."""
    weights = (clip * (1.0 - SLACK) / norms).clamp_max(1.0)
    return weights if present is None else weights * present


def _only(tensor: Tensor, sound: Tensor | None) -> Tensor:
    if sound is None:
        return tensor
    mask = sound.reshape(sound.shape + (1,) * (tensor.dim() - sound.dim()))
    return torch.where(mask, tensor, tensor.new_zeros(()))


def _cut(tensor: Tensor, lead: int, start: int, size: int) -> Tensor:
    return tensor.narrow(lead - 1, start, min(size, tensor.shape[lead - 1] - start))


@contextmanager
def _frozen(parameters: Sequence[nn.Parameter]) -> Iterator[None]:
    """No gradients by autograd for the parameters: the layers' rules compute them."""
    for parameter in parameters:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in parameters:
            parameter.requires_grad_(True)
