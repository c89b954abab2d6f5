"""Amplification and composition: the proved formulas, their limits, and what paper 000 prints."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpcore.accounting.composition import (
    PRINTED_AMPLIFICATION_LIMIT,
    amplified_epsilon,
    per_step_epsilon,
    printed_query_epsilon,
    printed_total,
    strong_composition,
    unamplified_epsilon,
)
from dpcore.mechanisms.gaussian import analytic_delta

RATES = st.floats(1e-9, 1.0)


def test_the_printed_amplification_limit_is_the_root_and_beyond_it_small_rates_fail():
    limit = PRINTED_AMPLIFICATION_LIMIT
    assert math.expm1(limit) <= 2.0 * limit
    assert math.expm1(limit + 1e-4) > 2.0 * (limit + 1e-4)
    assert amplified_epsilon(limit + 1e-3, 1e-6) > 2.0 * 1e-6 * (limit + 1e-3)


@given(epsilon=st.floats(1e-9, PRINTED_AMPLIFICATION_LIMIT), rate=RATES)
def test_up_to_the_limit_the_printed_amplification_holds(epsilon, rate):
    assert amplified_epsilon(epsilon, rate) <= 2.0 * rate * epsilon


@given(epsilon=st.floats(1e-9, 600.0), rate=RATES)
def test_amplification_and_its_inverse_undo_each_other(epsilon, rate):
    smaller = amplified_epsilon(epsilon, rate)
    assert 0.0 < smaller <= epsilon * (1.0 + 1e-12)
    assert unamplified_epsilon(smaller, rate) == pytest.approx(epsilon, rel=1e-9)


EVERY_RATE = st.floats(-323.0, 0.0).map(lambda exponent: min(1.0, 10.0**exponent))
EVERY_EPSILON = st.floats(-323.0, 307.0).map(lambda exponent: 10.0**exponent)


def exact_amplification(epsilon, rate):
    if epsilon > 1e5:
        return mpmath.mpf(epsilon) + mpmath.log(rate)  # off by less than e^-99,000
    with mpmath.workdps(800):
        return mpmath.log1p(mpmath.mpf(rate) * mpmath.expm1(mpmath.mpf(epsilon)))


@given(epsilon=EVERY_EPSILON, rate=EVERY_RATE)
@example(epsilon=701.0, rate=1e-308)
@example(epsilon=700.0, rate=5e-324)
@example(epsilon=709.9, rate=1.0)
@example(epsilon=1e300, rate=5e-324)
@example(epsilon=5e-324, rate=5e-324)
def test_amplification_is_rounded_up_everywhere(epsilon, rate):
    result = amplified_epsilon(epsilon, rate)
    exact = exact_amplification(epsilon, rate)
    assert 0.0 < result <= epsilon
    assert min(exact, mpmath.mpf(epsilon)) <= result
    assert result <= float(exact) * (1.0 + 1e-11) + 1e-322


@given(epsilon=st.floats(-300.0, 300.0).map(lambda exponent: 10.0**exponent), rate=EVERY_RATE)
@example(epsilon=1000.0, rate=0.02)
def test_the_inverse_of_amplification_is_rounded_down_everywhere(epsilon, rate):
    result = unamplified_epsilon(epsilon, rate)
    assert epsilon <= result < math.inf
    if epsilon < 1e5:
        assert exact_amplification(result, rate) <= epsilon


@pytest.mark.parametrize("rate", [0.01, 0.3])
@pytest.mark.parametrize("sigma", [0.7, 3.0])
@pytest.mark.parametrize("epsilon", [0.2, 1.5])
def test_amplification_is_exact_for_one_poisson_sampled_gaussian(rate, sigma, epsilon):
    # N(0, σ²) against the mixture with N(1, σ²): the hockey stick by direct integration.
    step = 1e-4 * sigma
    x = np.arange(-12.0 * sigma, 14.0 * sigma + 1.0, step)
    null = np.exp(-0.5 * (x / sigma) ** 2) / (sigma * math.sqrt(2.0 * math.pi))
    shifted = np.exp(-0.5 * ((x - 1.0) / sigma) ** 2) / (sigma * math.sqrt(2.0 * math.pi))
    mixture = (1.0 - rate) * null + rate * shifted
    smaller = amplified_epsilon(epsilon, rate)
    exact = np.maximum(mixture - math.exp(smaller) * null, 0.0).sum() * step
    promised = rate * analytic_delta(epsilon, sigma)
    assert promised == pytest.approx(exact, rel=1e-3)
    other_way = np.maximum(null - math.exp(smaller) * mixture, 0.0).sum() * step
    assert other_way <= promised * (1.0 + 1e-3)


@given(
    total=st.floats(1e-9, 1e3),
    steps=st.integers(1, 10**9),
    slack=st.floats(1e-300, 0.25),
)
def test_the_per_step_share_stays_within_the_total_and_uses_it(total, steps, slack):
    share = per_step_epsilon(total, steps, slack)
    assert strong_composition(share, steps, slack) <= total
    assert strong_composition(share * (1.0 + 1e-9), steps, slack) > total


def test_the_printed_total_of_theorem_7():
    # Paper 000: n = 1000, T = n², ε = 0.1 per query, δ = 1e-3.
    epsilon, delta = printed_total(0.1, 1e-3, 1_000, 1_000**2)
    expected = math.sqrt(8.0 * math.log(1e6)) * 0.1 + 2e3 * 0.1 * math.expm1(2e-4)
    assert epsilon == pytest.approx(expected, rel=1e-12)
    assert epsilon == pytest.approx(1.0913, abs=5e-5)
    assert delta == pytest.approx(1.000001, rel=1e-12)
    assert printed_query_epsilon(epsilon, 1e-3, 1_000, 1_000**2) == pytest.approx(0.1, rel=1e-9)


@given(total=st.floats(1e-12, 1e3), delta=st.floats(1e-300, 0.5), records=st.integers(2, 10**6))
def test_the_per_query_epsilon_claims_no_more_than_the_total(total, delta, records):
    query = printed_query_epsilon(total, delta, records, records)
    assert printed_total(query, delta, records, records)[0] <= total
