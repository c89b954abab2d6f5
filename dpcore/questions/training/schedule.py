"""How the noise of a training falls and its certified ε grows, before anything is trained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dpcore.accounting.epsilon_curve import along, checkpoints
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation.training.study import ACCOUNTANT
from dpcore.evaluation.training.variants import accounted, evenly
from dpcore.guarantee import Guarantee

if TYPE_CHECKING:
    import pandas as pd

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
