"""The interface of a noise shape: its calls at every step, and the data it may use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from dpcore.deep.clipping import PerExample
from dpcore.deep.config import TrainingConfig
from dpcore.deep.layers.gradients import ExampleLoss, Scales
from dpcore.errors import InvalidInput

AT_A_TIME = 512


@dataclass(frozen=True)
class ExampleGradients:
    """Records that a shape may compute weights from."""

    inputs: Tensor
    targets: Tensor
    loss: ExampleLoss

    def parts(self) -> list[ExampleGradients]:
        """The records in parts of a few hundred."""
        inputs, targets = (torch.split(part, AT_A_TIME) for part in (self.inputs, self.targets))
        return [ExampleGradients(*part, self.loss) for part in zip(inputs, targets, strict=True)]


@dataclass(frozen=True)
class ShapeInputs:
    """Describe the training that a shape belongs to."""

    per_example: PerExample
    private: ExampleGradients  # for a shape that is studied although it is not private
    public: ExampleGradients | None = None

    def public_examples(self) -> ExampleGradients:
        if self.public is None or len(self.public.inputs) == 0:
            raise InvalidInput("weights are public, but no public examples are given.")
        return self.public


class NoiseShape:
    """Isotropic noise, and the base class of other shapes.

    A step runs `prepare`, draws the batch, clips it with `scales`, adds noise with `spread`, and
    passes the released sums to `observe`. A shape that never uses private examples sees only
    released values, so all its work is post-processing.

    Attributes
    ----------
    share : float
        Part of the step's 1/σ² that a second query takes: layers' shares of the clipped gradients,
        passed to `learn`. 0 for none.
    min_noise_ratio : float
        A lower bound on noise over clipping in every direction, in multiples of σ/C, known before
        private records are used.
    """

    share = 0.0
    min_noise_ratio = 1.0

    def prepare(self, step: int) -> None:
        """Called before the batch of a step, counted from 0, is drawn."""

    def scales(self) -> Scales:
        """D for clipping."""
        return None

    def spread(self) -> Scales:
        """The noise's standard deviations in multiples of σ_t; D unless overridden."""
        return self.scales()

    def observe(self, noisy: Sequence[Tensor], sigma: float) -> None:
        """Called with the noisy sums, to which σ times `spread` was added."""

    def learn(self, noisy: Tensor, error: float) -> None:
        """Called with the second query's answer, (layers,), and its noise's standard deviation."""

    def state(self) -> dict[str, Any]:
        """The state that `restore` needs to continue from here."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a `state`."""


Build = Callable[[TrainingConfig, ShapeInputs], NoiseShape]


def split(vector: Tensor, like: Sequence[Tensor]) -> list[Tensor]:
    """A vector over all coordinates as tensors like the parameters."""
    parts = torch.split(vector, [parameter.numel() for parameter in like])
    return [
        part.reshape_as(parameter).to(parameter)
        for part, parameter in zip(parts, like, strict=True)
    ]


def flat(parts: Sequence[Tensor]) -> Tensor:
    """Tensors as one vector, in double precision."""
    return torch.cat([part.flatten() for part in parts]).double()


def due(step: int, refresh: int) -> bool:
    """Whether weights are recomputed before a step."""
    return step == 0 if refresh == 0 else step % refresh == 0
