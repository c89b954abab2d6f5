"""The attacks on noisy marginals: on its counts, and on the pairs that it chooses."""

from __future__ import annotations

import numpy as np

from dpcore.audit.model_setting import BLANKED, Array, ModelSetting, choice_alone, of_runs, records
from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelCalibration
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import noisy_marginals


def settings() -> tuple[ModelSetting, ...]:
    """The attacks that the model must survive."""
    return _counts(), _chosen_pairs()


def _counts() -> ModelSetting:
    # Two columns, including the label: there is one pair, and nothing to choose.
    shape = RecordShape(1, 0, (2,))
    # Enough in every cell that noise makes no count negative: none is then set to 0.
    many = [(0.0, level, label) for level in (0, 1) for label in (0, 1)] * 200
    one, other = records(shape, [(0.0, 0, 1), *many]), records(shape, [(0.0, 1, 0), *many])

    def tables(
        released: noisy_marginals.Counts | noisy_marginals.Synthesiser,
    ) -> tuple[Array, Array]:
        return np.stack(released.ones), released.twos[0, 1]

    exact = {data: noisy_marginals.counts(data) for data in (one, other)}
    differences = [a - b for a, b in zip(tables(exact[one]), tables(exact[other]), strict=True)]

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        columns, _, pairs = calibration.noises
        weights = differences[0], differences[1] * (columns.scale / pairs.scale) ** 2

        def ratio(draw: np.random.Generator) -> float:
            released = tables(noisy_marginals.release(exact[data], calibration, draw))
            return sum(float((t * w).sum()) for t, w in zip(released, weights, strict=True))

        return of_runs(ratio, runs, seed)

    return ModelSetting(
        noisy_marginals.MODEL.key,
        Adjacency.REPLACE_ONE,
        (one, other),
        score,
        "One record among many, or another that shares no value with it; all released counts by "
        "their likelihood ratio.",
        epsilon=4.0,
    )


def _chosen_pairs() -> ModelSetting:
    # In the released counts a first category of 0 is rare and a label of 0 certain. A record with
    # both makes the pair of categories likelier and the two others less so, by the whole range;
    # another record makes that pair initially the least likely.
    shape = RecordShape(1, 0, (2, 2))
    ones = [np.array([1.0, 99.0]), np.array([1.0, 99.0]), np.array([100.0, 0.0])]
    other = (0.0, 1, 1)
    both, alone = records(shape, [other, (0.0, 0, 0)]), records(shape, [other, BLANKED])

    def score(calibration: ModelCalibration, data: Records, runs: int, seed: int) -> Array:
        exact = noisy_marginals.counts(data)

        def first(draw: np.random.Generator) -> bool:
            return noisy_marginals.chosen(exact, ones, 100.0, calibration, draw)[0] == (0, 1)

        return of_runs(first, runs, seed)

    return ModelSetting(
        noisy_marginals.MODEL.key,
        Adjacency.ZERO_OUT,
        (both, alone),
        score,
        "One record, and another or a blank; whether the pair that gains is the first chosen.",
        epsilon=22.0,
        gaussian=False,
        runs=8_000,
        promise=choice_alone(1),
    )
