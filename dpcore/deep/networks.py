"""The networks that are offered: linear, fully connected, and the papers' convolutional ones."""

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
"""Of the waves that filters begin as, and of the bell over them, in pixels."""

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


def perceptron(
    inputs: int, widths: Sequence[int], outputs: int, *, activation: str = "relu", runs: int = 1
) -> nn.Sequential:
    """Fully connected layers; `runs` independent networks trained side by side.

    Parameters
    ----------
    inputs, outputs : int
        Features in, classes out.
    widths : sequence of int
        Of the hidden layers; none for a linear model. Paper 000's network has two of 100.
    activation : str
        "relu" or "tanh".
    runs : int
        Above 1, the network maps (runs, records, inputs) to (runs, records, outputs).
    """
    between = ACTIVATIONS[one_of("activation", activation, tuple(ACTIVATIONS))]
    sizes = [whole("width", width, at_least=1) for width in (inputs, *widths, outputs)]
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layer = nn.Linear(before, after) if runs == 1 else StackedLinear(runs, before, after)
        layers += [layer, between()]
    return nn.Sequential(*layers[:-1])


def small_cnn(channels: int, side: int, outputs: int, *, activation: str = "tanh") -> nn.Sequential:
    """Two convolutions with max-pooling and two fully connected layers (paper 003, MNIST).

    The paper gives no sizes; these are those of the tutorial its baseline figures come from:
    16 filters of 8 × 8 and 32 of 4 × 4, each with stride 2, and 32 hidden units.

    Parameters
    ----------
    channels, side : int
        Of the square images, (records, channels, side, side); `side` at least
        `SMALLEST_IMAGE`.
    outputs : int
    activation : str
        "tanh", as the paper recommends, or "relu".
    """
    convolutions, left = _convolutions(channels, side, activation)
    return _channels_last(
        *convolutions,
        nn.Linear(left, 32),
        ACTIVATIONS[activation](),
        nn.Linear(32, outputs),
    )


def lean_cnn(channels: int, side: int, outputs: int, *, activation: str = "tanh") -> nn.Sequential:
    """The same convolutions with a linear layer on top: half as many parameters to put noise on.

    Its first filters begin as waves under a bell (Gabor 1946) in eight directions, each even and
    odd, as long as random ones; no data are looked at for them. They are trained like all others.

    Parameters
    ----------
    channels, side, outputs, activation
        As for `small_cnn`.
    """
    convolutions, left = _convolutions(channels, side, activation)
    first = convolutions[0]
    assert isinstance(first, nn.Conv2d)
    with torch.no_grad():
        first.weight.copy_(_waves(*first.weight.shape))
        first.get_parameter("bias").zero_()
    return _channels_last(*convolutions, nn.Linear(left, outputs))


def _convolutions(channels: int, side: int, activation: str) -> tuple[list[nn.Module], int]:
    """Up to a flat vector for each image, and how long that is."""
    between = ACTIVATIONS[one_of("activation", activation, tuple(ACTIVATIONS))]
    whole("side", side, at_least=SMALLEST_IMAGE)

    def after(size: int, kernel: int, stride: int, padding: int = 0) -> int:
        return (size + 2 * padding - kernel) // stride + 1

    left = after(after(side, 8, 2, 3), 2, 1)
    left = after(after(left, 4, 2), 2, 1)
    layers = [
        nn.Conv2d(channels, 16, 8, 2, padding=3),
        between(),
        nn.MaxPool2d(2, 1),
        nn.Conv2d(16, 32, 4, 2),
        between(),
        nn.MaxPool2d(2, 1),
        nn.Flatten(),
    ]
    return layers, 32 * left * left


def _waves(filters: int, channels: int, height: int, width: int) -> Tensor:
    """Filters of equal length, as long as those that `torch.nn.Conv2d` draws are on average."""
    down, right = (torch.arange(size) - (size - 1) / 2 for size in (height, width))
    row, column = torch.meshgrid(down, right, indexing="ij")
    turns = torch.arange(filters // 2) * (2 * math.pi / filters)
    along = column * turns.cos()[:, None, None] + row * turns.sin()[:, None, None]
    bell = torch.exp(-(row.square() + column.square()) / (2 * WIDTH**2))
    phase = along * (2 * math.pi / WAVE)
    found = torch.cat([bell * phase.cos(), bell * phase.sin()])
    found -= found.mean((1, 2), keepdim=True)
    found /= torch.linalg.vector_norm(found, dim=(1, 2), keepdim=True)
    found /= math.sqrt(3 * channels)
    return found[:, None].expand(-1, channels, -1, -1)


def _channels_last(*layers: nn.Module) -> nn.Sequential:
    """With the channels last in memory, pooling takes a tenth and patches are cut at once."""
    network = nn.Sequential(*layers)
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return network
