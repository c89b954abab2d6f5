"""Certified ε of sampled noisy sums: never below the truth, near it, and right about adjacency."""

import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting import pld
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.accounting.composition import amplified_epsilon
from dpcore.accounting.sampled import (
    LATTICE_RATIO,
    SampledGaussian,
    beyond,
    certified_epsilon,
    hit_epsilon,
    noise_multiplier_for,
    renyi_epsilon,
    up_to,
)
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon
from tests.accounting.oracles import reference

ADD_REMOVE, ZERO_OUT, REPLACE_ONE = tuple(Adjacency)
COVERED = [
    ("poisson", ADD_REMOVE),
    ("poisson", ZERO_OUT),
    ("fixed", ZERO_OUT),
    ("fixed", REPLACE_ONE),
]


def poisson_epsilon(multiplier, rate, steps, delta):
    """ε by privacy loss distributions, an independent and nearly exact accountant."""
    accountant = pld.PLDAccountant(
        dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE, value_discretization_interval=1e-4
    )
    event = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(multiplier))
    accountant.compose(event, steps)
    return float(accountant.get_epsilon(delta))


@pytest.mark.parametrize(
    ("params", "value"), reference("dpsgd_epsilon_pld", "dpsgd_epsilon_prv_upper")
)
def test_never_below_the_tighter_accountants(params, value):
    steps = 2249 if isinstance(params["steps"], str) else params["steps"]
    what = SampledGaussian(params["sigma"], params["q"], steps, "poisson", ADD_REMOVE)
    # A library's discretisation of ε over all steps may lie above the exact one.
    slack = 1e-3 + params.get("eps_error", 0.0)
    assert certified_epsilon(what, params["delta"])[0] >= value - slack


@pytest.mark.slow("composes many distributions of the privacy loss")
@pytest.mark.parametrize(
    ("multiplier", "rate", "steps", "delta"),
    [
        (1.0, 0.01, 1_000, 1e-5),
        (2.0, 0.2, 50, 1e-6),
        (10.0, 0.5, 20, 1e-5),
        (50.0, 0.05, 100, 1e-3),
        (0.7, 0.02, 60, 1e-8),
        (3.0, 1.0, 5, 1e-5),
    ],
)
def test_no_covered_pair_is_certified_below_what_an_attacker_reaches(
    multiplier, rate, steps, delta
):
    # Poisson and zero-out: the others null. Replace-one, fixed size: the others at the opposite
    # gradient, so that a step with the record differs by 2C; that is Poisson's curve at σ/(2C).
    exact = poisson_epsilon(multiplier, rate, steps, delta)
    rounding = 1e-4 * steps**0.5
    for sampling, adjacency in COVERED:
        change = 2.0 if adjacency is REPLACE_ONE else 1.0
        what = SampledGaussian(change * multiplier, rate, steps, sampling, adjacency)
        assert certified_epsilon(what, delta)[0] >= exact - rounding
        assert renyi_epsilon(what, delta) >= exact - rounding
        assert hit_epsilon(what, delta) >= exact - rounding
    poisson = SampledGaussian(multiplier, rate, steps, "poisson", ZERO_OUT)
    if rate < 1.0 and multiplier < 20.0:
        assert certified_epsilon(poisson, delta)[0] <= 1.25 * exact


@pytest.mark.parametrize("rate", [0.05, 0.5])
@pytest.mark.parametrize("multiplier", [0.8, 4.0])
def test_fixed_size_holds_for_two_records_pulling_apart(rate, multiplier):
    # One step, others null, the record worth +C in one data set and -C in the other.
    what = SampledGaussian(multiplier, rate, 1, "fixed", REPLACE_ONE)
    step = 1e-4 * multiplier
    x = np.arange(-1.0 - 12.0 * multiplier, 1.0 + 12.0 * multiplier, step)

    def density(centre):
        return stats.norm.pdf(x, centre, multiplier)

    one = (1.0 - rate) * density(0.0) + rate * density(1.0)
    other = (1.0 - rate) * density(0.0) + rate * density(-1.0)
    for delta in (1e-2, 1e-4, 1e-6):
        epsilon = certified_epsilon(what, delta)[0]
        assert np.maximum(one - math.exp(epsilon) * other, 0.0).sum() * step <= delta


