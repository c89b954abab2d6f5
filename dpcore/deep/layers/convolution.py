"""Two-dimensional convolutions, by the cheaper of two methods.

With the input cut into patches A (positions × patch) and δ (channels × positions), a record's
gradient is G = δ A. Written out, it gives norms and sums. Its norm alone also follows from
‖G‖² = ⟨A Aᵀ, δᵀδ⟩ (the "ghost norm", Bu et al. 2022), which takes positions² · (channels + patch)
operations, and the weighted sum then takes another pass over all positions. The second method is
cheaper with few positions and many channels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.grad import conv2d_weight

from dpcore.deep.layers.gradients import GradientRule, Gradients, Scales, WrittenOut
from dpcore.deep.memory import Memory
from dpcore.errors import InvalidInput

ROUNDING = 64 * torch.finfo(torch.float32).eps
AT_A_TIME = 800_000
"""Numbers in the patches that are multiplied at once, about as many as fit a processor's cache."""


@dataclass(frozen=True)
class Kernels(WrittenOut):
    layer: nn.Conv2d

    def squared_norms(self, scales: Scales = None) -> Tensor:
        if scales is not None and isinstance(scales[0], Tensor):
            scales = (scales[0].permute(0, 2, 3, 1).flatten(1), *scales[1:])
        return super().squared_norms(scales)

    def weighted_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        kernels, *bias = super().weighted_sum(weights)
        channels_out, channels_in, rows, columns = self.layer.weight.shape
        kernels = kernels.view(channels_out, rows, columns, channels_in)
        return (kernels.permute(0, 3, 1, 2), *bias)

    def squared_sum(self, weights: Tensor) -> tuple[Tensor, ...]:
        return Kernels(self._squares(), self.layer).weighted_sum(weights)


@dataclass(frozen=True)
class Patches:
    layer: nn.Conv2d
    inputs: Tensor
    windows: Tensor  # of `inputs`, from `_windows`
    derivatives: Tensor  # δ, (records, channels out, height, width)
    memory: Memory

    def squared_norms(self, scales: Scales = None) -> Tensor:
        """⟨A Aᵀ, δᵀδ⟩ per record; gradients are written out where D is elementwise."""
        if scales is not None and isinstance(scales[0], Tensor):
            return self._written_out().squared_norms(scales)
        patches, flat = self.windows.flatten(3).flatten(1, 2), self.derivatives.flatten(2)
        within = patches @ patches.transpose(1, 2)
        between = flat.transpose(1, 2) @ flat
        total = (within * between).flatten(1).sum(1)
        # Terms of both signs: rounding is relative to ‖A‖²‖δ‖², which bounds the sum of their
        # absolute values, and must not make a norm too small.
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
        return _written_out(self.layer, self.windows, self.derivatives, self.memory)


def _convolution(
    layer: nn.Module, inputs: Tensor, derivatives: Tensor, memory: Memory
) -> Gradients:
    assert isinstance(layer, nn.Conv2d)
    if layer.groups != 1 or layer.padding_mode != "zeros" or isinstance(layer.padding, str):
        raise InvalidInput(
            "convolution has groups, named padding or padding other than zeros, but it must have "
            "one group and a number of zeros around."
        )
    windows = _windows(layer, inputs, derivatives.shape[2:])
    channels, positions = derivatives.shape[1], derivatives[0, 0].numel()
    patch = windows[0, 0, 0].numel()
    if channels * patch <= positions**2 * (channels + patch):
        return _written_out(layer, windows, derivatives, memory)
    return Patches(layer, inputs, windows, derivatives, memory)


def _windows(layer: nn.Conv2d, inputs: Tensor, positions: torch.Size) -> Tensor:
    """The window of each position, (records, height, width, rows, columns, channels), as a view."""
    assert not isinstance(layer.padding, str)
    (kernel_y, kernel_x), (stride_y, stride_x) = layer.kernel_size, layer.stride
    (padding_y, padding_x), (dilation_y, dilation_x) = layer.padding, layer.dilation
    padded = inputs
    if padding_x or padding_y:  # padding by 0 would still copy it
        padded = functional.pad(inputs, (padding_x, padding_x, padding_y, padding_y))
    padded = padded.contiguous(memory_format=torch.channels_last)
    record, channel, row, column = padded.stride()
    return padded.as_strided(
        (len(inputs), *positions, kernel_y, kernel_x, inputs.shape[1]),
        (record, row * stride_y, column * stride_x, row * dilation_y, column * dilation_x, channel),
    )


def _written_out(layer: nn.Conv2d, windows: Tensor, derivatives: Tensor, memory: Memory) -> Kernels:
    """G = δ A; without a GPU for a few records at a time, whose patches then stay in the cache."""
    flat, (records, *shape) = derivatives.flatten(2), windows.shape
    window_size, patch = math.prod(shape), math.prod(shape[2:])
    size = (
        min(records, max(1, AT_A_TIME // window_size)) if windows.device.type == "cpu" else records
    )
    kernels = memory.take((layer, "kernels"), (records, flat.shape[1], patch), windows)
    buffer = memory.take((layer, "patches"), (size, *shape), windows)
    for start in range(0, records, size):
        part = slice(start, start + size)
        patches = buffer[: len(windows[part])].copy_(windows[part])
        torch.bmm(flat[part], patches.view(len(patches), -1, patch), out=kernels[part])
    return Kernels((kernels,) if layer.bias is None else (kernels, flat.sum(2)), layer)


LAYERS: dict[type[nn.Module], GradientRule] = {nn.Conv2d: _convolution}
