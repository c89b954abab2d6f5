"""The price of keeping the best of several tries: the theorem enumerated, and dp_accounting."""

import itertools
import math
from dataclasses import replace

import dp_accounting
import numpy as np
import pytest
from dp_accounting.dp_event import RepeatAndSelectDpEvent
from dp_accounting.rdp import RdpAccountant
from scipy import optimize, special, stats

from dpcore.accounting.accountants import certify
from dpcore.accounting.choosing import RandomTries, best_of, least_noise
from dpcore.accounting.events import Gaussian, Laplace, TrainingPlan, check_basis
from dpcore.accounting.planner import solve, spent, spent_along
from dpcore.accounting.tradeoff import PrivacyCurve
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon

ZERO_OUT = Adjacency.ZERO_OUT
LAWS = ("logarithmic", "geometric", "poisson")
RUN = TrainingPlan(2.0, records=10_000, batch=256, steps=400, delta=1e-5)


def chances(tries):
    """The k that have a chance, and P[K = k] as the paper prints it."""
    counts = np.arange(int(400.0 * tries.mean) + 10)
    if tries.law == "poisson":
        return counts, stats.poisson.pmf(counts, tries.mean)
    k, gamma = counts[1:], tries.gamma
    if tries.law == "geometric":
        rest = gamma * (1.0 - gamma) ** (k - 1.0)
    else:
        rest = (1.0 - gamma) ** k / (k * math.log(1.0 / gamma))
    return counts, np.concatenate(([0.0], rest))


def generating(tries):
    """f(x) = E[x^K], summed up."""
    counts, known = chances(tries)
    return np.vectorize(lambda x: float(known @ x ** counts.astype(float)))


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("mean", [1.0, 1.7, 10.0, 100.0])
def test_a_law_has_its_mean_and_the_chance_that_any_try_fails_is_delta(law, mean):
    if mean == 1.0 and law != "poisson":
        assert RandomTries(mean, law).each_delta(1e-5) == pytest.approx(1e-5, rel=1e-9)
        return
    tries = RandomTries(mean, law)
    counts, known = chances(tries)
    assert known.sum() == pytest.approx(1.0, abs=1e-9)
    assert known @ counts == pytest.approx(mean, rel=1e-6)
    for delta in (0.3, 1e-4):
        each = tries.each_delta(delta)
        fails = known @ -np.expm1(counts * math.log1p(-each))
        assert fails == pytest.approx(delta, rel=1e-6)
    slopes = np.diff(generating(tries)(np.array([0.3, 0.3001, 0.8, 0.8001])))[::2]
    shown = tries.log_density(1.0 - np.array([0.30005, 0.80005]))
    assert np.diff(np.log(slopes)) == pytest.approx(np.diff(shown), rel=1e-3)


def concave(points):
    """The upper hull of points of an ROC, by their first coordinate."""
    hull = []
    for x, y in sorted(points):
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (x - hull[-2][0]) <= (
            y - hull[-2][1]
        ) * (hull[-1][0] - hull[-2][0]):
            hull.pop()
        hull.append((x, y))
    return np.array(hull).T


def finite_curve(first, second):
    """The exact ROC of two laws on few outcomes, both directions together."""
    subsets = itertools.product((0.0, 1.0), repeat=len(first))
    points = [(float(first @ s), float(second @ s)) for s in map(np.array, subsets)]
    rates, powers = concave([*points, *((b, a) for a, b in points)])
    return PrivacyCurve(lambda _: 1.0, lambda rate: np.interp(rate, rates, powers), ZERO_OUT, "")


def stick(first, second, epsilon):
    return float(np.maximum(first - math.exp(epsilon) * second, 0.0).sum())


