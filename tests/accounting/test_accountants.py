"""One contract for every accountant, and what each adds."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import optimize

from dpcore.accounting import accountants, events, pairs, pld
from dpcore.accounting.accountants import ACCOUNTANTS, certify, default_adjacency
from dpcore.accounting.events import (
    Composed,
    Event,
    FixedSampled,
    Gaussian,
    Laplace,
    PoissonSampled,
    Repeated,
    TrainingPlan,
    from_schedule,
)
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon
from tests.accounting.oracles import bounds, gaussian_delta

ADD_REMOVE, ZERO_OUT, REPLACE_ONE = tuple(Adjacency)
DELTA = 1e-5


def step(sampling, sigma, rate):
    base = Gaussian(sigma)
    if sampling == "poisson":
        return PoissonSampled(rate, base)
    return FixedSampled(rate, base) if sampling == "fixed" else base


# Noise at which tCDP's conditions hold too, so that every accountant answers.
COVERED = [
    (key, sampling, adjacency)
    for key, accountant in ACCOUNTANTS.items()
    for sampling in ("none", "poisson", "fixed")
    for adjacency in Adjacency
    if accountant.covers(events.steps(step(sampling, 6.0, 0.02))[0], adjacency)
]


def epsilon(event, key, adjacency, delta=DELTA):
    result = certify(event, delta, adjacency, key)
    assert result.epsilon is not None, result.reason
    assert (result.delta, result.adjacency, result.by) == (delta, adjacency, ACCOUNTANTS[key].title)
    return result.epsilon


@pytest.mark.parametrize(("key", "sampling", "adjacency"), COVERED)
class TestEveryAccountant:
    def test_less_noise_more_steps_a_larger_rate_and_a_smaller_delta_cost_more(
        self, key, sampling, adjacency
    ):
        def cost(sigma=6.0, rate=0.02, count=30, delta=DELTA):
            return epsilon(Repeated(step(sampling, sigma, rate), count), key, adjacency, delta)

        for result in (
            [cost(sigma) for sigma in (20.0, 8.0, 6.1, 6.0)],
            [cost(count=count) for count in (1, 2, 30, 31, 1000)],
            [cost(rate=rate) for rate in (0.01, 0.011, 0.02, 0.05)],
            [cost(delta=delta) for delta in (0.01, 1e-5, 1e-9, 1e-30)],
        ):
            assert all(before <= after for before, after in pairwise(result))

    def test_composition_is_associative_and_order_does_not_matter(self, key, sampling, adjacency):
        a, b = step(sampling, 6.0, 0.02), Repeated(step(sampling, 9.0, 0.03), 4)
        c = step(sampling, 7.0, 0.02)
        left = epsilon(Composed((Composed((a, b)), c)), key, adjacency)
        assert epsilon(Composed((a, Composed((b, c)))), key, adjacency) == left
        turned = epsilon(Composed((c, b, a)), key, adjacency)
        assert turned == pytest.approx(left, rel=1e-9)
        # A constant schedule is a repeated step.
        rate = 1.0 if sampling == "none" else 0.02
        result = epsilon(
            from_schedule(events.constant(6.0, 25), rate=rate, sampling=sampling), key, adjacency
        )
        assert result == epsilon(Repeated(step(sampling, 6.0, 0.02), 25), key, adjacency)

    def test_sensitivity_is_a_unit(self, key, sampling, adjacency):
        plain = epsilon(step(sampling, 6.0, 0.02), key, adjacency)
        scaled = Gaussian(6.0 * 32.0, 32.0)
        event: Event = scaled
        if sampling != "none":
            kind = PoissonSampled if sampling == "poisson" else FixedSampled
            event = kind(0.02, scaled)
        assert epsilon(event, key, adjacency) == plain

    def test_it_is_never_below_the_lower_bound(self, key, sampling, adjacency):
        event = Repeated(step(sampling, 6.0, 0.02), 100)
        result = epsilon(event, key, adjacency)
        lower, upper = bounds(event, DELTA, adjacency)
        assert lower <= result
        # No records attain the pair of a fixed batch; blanked ones move the sum half as far.
        room = {"fixed": 2.6 if adjacency is ZERO_OUT else 1.2}.get(sampling, 1.05)
        assert lower <= upper <= lower * room + 1e-3


def test_what_is_covered_is_stated_and_what_is_not_is_named():
    covered = {
        (row["accountant"], row["sampling"], adjacency)
        for row in accountants.coverage()
        for adjacency in Adjacency
        if row[str(adjacency)]
    }
    assert covered == {(ACCOUNTANTS[k].title, s, a) for k, s, a in COVERED}
    assert ("PLD", "fixed", ADD_REMOVE) not in covered
    assert ("Rényi", "poisson", REPLACE_ONE) not in covered
    assert ("Rényi", "fixed", ADD_REMOVE) not in covered
    assert ("tCDP", "poisson", ADD_REMOVE) not in covered


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_adjacency_moves_the_sum_by_once_or_twice_the_norm(adjacency):
    # dp_accounting's Rényi accountant does not double it by itself: 4.7 where 10 is true.
    moved = 2.0 if adjacency is REPLACE_ONE else 1.0
    exact = float(analytic_epsilon(1.0, DELTA, moved))
    assert epsilon(Gaussian(1.0), "gdp", adjacency) == pytest.approx(exact, rel=1e-9)
    assert epsilon(Gaussian(1.0), "pld", adjacency) == pytest.approx(exact, rel=1e-5)
    assert exact == pytest.approx({1.0: 4.3772, 2.0: 9.9973}[moved], abs=2e-4)
    for key in ACCOUNTANTS:
        bound = certify(Gaussian(1.0), DELTA, adjacency, key).epsilon
        assert bound is None or bound >= exact * (1.0 - 1e-9)


@pytest.mark.parametrize(("sigma", "count"), [(2.0, 3), (30.0, 400)])
def test_basic_and_strong_composition_share_delta_among_the_steps(sigma, count):
    def each(share):
        return optimize.brentq(lambda e: gaussian_delta(e, 1.0 / sigma) - share, 0.0, 50.0)

    event = Repeated(Gaussian(sigma), count)
    basic = count * each(DELTA / count)
    assert epsilon(event, "basic", ADD_REMOVE) == pytest.approx(basic, rel=1e-6)
    # Half of δ for the steps, half for the slack.
    one = each(DELTA / (2 * count))
    strong = math.sqrt(2 * count * math.log(2 / DELTA)) * one + count * one * math.expm1(one)
    assert epsilon(event, "strong", ADD_REMOVE) == pytest.approx(strong, rel=1e-6)


def concentrated(rho):
    """ε of ρ at δ, by a scan of the orders."""
    order = np.linspace(2.0, 1000.0, 1_000_000)
    curve = rho * order + np.log1p(-1 / order) - np.log(DELTA * order) / (order - 1)
    return pytest.approx(curve.min(), rel=1e-6)


def test_zcdp_adds_up_half_the_squares_and_tcdp_of_batches_that_of_a_record_exchanged():
    sigma, rate, count = 30.0, 0.02, 100
    event = Repeated(Gaussian(sigma), count)
    assert epsilon(event, "zcdp", ZERO_OUT) == concentrated(count * 0.5 / sigma**2)
    of_two = count * 0.5 * (2.0 / sigma) ** 2
    assert epsilon(event, "zcdp", REPLACE_ONE) == concentrated(of_two)
    # Two batches differ in two records: a sum of norms up to 1 moves by 2, and costs 13 s² ρ.
    event = Repeated(FixedSampled(rate, Gaussian(sigma)), count)
    for adjacency in (ZERO_OUT, REPLACE_ONE):
        assert epsilon(event, "tcdp", adjacency) == concentrated(13.0 * rate**2 * of_two)


@pytest.mark.parametrize("sampling", ["none", "poisson"])
@pytest.mark.parametrize("key", list(ACCOUNTANTS))
def test_zero_out_has_the_figure_of_add_remove_and_replace_one_has_not(key, sampling):
    # A blanked record's contribution is removed while n stays, and with it every public constant.
    event = Repeated(step(sampling, 6.0, 0.02), 100)
    covers = ACCOUNTANTS[key].covers
    (one,) = events.steps(event)
    assert covers(one, ZERO_OUT) == covers(one, ADD_REMOVE)
    if not covers(one, ZERO_OUT):
        assert (key, sampling) in {(each, "poisson") for each in ("gdp", "zcdp", "tcdp")}
        return
    blanked = epsilon(event, key, ZERO_OUT)
    assert blanked == epsilon(event, key, ADD_REMOVE)
    if covers(one, REPLACE_ONE):
        assert epsilon(event, key, REPLACE_ONE) > 1.2 * blanked


def test_batches_of_fixed_size_are_covered_under_zero_out_and_not_under_add_remove():
    event = Repeated(step("fixed", 30.0, 0.02), 100)
    for key, accountant in ACCOUNTANTS.items():
        (one,) = events.steps(event)
        assert not accountant.covers(one, ADD_REMOVE)
        assert accountant.covers(one, ZERO_OUT) == accountant.covers(one, REPLACE_ONE)
        if accountant.covers(one, ZERO_OUT):
            assert epsilon(event, key, ZERO_OUT) <= epsilon(event, key, REPLACE_ONE)


def test_zero_out_is_usual_unless_batches_have_a_fixed_size():
    result = {sampling: default_adjacency(sampling) for sampling in ("none", "poisson", "fixed")}
    assert result == {"none": ZERO_OUT, "poisson": ZERO_OUT, "fixed": REPLACE_ONE}
    assert TrainingPlan(1.0, 100, 10, 1, 1e-5).adjacency is ZERO_OUT


@pytest.mark.parametrize(
    ("sigma", "rate", "count", "renyi"),
    # Noise multiplier, rate, steps, and the ε of Rényi accounting over that of PLD, at least.
    [
        (1.0, 0.01, 1000, 1.4),
        (0.7, 0.01, 10_000, 20.0),
        (20.0, 0.001, 100, 8.0),
        (2.0, 0.001, 1, 60.0),
        (1.0, 0.1, 1000, 4.5),
        (5.0, 0.02, 300, 2.0),
    ],
)
def test_pld_of_fixed_batches_lies_close_above_what_records_attain(sigma, rate, count, renyi):
    event = Repeated(FixedSampled(rate, Gaussian(sigma)), count)
    lower, upper = bounds(event, DELTA, REPLACE_ONE)
    assert 0.0 < lower <= upper <= 1.4 * lower
    assert renyi * upper <= epsilon(event, "rdp", REPLACE_ONE)
    assert epsilon(event, "pld", REPLACE_ONE) == upper
    # Blanking a record is one way of replacing it, and a milder one.
    assert bounds(event, DELTA, ZERO_OUT)[0] < epsilon(event, "pld", ZERO_OUT) < upper


def test_fixed_batches_cost_no_less_than_any_choice_of_order_in_each_step():
    # One query may have the record point against all others, the next its replacement.
    nu, rate, count = 0.5, 0.01, 1000
    upper = epsilon(Repeated(FixedSampled(rate, Gaussian(2.0 * nu)), count), "pld", REPLACE_ONE)
    orders = [pairs.PoissonGaussian(nu, rate), pairs.PoissonGaussian(nu, rate, adding=True)]
    for first in (1, 250, 500, 750, 999):
        result = pld.compose(orders, [first, count - first], delta=DELTA, optimistic=True)
        assert result.epsilon(DELTA) < upper


def test_laplace_and_sampled_gaussian_compose_in_both_directions():
    event = Composed((Laplace(2.0), Repeated(PoissonSampled(0.01, Gaussian(1.0)), 500)))
    lower, upper = bounds(event, 1e-6, ADD_REMOVE)
    alone = epsilon(Repeated(PoissonSampled(0.01, Gaussian(1.0)), 500), "pld", ADD_REMOVE, 1e-6)
    assert alone < lower <= upper <= alone + 0.5
    assert certify(event, 1e-6, ADD_REMOVE, "rdp").epsilon is None


@pytest.mark.parametrize("delta", [0.0, 1.0, -1.0, math.nan])
def test_delta_outside_its_range_is_refused(delta):
    with pytest.raises(InvalidInput, match="δ"):
        certify(Gaussian(1.0), delta, ADD_REMOVE, "pld")


@pytest.mark.parametrize(("sigma", "sensitivity"), [(1e-12, 1.0), (1e300, 1e-300), (1e-300, 1e300)])
def test_noise_beyond_the_tested_range_is_refused(sigma, sensitivity):
    for kind in (Gaussian, Laplace):
        with pytest.raises(InvalidInput, match="over sensitivity"):
            kind(sigma, sensitivity)
