"""The attack on private naive Bayes."""

from __future__ import annotations

import numpy as np

from dpcore.audit.model_setting import Array, ModelSetting, records, training
from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelCalibration
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import naive_bayes


def settings() -> tuple[ModelSetting, ...]:
    """The attacks that the model must survive."""
    shape = RecordShape(1, 1, (2,))
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(1.0, 0, 0)])
    difference = naive_bayes.sums(one) - naive_bayes.sums(other)

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        noisy = naive_bayes.noisy_sums(training(calibration, data, runs, seed))[0]
        return np.asarray((noisy * difference).sum(axis=(1, 2)))

    setting = ModelSetting(
        naive_bayes.MODEL.key,
        Adjacency.REPLACE_ONE,
        (one, other),
        score,
        "One record of one class, or the same of the other; all noisy sums, projected on what "
        "that changes.",
        epsilon=4.0,
    )
    return (setting,)
