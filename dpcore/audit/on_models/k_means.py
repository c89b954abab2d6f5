"""The attack on private k-means."""

from __future__ import annotations

import numpy as np

from dpcore.audit.model_setting import Array, ModelSetting, records, training
from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelCalibration
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import k_means


def settings() -> tuple[ModelSetting, ...]:
    """The attacks that the model must survive."""
    shape = RecordShape(1, 1, ())
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(-1.0, 0, 1)])
    share = k_means.weight(shape)

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        total = np.zeros(runs)
        for step in k_means.steps(training(calibration, data, runs, seed)):
            # Whatever the centres, the points are in one cluster at first, and then in two.
            sums = [
                k_means.step_sums(side.points(), step.before[0], share) for side in (one, other)
            ]
            centred = step.noisy[0] - 0.5 * (sums[0] + sums[1])
            total += (centred * (sums[0] - sums[1])).sum(axis=(1, 2))
        return total

    setting = ModelSetting(
        k_means.MODEL.key,
        Adjacency.REPLACE_ONE,
        (one, other),
        score,
        "One point at one end, or at the other; the noisy sums of all steps by their likelihood "
        "ratio.",
        epsilon=4.0,
    )
    return (setting,)