@pytest.mark.parametrize("adjacency", [ZERO_OUT, REPLACE_ONE])
@pytest.mark.parametrize("steps", [1, 30])
def test_with_every_record_in_every_step_it_is_one_gaussian(adjacency, steps):
    # The factor 2 of replace-one: the multiplier is σ/C, whatever the adjacency.
    change = 2.0 if adjacency is REPLACE_ONE else 1.0
    what = SampledGaussian(8.0, 1.0, steps, "fixed", adjacency)
    exact = analytic_epsilon(8.0, 1e-5, change * math.sqrt(steps))
    assert exact <= hit_epsilon(what, 1e-5) <= exact * (1.0 + 1e-5)
    # Rényi cannot use that a blanked record moves a fixed-size batch by C only.
    assert renyi_epsilon(what, 1e-5) >= exact
    assert certified_epsilon(what, 1e-5)[1].startswith("hit counting")


def test_fixed_size_under_zero_out_counts_the_exchange_for_renyi_and_the_blank_for_hits():
    blank = SampledGaussian(2.0, 0.1, 50, "fixed", ZERO_OUT)
    other = SampledGaussian(2.0, 0.1, 50, "fixed", REPLACE_ONE)
    assert renyi_epsilon(blank, 1e-5) == renyi_epsilon(other, 1e-5)
    assert hit_epsilon(blank, 1e-5) < hit_epsilon(other, 1e-5)
    doubled = SampledGaussian(4.0, 0.1, 50, "fixed", REPLACE_ONE)
    assert hit_epsilon(blank, 1e-5) == pytest.approx(hit_epsilon(doubled, 1e-5), rel=1e-9)


@pytest.mark.parametrize("delta", [1e-3, 1e-12, 1e-30, 1e-100, 1e-300])
@pytest.mark.parametrize(("rate", "steps"), [(0.02, 500), (0.001, 3_000), (0.9, 40)])
def test_hit_counting_is_the_mixture_over_hits_however_small_delta_is(delta, rate, steps):
    what = SampledGaussian(1.0, rate, steps, "poisson", ZERO_OUT)
    hits = np.arange(1, steps + 1)
    chance = np.exp(stats.binom(steps, rate).logpmf(hits))
    epsilon = hit_epsilon(what, delta)
    assert chance @ analytic_delta(epsilon, 1.0 / np.sqrt(hits)) <= delta
    assert chance @ analytic_delta(epsilon * 0.99, 1.0 / np.sqrt(hits)) > delta


@pytest.mark.parametrize(("delta", "printed"), [(1e-3, 2.783), (1e-5, 3.802)])
def test_the_sound_multiplier_in_its_place(delta, printed):
    # The same entry's multiplier by privacy loss distributions; Rényi and the lattice add a little.
    result = noise_multiplier_for(1.0913, delta, 1e-3, 10**6, "poisson", ZERO_OUT)
    assert printed <= result <= 1.06 * printed


@pytest.mark.parametrize(("multiplier", "rate"), [(1e5, 1e-6), (1e6, 1e-6), (1e6, 1e-3)])
def test_rounding_in_the_library_is_not_taken_for_privacy(multiplier, rate):
    what = SampledGaussian(multiplier, rate, 10**6, "poisson", ZERO_OUT)
    delta = 1e-30
    # One step of the million, amplified exactly, is a lower bound on what they cost together.
    lower = amplified_epsilon(analytic_epsilon(multiplier, delta / rate), rate)
    assert lower > 0.0
    assert renyi_epsilon(what, delta) >= lower
    assert certified_epsilon(what, delta)[0] >= lower


