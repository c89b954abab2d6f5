"""The attack on the private random forest."""

from __future__ import annotations

import numpy as np

from dpcore.audit.model_setting import Array, ModelSetting, records
from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelCalibration, generator
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import random_forest


def settings() -> tuple[ModelSetting, ...]:
    """The attacks that the model must survive."""
    shape = RecordShape(1, 1, ())
    one, other = records(shape, [(1.0, 0, 1)]), records(shape, [(1.0, 0, 0)])

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        trees, draw = calibration.noise.times, generator(seed, 0)
        depth = int(calibration.settings["depth"])
        tree = random_forest.grow(shape, depth, draw)
        counts, leaf = random_forest.scores(tree, data, depth), tree.leaves(data, depth)[0]
        # Every forest repeats one tree: trees are public, only the labels are not.
        labels = random_forest.answers(np.tile(counts, (runs * trees, 1, 1)), calibration, draw)
        return np.asarray(labels[:, leaf].reshape(runs, trees).sum(axis=1), dtype=float)

    setting = ModelSetting(
        random_forest.MODEL.key,
        Adjacency.REPLACE_ONE,
        (one, other),
        score,
        "One record of one class, or of the other; how many of its leaves answer the first.",
        epsilon=2.0,
        delta=0.05,
        gaussian=False,
        runs=8_000,
    )
    return (setting,)
