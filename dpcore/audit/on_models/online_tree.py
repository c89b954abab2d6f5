"""The attack on online learning by a tree of sums."""

from __future__ import annotations

import numpy as np

from dpcore.audit.model_setting import BLANKED, Array, ModelSetting, records, training
from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelCalibration
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import online_tree


def settings() -> tuple[ModelSetting, ...]:
    """The attacks that the model must survive."""
    shape = RecordShape(1, 1, ())
    one, none = records(shape, [(1.0, 0, 1)]), records(shape, [BLANKED])
    row, middle, pushing = online_tree.rows(one)[0], online_tree.ROUNDS // 2, 60

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        # In the first round many records of the other label push the weights to the wrong end,
        # where the loss has slope 1. The record comes half-way, all others are blank.
        x = np.zeros((online_tree.ROUNDS * pushing, len(row)))
        x[:pushing] = row
        signs = -np.ones(len(x))
        x[middle * pushing], signs[middle * pushing] = online_tree.rows(data)[0], data.signs[0]
        total, earlier = np.zeros(runs), np.zeros(runs)
        for round_number, (noisy, _) in enumerate(
            online_tree.stream(x, signs, training(calibration, data, runs, seed)), 1
        ):
            along = -noisy[0] @ row
            # The sums of the next 1, 2, 4, … rounds are one node each, and so is the whole.
            if round_number == middle:
                earlier = along
            elif round_number == online_tree.ROUNDS:
                total += along
            elif round_number > middle and (round_number - middle).bit_count() == 1:
                total += along - earlier
        return total

    setting = ModelSetting(
        online_tree.MODEL.key,
        Adjacency.ZERO_OUT,
        (one, none),
        score,
        "One record half-way, when the weights are far off, or a blank one; the noisy sums of the "
        "1, 2, 4, … rounds from there and of all, projected on its gradient.",
        epsilon=4.0,
        runs=1_000,
    )
    return (setting,)
