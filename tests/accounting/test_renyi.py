"""Rényi divergences against mpmath, and against the definition's other consequences."""

import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting import rdp as library

from dpcore.accounting import renyi
from tests.accounting.oracles import rdp_poisson

BETWEEN = [
    (1.0, 0.01, 1.5),
    (1.0, 0.01, 7.3),
    (0.35, 0.01, 16.5),
    (0.35, 1e-6, 16.9),
    (10.0, 0.01, 5.5),
    (0.1, 0.01, 1.05),
    (2.65, 0.2, 17.0),
    (2.9, 0.99, 3.3),
    (40.0, 1e-4, 1.01),
]
WHOLE = [
    (1.0, 0.01, 8),
    (2.5, 0.01, 100),
    (0.1, 0.01, 4),
    (100.0, 1e-6, 64),
    (1e8, 1e-6, 3),
    (1.0, 0.5, 512),
    (0.01, 0.001, 2),
]


@pytest.mark.slow("composes many distributions of the privacy loss")
@pytest.mark.parametrize(("multiplier", "rate", "order"), BETWEEN)
def test_between_whole_orders_quadrature_is_above_the_integral_and_close(multiplier, rate, order):
    result = renyi.poisson_between(np.array([multiplier]), rate, np.array([order]))[0, 0]
    above = float((float(result) - rdp_poisson(multiplier, rate, order)) * (order - 1.0))
    assert 0.0 < above < 1e-11


@pytest.mark.parametrize(("multiplier", "rate", "order"), WHOLE)
def test_at_whole_orders_the_sum_is_above_the_exact_one_and_close(multiplier, rate, order):
    result = renyi.poisson_whole(np.array([multiplier]), rate, np.array([order]))[0, 0]
    exact = rdp_poisson(multiplier, rate, order)
    assert 0.0 < float((float(result) - exact) / exact) < 3e-11


@pytest.mark.slow("composes many distributions of the privacy loss")
def test_little_noise_takes_the_chord_which_lies_above():
    many = np.full(1200, 0.03)
    result = renyi.poisson_between(many, 0.01, np.array([3.5]))
    assert result[0, 0] >= float(rdp_poisson(0.03, 0.01, 3.5))


def test_without_sampling_it_is_half_alpha_over_the_square():
    orders = np.array([2.0, 3.0])
    for function in (renyi.poisson_whole, renyi.poisson_between, renyi.fixed_size):
        result = function(np.array([2.0]), 1.0, orders)
        assert result[0] == pytest.approx(orders / 8.0, rel=1e-15)


@pytest.mark.parametrize("rate", [0.001, 0.05, 0.3])
@pytest.mark.parametrize("multiplier", [0.4, 0.6, 1.0])
def test_fixed_size_bounds_match_the_library_where_noise_is_small(multiplier, rate):
    orders = [2, 3, 5, 16, 64]
    event = dp_accounting.SampledWithoutReplacementDpEvent(
        10**9, round(rate * 10**9), dp_accounting.GaussianDpEvent(multiplier)
    )
    accountant = library.RdpAccountant(
        orders, neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE
    )
    theirs = np.array(accountant.compose(event).rdp)
    ours = renyi.fixed_size(np.array([multiplier]), rate, np.array(orders))[0]
    assert np.all(ours <= theirs * (1.0 + 1e-7))
    assert np.all(ours >= 0.2 * theirs)


def test_chords_of_fixed_size_bounds_lie_between_their_ends():
    noise = np.array([1.3])
    ends = renyi.fixed_size(noise, 0.02, np.array([4, 5]))[0] * np.array([3.0, 4.0])
    inside = renyi.fixed_between(noise, 0.02, np.array([4.5]))[0, 0] * 3.5
    assert inside == pytest.approx(ends.mean(), rel=1e-12)


@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.1])
def test_the_conversion_is_the_best_over_a_fine_scan_of_orders(delta):
    noise = np.linspace(2.0, 0.9, 20)

    def whole(orders):
        return 40.0 * renyi.poisson_whole(noise, 0.02, orders).sum(axis=0)

    def between(orders):
        return 40.0 * renyi.poisson_between(noise, 0.02, orders).sum(axis=0)

    scan = 1.0 + np.geomspace(1e-3, 40.0, 400)
    best, _ = renyi.epsilon_from(scan, between(scan), delta)
    result = renyi.least_epsilon(whole, between, delta)
    assert result <= best * 1.002 + 1e-6


def test_large_orders_are_searched_where_little_is_spent():
    def spent(orders):
        return renyi.gaussian(np.array([3000.0]), orders)[0]

    result = renyi.least_epsilon(spent, spent, 1e-5)
    rho = 0.5 / 3000.0**2
    assert result < rho + 2.0 * math.sqrt(rho * math.log(1e5))
