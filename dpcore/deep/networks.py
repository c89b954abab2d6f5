"""The networks (linear, fully connected, the papers' convolutional ones) and their losses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from dpcore.deep.config import SMALLEST_IMAGE
from dpcore.deep.layers import ExampleLoss, StackedLinear
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


def class_loss(outputs: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy of each record; outputs (…, records, classes), targets (…, records)."""
    flat = nn.functional.cross_entropy(outputs.flatten(0, -2), targets.flatten(), reduction="none")
    return flat.view(targets.shape)


def label_loss(outputs: Tensor, targets: Tensor) -> Tensor:
    """Binary cross-entropy summed over labels; a target of nan is unknown and has no loss.

    Outputs and targets are (…, records, labels); the losses are (…, records).
    """
    is_known = targets.isfinite()
    losses = nn.functional.binary_cross_entropy_with_logits(
        outputs, torch.where(is_known, targets, 0.0), reduction="none"
    )
    return (losses * is_known).sum(-1)


def _class_derivative(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    log_probabilities, classes = torch.log_softmax(outputs, -1), targets.unsqueeze(-1)
    losses = -log_probabilities.gather(-1, classes).squeeze(-1)
    minus_one = outputs.new_full((1,), -1.0).expand(classes.shape)
    return losses, log_probabilities.exp_().scatter_add_(-1, classes, minus_one)


def _label_derivative(outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    is_known = targets.isfinite()
    derivative = torch.where(is_known, outputs.sigmoid() - targets, 0.0)
    return label_loss(outputs, targets), derivative


CLOSED_FORMS: dict[ExampleLoss, Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]] = {
    class_loss: _class_derivative,
    label_loss: _label_derivative,
}


def with_derivative(loss: ExampleLoss, outputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Each record's loss, and its derivative with respect to the outputs."""
    if loss in CLOSED_FORMS:
        with torch.no_grad():
            return CLOSED_FORMS[loss](outputs, targets)
    with torch.enable_grad():
        outputs = outputs.detach().requires_grad_()
        losses = loss(outputs, targets)
        (derivative,) = torch.autograd.grad(losses, outputs, torch.ones_like(losses))
    return losses.detach(), derivative
