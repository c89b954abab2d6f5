"""DP-Newton: three Gaussian answers a step compose to the budget."""

from __future__ import annotations

import math

import pytest

from dpcore.erm.method import Settings
from dpcore.erm.methods.dpnewton import MAX_STEPS, METHOD, STEPS
from dpcore.erm.newton_noise import step_noise
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta


def calibrated(problem, epsilons=(0.01, 1.0, 40.0), steps=None):
    return METHOD.calibrate(problem, epsilons, 1e-6, Edition.SOUND, Settings(steps))


@pytest.mark.parametrize("adjacency", [Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT])
@pytest.mark.parametrize("steps", [None, 1, 30])
def test_the_answers_of_all_steps_compose_to_the_budget(adjacency, steps) -> None:
    problem = Problem("logistic", 0.01, 3_000, 10, adjacency)
    for c in calibrated(problem, steps=steps):
        assert c.steps == (steps or STEPS)
        one = step_noise(c.gaussian_mu, c.steps)
        squares = [one.gradient**2, one.trace**2, one.direction**2]
        assert analytic_delta(c.requested.epsilon, 1.0 / math.sqrt(c.steps * sum(squares))) <= 1e-6
        assert c.sigma == pytest.approx(problem.gradient_change / one.gradient)
        assert c.model_noise == c.sigma / 3_000
        assert (c.proof.epsilon, c.status) == (c.requested.epsilon, Status.PROVED)


def test_steps_are_bounded() -> None:
    problem = Problem("logistic", 0.01, 100, 10)
    assert calibrated(problem, steps=1_000_000)[0].steps == MAX_STEPS
    with pytest.raises(InvalidInput, match="steps T is 0, but it must be"):
        calibrated(problem, steps=0)
