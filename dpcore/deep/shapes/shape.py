"""What a shape of noise is asked and told at every step, and what it may look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from dpcore.deep.clipping import PerExample
from dpcore.deep.config import TrainingConfig
from dpcore.deep.layers.gradients import Loss
from dpcore.errors import InvalidInput

AT_A_TIME = 512
Scales = Sequence[Tensor | float] | None
"""One entry a parameter, a number or a tensor of its shape; ``None`` for 1 throughout."""


@dataclass(frozen=True)
class ExampleGradients:
    """Records that a shape may compute weights from.

    Parameters
    ----------
    inputs, targets : Tensor
    loss : callable
        As in `PerExample.gradients`.
    """

    inputs: Tensor
    targets: Tensor
    loss: Loss

    def parts(self) -> list[ExampleGradients]:
        """A few hundred records at a time."""
        return [
            ExampleGradients(inputs, targets, self.loss)
            for inputs, targets in zip(
                torch.split(self.inputs, AT_A_TIME),
                torch.split(self.targets, AT_A_TIME),
                strict=True,
            )
        ]


@dataclass(frozen=True)
class Given:
    """The training a shape works for.

    Parameters
    ----------
    per_example : PerExample
        Of the network being trained.
    private : ExampleGradients
        The records trained on: for a shape that is studied although it is not private.
    public : ExampleGradients or None
    """

    per_example: PerExample
    private: ExampleGradients
    public: ExampleGradients | None = None

    def asked_for(self) -> ExampleGradients:
        """The public examples.

        Raises
        ------
        InvalidInput
            If there are none.
        """
        if self.public is None or len(self.public.inputs) == 0:
            raise InvalidInput("weights are public, but no public examples are given.")
        return self.public


class NoiseShape:
    """Isotropic noise, and what another shape may change of it.

    A step runs `prepare`, draws the batch, clips it with `scales`, adds noise with `spread`, and
    tells `observe` what is thereby released. A shape that never looks at private examples sees
    nothing that is not released, so all it does is post-processing.

    Attributes
    ----------
    share : float
        Part of the step's 1/σ² that a second query takes: layers' shares of the clipped gradients,
        told to `learn`. 0 for none.
    min_noise_ratio : float
        A bound from below on noise over clipping in every direction, in multiples of σ/C, known
        before private records are used.
    """

    share = 0.0
    min_noise_ratio = 1.0

    def prepare(self, step: int) -> None:
        """Before the batch of a step, counted from 0, is drawn."""

    def scales(self) -> Scales:
        """D for clipping."""
        return None

    def spread(self) -> Scales:
        """The noise's standard deviations in multiples of σ_t; D unless a shape says otherwise."""
        return self.scales()

    def observe(self, noisy: Sequence[Tensor], sigma: float) -> None:
        """Take note of the noisy sums, to which σ times `spread` was added."""

    def learn(self, noisy: Tensor, error: float) -> None:
        """Take note of the second query's answer, (layers,), and its noise's standard deviation."""

    def state(self) -> dict[str, Any]:
        """What `restore` needs to go on from here."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a `state`."""


Build = Callable[[TrainingConfig, Given], NoiseShape]


def split(vector: Tensor, like: Sequence[Tensor]) -> list[Tensor]:
    """A vector over all coordinates as tensors like the parameters."""
    parts = torch.split(vector, [each.numel() for each in like])
    return [part.reshape_as(each).to(each) for part, each in zip(parts, like, strict=True)]


def flat(parts: Sequence[Tensor]) -> Tensor:
    """Tensors as one vector, in double precision."""
    return torch.cat([part.flatten() for part in parts]).double()


def due(step: int, refresh: int) -> bool:
    """Whether weights are computed afresh before a step."""
    return step == 0 if refresh == 0 else step % refresh == 0
