"""The attack on scalable PATE."""

from __future__ import annotations

import numpy as np

from dpcore.audit.model_setting import Array, ModelSetting, of_runs
from dpcore.audit.on_models.pate import votes
from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelCalibration
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import scalable_pate


def settings() -> tuple[ModelSetting, ...]:
    """The attacks that the model must survive."""
    shape = RecordShape(100, 1, ())
    more, fewer, counted = votes(shape)

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        counts = np.repeat(counted(data), calibration.noises[1].times, axis=0)

        def drawn(draw: np.random.Generator) -> float:
            (answered, signs), *_ = scalable_pate.answers(counts, [calibration], draw)
            return float(len(answered) + signs.sum())

        return of_runs(drawn, runs, seed)

    setting = ModelSetting(
        scalable_pate.MODEL.key,
        Adjacency.ZERO_OUT,
        (more, fewer),
        score,
        "Teachers evenly split, and one whose only record is there or not; how many queries pass "
        "and get its label.",
        epsilon=1.0,
        delta=0.1,
        gaussian=False,
        flags=0.5,
        runs=5_000,
    )
    return (setting,)
