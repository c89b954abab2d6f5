"""The attacks on the private decision tree."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dpcore.audit.model_setting import BLANKED, Array, ModelSetting, choice_alone, records, training
from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelCalibration
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import decision_tree


def settings() -> tuple[ModelSetting, ...]:
    """The attacks that the model must survive."""
    # Many candidates; one record improves one of them, that of its own level.
    shape = RecordShape(1, 0, (24,))
    base = [(0.0, 1, 0), (0.0, 2, 0)]

    def grown(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> list[Any]:
        return decision_tree.learn(training(calibration, data, runs, seed))[0]

    def split(*drawn: Any) -> Array:
        return np.array([tree.splits[0][0] == 0 for tree in grown(*drawn)], float)

    def both(*drawn: Any) -> Array:
        return np.array(
            [tree.splits[0][0] == 0 and tree.labels[1] == 1 for tree in grown(*drawn)], float
        )

    def leaf(*drawn: Any) -> Array:
        # Whatever the split, the records are on one side of it: that of level 3.
        return np.array([tree.labels[int(tree.splits[0][0] == 3)] for tree in grown(*drawn)], float)

    pair = records(shape, [(0.0, 0, 1), *base]), records(shape, [BLANKED, *base])
    in_leaf = records(shape, [(0.0, 3, 1), (0.0, 3, 0)]), records(shape, [BLANKED, (0.0, 3, 0)])
    setting = partial(ModelSetting, decision_tree.MODEL.key, Adjacency.ZERO_OUT, gaussian=False)
    description = (
        "Two records, and a third, or a blank, whose level makes one split better; whether it is "
        "chosen"
    )
    # A correctly classified record makes its own leaf surer, so that a split and its leaf are never
    # both at their worst: of ε = 2a no depth-1 tree reveals more than 2a - ln((e^a + 1)/2). Only a
    # single choice reveals its full ε.
    return (
        setting(
            pair,
            both,
            f"{description}, and its leaf's label is the record's.",
            epsilon=2.0,
            flags=0.5,
            runs=16_000,
        ),
        setting(pair, split, f"{description}.", epsilon=4.0, runs=8_000, promise=choice_alone(0)),
        setting(
            in_leaf,
            leaf,
            "One record in a leaf, and another of the other class or a blank; the label that the "
            "leaf draws.",
            epsilon=4.0,
            runs=8_000,
            promise=choice_alone(1),
        ),
    )
