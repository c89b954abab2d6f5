"""Two-dimensional convolutions, by whichever of two ways is cheaper.

With the input cut into patches A (positions × patch) and δ (channels × positions), a record's
gradient is G = δ A. Written out, it gives norms and sums alike. Its norm alone also follows from
‖G‖² = ⟨A Aᵀ, δᵀδ⟩ (the "ghost norm", Bu et al. 2022), which takes positions² · (channels + patch)
operations, and the weighted sum then takes the pass over all positions once more. Few positions and
many channels want the second way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.grad import conv2d_weight

from dpcore.deep.layers.gradients import Gradients, Rule, Scales, WrittenOut
from dpcore.deep.memory import Memory
from dpcore.errors import InvalidInput

ROUNDING = 64 * torch.finfo(torch.float32).eps
AT_A_TIME = 800_000
"""Numbers of patches that are multiplied at once, about as many as fit a processor's cache."""


@dataclass(frozen=True)
class Kernels(WrittenOut):
    """Gradients of a convolution, written out in the order of its patches.

    Parameters
    ----------
    gradients : tuple of Tensor
        (records, channels out, patch), and (records, channels out) for the bias.
    layer : torch.nn.Conv2d
    """

    layer: nn.Conv2d

    def squared_norms(self, scales: Scales = None) -> Tensor:
        """See `Gradients`."""
        if scales is not None and isinstance(scales[0], Tensor):
            scales = (scales[0].permute(0, 2, 3, 1).flatten(1), *scales[1:])
        return super().squared_norms(scales)

    def weighted_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        """See `Gradients`."""
        kernels, *bias = super().weighted_sum(weights)
        channels_out, channels_in, rows, columns = self.layer.weight.shape
        kernels = kernels.view(channels_out, rows, columns, channels_in)
        return (kernels.permute(0, 3, 1, 2), *bias)

    def squared_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        """See `Gradients`."""
        return Kernels(self._squares(), self.layer).weighted_sum(weights)


@dataclass(frozen=True)
class Patches:
    """Gradients of a convolution that are not written out.

    Parameters
    ----------
    layer : torch.nn.Conv2d
    inputs : Tensor
        (records, channels in, height, width).
    seen : Tensor
        What `_seen` makes of them.
    derivatives : Tensor
        δ, (records, channels out, height, width).
    memory : Memory
    """

    layer: nn.Conv2d
    inputs: Tensor
    seen: Tensor
    derivatives: Tensor
    memory: Memory

    def squared_norms(self, scales: Scales = None) -> Tensor:
        """⟨A Aᵀ, δᵀδ⟩ per record; written out after all where D is given elementwise."""
        if scales is not None and isinstance(scales[0], Tensor):
            return self._written_out().squared_norms(scales)
        patches, flat = self.seen.flatten(3).flatten(1, 2), self.derivatives.flatten(2)
        within = patches @ patches.transpose(1, 2)
        between = flat.transpose(1, 2) @ flat
        total = (within * between).flatten(1).sum(1)
        # Terms of both signs: rounding is relative to ‖A‖²‖δ‖², which bounds what they sum to in
        # size, and must not make a norm too small.
        size = patches.square().sum((1, 2)) * flat.square().sum((1, 2))
        total = total.clamp_min(0.0) + ROUNDING * size
        if scales is not None:
            total = total / scales[0] ** 2
        if self.layer.bias is None:
            return total
        bias = flat.sum(2)
        return total + (bias if scales is None else bias / scales[1]).square().sum(1)

    def weighted_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        """The gradient that back-propagation would give with weighted losses."""
        weighted = self.derivatives * weights[:, None, None, None]
        layer = self.layer
        weight = conv2d_weight(  # type: ignore[no-untyped-call]
            self.inputs,
            list(layer.weight.shape),
            weighted,
            stride=layer.stride,
            padding=layer.padding,
            dilation=layer.dilation,
        )
        return (weight,) if layer.bias is None else (weight, weighted.sum((0, 2, 3)))

    def squared_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        """See `Gradients`; squares of sums over positions have to be written out."""
        return self._written_out().squared_sum(weights)

    def _written_out(self) -> Kernels:
        return _written_out(self.layer, self.seen, self.derivatives, self.memory)


def _convolution(
    layer: nn.Module, inputs: Tensor, derivatives: Tensor, memory: Memory
) -> Gradients:
    assert isinstance(layer, nn.Conv2d)
    if layer.groups != 1 or layer.padding_mode != "zeros" or isinstance(layer.padding, str):
        raise InvalidInput(
            "convolution has groups, named padding or padding other than zeros, but it must have "
            "one group and a number of zeros around."
        )
    seen = _seen(layer, inputs, derivatives.shape[2:])
    channels, positions = derivatives.shape[1], derivatives[0, 0].numel()
    patch = seen[0, 0, 0].numel()
    if channels * patch <= positions**2 * (channels + patch):
        return _written_out(layer, seen, derivatives, memory)
    return Patches(layer, inputs, seen, derivatives, memory)


def _seen(layer: nn.Conv2d, inputs: Tensor, places: torch.Size) -> Tensor:
    """What each position sees, (records, height, width, rows, columns, channels), not yet copied.

    Copying it is several times faster than `unfold`, and than patches whose channels come first.
    """
    assert not isinstance(layer.padding, str)
    (kernel_y, kernel_x), (stride_y, stride_x) = layer.kernel_size, layer.stride
    (around_y, around_x), (apart_y, apart_x) = layer.padding, layer.dilation
    padded = inputs
    if around_x or around_y:  # else it would be copied all the same
        padded = functional.pad(inputs, (around_x, around_x, around_y, around_y))
    padded = padded.contiguous(memory_format=torch.channels_last)
    record, channel, row, column = padded.stride()
    return padded.as_strided(
        (len(inputs), *places, kernel_y, kernel_x, inputs.shape[1]),
        (record, row * stride_y, column * stride_x, row * apart_y, column * apart_x, channel),
    )


def _written_out(layer: nn.Conv2d, seen: Tensor, derivatives: Tensor, memory: Memory) -> Kernels:
    """G = δ A; off a GPU for a few records at a time, whose patches then stay in the cache."""
    flat, (records, *shape) = derivatives.flatten(2), seen.shape
    one, patch = math.prod(shape), math.prod(shape[2:])
    size = min(records, max(1, AT_A_TIME // one)) if seen.device.type == "cpu" else records
    kernels = memory.take((layer, "kernels"), (records, flat.shape[1], patch), seen)
    room = memory.take((layer, "patches"), (size, *shape), seen)
    for start in range(0, records, size):
        part = slice(start, start + size)
        patches = room[: len(seen[part])].copy_(seen[part])
        torch.bmm(flat[part], patches.view(len(patches), -1, patch), out=kernels[part])
    return Kernels((kernels,) if layer.bias is None else (kernels, flat.sum(2)), layer)


LAYERS: dict[type[nn.Module], Rule] = {nn.Conv2d: _convolution}
