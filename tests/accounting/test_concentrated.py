"""Truncated CDP: conditions at their edges, both branches, paper 003's equations."""

import math

import pytest

from dpcore.accounting import concentrated, events, paper_003
from dpcore.accounting.concentrated import Concentrated, amplified


def met(rho, rate, omega=math.inf):
    return [condition.met for condition in amplified(Concentrated(rho, omega), rate)[1]]


def test_each_condition_of_the_amplification_lemma_has_its_edge():
    assert met(0.1, 0.01) == [True, True, True, True]
    assert met(math.nextafter(0.1, 1.0), 0.01)[0] is False
    assert met(0.01, 0.1)[1] is True
    assert met(0.01, math.nextafter(0.1, 1.0))[1] is False
    # ln(1/s) ≥ 3ρ(2 + log₂(1/ρ)) at ρ = 0.1: 1.5966, so s up to e^{-1.5966} > 0.1 always meets it.
    needed = 0.3 * (2.0 + math.log2(10.0))
    assert met(0.1, math.exp(-needed * 1.0001))[2] is True
    assert met(0.1, math.exp(-needed * 0.9999))[2] is False
    order = math.log(100.0) / 0.2
    assert met(0.1, 0.01, order * (1.0 + 1e-12))[3] is True
    assert met(0.1, 0.01, order * (1.0 - 1e-12))[3] is False
    assert met(3.0, 0.01)[3] is False


def test_amplification_gives_the_printed_constants():
    result, _ = amplified(Concentrated(0.05), 0.01)
    assert result.rho == pytest.approx(13.0 * 1e-4 * 0.05)
    assert result.omega == pytest.approx(math.log(100.0) / 0.2)


def test_the_branches_meet_at_the_threshold():
    rho, omega = 0.02, 8.0
    delta = math.exp(-((omega - 1.0) ** 2) * rho)
    first = concentrated.printed_epsilon(rho, delta)
    for factor in (1.0 - 1e-9, 1.0 + 1e-9):
        result = concentrated.epsilon_by_branches(Concentrated(rho, omega), delta**factor)
        assert result == pytest.approx(first, rel=1e-6)
    beyond = concentrated.epsilon_by_branches(Concentrated(rho, omega), delta**2)
    assert beyond > concentrated.printed_epsilon(rho, delta**2)


@pytest.mark.parametrize("omega", [1.0, 0.5])
def test_no_order_above_one_says_nothing(omega):
    nothing = Concentrated(0.1, omega)
    assert concentrated.epsilon(nothing, 1e-5) == math.inf
    assert concentrated.epsilon_by_branches(nothing, 1e-5) == math.inf
    assert concentrated.delta(nothing, 1.0) == 1.0
    assert not concentrated.order_condition(nothing).met


@pytest.mark.parametrize("rho", [1e-8, 1e-3, 1.0, 1e4])
@pytest.mark.parametrize("delta", [1e-100, 1e-5, 0.3])
@pytest.mark.parametrize("omega", [1.0 + 1e-9, 3.0, math.inf])
def test_the_modern_conversion_is_never_above_the_branches(rho, delta, omega):
    guarantee = Concentrated(rho, omega)
    result = concentrated.epsilon(guarantee, delta)
    assert 0.0 <= result <= concentrated.epsilon_by_branches(guarantee, delta) * (1.0 + 1e-11)


def test_rho_for_a_budget_keeps_it_and_no_more():
    for budget in ((1e-3, 1e-9), (1.0, 1e-5), (40.0, 0.1)):
        rho = concentrated.rho_for(*budget)
        assert concentrated.epsilon(Concentrated(rho), budget[1]) <= budget[0]
        assert concentrated.epsilon(Concentrated(rho * 1.0001), budget[1]) > budget[0]


DEFAULT = events.geometric(2.8, 0.99, 8, 100)


def test_paper_003_per_epoch_claims_what_it_prints_and_proves_nothing():
    result = paper_003.account(DEFAULT, 0.01, 1e-4)
    assert result.claim.epsilon == pytest.approx(1.660, abs=5e-4)
    assert result.printed.omega == pytest.approx(
        math.log(100.0) * 2.8**2 * 0.99**8 / 2.0, rel=1e-12
    )
    assert result.corrected.rho == pytest.approx(4.0 * result.printed.rho)
    assert result.proof.epsilon is None
    assert "here ρ = 0.2737" in result.proof.reason


def test_equation_three_is_the_closed_sum():
    decay, sigma, steps = 0.99, 2.8, 60
    closed = (1 - decay**steps) / (sigma**2 * (decay ** (steps - 1) - decay**steps))
    result = paper_003.account(events.geometric(sigma, decay, steps), 0.01, 1e-4)
    assert result.printed.rho == pytest.approx(13.0 * 1e-4 * 0.5 * closed, rel=1e-9)


def test_schedules_without_one_decay_have_no_further_one_in_equation_four():
    result = paper_003.account(events.custom([3.0, 2.0, 2.5]), 0.01, 1e-4)
    assert result.printed.omega == pytest.approx(math.log(100.0) / (4.0 * 0.125))
