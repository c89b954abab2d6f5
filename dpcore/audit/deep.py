"""Attacks on the training of networks: many small trainings side by side, on neighbouring records.

One record has a label of 1; in the other set it is blank, without a label and so without a
gradient, or has a label of 0, or is absent, and the set is smaller by one. The network is linear
and the learning rate small, so that the record's gradient keeps its direction and, being clipped,
its length. Whoever sees the weights after every step has the noisy sum of each along that
direction, and scores the training by the likelihood ratio of all: without batches a sum of normal
numbers, otherwise the privacy loss of sampled steps (`dpcore.audit.sampled`). Everything else that
a training discloses, its steps, noise and guarantee, is compared first: where that differs the sets
are distinguished with certainty. Where the number of records is to stay unknown, weights that only
noise moves show what it was divided by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting.events import change
from dpcore.accounting.pairs import PoissonGaussian
from dpcore.audit.attack import Attack, Power, Scores, Target
from dpcore.audit.sampled import SampledSteps
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


# Twenty steps on about a quarter of the records.
_POISSON = NetworkSetting(
    Adjacency.ZERO_OUT,
    sampling="poisson",
    records=4,
    batch=1,
    gaussian=False,
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
        is_sampled = setting.sampling != "none"
        sampled = SampledSteps.of(config.training(setting.records)) if is_sampled else None
        return Target(promise, _scores(config, setting), steps=sampled)

    other, _ = WITHOUT[setting.adjacency]
    batches = {"poisson": "Poisson batches", "fixed": "batches of fixed size"}
    steps = batches.get(setting.sampling, "all records at every step")
    return setting.attack(
        KEY,
        Edition.SOUND,
        setting.adjacency,
        f"One record with a label, in the other set {other}, and {steps}; what each step of a "
        "linear network has learnt of it, and what is told of the training.",
        aim,
    )


ONCE = "one-run"
FEATURE = 10.0
"""A canary's own feature: beside it the shared constant is negligible."""
CANARY_CLIP = 1e-2
CANARY_STEPS = 4


def one_run(*, by_guesses: bool) -> Attack:
    """The attack on a single training, many of whose records are canaries, half of them in.

    Each has a feature of its own, so that in a linear network none moves what another shows, and
    the noise on them is independent. So their scores stand for outputs of as many trainings: of
    those that are in on the first data set, of the others on the second. That takes it for granted
    that canaries tell nothing of each other; guesses do not, and prove less. One that is out is
    blank. The number of records says nothing about a single canary here.
    """

    def aim(epsilon: float, delta: float) -> Target:
        from dpcore.deep.config import TrainingConfig

        # Whatever the number of records, the steps are as many: each takes all of them.
        config = TrainingConfig(
            network="linear", epochs=CANARY_STEPS, batch=1, clip=CANARY_CLIP, delta=delta
        )
        _, promise = promised(config, epsilon, 1)

        def draw(share: float, runs: int, seed: int) -> tuple[Array, Array]:
            batch = 2 * runs
            rate = MOVED * batch / CANARY_CLIP
            own, _ = promised(replace(config, batch=batch, learning_rate=rate), epsilon, batch)
            return _canaries(replace(own, sigma=share * own.sigma, seed=seed), runs)

        return Target(promise, draw)

    how = "by right guesses about the surest of them" if by_guesses else "by all of their scores"
    power = Power(gaussian=not by_guesses, at_once=True, flags=0.25 if by_guesses else 2.0 / 3.0)
    about = f"Canaries of one training, half of them blank, {how}."
    return power.attack(ONCE, Edition.SOUND, Adjacency.ZERO_OUT, about, aim)


def _canaries(config: TrainingConfig, pairs: int) -> tuple[Array, Array]:
    """The change of each canary's output towards its label in one training; half are in."""
    from dpcore.deep.training import TrainingRun

    inputs = np.diag(np.full(2 * pairs, FEATURE, dtype=np.float32))
    targets = np.full((2 * pairs, 1), np.nan, dtype=np.float32)
    targets[:pairs] = 1.0
    run = TrainingRun(config, inputs, targets, 1, task="labels")
    before = run.scores(inputs)
    run.advance(run.steps)
    change = np.asarray((run.scores(inputs) - before)[0, :, 0], dtype=float)
    return change[:pairs], change[pairs:]


def promised(
    config: TrainingConfig, epsilon: float, records: int
) -> tuple[TrainingConfig, Guarantee]:
    """The configuration with the least noise that satisfies ε, and what that noise promises."""
    from dpcore.deep.config import guarantee

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
            scores.append(_likelihoods(run, queries, share, setting))
        if disclosures[0] != disclosures[1]:
            scores[0] += CERTAIN
        return scores[0], scores[1]

    return draw


def _likelihoods(run: TrainingRun, queries: Array, share: float, setting: NetworkSetting) -> Array:
    """The log likelihood ratio of each run's steps, less what idle weights tell of the divisor."""
    moved = change(setting.adjacency)
    rate = 1.0 if setting.sampling == "none" else run.expected / run.size
    before = start = run.scores(queries)[..., 0].astype(float)
    total, variance = np.zeros(run.runs), 0.0
    for step in range(run.steps):
        run.advance(1)
        after = run.scores(queries)[..., 0].astype(float)
        # The noisy sum along the gradient of the record, whose weight and constant move alike, in
        # units of what the record changes: 1 with it, and 0 in the other set.
        learnt = (after - before)[:, 0] * run.expected / (run.rate(step) * math.sqrt(2.0) * CLIP)
        sigma = run.sigmas(step)[0] / share
        pair = PoissonGaussian(sigma / (CLIP * moved), rate)
        total += pair.loss((learnt + moved - 1.0) / moved)
        variance += (run.rate(step) * sigma / setting.records) ** 2
        before = after
    # Of noise alone, if rates and divisors come from the public size.
    idle = (before - start)[:, 2:] - (before - start)[:, 1:2]
    return np.asarray(total - IDLE * (idle**2).sum(axis=1) / variance)


def disclosed_facts(run: TrainingRun) -> tuple[object, ...]:
    """Everything that a training discloses besides its weights and their measurements."""
    return run.steps, [run.sigmas(step) for step in range(run.steps)], run.guarantee()
