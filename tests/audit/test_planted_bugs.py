"""Bugs that are planted in small functions are caught by their outputs, and mended twins pass.

Of 10 trials of each of seven mended twins at most 4 may raise an alarm, which at 99 % more do with
a probability of 0.1 %; of as many trials of each bug 9 at least must catch it. (Of 20 each, all
bugs were caught, and no twin raised an alarm.)
"""

from functools import partial

import numpy as np
import pytest

import dpcore
from tests.audit.test_replay import LONG, LONG_BLANKED, ROWS, VOTES, clipped, least

CLAIM = 1.0, 1e-5
SIGMA = dpcore.sigma(*CLAIM)
RATE, STEPS, STEP_NOISE = 0.1, 20, 1.5
"""Of the descent."""


def normal(seed, *size):
    return SIGMA * np.random.default_rng(seed).normal(size=size)


def noisy_sum(rows, seed, sensitivity=1.0):
    return rows.sum(axis=0) + sensitivity * normal(seed, rows.shape[1])


def average(signs, seed, count):
    """Of signs within ±1; noise is for one that goes, of `len(signs)`."""
    return signs.sum() / count(signs) + normal(seed, 1) / len(signs)


def twice(signs, seed, second):
    """A sum and half of it, with noise for either at half of the budget in μ²."""
    noise = [np.sqrt(2.0) * normal([seed, each], 1)[0] for each in (0, second)]
    return signs.sum() + noise[0], 0.5 * signs.sum() + noise[1]


def descent(signs, seed, rate):
    """Noisy sums of batches, added up."""
    draw = np.random.default_rng(seed)
    batches = draw.random((STEPS, len(signs))) < rate
    return (batches @ signs + STEP_NOISE * draw.normal(size=STEPS)).sum()


def intercept(signs, seed, ridge):
    return least(signs, ridge) + 0.1 * normal(seed, 1)


def chosen(values, seed, bounds):
    """A sum clipped to the bound that is best for these values, with noise for that bound."""
    bound = min((bound for bound in bounds if bound >= np.abs(values).max()), default=bounds[-1])
    return np.clip(values, -bound, bound).sum() + bound * normal(seed, 1)


LONE = np.eye(30)[0]
NOBODY = np.zeros(30)
ONE_FAR = 10.0 * LONE
CLAIMED = dpcore.epsilon(dpcore.Run(STEP_NOISE, RATE, STEPS), CLAIM[1]), CLAIM[1]

BUGS = {
    "a wrong sensitivity": (
        partial(noisy_sum, sensitivity=1.0),
        partial(noisy_sum, sensitivity=2.0),
        (ROWS, np.vstack([-ROWS[:1], ROWS[1:]])),
        {"is_normal": True},
    ),
    "a norm that is not clipped": (
        noisy_sum,
        lambda rows, seed: noisy_sum(clipped(rows), seed),
        (LONG, LONG_BLANKED),
        {"is_normal": True},
    ),
    "an average by the actual size": (
        partial(average, count=np.count_nonzero),
        partial(average, count=len),
        (VOTES, VOTES * (VOTES > 0.0)),
        {"is_normal": True},
    ),
    "a seed used again": (
        partial(twice, second=0),
        partial(twice, second=1),
        (LONE, NOBODY),
        {"is_normal": True},
    ),
    "subsampling claimed but not done": (
        partial(descent, rate=1.0),
        partial(descent, rate=RATE),
        (LONE, NOBODY),
        {"claim": CLAIMED, "outputs": 400},
    ),
    "an intercept that is not regularised": (
        partial(intercept, ridge=1e-3),
        partial(intercept, ridge=10.0),
        (VOTES, VOTES * (VOTES > 0.0)),
        {"is_normal": True},
    ),
    "a choice by the records that is not paid": (
        partial(chosen, bounds=(1.0, 10.0)),
        partial(chosen, bounds=(1.0,)),
        (ONE_FAR, NOBODY),
        {"outputs": 400},
    ),
}


def verdict(train, neighbours, settings, seed):
    settings = {"claim": CLAIM, "outputs": 1_000, **settings}
    return dpcore.try_claim(train, neighbours=neighbours, seed=seed, **settings).verdict


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_caught_and_its_mended_twin_passes(name):
    broken, mended, *others = BUGS[name]
    assert verdict(broken, *others, seed=0) == "refuted"
    assert verdict(mended, *others, seed=0) == "not refuted"


@pytest.mark.slow("tries hundreds of claims")
def test_bugs_are_caught_and_twins_pass_as_often_as_said():
    alarms = 0
    for broken, mended, *others in BUGS.values():
        caught = [verdict(broken, *others, seed) == "refuted" for seed in range(10)]
        assert sum(caught) >= 9
        alarms += sum(verdict(mended, *others, seed) == "refuted" for seed in range(10))
    assert alarms <= 4
