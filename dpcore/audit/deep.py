"""Attacks on the training of networks: many small ones side by side, on neighbouring records.

One record has a label of 1; in the other set it is blank, without a label and so without a
gradient, or has a label of 0, or is not there at all, and the set is smaller by one. The network is
linear and the learning rate small, so that the record's gradient keeps its direction and, being
clipped, its length: what the steps add up to along it holds all that they tell, and without batches
its law is normal. Whatever is told of a training besides, its steps and noise and what is said of
them, is looked at first: where that differs the sets are told apart for certain. Where the number
of records is to stay unknown, weights that nothing but noise moves show what it was divided by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, Scores, Target
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition

if TYPE_CHECKING:
    from dpcore.deep.config import TrainingConfig
    from dpcore.deep.training import TrainingRun

Array = NDArray[np.floating]

KEY = "training"
CLIP = 1e-3
"""C, so small that a gradient is longer wherever the network begins."""
MOVED = 1e-4
"""How far a step moves the weights by C: too little to change the slope."""
IDLE = 0.02
"""What a weight of noise alone counts beside the record: of the right noise, next to nothing."""
CERTAIN = 1e6
"""Further than any weights come."""


@dataclass(frozen=True)
class NetworkSetting:
    """Where training is attacked.

    Parameters
    ----------
    adjacency : Adjacency
    sampling : str
        "none", "poisson" or "fixed".
    records, batch, epochs : int
    decay : float
        Of the noise's variance, every epoch.
    others : float
        Label of the other records; nan for blank ones, which have no gradient. In batches of fixed
        size 0 shows best whether the record was among them: it takes an opposite's place.
    idle : int
        How many features no record has.
    epsilon, delta : float
        Budget at which the attack has its power.
    gaussian : bool
        Whether scores are normal with one variance.
    flags : float
        Share of the noise at which the copy is found out.
    runs : int
    """

    adjacency: Adjacency
    sampling: str = "none"
    records: int = 2
    batch: int = 2
    epochs: int = 5
    decay: float = 1.0
    others: float = math.nan
    idle: int = 0
    epsilon: float = 4.0
    delta: float = 1e-5
    gaussian: bool = True
    flags: float = 2.0 / 3.0
    runs: int = 2_000


# Two steps on about half of the records: a mixture of normal laws, told by a threshold.
_POISSON = NetworkSetting(
    Adjacency.ZERO_OUT,
    sampling="poisson",
    batch=1,
    epochs=1,
    epsilon=1.0,
    delta=0.1,
    gaussian=False,
    flags=0.5,
    runs=8_000,
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
        from dpcore.deep.guarantee import guarantee

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
        ).within(epsilon, setting.records)
        promise = guarantee(config, setting.records).certified
        if promise.epsilon is None:
            raise InvalidInput(
                f"training proves nothing, but an attack needs a promise: {promise.reason}"
            )
        return Target(promise, _scores(config, setting))

    other = {
        Adjacency.REPLACE_ONE: "with its opposite",
        Adjacency.ZERO_OUT: "blank",
        Adjacency.ADD_REMOVE: "not there",
    }[setting.adjacency]
    drawn = {"poisson": "Poisson batches", "fixed": "batches of fixed size"}
    steps = drawn.get(setting.sampling, "all records at every step")
    return Attack(
        method=KEY,
        edition=Edition.SOUND,
        about=(
            f"One record with a label, in the other set {other}, and {steps}; what a linear "
            "network has learnt of it, and what is told of the training."
        ),
        aim=aim,
        epsilon=setting.epsilon,
        delta=setting.delta,
        gaussian=setting.gaussian,
        flags=setting.flags,
        runs=setting.runs,
    )


def _scores(config: TrainingConfig, setting: NetworkSetting) -> Scores:
    from dpcore.deep.training import TrainingRun

    # The record, a record of zeros, and one of each idle feature alone.
    asked = np.eye(setting.idle + 2, setting.idle + 1, k=-1, dtype=np.float32)
    asked[0, 0], asked[1, 0] = 1.0, 0.0
    others = np.full((setting.records - 1, 1), setting.others, dtype=np.float32)
    without = {
        Adjacency.REPLACE_ONE: [[0.0]],
        Adjacency.ZERO_OUT: [[math.nan]],
        Adjacency.ADD_REMOVE: np.zeros((0, 1)),
    }[setting.adjacency]

    def draw(share: float, runs: int, seed: int) -> tuple[Array, Array]:
        found, said = [], []
        for place, record in enumerate(([[1.0]], without)):
            targets = np.concatenate([np.asarray(record, dtype=np.float32), others])
            each = replace(config, sigma=share * config.sigma, seed=2 * seed + place)
            inputs = np.repeat(asked[:1], len(targets), axis=0)
            run = TrainingRun([each] * runs, inputs, targets, 1, task="labels")
            said.append(told(run))
            before = run.scores(asked)
            run.advance(run.steps)
            found.append(_seen((run.scores(asked) - before)[..., 0].astype(float), config, setting))
        if said[0] != said[1]:
            found[0] += CERTAIN
        return found[0], found[1]

    return draw


def _seen(moved: Array, config: TrainingConfig, setting: NetworkSetting) -> Array:
    """The score of each run, from how far its outputs moved, (runs, records asked)."""
    if not setting.idle:
        return np.asarray(moved[:, 0])
    steps = config.steps_an_epoch(setting.records) * config.epochs
    # Of one weight, if rates and divisors come from the public size alone; there is no decay here.
    sigma = config.learning_rate * config.sigma * math.sqrt(steps) / setting.records
    wide = ((moved[:, 2:] - moved[:, 1:2]) / sigma) ** 2
    return np.asarray(moved[:, 0] / sigma - IDLE * wide.sum(axis=1))


def told(run: TrainingRun) -> tuple[object, ...]:
    """All that a training tells besides its weights and what is measured of them."""
    return run.steps, [run.sigmas(step) for step in range(run.steps)], run.guarantee()
