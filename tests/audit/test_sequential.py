"""Bounds that hold whenever one stops: seldom wrong, and quick where noise is missing."""

import numpy as np
import pytest
from scipy import stats

from dpcore.accounting import pld
from dpcore.accounting.events import TrainingPlan, steps
from dpcore.accounting.pairs import PoissonGaussian
from dpcore.audit.sampled import SampledSteps
from dpcore.audit.sequential import ApproximateDP, Looks, Wager, pairs_needed
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_mu

MU = float(analytic_mu(1.0, 1e-5))


def gaussian(generator, pairs, share=1.0, mu=MU):
    return mu + share * generator.normal(size=pairs), share * generator.normal(size=pairs)


def laplace(generator, pairs, share=1.0):
    return 1.0 + generator.laplace(0.0, share, pairs), generator.laplace(0.0, share, pairs)


def stopped(bound, strength, draw, most):
    """The pairs after which the promise of this strength is refuted; infinity for never."""
    while bound.pairs < most:
        bound.see(*draw(min(max(20, bound.pairs // 8), most - bound.pairs)))
        if bound.lower_bound >= strength:
            return bound.pairs
    return np.inf


ONE = TrainingPlan(4.0, records=2, batch=2, steps=1, delta=1e-5, sampling="none")
TEN = TrainingPlan(2.0, records=4, batch=1, steps=10, delta=1e-5, adjacency=Adjacency.ZERO_OUT)


def sampled(generator, pairs, share=1.0):
    """Likelihood ratios of ten steps on a quarter of the records, by what PLD composes."""
    pair = PoissonGaussian(TEN.sigma, TEN.rate)
    sums = share * TEN.sigma * generator.normal(size=(2, pairs, TEN.steps))
    sums[0] += generator.random((pairs, TEN.steps)) < TEN.rate
    return tuple(pair.loss(sums).sum(axis=2))


def test_the_lines_of_one_normal_step_touch_its_curve_and_lie_nowhere_below():
    family, alarms = SampledSteps.of(ONE), np.linspace(0.01, 0.99, 25)
    epsilon, delta = family.tangent(np.array(family.expected), alarms, np.zeros(25, dtype=bool))
    for share in (0.02, 0.2, 0.7, *alarms):
        most = stats.norm.cdf(stats.norm.ppf(share) + 1.0 / ONE.sigma)
        assert np.all(np.exp(epsilon) * share + delta >= most)
    most = stats.norm.cdf(stats.norm.ppf(alarms) + 1.0 / ONE.sigma)
    assert np.exp(epsilon) * alarms + delta == pytest.approx(most, rel=1e-4)


@pytest.mark.parametrize("exchanged", [False, True])
def test_the_lines_of_sampled_steps_are_those_of_either_order(exchanged):
    family = SampledSteps.of(TEN)
    laws = pld.loss_distributions(steps(TEN.event()), TEN.adjacency)
    alarms = np.array([0.03, 0.2, 0.5, 0.9])
    epsilon, delta = family.tangent(
        np.array(family.expected), alarms, np.full(len(alarms), exchanged)
    )
    exact = [laws[int(exchanged)].delta(each) for each in epsilon.tolist()]
    assert delta == pytest.approx(exact, abs=1e-7)
    assert np.all(delta >= exact)
    powers = [np.interp(alarms, *law.roc()) for law in laws]
    assert np.exp(epsilon) * alarms + delta == pytest.approx(powers[int(exchanged)], rel=1e-3)
    assert powers[0] != pytest.approx(powers[1], rel=1e-3)


@pytest.mark.parametrize(
    ("family", "draw", "strength"),
    [(ApproximateDP(0.0), laplace, 1.0), (TEN, sampled, None)],
)
def test_no_bet_gains_on_average_where_the_promise_is_just_kept(family, draw, strength):
    generator = np.random.default_rng(1)
    if strength is None:
        family = SampledSteps.of(family)
        strength = family.expected
    wager = Wager(family, np.array([strength]))
    wager.see(*draw(generator, 300, 0.5))  # so that it bets much, by what it has seen
    for share, is_kept in ((1.0, True), (0.5, False)):
        gains = wager._gains(wager.strengths, *draw(generator, 100_000, share))[0, 0]
        assert gains.min() > -1.0
        error = gains.std() / np.sqrt(len(gains))
        assert bool(gains.mean() <= 4.0 * error) is is_kept


def test_bets_and_looks_hold_however_the_outputs_come_in_blocks():
    generator = np.random.default_rng(3)
    family = SampledSteps.of(TEN)
    bets = Wager(family, family.strengths)
    bets.see(*sampled(generator, 900, 0.5))
    assert bets.pairs == 900
    assert family.expected < bets.lower_bound < 2.5 * family.expected
    first, second = gaussian(generator, 900, 0.5, 1.0)
    whole = Looks(1.0, 900)
    whole.see(first, second)
    assert whole.pairs == 900
    assert 1.0 < whole.lower_bound < 2.0
    parts = Looks(1.0, 900)
    for start in range(0, 900, 7):
        parts.see(first[start : start + 7], second[start : start + 7])
    assert parts.lower_bound == whole.lower_bound


def test_the_shares_of_all_looks_make_alpha():
    for most in (10, 100, 150, 2_000, 200_000):
        looks = Looks(MU, most)
        assert sum(looks.shares.values()) == pytest.approx(1.0)
        assert max(looks.shares) == most


def test_the_bound_is_the_last_strength_before_which_all_are_refuted():
    wager = Wager(ApproximateDP(0.0), np.array([0.5, 1.0, 2.0]))
    assert wager.lower_bound == 0.0
    wager.refuted[:] = [True, False, True]
    assert wager.lower_bound == 0.5
    wager.refuted[:] = True
    assert wager.lower_bound == 2.0


def test_half_of_the_noise_is_found_after_hardly_more_pairs_than_any_test_needs():
    # 2.33 standard deviations of the difference, √(2/m), are the shift μ/½ - μ.
    needed = pairs_needed(MU, 0.5, 0.99)
    assert needed == int(np.ceil(2.0 * (stats.norm.ppf(0.99) / MU) ** 2)) == 151
    stops = []
    for seed in range(200):
        generator = np.random.default_rng([7, seed])
        looks = Looks(MU, 20 * needed)
        draws = gaussian(generator, 4 * needed, 0.5)
        for place in range(4 * needed):
            looks.see(*(scores[place : place + 1] for scores in draws))
            if looks.lower_bound > MU:
                break
        stops.append(looks.pairs)
    assert np.median(stops) <= 1.2 * needed


def test_laplace_noise_cut_to_half_is_found_at_once_and_two_thirds_later():
    grid = np.array([1.0])
    for share, most in ((0.5, 400), (2.0 / 3.0, 4_000)):
        stops = []
        for seed in range(20):
            generator = np.random.default_rng([9, seed])
            wager = Wager(ApproximateDP(0.0), grid)
            stops.append(
                stopped(wager, 1.0, lambda m, g=generator, s=share: laplace(g, m, s), most)
            )
        assert np.median(stops) < most


@pytest.mark.slow("3 000 trials, each stopped at will")
@pytest.mark.parametrize("law", ["normal", "Laplace", "sampled"])
def test_a_true_promise_is_refuted_in_at_most_17_of_1000_trials_that_stop_at_will(law):
    alarms = 0
    for seed in range(1_000):
        generator = np.random.default_rng([11, seed])
        if law == "normal":
            bound, strength = Looks(MU, 2_000), MU * (1 + 1e-9)
            alarms += np.isfinite(
                stopped(bound, strength, lambda m, g=generator: gaussian(g, m), 2_000)
            )
            continue
        family, strength = ApproximateDP(0.0), 1.0
        if law == "sampled":
            family, strength = SampledSteps.of(TEN), SampledSteps.of(TEN).expected
        draw = sampled if law == "sampled" else laplace
        wager = Wager(family, np.array([strength]))
        alarms += np.isfinite(stopped(wager, strength, lambda m, g=generator, d=draw: d(g, m), 400))
    # 18 or more have a chance of 1 % where each alarm has one of 1 %.
    assert alarms <= 17


def test_bad_input_is_one_sentence():
    with pytest.raises(InvalidInput, match="confidence is 1"):
        Wager(ApproximateDP(0.0), np.array([1.0]), 1.0)
    with pytest.raises(InvalidInput, match="share is 1"):
        pairs_needed(1.0, 1.0, 0.99)