@pytest.mark.slow("composes many distributions of the privacy loss")
@settings(max_examples=15)
@given(
    epsilon=st.floats(1e-6, 1e3),
    delta=st.sampled_from([1e-300, 1e-30, 1e-9, 1e-5, 1e-3, 0.3]),
    rate=st.sampled_from([1e-4, 0.02, 0.3, 1.0]),
    steps=st.sampled_from([1, 50, 3_000]),
    pair=st.sampled_from([("poisson", ZERO_OUT), ("fixed", REPLACE_ONE)]),
)
def test_the_returned_multiplier_is_certified_within_the_target_and_the_next_is_not(
    epsilon, delta, rate, steps, pair
):
    multiplier = noise_multiplier_for(epsilon, delta, rate, steps, *pair)

    def certified(at):
        return certified_epsilon(SampledGaussian(at, rate, steps, *pair), delta)[0]

    assert certified(multiplier) <= epsilon
    if rate * steps > delta:
        assert certified(multiplier / LATTICE_RATIO * (1.0 - 1e-9)) > epsilon


def test_the_search_ends_where_delta_covers_every_hit_or_next_to_none():
    for pair in (("poisson", ZERO_OUT), ("fixed", REPLACE_ONE)):
        multiplier = noise_multiplier_for(1.0, 1e-3, 1e-6, 10, *pair)
        assert 0.0 < multiplier < 1e-9
        assert certified_epsilon(SampledGaussian(multiplier, 1e-6, 10, *pair), 1e-3)[0] == 0.0
    multiplier = noise_multiplier_for(1e-12, 1e-300, 0.02, 500, "poisson", ZERO_OUT)
    # About √K/μ with μ = ε/√(2 ln(1/δ)), and not what ε = 0 would need (1e300).
    assert 1e13 < multiplier < 1e17
    with pytest.raises(InvalidInput, match="no finite noise reaches"):
        noise_multiplier_for(1e-12, 0.0, 0.02, 500, "poisson", ZERO_OUT)


@pytest.mark.parametrize(
    ("sampling", "adjacency"), [("poisson", REPLACE_ONE), ("fixed", ADD_REMOVE)]
)
def test_what_no_theorem_covers_is_refused(sampling, adjacency):
    what = SampledGaussian(1.0, 0.1, 10, sampling, adjacency)
    assert not what.covered()
    with pytest.raises(ValueError, match=f"no theorem here covers {sampling} sampling under"):
        certified_epsilon(what, 1e-5)
    with pytest.raises(ValueError, match=f"no theorem here covers {sampling} sampling under"):
        noise_multiplier_for(1.0, 1e-5, 0.1, 10, sampling, adjacency)


def test_zero_out_has_the_figure_of_add_remove_by_either_bound():
    blanked = SampledGaussian(0.8, 0.05, 80, "poisson", ZERO_OUT)
    removed = SampledGaussian(0.8, 0.05, 80, "poisson", ADD_REMOVE)
    assert renyi_epsilon(blanked, 1e-6) == renyi_epsilon(removed, 1e-6)
    assert hit_epsilon(blanked, 1e-6) == hit_epsilon(removed, 1e-6)
    assert hit_epsilon(SampledGaussian(0.8, 0.05, 80, "fixed", REPLACE_ONE), 1e-6) > 1.5 * (
        hit_epsilon(blanked, 1e-6)
    )


@pytest.mark.parametrize("trials", [1, 2, 7, 100, 5_000, 10**6])
def test_both_tails_are_those_of_scipy(trials):
    for chance in (0.0, 1e-6, 1e-3, 0.01, 0.2, 0.5, 0.9, 1.0):
        spread = np.sqrt(trials * chance * (1.0 - chance)) + 1.0
        around = trials * chance + spread * np.linspace(-9.0, 9.0, 61)
        counts = np.unique(np.clip(np.round(around), -1, trials + 1)).astype(int)
        assert beyond(counts, trials, chance) == pytest.approx(
            stats.binom.sf(counts, trials, chance), rel=1e-11, abs=1e-290
        )
        assert up_to(counts, trials, chance) == pytest.approx(
            stats.binom.cdf(counts, trials, chance), rel=1e-11, abs=1e-290
        )
