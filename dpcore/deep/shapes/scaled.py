"""Clipping and noise with the same scales, which are known before the batch is drawn.

A step releases Σ ĝ_i + N(0, σ²D²) with ‖D⁻¹ĝ_i‖ ≤ C. In the coordinates D⁻¹g that is isotropic
noise at multiplier σ/C, and D is a function of public examples or of earlier releases, as adaptive
composition allows: ε is exactly that of isotropic noise (`dpcore.deep.shapes.optimal` chooses D).
Squares and weights come from one of three sources:

public examples
    s² = E ĝ_i², and a from their mean gradient or curvature; by coordinate or by layer.
released noisy sums
    By layer, as AdaCliP does by coordinate (Pichapati et al. 2019): the squared distance of each
    noisy sum from the moving average of earlier ones, less the noise's contribution.
a paid query
    The layers' shares q_i of ‖D⁻¹ĝ_i‖²/C², summed over the same batch. They are at least 0 and sum
    to at most 1, so ‖q_i‖₂ ≤ 1: adding or removing a record moves the answer by at most 1, and
    replacing one by at most √2, which is charged as 2. With gradient noise σ_g = σ/√(1-s) and noise
    σ_q = (σ/C)/√s on the shares, the two answers together are one Gaussian query of
    μ² = C²/σ_g² + 1/σ_q² = (C/σ)², so ε is again that of isotropic noise with σ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from dpcore.deep.clipping import PerExample
from dpcore.deep.config import TrainingConfig
from dpcore.deep.layers.gradients import Scales
from dpcore.deep.shapes import moments, optimal
from dpcore.deep.shapes.shape import NoiseShape, ShapeInputs, due, flat, split

MEMORY_MEAN, MEMORY_SQUARES = 0.9, 0.99
"""Share of a moving average that stays at every step (AdaCliP's β₁; its β₂ made longer, because a
layer's squares change slowly and are mostly noise)."""


class Average:
    def __init__(self, memory: float) -> None:
        self.memory = memory
        self.weight = 0.0
        self.total = self.spread = torch.zeros((), dtype=torch.float64)

    def add(self, value: Tensor, variance: Tensor) -> None:
        new = 1.0 - self.memory
        self.weight = self.memory * self.weight + new
        self.total = self.memory * self.total.to(value) + new * value
        self.spread = self.memory**2 * self.spread.to(value) + new**2 * variance

    @property
    def value(self) -> Tensor:
        return self.total / max(self.weight, 1.0 - self.memory)

    @property
    def variance(self) -> Tensor:
        return self.spread / max(self.weight, 1.0 - self.memory) ** 2

    def state(self) -> dict[str, Any]:
        """Everything except the memory; tensors are replaced, never changed in place."""
        return {"weight": self.weight, "total": self.total, "spread": self.spread}

    def restore(self, state: dict[str, Any]) -> None:
        self.weight, self.total, self.spread = state["weight"], state["total"], state["spread"]


class FromExamples(NoiseShape):
    def __init__(self, config: TrainingConfig, inputs: ShapeInputs) -> None:
        self.config, self.inputs, self.examples = config, inputs, inputs.public_examples()
        self.scale: Scales = None

    def prepare(self, step: int) -> None:
        if not due(step, self.config.refresh):
            return
        per_example, config = self.inputs.per_example, self.config
        squares = moments.squares(per_example, self.examples, config.clip)
        if config.cost == "gradient":
            weights = moments.mean(per_example, self.examples).abs()
        elif config.cost == "curvature":
            weights = moments.curvature(per_example, self.examples)
        else:
            weights = torch.ones_like(squares)
        power = optimal.POWERS[config.cost]
        if config.elementwise:
            self.scale = split(optimal.scales(squares, weights, power), per_example.parameters)
            return
        sizes = layer_sizes(per_example)
        sums = [
            torch.stack([layer.sum() for layer in torch.split(values, sizes)])
            for values in (squares, weights)
        ]
        self.scale = _of_each_parameter(per_example, optimal.scales(sums[0], sums[1], power))

    def scales(self) -> Scales:
        return self.scale

    def state(self) -> dict[str, Any]:
        return {"scale": self.scale}

    def restore(self, state: dict[str, Any]) -> None:
        self.scale = state["scale"]


class FromReleases(NoiseShape):
    def __init__(self, config: TrainingConfig, inputs: ShapeInputs) -> None:
        self.ready, self.clip, self.cost = inputs.per_example, config.clip, config.cost
        self.paid = config.source == "paid"
        self.share = config.share if self.paid else 0.0
        self.sizes = layer_sizes(self.ready)
        device = self.ready.parameters[0].device
        self.counts = torch.tensor(self.sizes, dtype=torch.float64, device=device)
        self.by_layer = torch.ones_like(self.counts)
        self.squares = Average(MEMORY_SQUARES)
        self.means = [Average(MEMORY_MEAN) for _ in self.sizes]

    def prepare(self, step: int) -> None:
        """Choose the best D from past releases; a square is at least its noise's error."""
        if not self.squares.weight:
            return
        squares = torch.maximum(self.squares.value, self.squares.variance.sqrt())
        weights = self._gradient() if self.cost == "gradient" else self.counts
        self.by_layer = optimal.scales(squares, weights, optimal.POWERS[self.cost])

    def scales(self) -> Scales:
        return _of_each_parameter(self.ready, self.by_layer)

    def observe(self, noisy: Sequence[Tensor], sigma: float) -> None:
        """Add the squared change since earlier sums, less the noise's contribution."""
        if self.paid and self.cost != "gradient":
            return
        sums = torch.split(flat(noisy), self.sizes)
        noise = (sigma * self.by_layer).square()
        if not self.paid and self.means[0].weight:
            variances = noise + torch.stack([mean.variance for mean in self.means])
            changes = [
                (layer - mean.value).square().sum()
                for layer, mean in zip(sums, self.means, strict=True)
            ]
            self.squares.add(
                torch.stack(changes) - self.counts * variances,
                2.0 * self.counts * variances.square(),
            )
        for layer, mean, variance in zip(sums, self.means, noise, strict=True):
            mean.add(layer, variance)

    def learn(self, noisy: Tensor, error: float) -> None:
        """Convert shares of C² in the scaled norm into squares in the plain norm."""
        unit = (self.clip * self.by_layer).square()
        self.squares.add(noisy.double() * unit, (error * unit).square())

    def _gradient(self) -> Tensor:
        """Σ |w_i| of each layer as √p ‖w‖, from the average of noisy sums less its noise."""
        noise = torch.stack([mean.variance for mean in self.means])
        squares = torch.stack([mean.value.square().sum() for mean in self.means])
        corrected = torch.maximum(squares - self.counts * noise, (2.0 * self.counts).sqrt() * noise)
        return (self.counts * corrected).sqrt()

    def state(self) -> dict[str, Any]:
        """See `NoiseShape`; D follows from it before the next step."""
        return {
            "squares": self.squares.state(),
            "means": [mean.state() for mean in self.means],
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.squares.restore(state["squares"])
        for mean, mean_state in zip(self.means, state["means"], strict=True):
            mean.restore(mean_state)


def layer_sizes(ready: PerExample) -> list[int]:
    """Number of coordinates of each trained layer, adjacent in the order of its parameters."""
    return [
        sum(parameter.numel() for parameter in layer.parameters(False)) for layer in ready.trained
    ]


def _of_each_parameter(ready: PerExample, by_layer: Tensor) -> list[float]:
    result = []
    for layer, scale in zip(ready.trained, by_layer.tolist(), strict=True):
        result += [scale] * sum(1 for _ in layer.parameters(False))
    return result


def _scaled(config: TrainingConfig, inputs: ShapeInputs) -> NoiseShape:
    return (
        FromExamples(config, inputs) if config.source == "public" else FromReleases(config, inputs)
    )


SHAPES = {"scaled": _scaled}
