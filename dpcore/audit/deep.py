"""Attacks on the training of networks: many small trainings side by side, on neighbouring records.

One record has a label of 1; in the other set it is blank, without a label and so without a
gradient, or has a label of 0, or is absent, and the set is smaller by one. The network is linear
and the learning rate small, so that the record's gradient keeps its direction and, being clipped,
its length: the sum of the steps along it is a sufficient statistic, and without batches its law is
normal. Everything else that a training discloses, its steps, noise and guarantee, is compared
first: where that differs the sets are distinguished with certainty. Where the number of records is
to stay unknown, weights that only noise moves show what it was divided by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, Power, Scores, Target
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition, Guarantee

if TYPE_CHECKING:
    from dpcore.deep.config import TrainingConfig
    from dpcore.deep.training import TrainingRun

Array = NDArray[np.floating]

KEY = "training"
CLIP = 1e-3
"""C, so small that every gradient is clipped, whatever the initial weights."""
MOVED = 1e-4
"""Change of the weights by C in one step: too little to change the slope."""
IDLE = 0.02
"""Relative weight of a noise-only coordinate in the score: negligible under the right noise."""
CERTAIN = 1e6
"""A score beyond that of any weights."""


WITHOUT: dict[Adjacency, tuple[str, list[list[float]]]] = {
    Adjacency.REPLACE_ONE: ("with its opposite", [[0.0]]),
    Adjacency.ZERO_OUT: ("blank", [[math.nan]]),
    Adjacency.ADD_REMOVE: ("not there", []),
}
"""The record in the other set, in words and as the targets in its place."""


@dataclass(frozen=True)
class NetworkSetting(Power):
    adjacency: Adjacency
    sampling: str = "none"
    records: int = 2
    batch: int = 2
    epochs: int = 5
    decay: float = 1.0
    others: float = math.nan  # of other records; nan for blank ones, with no gradient
    idle: int = 0  # number of features that no record has
    epsilon: float = field(default=4.0, kw_only=True)


# Two steps on about half of the records: a mixture of normal laws, attacked by a threshold.
_POISSON = NetworkSetting(
    Adjacency.ZERO_OUT,
    sampling="poisson",
    batch=1,
    epochs=1,
    epsilon=1.0,
    delta=0.1,
    gaussian=False,
    flags=0.5,
)
SETTINGS = (
    NetworkSetting(Adjacency.ZERO_OUT, decay=0.8),
    NetworkSetting(Adjacency.REPLACE_ONE),
    NetworkSetting(
        Adjacency.ADD_REMOVE, idle=64, delta=0.02, gaussian=False, flags=0.5, runs=8_000
    ),
    _POISSON,
    replace(_POISSON, adjacency=Adjacency.ADD_REMOVE),
    NetworkSetting(
        Adjacency.REPLACE_ONE,
        sampling="fixed",
        batch=1,
        epochs=1,
        others=0.0,
        epsilon=3.0,
        delta=0.03,
        gaussian=False,
        flags=0.5,
        runs=8_000,
    ),
)


def attack(setting: NetworkSetting) -> Attack:
    """The attack that a setting describes."""

    def aim(epsilon: float, delta: float) -> Target:
        from dpcore.deep.config import TrainingConfig

        config = TrainingConfig(
            network="linear",
            epochs=setting.epochs,
            batch=setting.batch,
            learning_rate=MOVED * setting.batch / CLIP,
            clip=CLIP,
            decay=setting.decay,
            sampling=setting.sampling,
            adjacency=str(setting.adjacency),
            public_size=setting.records if setting.adjacency is Adjacency.ADD_REMOVE else None,
            delta=delta,
        )
        config, promise = promised(config, epsilon, setting.records)
        return Target(promise, _scores(config, setting))

    other, _ = WITHOUT[setting.adjacency]
    batches = {"poisson": "Poisson batches", "fixed": "batches of fixed size"}
    steps = batches.get(setting.sampling, "all records at every step")
    return setting.attack(
        KEY,
        Edition.SOUND,
        f"One record with a label, in the other set {other}, and {steps}; what a linear network "
        "has learnt of it, and what is told of the training.",
        aim,
    )


def promised(
    config: TrainingConfig, epsilon: float, records: int
) -> tuple[TrainingConfig, Guarantee]:
    """The configuration with the least noise that satisfies ε, and what that noise promises."""
    from dpcore.deep.guarantee import guarantee

    config = config.within(epsilon, records)
    promise = guarantee(config, records).certified
    if promise.epsilon is None:
        raise InvalidInput(
            f"training proves nothing, but an attack needs a promise: {promise.reason}"
        )
    return config, promise


def _scores(config: TrainingConfig, setting: NetworkSetting) -> Scores:
    from dpcore.deep.training import TrainingRun

    # The record, a record of zeros, and one record for each idle feature.
    queries = np.eye(setting.idle + 2, setting.idle + 1, k=-1, dtype=np.float32)
    queries[0, 0], queries[1, 0] = 1.0, 0.0
    others = np.full((setting.records - 1, 1), setting.others, dtype=np.float32)
    _, without = WITHOUT[setting.adjacency]

    def draw(share: float, runs: int, seed: int) -> tuple[Array, Array]:
        scores, disclosures = [], []
        for index, record in enumerate(([[1.0]], without)):
            targets = np.concatenate([np.reshape(record, (-1, 1)).astype(np.float32), others])
            run_config = replace(config, sigma=share * config.sigma, seed=2 * seed + index)
            inputs = np.repeat(queries[:1], len(targets), axis=0)
            run = TrainingRun([run_config] * runs, inputs, targets, 1, task="labels")
            disclosures.append(disclosed_facts(run))
            before = run.scores(queries)
            run.advance(run.steps)
            scores.append(
                _run_scores((run.scores(queries) - before)[..., 0].astype(float), config, setting)
            )
        if disclosures[0] != disclosures[1]:
            scores[0] += CERTAIN
        return scores[0], scores[1]

    return draw


def _run_scores(changes: Array, config: TrainingConfig, setting: NetworkSetting) -> Array:
    if not setting.idle:
        return np.asarray(changes[:, 0])
    steps = config.steps(setting.records)
    # σ of one weight, if rates and divisors come from the public size alone; without decay.
    sigma = config.learning_rate * config.sigma * math.sqrt(steps) / setting.records
    idle_squares = ((changes[:, 2:] - changes[:, 1:2]) / sigma) ** 2
    return np.asarray(changes[:, 0] / sigma - IDLE * idle_squares.sum(axis=1))


def disclosed_facts(run: TrainingRun) -> tuple[object, ...]:
    """Everything that a training discloses besides its weights and their measurements."""
    return run.steps, [run.sigmas(step) for step in range(run.steps)], run.guarantee()
