"""Layers with per-example gradients in closed form, and the check that refuses other layers.

Squared norms and weighted sums have closed forms without records × parameters numbers. Of a fully
connected layer ‖δ aᵀ‖² = ‖δ‖² ‖a‖² (Goodfellow 2015), so no per-example gradient is ever written
out.

Convolutions take the cheaper of two methods. With the input cut into patches A (positions × patch)
and δ (channels × positions), a record's gradient is G = δ A. Written out, it gives norms and sums.
Its norm alone also follows from ‖G‖² = ⟨A Aᵀ, δᵀδ⟩ (the "ghost norm", Bu et al. 2022), which takes
positions² · (channels + patch) operations, and the weighted sum then takes another pass over all
positions. The second method is cheaper with few positions and many channels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.grad import conv2d_weight

from dpcore.deep.device import Memory
from dpcore.errors import InvalidInput

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


WITHOUT_PARAMETERS: tuple[type[nn.Module], ...] = (
    nn.Identity,
    nn.Sequential,
    nn.Flatten,
    nn.Unflatten,
    nn.ReLU,
    nn.Tanh,
    nn.Sigmoid,
    nn.GELU,
    nn.SiLU,
    nn.ELU,
    nn.LeakyReLU,
    nn.Softplus,
    nn.MaxPool2d,
    nn.AvgPool2d,
    nn.AdaptiveAvgPool2d,
    nn.ZeroPad2d,
    nn.Dropout,
)
"""Layers without parameters that treat every record separately."""

MIXING: tuple[type[nn.Module], ...] = (
    nn.modules.batchnorm._BatchNorm,
    nn.modules.batchnorm._LazyNormBase,
)
"""Layers through which one record affects another's gradient."""


LAYERS: dict[type[nn.Module], GradientRule] = {
    nn.Conv2d: _convolution,
    nn.Linear: _linear,
    StackedLinear: _stacked,
    nn.GroupNorm: _group,
    nn.LayerNorm: _layer,
}
"""Every supported layer class with parameters, and its rule."""


def check(network: nn.Module) -> None:
    """Refuse a network without known per-example gradients."""
    owners: dict[int, str] = {}
    for name, layer in network.named_modules():
        kind, place = type(layer).__name__, f" ({name})" if name else ""
        if isinstance(layer, MIXING):
            raise InvalidInput(
                f"layer is {kind}{place}, but it must treat every record on its own: it computes "
                "with averages over the batch, so clipping one record's gradient bounds nothing; "
                "use GroupNorm."
            )
        for label, parameter in layer.named_parameters(recurse=False):
            if id(parameter) in owners:
                raise InvalidInput(
                    f"layer is {kind}{place}, but its {label} must not be shared with "
                    f"{owners[id(parameter)]}: per-example gradients are counted once a layer."
                )
            owners[id(parameter)] = name or kind
        has_parameters = any(True for _ in layer.parameters(recurse=False))
        if has_parameters and type(layer) not in LAYERS:
            allowed = ", ".join(sorted(layer_type.__name__ for layer_type in LAYERS))
            raise InvalidInput(f"layer is {kind}{place}, but with weights it must be {allowed}.")
        if not has_parameters and type(layer) not in WITHOUT_PARAMETERS:
            allowed = ", ".join(sorted(layer_type.__name__ for layer_type in WITHOUT_PARAMETERS))
            raise InvalidInput(
                f"layer is {kind}{place}, but without weights it must be one that is known to "
                f"treat every record on its own: {allowed}."
            )
        reshaped = layer.start_dim if isinstance(layer, nn.Flatten) else 1
        reshaped = layer.dim if isinstance(layer, nn.Unflatten) else reshaped
        if reshaped != 1:
            raise InvalidInput(
                f"layer is {kind}{place} from dimension {reshaped}, but it must begin at dimension "
                "1: dimension 0 counts the records."
            )