@pytest.mark.parametrize("law", LAWS)
def test_the_bound_holds_for_every_order_of_few_outcomes(law):
    random, closest = np.random.default_rng(7), math.inf
    for _ in range(60):
        size = random.integers(2, 5)
        laws = random.dirichlet(np.full(size, 0.7), 2)
        laws[1] = random.choice([0.0, 0.7, 0.95]) * laws[0] + laws[1]
        first, second = laws / laws.sum(axis=1, keepdims=True)
        tries = RandomTries(float(random.choice([1.5, 4.0, 20.0])), law)
        total, cost = generating(tries), tries.log_ratio(finite_curve(first, second))
        for order in itertools.permutations(range(size)):
            # The best of K: below or at an outcome in all tries, less strictly below in all.
            best = [
                np.diff(total(np.append(0.0, np.cumsum(each[list(order)]).clip(0.0, 1.0))))
                for each in (first, second)
            ]
            for epsilon in (0.1, 0.7, 2.0):
                each = max(
                    stick(*pair, epsilon - cost) for pair in ((first, second), (second, first))
                )
                bound = 1.0 - float(total(max(0.0, 1.0 - each)))
                found = max(stick(*best, epsilon), stick(*best[::-1], epsilon))
                assert found <= bound + 1e-9
                closest = min(closest, (bound - found) if found > 0.01 else math.inf)
    assert closest < 0.1  # some come near it


def epsilon_by_ratio(mu, tries, delta):
    """ε of the best of K Gaussian outputs by their likelihood ratio: a choice that leaks much."""
    x = np.linspace(-13.0, 13.0 + mu, 400_001)
    mass = [stats.norm.pdf(x, centre) * (x[1] - x[0]) for centre in (mu, 0.0)]
    density = [np.exp(tries.log_density(special.ndtr(centre - x))) for centre in (mu, 0.0)]
    best = [m * d for m, d in zip(mass, density, strict=True)]
    first, second = (each / each.sum() for each in best)
    return max(
        optimize.brentq(lambda e, pair=pair: stick(*pair, e) - delta, 0.0, 60.0)
        for pair in ((first, second), (second, first))
    )


@pytest.mark.parametrize("law", ["logarithmic", "geometric"])
@pytest.mark.parametrize(("mu", "mean"), [(0.2, 10.0), (1.0, 2.0), (1.0, 100.0)])
def test_a_choice_by_the_likelihood_ratio_lies_between_one_try_and_the_bound(law, mu, mean):
    tries = RandomTries(mean, law)
    attained = epsilon_by_ratio(mu, tries, 1e-5)
    proved = best_of(Gaussian(1.0 / mu), tries, 1e-5, ZERO_OUT).epsilon
    assert 1.02 * analytic_epsilon(1.0 / mu, 1e-5) < attained < proved < 1.8 * attained


ORDERS = [1.0 + 10.0**power for power in np.linspace(-2.0, 3.0, 120)]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("mean", [2.0, 10.0, 100.0])
@pytest.mark.parametrize("sampled", [False, True])
def test_it_is_never_above_papernot_and_steinke_on_the_exact_renyi_curve(law, mean, sampled):
    tries = RandomTries(mean, law)
    peer = RdpAccountant(ORDERS, dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)
    event, one = Gaussian(5.0), dp_accounting.GaussianDpEvent(5.0)
    if sampled:
        event = RUN.event()
        step = dp_accounting.PoissonSampledDpEvent(RUN.rate, dp_accounting.GaussianDpEvent(2.0))
        one = dp_accounting.SelfComposedDpEvent(step, RUN.steps)
    peer.compose(RepeatAndSelectDpEvent(one, mean, tries.shape))
    theirs = peer.get_epsilon(1e-5)
    ours = best_of(event, tries, 1e-5, ZERO_OUT)
    assert 0.55 * theirs < ours.epsilon < theirs
    assert ours.by == ("PLD" if sampled else "Gaussian DP")


def test_the_figures_of_ten_tries_of_one_gaussian_release():
    # μ = .2 and δ = 10⁻⁵: one try .7255, ten composed 2.5944.
    found = {law: best_of(Gaussian(5.0), RandomTries(10.0, law), 1e-5, ZERO_OUT) for law in LAWS}
    assert {law: round(each.epsilon, 3) for law, each in found.items()} == {
        "logarithmic": 1.11,
        "geometric": 1.194,
        "poisson": 1.5,
    }
    replaced = best_of(Gaussian(10.0), RandomTries(10.0), 1e-5, Adjacency.REPLACE_ONE)
    assert replaced.epsilon == pytest.approx(found["logarithmic"].epsilon, rel=1e-12)


