"""Paper 004's noise as printed (Xiang et al., algorithm 1): large where the gradient w is small.

Its equation (11), solved exactly, gives every coordinate the same σ, because the constraint is to
hold for every Δ of norm α. Uneven noise comes from reading Δ_i = α/√d; then σ_i follows from w, the
mean gradient of *all* records at the current weights (`dpcore.accounting.paper_004.shares`). With
the private records' own w nothing is proved. With public w the multiplier is min σ_i/α.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from dpcore.accounting import paper_004
from dpcore.deep.config import TrainingConfig
from dpcore.deep.layers.gradients import Scales
from dpcore.deep.shapes import moments
from dpcore.deep.shapes.shape import ExampleGradients, NoiseShape, ShapeInputs, due, split


class Uneven(NoiseShape):
    """Plain clipping, noise σ_i = σ √(mean_j |w_j|^⅔) |w_i|^(-⅓)."""

    min_noise_ratio = paper_004.MIN

    def __init__(self, inputs: ShapeInputs, examples: ExampleGradients, refresh: int) -> None:
        self.inputs, self.examples, self.refresh = inputs, examples, refresh
        self.multiples: list[Tensor] = []
        if refresh == 0:
            # No step has been taken yet, so the network still has its initial weights.
            self.prepare(0)
            self.min_noise_ratio = min(float(multiple.min()) for multiple in self.multiples)

    def prepare(self, step: int) -> None:
        if due(step, self.refresh) and not (self.refresh == 0 and self.multiples):
            per_example = self.inputs.per_example
            weights = moments.mean(per_example, self.examples).abs()
            self.multiples = split(paper_004.shares(weights), per_example.parameters)

    def spread(self) -> Scales:
        return self.multiples

    def state(self) -> dict[str, Any]:
        return {"multiples": [multiple.clone() for multiple in self.multiples]}

    def restore(self, state: dict[str, Any]) -> None:
        self.multiples = [multiple.clone() for multiple in state["multiples"]]


def _published(config: TrainingConfig, inputs: ShapeInputs) -> NoiseShape:
    if not config.uneven:
        return NoiseShape()
    examples = inputs.private if config.source == "private" else inputs.public_examples()
    return Uneven(inputs, examples, config.refresh)


SHAPES = {"published-004": _published}
