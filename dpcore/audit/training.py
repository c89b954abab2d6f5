"""Attacks on the training methods of the register: weights trained on neighbours, projected."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, Power, Target, lone_record
from dpcore.erm.method import Calibration, Settings, Training
from dpcore.erm.methods import method_named
from dpcore.erm.problem import Problem
from dpcore.erm.recalibration import noisy_counts, recalibrate, training_budget
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition, Guarantee, PrivacyBudget
from dpcore.words import as_set

Array = NDArray[np.floating]


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
    edition: Edition = Edition.SOUND


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
    """The promise to test: what is proved."""
    if calibration.proof.epsilon is None:
        raise InvalidInput(
            f"{calibration.title} proves nothing at ε = {as_set(calibration.requested.epsilon)}, "
            f"but an attack needs a promise to test: {calibration.proof.reason}"
        )
    return proved(calibration)


def proved(calibration: Calibration) -> Guarantee:
    """The tighter of the proved and the certified guarantee."""
    proof, certified = calibration.proof, calibration.certified
    if proof.epsilon is None:
        return certified
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
    calibration = method.calibrate(problem, [epsilon], delta, setting.edition, setting.settings)[0]

    def scores(share: float, runs: int, seed: int) -> tuple[Array, Array]:
        copy = with_noise(calibration, share)
        first, second = (
            method.release(Training(problem, features, labels, [copy], runs, 2 * seed + index))[0]
            @ pair.direction
            for index, (features, labels) in enumerate((pair.first, pair.second))
        )
        return first, second

    if setting.edition is Edition.PUBLISHED:
        if calibration.claim.epsilon is None:
            raise InvalidInput(f"{calibration.title} claims nothing: {calibration.claim.reason}")
        return Target(calibration.claim, scores, calibration.claim, proved(calibration))
    return Target(promise(calibration), scores, calibration.claim)


def attack(setting: TrainingSetting) -> Attack:
    """The attack that a setting describes."""
    rest = "opposite" if setting.others else "blank"
    other = "blank" if setting.adjacency is Adjacency.ZERO_OUT else "its opposite"
    return setting.attack(
        setting.method,
        setting.edition,
        setting.adjacency,
        f"One record of norm 1 ({setting.features} features) among {setting.records - 1} {rest} "
        f"ones, in the other set {other}; "
        f"the weights, trained with the {setting.loss} loss, are projected on it.",
        partial(aim, setting),
    )


KEY = "recalibration"
TRAINED = "dpgd"
RECORDS, DIMENSION = 20, 2


@dataclass(frozen=True)
class CountSetting(Power):
    adjacency: Adjacency


COUNT_SETTINGS = (
    CountSetting(epsilon=100.0, runs=800, adjacency=Adjacency.ZERO_OUT),
    CountSetting(epsilon=100.0, runs=800, adjacency=Adjacency.REPLACE_ONE),
)
"""ε is that of training and counts together; the counts' own, which is attacked, is about 12."""


def aim_at_counts(setting: CountSetting, epsilon: float, delta: float) -> Target:
    """The counts as a target: what they cost alone, and a function that draws scores."""
    pair = lone_record(RECORDS, DIMENSION, setting.adjacency)
    problem = Problem("logistic", 1.0, RECORDS, DIMENSION, setting.adjacency)
    total = PrivacyBudget(epsilon, delta)
    share = training_budget(total, RECORDS)
    calibration = method_named(TRAINED).calibrate(
        problem, [share.epsilon], share.delta, Edition.SOUND, Settings()
    )[0]
    plan = recalibrate(calibration, total)

    def scores(noise_share: float, runs: int, seed: int) -> tuple[Array, Array]:
        copy = replace(plan, sigma=noise_share * plan.sigma)
        models = np.tile(pair.direction, (1, runs, 1))
        first, second = (
            _score(
                noisy_counts(
                    Training(problem, *data, [calibration], runs, 2 * seed + place), [copy], models
                )[0],
                setting.adjacency,
            )
            for place, data in enumerate((pair.first, pair.second))
        )
        return first, second

    return Target(plan.alone, scores)


def _score(counts: Array, adjacency: Adjacency) -> Array:
    """The likelihood ratio increases with it; counts (runs, 2, knots)."""
    positives = counts[:, 1]
    opposite = positives[:, 0] if adjacency is Adjacency.REPLACE_ONE else 0.0
    return np.asarray(positives[:, -1] - opposite)


def attack_on_counts(setting: CountSetting) -> Attack:
    """The attack that a setting describes."""
    other = "blank" if setting.adjacency is Adjacency.ZERO_OUT else "its opposite"
    return setting.attack(
        KEY,
        Edition.SOUND,
        setting.adjacency,
        f"One record at the last knot among {RECORDS - 1} blank ones, in the other set {other}; "
        "the noisy counts of scores there are compared.",
        partial(aim_at_counts, setting),
    )
