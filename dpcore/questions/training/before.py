"""What is known of a training before it: σ and ε by epoch, what keeps a risk, its time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.accounting.epsilon_curve import along, checkpoints
from dpcore.accounting.planner import Plan, solve
from dpcore.accounting.risk_target import KeptRisk, RiskTarget
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput
from dpcore.evaluation.training.study import ACCOUNTANT, TrainingStudy
from dpcore.evaluation.training.variants import accounted, evenly
from dpcore.guarantee import Guarantee
from dpcore.progress import Progress, section, silent
from dpcore.questions.plan.limit import limited
from dpcore.words import at_most, capitalised, counted, lasting, plain, spaced

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.datasets.images import ExamplesEntry
    from dpcore.evaluation.training.duration import Duration

MAX_MARKS = 60
"""Epochs, evenly spread, whose ε is certified before training; each costs some 20 ms."""


def epsilon_schedule(configs: Mapping[str, TrainingConfig], records: int) -> pd.DataFrame:
    """σ and the certified ε at the end of each epoch, before anything is trained.

    Of more than `MAX_MARKS` epochs, at the end of as many evenly spread ones, the last included.
    `configs` are private ones by series, with σ₀ solved; columns are series, epoch, steps, sigma
    (of the epoch's last step), epsilon, delta, adjacency, accountant.
    """
    import pandas as pd

    rows = []
    for series, config in configs.items():
        training, an_epoch = evenly(config).training(records), config.steps_an_epoch(records)
        marks = [an_epoch * epoch for epoch in checkpoints(config.epochs, MAX_MARKS)]
        # As printed, paper 004's noise has no accountant: only its steps and its σ are known. With
        # public weights an accountant counts less noise than σ.
        if accounted(config):
            spent = along(config.training(records), ACCOUNTANT, marks)
        else:
            spent = [Guarantee(None, None, training.adjacency, "none")] * len(marks)
        sigmas = training.schedule().each_step()
        for steps, guarantee in zip(marks, spent, strict=True):
            epsilon = math.nan if guarantee.epsilon is None else guarantee.epsilon
            promise = epsilon, training.delta, str(training.adjacency), guarantee.by
            rows.append((series, steps // an_epoch, steps, sigmas[steps - 1], *promise))
    names = ("series", "epoch", "steps", "sigma", "epsilon", "delta", "adjacency", "accountant")
    return pd.DataFrame(rows, columns=list(names))


@dataclass(frozen=True)
class RiskOfTraining:
    """What keeps a risk: an ε at the same epochs, or epochs at the same noise."""

    kept: KeptRisk
    sigma: float  # of that ε
    epochs: Plan

    @property
    def by_noise(self) -> str:
        """The largest ε, and its noise, in words."""
        return f"{self.kept.sentence} The noise is then σ₀ = {at_most(self.sigma, 4)}."

    @property
    def by_epochs(self) -> str:
        """The most epochs with the noise as it is, in words."""
        plan = self.epochs
        if plan.value is None or plan.training is None:
            return plan.sentence
        noise, count = plain(plan.training.sigma, 4), spaced(round(plan.value))
        return f"With the noise as it is, σ₀ = {noise}, at most {count} epochs keep it."


def risk_of_training(
    study: TrainingStudy, records: int, target: RiskTarget, progress: Progress = silent
) -> RiskOfTraining:
    """What keeps a risk, all else as it is; n is public.

    Refused is a risk that no noise keeps, and noise whose law no accountant covers.
    """
    config = study.with_calibrated_sigma(records, section(progress, 0.0, 0.2))
    training = config.training(records)
    answer = limited("sigma", training, target, section(progress, 0.2, 0.5))
    plan, epsilon = answer.plan, answer.plan.guarantee.epsilon
    if plan.value is None or epsilon is None:
        raise InvalidInput(plan.sentence)
    kept = KeptRisk(target, epsilon, config.delta, answer.saves)
    epochs = solve("epochs", training, target, ACCOUNTANT, section(progress, 0.7, 0.3))
    return RiskOfTraining(kept, plan.value, epochs)


LARGE_NOISE = 10
"""From how many times the constant noise the first noise of a decaying one is worth a warning."""


def purpose(study: TrainingStudy, entry: ExamplesEntry) -> str:
    """What is learned from which data, by which network, at which ε."""
    config = study.config
    layers = " × ".join(spaced(width) for width in config.widths)
    network = {
        "linear": "linear network",
        "perceptron": f"perceptron with {layers} hidden units",
        "cnn": "convolutional network",
        "cnn-lean": "lean convolutional network",
    }[config.network]
    inputs = {"raw": "", "deskewed": " on images set upright"}.get(
        study.features, " on scattering features"
    )
    return (
        f"{entry.title}: {entry.purpose} {capitalised(network)}{inputs}, "
        f"{counted(config.epochs, 'epoch')}, ε = {plain(study.epsilon or 0.0)}, "
        f"δ = {plain(config.delta)}."
    )


def in_time(duration: Duration) -> str:
    """The estimate and its range, as "about 4 min, between 3 and 7 min"."""
    estimate, low, high = map(lasting, (duration.seconds, duration.low, duration.high))
    return f"about {estimate}, between {low} and {high}"


def large_first_noise(first: float, constant: float) -> str:
    """A warning where a decay makes the first noise far larger than a constant one, or ""."""
    if first <= LARGE_NOISE * constant:
        return ""
    return (
        f"Noise begins at σ₀ = {plain(first)}, {plain(first / constant, 2)} times what constant "
        f"noise takes at the same ε ({plain(constant)}): early epochs learn next to nothing."
    )
