"""The networks that are offered: linear, fully connected, and the papers' convolutional ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import nn

from dpcore.deep.layers.linear import StackedLinear
from dpcore.deep.recipe import SMALLEST_IMAGE
from dpcore.errors import one_of, whole

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
    between = ACTIVATIONS[one_of("activation", activation, tuple(ACTIVATIONS))]
    whole("side", side, at_least=SMALLEST_IMAGE)

    def after(size: int, kernel: int, stride: int, padding: int = 0) -> int:
        return (size + 2 * padding - kernel) // stride + 1

    left = after(after(side, 8, 2, 3), 2, 1)
    left = after(after(left, 4, 2), 2, 1)
    network = nn.Sequential(
        nn.Conv2d(channels, 16, 8, 2, padding=3),
        between(),
        nn.MaxPool2d(2, 1),
        nn.Conv2d(16, 32, 4, 2),
        between(),
        nn.MaxPool2d(2, 1),
        nn.Flatten(),
        nn.Linear(32 * left * left, 32),
        between(),
        nn.Linear(32, outputs),
    )
    # With the channels last in memory, pooling takes a tenth and patches are cut at once.
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    return network
