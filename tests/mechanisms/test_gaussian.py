"""Gaussian calibration against mpmath: never on the unsafe side, and hardly away from the root."""

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dpcore.errors import InvalidInput
from dpcore.mechanisms.gaussian import (
    analytic_delta,
    analytic_epsilon,
    analytic_mu,
    analytic_sigma,
    classical_condition,
    classical_sigma,
)

# Inside the range δ is at least 1e-31 of the terms whose difference it is, so that 100 digits are
# plenty; outside (δ = 1e-300 at a smaller ε) it is 1e-300 of them.
DIGITS, DIGITS_OUTSIDE = 100, 450

thorough = settings(max_examples=500, deadline=None)
brief = settings(max_examples=40, deadline=None)


def powers_of_ten(lowest, highest):
    exponents = st.floats(math.log10(lowest), math.log10(highest))
    return exponents.map(lambda exponent: min(max(10.0**exponent, lowest), highest))


epsilons = powers_of_ten(1e-12, 1e3)
deltas = powers_of_ten(1e-300, 0.5)
sigmas = powers_of_ten(1e-2, 1e14)


def exact_delta(epsilon, sigma, sensitivity=1.0):
    """Theorem 8 of Balle and Wang as printed, at the working precision of mpmath."""
    level = mpmath.mpf(sensitivity) / mpmath.mpf(sigma)
    ratio = mpmath.mpf(epsilon) / level
    root = mpmath.sqrt(2)
    upper = mpmath.erfc((ratio - level / 2) / root) / 2
    return upper - mpmath.exp(epsilon) * mpmath.erfc((ratio + level / 2) / root) / 2


@thorough
@given(epsilons, deltas)
@example(1e-12, 1e-300)
@example(1e-12, 0.5)
@example(1e3, 1e-300)
@example(1e3, 0.5)
def test_sigma_is_safe_and_within_2e_12_of_the_smallest(epsilon, delta):
    sigma = analytic_sigma(epsilon, delta)
    with mpmath.workdps(DIGITS):
        assert exact_delta(epsilon, sigma) <= delta
        assert exact_delta(epsilon, sigma * (1 - 2e-12)) > delta


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [*product((1e-12, 1e-6, 1.0, 1e3), (1e-300, 1e-100, 1e-12, 0.5)), (1e-9, 1e-10)],
)
def test_corners_hold_at_450_digits(epsilon, delta):
    sigma = analytic_sigma(epsilon, delta)
    with mpmath.workdps(DIGITS_OUTSIDE):
        exact = exact_delta(epsilon, sigma)
        assert exact <= delta < exact_delta(epsilon, sigma * (1 - 2e-12))
        assert exact <= analytic_delta(epsilon, sigma) <= exact * (1 + 1e-10)


def safe_sigma(epsilon, delta, sensitivity):
    """σ for (ε, δ); it, and the ε and δ that are found back from it, are seen to be safe."""
    sigma = analytic_sigma(epsilon, delta, sensitivity)
    if sigma < math.inf:
        again = analytic_epsilon(sigma, delta, sensitivity)
        with mpmath.workdps(DIGITS_OUTSIDE):
            exact = exact_delta(epsilon, sigma, sensitivity)
            assert exact <= delta
            assert exact <= analytic_delta(epsilon, sigma, sensitivity)
            assert exact_delta(again, sigma, sensitivity) <= delta
    return sigma


@brief
@given(
    powers_of_ten(1e-300, 1e12),
    st.one_of(
        powers_of_ten(1e-307, 0.5),
        powers_of_ten(2.0**-53, 0.5).map(lambda complement: 1.0 - complement),
    ),
    powers_of_ten(1e-3, 1e3),
)
@example(1e-300, 1e-300, 1.0)
@example(1e12, 1 - 2.0**-53, 1.0)
@example(1.0, math.nextafter(0.5, 1.0), 1.0)
def test_nothing_is_unsafe_outside_the_promised_range(epsilon, delta, sensitivity):
    sigma = safe_sigma(epsilon, delta, sensitivity)
    assert sigma < math.inf
    with mpmath.workdps(DIGITS_OUTSIDE):
        assert exact_delta(epsilon, sigma * (1 - 1e-8), sensitivity) > delta * (1 - 1e-8)


