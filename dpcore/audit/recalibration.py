"""Attacks on the counts that correct a model's risks: one record at an outer knot.

What the counts cost is the same whatever model was released before: here the record itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dpcore.audit.attack import Attack, Power, Target
from dpcore.audit.neighbours import lone_record
from dpcore.audit.training import ATTACKED
from dpcore.erm.method import Settings, Training
from dpcore.erm.problem import Problem
from dpcore.erm.recalibration import noisy_counts, recalibrate, training_budget
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.methods import method_named

Array = NDArray[np.floating]

KEY = "recalibration"
TRAINED = "dpgd"
RECORDS, DIMENSION = 20, 2


@dataclass(frozen=True)
class CountSetting(Power):
    adjacency: Adjacency


SETTINGS = (
    CountSetting(epsilon=100.0, runs=800, adjacency=Adjacency.ZERO_OUT),
    CountSetting(epsilon=100.0, runs=800, adjacency=Adjacency.REPLACE_ONE),
)
"""ε is that of training and counts together; the counts' own, which is attacked, is about 12."""


def aim(setting: CountSetting, epsilon: float, delta: float) -> Target:
    """The counts as a target: what they cost alone, and a function that draws scores."""
    pair = lone_record(RECORDS, DIMENSION, setting.adjacency)
    problem = Problem("logistic", 1.0, RECORDS, DIMENSION, setting.adjacency)
    total = PrivacyBudget(epsilon, delta)
    share = training_budget(total, RECORDS)
    calibration = method_named(TRAINED).calibrate(
        problem, [share.epsilon], share.delta, ATTACKED, Settings()
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


def attack(setting: CountSetting) -> Attack:
    """The attack that a setting describes."""
    other = "blank" if setting.adjacency is Adjacency.ZERO_OUT else "its opposite"
    return setting.attack(
        KEY,
        ATTACKED,
        f"One record at the last knot among {RECORDS - 1} blank ones, in the other set {other}; "
        "the noisy counts of scores there are compared.",
        partial(aim, setting),
    )
