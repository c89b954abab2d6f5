"""Attacks on the training methods of the register: weights trained on neighbours, projected."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, Power, Target
from dpcore.audit.neighbours import lone_record
from dpcore.erm.method import Calibration, Settings, Training
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition, Guarantee
from dpcore.methods import method_named
from dpcore.words import as_set

Array = NDArray[np.floating]

ATTACKED = Edition.SOUND
"""The edition whose promise every attack here tests."""


@dataclass(frozen=True)
class TrainingSetting(Power):
    method: str
    adjacency: Adjacency
    records: int = 20
    dimension: int = 2
    lam: float = 1.0
    settings: Settings = field(default_factory=Settings)
    huber_width: float = 0.5  # small: linear loss below 1 - h, and short steps
    others: float = 0.0  # the other records as multiples of the one that differs
    loss: str = "huber"  # for labels of 1
    features: Literal["plain", "additive", "fine"] = "plain"


def with_noise(calibration: Calibration, share: float) -> Calibration:
    """A copy with this share of the noise and the same promise."""
    mu = calibration.gaussian_mu
    return replace(
        calibration,
        # Some engines size their noise by μ.
        gaussian_mu=None if mu is None else mu / share,
        sigma=share * calibration.sigma,
        model_noise=share * calibration.model_noise,
        output_noise=share * calibration.output_noise,
    )


def promise(calibration: Calibration) -> Guarantee:
    """The promise to test: the tighter of the proved and the certified guarantee."""
    proof, certified = calibration.proof, calibration.certified
    if proof.epsilon is None:
        raise InvalidInput(
            f"{calibration.title} proves nothing at ε = {as_set(calibration.requested.epsilon)}, "
            f"but an attack needs a promise to test: {proof.reason}"
        )
    tighter = (
        certified.epsilon is not None
        and certified.epsilon < proof.epsilon
        and certified.delta == proof.delta
    )
    return certified if tighter else proof


def aim(setting: TrainingSetting, epsilon: float, delta: float) -> Target:
    """The calibrated method as a target: its promise, and a function that draws scores."""
    method = method_named(setting.method)
    pair = lone_record(
        setting.records, setting.dimension, setting.adjacency, setting.others, setting.features
    )
    problem = Problem(
        setting.loss,
        setting.lam,
        setting.records,
        len(pair.direction),
        setting.adjacency,
        setting.huber_width,
    )
    calibration = method.calibrate(problem, [epsilon], delta, ATTACKED, setting.settings)[0]

    def scores(share: float, runs: int, seed: int) -> tuple[Array, Array]:
        copy = with_noise(calibration, share)
        first, second = (
            method.release(Training(problem, features, labels, [copy], runs, 2 * seed + index))[0]
            @ pair.direction
            for index, (features, labels) in enumerate((pair.first, pair.second))
        )
        return first, second

    return Target(promise(calibration), scores)


def attack(setting: TrainingSetting) -> Attack:
    """The attack that a setting describes."""
    rest = "opposite" if setting.others else "blank"
    other = "blank" if setting.adjacency is Adjacency.ZERO_OUT else "its opposite"
    return setting.attack(
        setting.method,
        ATTACKED,
        f"One record of norm 1 ({setting.features} features) among {setting.records - 1} {rest} "
        f"ones, in the other set {other}; "
        f"the weights, trained with the {setting.loss} loss, are projected on it.",
        partial(aim, setting),
    )
