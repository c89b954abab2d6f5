"""The available networks: linear, fully connected, and the papers' convolutional ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from dpcore.deep.config import SMALLEST_IMAGE
from dpcore.deep.layers.linear import StackedLinear
from dpcore.errors import one_of, whole

WAVE, WIDTH = 6.0, 2.2
"""Wavelength of the initial filters, and width of their Gaussian envelope, in pixels."""

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


def perceptron(
    inputs: int, widths: Sequence[int], outputs: int, *, activation: str = "relu", runs: int = 1
) -> nn.Sequential:
    """Fully connected layers; `runs` independent networks trained side by side.

    Without hidden `widths` it is a linear model. With `runs` above 1 it maps (runs, records,
    inputs) to (runs, records, outputs).
    """
    make_activation = ACTIVATIONS[one_of("activation", activation, tuple(ACTIVATIONS))]
    sizes = [whole("width", width, at_least=1) for width in (inputs, *widths, outputs)]
    layers: list[nn.Module] = []
    for fan_in, fan_out in pairwise(sizes):
        layer = nn.Linear(fan_in, fan_out) if runs == 1 else StackedLinear(runs, fan_in, fan_out)
        layers += [layer, make_activation()]
    return nn.Sequential(*layers[:-1])


def small_cnn(channels: int, side: int, outputs: int, *, activation: str = "tanh") -> nn.Sequential:
    """Two convolutions with max-pooling and two fully connected layers (paper 003, MNIST).

    The paper gives no sizes; these are from the tutorial that its baseline figures come from:
    16 filters of 8 × 8 and 32 of 4 × 4, each with stride 2, and 32 hidden units.
    """
    convolutions, width = _convolutions(channels, side, activation)
    return _channels_last(
        *convolutions,
        nn.Linear(width, 32),
        ACTIVATIONS[activation](),
        nn.Linear(32, outputs),
    )


def lean_cnn(channels: int, side: int, outputs: int, *, activation: str = "tanh") -> nn.Sequential:
    """The same convolutions with a linear layer on top: noise on half as many parameters.

    Its first filters are initialised as Gabor waves (Gabor 1946) in eight directions, each even and
    odd, with the norm of random ones, without any data. They are trained like all others.
    """
    convolutions, width = _convolutions(channels, side, activation)
    first = convolutions[0]
    assert isinstance(first, nn.Conv2d)
    with torch.no_grad():
        first.weight.copy_(_waves(*first.weight.shape))
        first.get_parameter("bias").zero_()
    return _channels_last(*convolutions, nn.Linear(width, outputs))


def _convolutions(channels: int, side: int, activation: str) -> tuple[list[nn.Module], int]:
    make_activation = ACTIVATIONS[one_of("activation", activation, tuple(ACTIVATIONS))]
    whole("side", side, at_least=SMALLEST_IMAGE)

    def after(size: int, kernel: int, stride: int, padding: int = 0) -> int:
        return (size + 2 * padding - kernel) // stride + 1

    reduced = after(after(side, 8, 2, 3), 2, 1)
    reduced = after(after(reduced, 4, 2), 2, 1)
    layers = [
        nn.Conv2d(channels, 16, 8, 2, padding=3),
        make_activation(),
        nn.MaxPool2d(2, 1),
        nn.Conv2d(16, 32, 4, 2),
        make_activation(),
        nn.MaxPool2d(2, 1),
        nn.Flatten(),
    ]
    return layers, 32 * reduced * reduced


def _waves(filters: int, channels: int, height: int, width: int) -> Tensor:
    """Filters of equal norm, the average norm of those that `torch.nn.Conv2d` draws."""
    down, right = (torch.arange(size) - (size - 1) / 2 for size in (height, width))
    row, column = torch.meshgrid(down, right, indexing="ij")
    angles = torch.arange(filters // 2) * (2 * math.pi / filters)
    along = column * angles.cos()[:, None, None] + row * angles.sin()[:, None, None]
    envelope = torch.exp(-(row.square() + column.square()) / (2 * WIDTH**2))
    phase = along * (2 * math.pi / WAVE)
    waves = torch.cat([envelope * phase.cos(), envelope * phase.sin()])
    waves -= waves.mean((1, 2), keepdim=True)
    waves /= torch.linalg.vector_norm(waves, dim=(1, 2), keepdim=True)
    waves /= math.sqrt(3 * channels)
    return waves[:, None].expand(-1, channels, -1, -1)


def _channels_last(*layers: nn.Module) -> nn.Sequential:
    """The network with channels last in memory: pooling takes a tenth, patches need no copy."""
    network = nn.Sequential(*layers)
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return network