def test_one_try_costs_itself_and_pure_noise_at_most_three_times_itself():
    assert best_of(RUN.event(), RandomTries(1.0), 1e-5, ZERO_OUT).epsilon == pytest.approx(
        spent(RUN, "pld").epsilon, rel=1e-6
    )
    # (ε, 0)-private tries, geometric: at most 3ε, whatever the mean (Liu and Talwar 2019).
    many = best_of(Laplace(2.0), RandomTries(1e4, "geometric"), 1e-9, ZERO_OUT)
    assert 1.4 < many.epsilon <= 1.5 + 1e-6


def test_where_nothing_is_proved_no_number_is_given():
    fixed = replace(RUN, sampling="fixed", adjacency=Adjacency.ADD_REMOVE)
    refused = best_of(fixed.event(), RandomTries(5.0), 1e-5, Adjacency.ADD_REMOVE)
    assert refused.epsilon is None
    assert "no theorem here" in refused.reason
    with pytest.raises(InvalidInput, match=r"^Conditions not met: a choice by measures"):
        check_basis("records")
    check_basis("outputs")
    with pytest.raises(InvalidInput, match=r"mean number of tries is 0\.5"):
        RandomTries(0.5)
    with pytest.raises(InvalidInput, match="law"):
        RandomTries(2.0, "fixed")


@pytest.mark.parametrize("run", [RUN, replace(RUN, sampling="none", batch=10_000, steps=1)])
def test_the_least_noise_of_each_try_keeps_the_whole(run):
    tries = RandomTries(10.0)
    sigma = least_noise(run, tries, 1.0)

    def cost(sigma):
        event = replace(run, sigma=sigma).event()
        return best_of(event, tries, run.delta, run.adjacency).epsilon

    assert cost(sigma) <= 1.0 < cost(sigma * (1.0 - 3e-4))
    assert solve("sigma", run, 1.0, "pld").value < sigma
    assert sigma < solve("sigma", replace(run, chosen_of=10), 1.0, "pld").value


@pytest.mark.parametrize("sampling", ["none", "poisson"])
def test_a_run_that_is_chosen_among_k_counts_each_step_k_times(sampling):
    run = replace(RUN, sampling=sampling, sigma=20.0, decay=0.9, decay_every=40, chosen_of=7)
    alike = dp_accounting.pld.PLDAccountant()
    for sigma, count in zip(run.schedule().sigmas, run.schedule().counts, strict=True):
        step = dp_accounting.GaussianDpEvent(sigma)
        if sampling == "poisson":
            step = dp_accounting.PoissonSampledDpEvent(run.rate, step)
        alike.compose(step, 7 * count)
    assert spent(run, "pld").epsilon == pytest.approx(alike.get_epsilon(1e-5), rel=3e-3)
    along = spent_along(run, [40, 400])
    assert along[-1].epsilon == pytest.approx(spent(run, "pld").epsilon, rel=1e-3)
    first = spent(replace(run, steps=40), "pld").epsilon
    assert along[0].epsilon == pytest.approx(first, rel=1e-3)


def test_a_choice_among_gaussian_releases_costs_the_square_root_of_their_number():
    release = TrainingPlan(5.0, 1, 1, 1, 1e-5, sampling="none", chosen_of=9)
    assert certify(release.event(), 1e-5, ZERO_OUT, "gdp").epsilon == pytest.approx(
        analytic_epsilon(5.0 / 3.0, 1e-5), rel=1e-9
    )


@pytest.mark.parametrize(("tried", "steps"), [(0, 1), (1_001, 1), (2, 5_000_001), (1.5, 1)])
def test_more_than_can_be_counted_is_refused(tried, steps):
    with pytest.raises(InvalidInput, match=r"settings tried|steps"):
        replace(RUN, chosen_of=tried, steps=steps)
