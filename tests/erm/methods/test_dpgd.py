"""DP-GD: T Gaussian steps are exactly one Gaussian mechanism."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.accounting.sampled import SampledGaussian, hit_epsilon
from dpcore.erm.method import Settings
from dpcore.erm.methods.dpgd import DEFAULT_MOST_STEPS, METHOD, MIN_STEPS
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta


def one(problem, epsilon=1.0, delta=1e-5, steps=None):
    return METHOD.calibrate(problem, [epsilon], delta, Edition.SOUND, Settings(steps))[0]


@given(
    epsilon=st.floats(1e-9, 1e3),
    delta=st.sampled_from([1e-100, 1e-12, 1e-5, 0.3]),
    steps=st.one_of(st.none(), st.integers(1, 10**6)),
    adjacency=st.sampled_from([Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT]),
)
def test_the_composition_of_the_steps_is_within_the_budget(
    epsilon, delta, steps, adjacency
) -> None:
    problem = Problem("logistic", 0.01, 3_000, 10, adjacency)
    c = one(problem, epsilon, delta, steps)
    change = 2.0 if adjacency is Adjacency.REPLACE_ONE else 1.0
    # The noise on the mean, in units of what one record can move the mean by.
    mu = math.sqrt(c.steps) * (change / 3_000) / c.model_noise
    assert analytic_delta(epsilon, 1.0 / (mu * (1.0 - 1e-15))) <= delta
    assert (c.proof.epsilon, c.proof.delta, c.status) == (epsilon, delta, Status.PROVED)
    assert c.proof.adjacency is adjacency
    assert all(condition.met for condition in c.conditions)


def test_an_independent_accountant_agrees() -> None:
    c = one(Problem("logistic", 0.01, 3_000, 10), 0.7)
    what = SampledGaussian(c.sigma, 1.0, c.steps, "fixed", Adjacency.REPLACE_ONE)
    assert hit_epsilon(what, 1e-5) == pytest.approx(0.7, rel=1e-5)


def test_the_schedule_is_public_and_within_its_limits() -> None:
    for epsilon in (1e-9, 0.1, 1.0, 100.0):
        for loss, lam, radius in (("logistic", 0.1, None), ("huber", 0.0, 2.0)):
            problem = Problem(loss, lam, 500, 30, radius=radius)
            c = one(problem, epsilon)
            assert MIN_STEPS <= c.steps <= DEFAULT_MOST_STEPS
            assert 0.0 < c.learning_rate <= 1.0 / problem.smoothness


def test_bad_budgets_and_steps_are_refused() -> None:
    problem = Problem("logistic", 0.01, 100, 10)
    with pytest.raises(InvalidInput, match="delta is 0, but it must be"):
        one(problem, delta=0.0)
    with pytest.raises(InvalidInput, match="steps T is 0, but it must be"):
        one(problem, steps=0)
