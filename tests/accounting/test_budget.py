"""Splitting and spending a budget, σ by every mechanism, and the attacker's curve."""

import pytest

from dpcore.accounting import answers, budget, tradeoff
from dpcore.accounting.accountants import certify
from dpcore.accounting.events import Composed, Gaussian, Repeated
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.mechanisms.gaussian import analytic_sigma

ADD_REMOVE = Adjacency.ADD_REMOVE
YEAR = PrivacyBudget(3.0, 1e-5)


@pytest.mark.parametrize("parts", [4, [1.0, 2.0, 5.0]])
def test_a_split_keeps_the_budget_and_better_composition_needs_less_noise(parts):
    noise = []
    for kind in budget.COMPOSITIONS:
        result = budget.split(YEAR, parts, kind, sensitivity=2.0)
        event = Composed(tuple(Gaussian(p.noise_multiplier) for p in result.portions))
        exact = certify(event, YEAR.delta, ADD_REMOVE, "gdp").epsilon
        assert exact is not None
        assert exact <= YEAR.epsilon * (1.0 + 1e-9)
        assert result.certified_epsilon == pytest.approx(exact, rel=1e-9)
        assert sum(p.share for p in result.portions) == pytest.approx(1.0)
        assert all(p.sigma >= 2.0 * p.noise_multiplier for p in result.portions)
        noise.append(result.portions[0].sigma)
    assert noise[0] > noise[1] > noise[2]


def test_basic_composition_splits_both_epsilon_and_delta():
    actual = [p.noise_multiplier for p in budget.split(YEAR, [1.0, 3.0], "basic").portions]
    expected = [analytic_sigma(part * 3.0, part * 1e-5) for part in (0.25, 0.75)]
    assert actual == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("mechanism", ["zcdp", "tcdp", "rdp", "pld"])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-9), (1.0, 1e-5), (8.0, 1e-3)])
def test_sigma_by_every_mechanism_is_private_and_goes_round(mechanism, epsilon, delta):
    result = answers.answer("sigma", mechanism, epsilon=epsilon, delta=delta, sensitivity=2.0)
    assert result["certified_epsilon"] <= epsilon
    back = answers.answer(
        "epsilon", mechanism, sigma=result["sigma"], delta=delta, sensitivity=2.0
    )["epsilon"]
    assert back == pytest.approx(epsilon, rel=1e-4)
    assert back <= epsilon * (1.0 + 1e-9)
    given = answers.answer(
        "delta", mechanism, sigma=result["sigma"], epsilon=epsilon, sensitivity=2.0
    )["delta"]
    assert given == pytest.approx(delta, rel=1e-2)


def test_a_distribution_of_gaussians_has_the_gaussian_curve():
    exact = tradeoff.from_gaussian(0.5, ADD_REMOVE)
    result = tradeoff.from_event(Repeated(Gaussian(8.0), 16), ADD_REMOVE)
    for rate in (1e-4, 0.01, 0.3, 0.9):
        best, ours = float(tradeoff.power(exact, rate)), float(tradeoff.power(result, rate))
        assert best <= ours <= best * 1.001 + 1e-8
    for prior in (0.01, 0.5, 0.9):
        assert tradeoff.success(result, prior) == pytest.approx(
            tradeoff.success(exact, prior), rel=1e-4
        )


def test_success_is_never_below_following_the_prior_and_symmetric():
    curve = tradeoff.from_gaussian(1.0, ADD_REMOVE)
    for prior in (0.001, 0.2, 0.5, 0.8):
        result = tradeoff.success(curve, prior)
        assert result >= max(prior, 1.0 - prior)
        assert result == pytest.approx(tradeoff.success(curve, 1.0 - prior), rel=1e-12)