@pytest.mark.parametrize("delta", [5e-324, 1.02849e-318, 4.062539e-317, 2.25e-313, 1e-306])
@pytest.mark.parametrize("epsilon", [5e-324, 1e-320, 1.47e-305, 3.49e-237, 1.62e-91, 1.0])
@pytest.mark.parametrize("sensitivity", [1e-14, 1.0])
def test_subnormal_numbers_are_not_unsafe_either(epsilon, delta, sensitivity):
    safe_sigma(epsilon, delta, sensitivity)


@thorough
@given(st.one_of(st.just(0.0), epsilons), sigmas)
@example(0.0, 1e14)
@example(1e3, 0.0223)
def test_delta_is_never_below_the_exact_value_nor_far_above(epsilon, sigma):
    delta = analytic_delta(epsilon, sigma)
    with mpmath.workdps(DIGITS):
        exact = exact_delta(epsilon, sigma)
        assert exact <= delta <= 1
        # What is below the smallest normal number has no relative precision to speak of.
        assert delta <= max(exact * (1 + mpmath.mpf(1e-9)), mpmath.mpf(1e-300))


@thorough
@given(sigmas, deltas)
def test_epsilon_is_never_below_the_exact_value_nor_far_above(sigma, delta):
    epsilon = analytic_epsilon(sigma, delta)
    with mpmath.workdps(DIGITS):
        assert exact_delta(epsilon, sigma) <= delta
        # Where δ is close to δ(0), ε is lost in the rounding of δ itself.
        less = epsilon * (1 - 1e-10) - 1e-13 / sigma
        if less > 0:
            assert exact_delta(less, sigma) > delta


@pytest.mark.slow("compares many values with an oracle of hundreds of digits")
@thorough
@given(powers_of_ten(1e-1, 1e14), st.floats(-1e-9, 1e-9))
def test_epsilon_is_zero_exactly_where_delta_alone_covers_the_noise(sigma, offset):
    with mpmath.workdps(DIGITS):
        at_zero = exact_delta(0.0, sigma)
        delta = float(at_zero) * (1 + offset)
        assume(abs(mpmath.mpf(delta) / at_zero - 1) > 1e-13 and delta < 1)
        assert (analytic_epsilon(sigma, delta) == 0.0) == (at_zero <= delta)


def test_no_delta_needs_infinite_noise():
    assert analytic_sigma(1.0, 0.0) == math.inf
    assert analytic_mu(1.0, 0.0) == 0.0
    assert classical_sigma(1.0, 0.0) == math.inf
    assert analytic_epsilon(1.0, 0.0) == math.inf
    mixed = analytic_sigma(1.0, np.array([0.0, 1e-5, 0.9]))
    assert mixed.tolist() == [math.inf, analytic_sigma(1.0, 1e-5), analytic_sigma(1.0, 0.9)]


def test_infinite_noise_costs_nothing():
    assert analytic_delta(0.0, math.inf) == 0.0
    assert analytic_epsilon(math.inf, 0.0) == 0.0
    assert analytic_epsilon(np.array([math.inf, 1.0]), 0.0).tolist() == [0.0, math.inf]


def test_numbers_give_floats_and_arrays_broadcast():
    epsilon, delta = np.geomspace(1e-12, 1e3, 90)[:, None], np.geomspace(1e-300, 0.5, 70)
    sigma = analytic_sigma(epsilon, delta)
    # More than one block, so that blocks and threads are held to the result for single numbers.
    assert sigma.shape == (90, 70)
    for row, column in ((0, 0), (89, 69), (45, 30), (58, 36), (89, 0), (0, 69)):
        single = analytic_sigma(float(epsilon[row, 0]), float(delta[column]))
        assert type(single) is float
        assert sigma[row, column] == pytest.approx(single, rel=1e-14)
    assert type(analytic_epsilon(np.float64(1.0), 1e-5)) is float
    assert analytic_delta([0.0, 1.0], 2, [[1], [2]]).shape == (2, 2)
    assert analytic_sigma([], 1e-5).shape == (0,)


