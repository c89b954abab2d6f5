"""Attacks on the training of networks: many small ones side by side, on neighbouring records.

One record has a label of 1; in the other set it has none, and so no gradient, or a label of 0. The
network is linear and the learning rate small, so that the record's gradient keeps its direction
and, being clipped, its length: what the steps add up to along it holds all that they tell, and
without batches its law is normal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, Scores, Target
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition

Array = NDArray[np.floating]

KEY = "training"
CLIP = 1e-3
"""C, so small that a gradient is longer wherever the network begins."""
MOVED = 1e-4
"""How far a step moves the weights by C: too little to change the slope."""


@dataclass(frozen=True)
class Setting:
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
        Label of the other records; nan for none, and so no gradient. In batches of fixed size 0
        shows best whether the record was among them: it takes an opposite's place.
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
    epsilon: float = 4.0
    delta: float = 1e-5
    gaussian: bool = True
    flags: float = 2.0 / 3.0
    runs: int = 2_000


SETTINGS = (
    Setting(Adjacency.ADD_REMOVE, decay=0.8),
    Setting(Adjacency.REPLACE_ONE),
    # Two steps on about half of the records: a mixture of normal laws, told by a threshold.
    Setting(
        Adjacency.ADD_REMOVE,
        sampling="poisson",
        batch=1,
        epochs=1,
        epsilon=1.0,
        delta=0.1,
        gaussian=False,
        flags=0.5,
        runs=8_000,
    ),
    Setting(
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


def attack(setting: Setting) -> Attack:
    """The attack that a setting describes."""

    def aim(epsilon: float, delta: float) -> Target:
        from dpcore.deep.guarantee import guarantee
        from dpcore.deep.recipe import Recipe

        recipe = Recipe(
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
        promise = guarantee(recipe, setting.records).certified
        if promise.epsilon is None:
            raise InvalidInput(
                f"training proves nothing, but an attack needs a promise: {promise.reason}"
            )
        return Target(promise, _scores(recipe, setting))

    other = "its opposite" if setting.adjacency is Adjacency.REPLACE_ONE else "none"
    drawn = {"poisson": "Poisson batches", "fixed": "batches of fixed size"}
    steps = drawn.get(setting.sampling, "all records at every step")
    return Attack(
        method=KEY,
        edition=Edition.SOUND,
        about=(
            f"One record with a label, in the other set with {other}, and {steps}; what a linear "
            "network has learnt of it."
        ),
        aim=aim,
        epsilon=setting.epsilon,
        delta=setting.delta,
        gaussian=setting.gaussian,
        flags=setting.flags,
        runs=setting.runs,
    )


def _scores(recipe: Any, setting: Setting) -> Scores:
    from dpcore.deep.training import Run

    inputs = np.ones((setting.records, 1), dtype=np.float32)

    def draw(share: float, runs: int, seed: int) -> tuple[Array, Array]:
        found = []
        absent = 0.0 if setting.adjacency is Adjacency.REPLACE_ONE else np.nan
        for place, label in enumerate((1.0, absent)):
            targets = np.full((setting.records, 1), setting.others, dtype=np.float32)
            targets[0] = label
            each = replace(recipe, sigma=share * recipe.sigma, seed=2 * seed + place)
            run = Run([each] * runs, inputs, targets, 1, task="labels")
            before = run.scores(inputs[:1])
            run.advance(run.steps)
            found.append((run.scores(inputs[:1]) - before)[:, 0, 0].astype(float))
        return found[0], found[1]

    return draw
