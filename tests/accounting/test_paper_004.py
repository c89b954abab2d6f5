"""Paper 004: its equations as printed, and what their noise gives."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from dpcore.accounting import paper_004, planner
from dpcore.accounting.events import TrainingPlan
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon


@pytest.mark.parametrize(
    ("epsilon", "true_delta", "true_epsilon"),
    [(1.0, 0.286, 6.57), (0.3, 0.204, 3.27), (0.05, 0.105, 1.20), (0.01, 0.052, 0.497)],
)
def test_bound_of_one_step_gives_far_less_than_it_claims(epsilon, true_delta, true_epsilon):
    sigma = 1.0 / math.sqrt(paper_004.bound(epsilon, 1e-5))
    assert analytic_delta(epsilon, sigma, 1.0) == pytest.approx(true_delta, abs=6e-4)
    assert analytic_epsilon(sigma, 1e-5, 1.0) == pytest.approx(true_epsilon, rel=2e-3)


# n = 55,000, lots of 1,000, 30 epochs, as in the paper's table II.
@pytest.mark.parametrize(("claimed", "certified"), [(1.0, 1.36), (0.3, 0.69), (0.05, 0.27)])
def test_whole_run_is_certified_at_a_larger_epsilon_than_claimed(claimed, certified):
    step = paper_004.a_step(claimed, 1e-5, 1_000 / 55_000, 1_650)
    sigma = paper_004.noise(paper_004.bound(*step), 1_000)
    spent = planner.spent(TrainingPlan(sigma, 55_000, 1_000, 1_650, 1e-5), "pld")
    assert spent.adjacency is Adjacency.ZERO_OUT
    assert spent.epsilon == pytest.approx(certified, abs=6e-3)
    conditions = paper_004.conditions(claimed, step, 1.0 / sigma)
    assert [each.met for each in conditions[:2]] == [False, claimed <= 0.9]


def test_share_of_a_step_composes_to_the_claim_by_equation_12():
    epsilon, delta = paper_004.a_step(0.3, 1e-5, 0.02, 500)
    assert epsilon * math.sqrt(16 * 0.02**2 * 500 * math.log(math.e + 0.3 / 1e-5)) == pytest.approx(
        0.3
    )
    assert delta == pytest.approx(1e-8)


def test_order_for_which_no_noise_meets_the_bound_gives_no_number():
    step = paper_004.a_step(0.05, 1e-5, 1_000 / 55_000, 1_650)
    assert paper_004.noise(paper_004.bound(*step, 1.0), 1_000) is None


def test_bad_settings_are_refused():
    with pytest.raises(InvalidInput, match="steps is 0"):
        paper_004.a_step(1.0, 1e-5, 0.1, 0)
    with pytest.raises(InvalidInput, match="λ is -1"):
        paper_004.bound(1.0, 1e-5, -1.0)


@pytest.mark.parametrize("order", [None, 500.0])
@pytest.mark.parametrize("noise_on_mean", [False, True])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 5.0])
def test_claim_is_found_back_from_the_noise(epsilon, order, noise_on_mean):
    rest = {"clip": 4.0, "order": order, "noise_on_mean": noise_on_mean}
    step = paper_004.a_step(epsilon, 1e-5, 0.02, 300)
    sigma = paper_004.noise(
        paper_004.bound(*step, order), 20, clip=4.0, noise_on_mean=noise_on_mean
    )
    if sigma is None:
        assert order is not None
        return
    result = paper_004.claimed(sigma, 1e-5, 1_000, 20, 300, **rest)
    assert result == pytest.approx(epsilon, rel=1e-9)


def test_uneven_noise_is_the_least_weighted_sum_under_the_papers_constraint():
    weights = np.random.default_rng(0).exponential(size=7)
    result = minimize(
        lambda u: np.log(np.sum(weights * np.exp(u))) + 0.5 * np.log(np.mean(np.exp(-2 * u))),
        np.zeros(7),
        tol=1e-9,
    )
    searched = np.exp(result.x) * np.sqrt(np.mean(np.exp(-2 * result.x)))
    assert paper_004.shares(weights) == pytest.approx(searched, rel=1e-4)
    assert np.mean(paper_004.shares(weights) ** -2.0) == pytest.approx(1.0)


@pytest.mark.parametrize("dimension", [1, 2, 100_000])
def test_no_share_is_below_the_stated_least(dimension):
    weights = np.zeros(dimension)
    weights[0] = 3.0
    result = paper_004.shares(weights)
    assert result.min() >= paper_004.MIN
    assert np.isfinite(result).all()
    assert (paper_004.shares(0.0 * weights) == 1.0).all()