@brief
@given(powers_of_ten(1e-9, 1e3), powers_of_ten(1e-300, 0.5), powers_of_ten(1e-6, 1e6))
def test_classical_sigma_is_the_printed_formula(epsilon, delta, sensitivity):
    printed = mpmath.sqrt(2 * mpmath.log(mpmath.mpf("1.25") / delta)) * sensitivity / epsilon
    assert classical_sigma(epsilon, delta, sensitivity) == pytest.approx(float(printed), rel=1e-13)


@thorough
@given(powers_of_ten(1e-9, 1 - 1e-9), powers_of_ten(1e-12, 0.5))
def test_classical_noise_suffices_where_its_condition_is_met(epsilon, delta):
    assert classical_condition(epsilon).met
    assert classical_sigma(epsilon, delta) >= analytic_sigma(epsilon, delta)


def test_classical_noise_falls_short_where_its_condition_is_not_met():
    assert classical_sigma(10.0, 1e-5) < analytic_sigma(10.0, 1e-5)
    for epsilon in (1.0, 10.0):
        condition = classical_condition(epsilon)
        assert not condition.met
        assert f"ε = {epsilon:g}" in condition.consequence
    assert classical_condition(math.nextafter(1.0, 0.0)).consequence == ""


BAD_EPSILONS = [0.0, -1.0, math.nan, math.inf, None, "much", 1j, [1.0, -1.0]]
BAD_DELTAS = [-1e-300, 1.0, math.nan, math.inf, None, [0.5, 1.0], [[0.1], [0.1, 0.2]], ["1"]]
BAD_SCALES = [0, -1.0, math.nan, None, "wide", [1.0, 0.0], {}, 10**400]


@pytest.mark.parametrize("bad", BAD_EPSILONS)
def test_a_bad_epsilon_is_named(bad):
    for function in (analytic_sigma, analytic_mu, classical_sigma):
        with pytest.raises(InvalidInput, match=r"^epsilon is "):
            function(bad, 1e-5)  # type: ignore[operator]
    if not isinstance(bad, list):
        with pytest.raises(InvalidInput, match=r"^epsilon is "):
            classical_condition(bad)  # type: ignore[arg-type]
    if bad != 0.0:
        with pytest.raises(InvalidInput, match=r"^epsilon is "):
            analytic_delta(bad, 1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", BAD_DELTAS)
def test_a_bad_delta_is_named(bad):
    for function in (analytic_sigma, analytic_mu, classical_sigma):
        with pytest.raises(InvalidInput, match=r"^delta is "):
            function(1.0, bad)  # type: ignore[operator]
    with pytest.raises(InvalidInput, match=r"^delta is "):
        analytic_epsilon(1.0, bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", BAD_SCALES)
def test_a_bad_sigma_or_sensitivity_is_named(bad):
    for function in (analytic_delta, analytic_epsilon):
        with pytest.raises(InvalidInput, match=r"^sigma is "):
            function(0.5, bad) if function is analytic_delta else function(bad, 0.5)  # type: ignore[arg-type]
    for function in (analytic_sigma, analytic_delta, analytic_epsilon, classical_sigma):
        with pytest.raises(InvalidInput, match=r"^sensitivity is "):
            function(0.5, 0.5, bad)  # type: ignore[operator]


def test_an_infinite_sensitivity_and_shapes_that_do_not_broadcast_are_named():
    with pytest.raises(InvalidInput, match=r"^sensitivity is inf"):
        analytic_delta(1.0, 1.0, math.inf)
    with pytest.raises(InvalidInput, match=r"\(2,\) and \(3,\)"):
        analytic_mu([1.0, 2.0], [0.1, 0.2, 0.3])
