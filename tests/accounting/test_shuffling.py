"""Shuffled messages: the bound against exact laws of small protocols, and what is in print."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpcore.accounting.shuffling import _Clones, _least_epsilon, shuffled_gaussian_epsilon
from dpcore.errors import InvalidInput
from dpcore.mechanisms.gaussian import analytic_delta, analytic_epsilon


def clones_delta(local, records, epsilon):
    """δ at ε of n shuffled messages, each from an ε₀-private randomiser."""
    return float(_Clones(np.array([local]), records).delta(np.array([epsilon]))[0])


def shuffled_epsilon(local, records, delta):
    """ε at δ of n shuffled messages, each from an ε₀-private randomiser."""
    return _least_epsilon(np.array([local]), records, delta, np.zeros(1))


def pair_by_enumeration(local, records, epsilon):
    """δ of the two laws of (from Q₀, from Q₁), every outcome one by one."""
    share, heavy = math.exp(-local), math.exp(local) / (1.0 + math.exp(local))
    result = 0.0
    for clones in range(records):
        chance = stats.binom.pmf(clones, records - 1, share)
        halves = [0.0, *stats.binom.pmf(np.arange(clones + 1), clones, 0.5), 0.0]
        for zeros in range(clones + 2):
            own, others = halves[zeros], halves[zeros + 1]  # A = zeros - 1, and A = zeros
            first = heavy * own + (1.0 - heavy) * others
            second = (1.0 - heavy) * own + heavy * others
            result += chance * max(first - math.exp(epsilon) * second, 0.0)
    return result


@pytest.mark.parametrize("records", [1, 2, 7, 60])
@pytest.mark.parametrize("local", [0.2, 1.0, 3.0])
def test_the_sum_over_tails_is_the_divergence_itself(local, records):
    for epsilon in (0.0, 0.1 * local, 0.5 * local, 0.99 * local):
        exact = pair_by_enumeration(local, records, epsilon)
        assert clones_delta(local, records, epsilon) == pytest.approx(exact, rel=1e-9, abs=1e-10)
    assert clones_delta(local, records, local) == 0.0


def shuffled_responses(local, records, answers, epsilon):
    """Exact δ of the histogram of k-ary randomised responses, over all inputs of the others."""
    truth = math.exp(local) / (math.exp(local) + answers - 1.0)
    other = (1.0 - truth) / (answers - 1.0)
    laws = np.full((answers, answers), other)
    np.fill_diagonal(laws, truth)

    def histogram(inputs):
        actual = {(0,) * answers: 1.0}
        for each in inputs:
            more: dict[tuple[int, ...], float] = {}
            for counts, chance in actual.items():
                for said in range(answers):
                    grown = tuple(c + (place == said) for place, c in enumerate(counts))
                    more[grown] = more.get(grown, 0.0) + chance * laws[each, said]
            actual = more
        return actual

    worst = 0.0
    others = [
        [0] * first + [1] * second + [2] * (records - 1 - first - second)
        for first in range(records)
        for second in range(records - first)
        if answers > 2 or first + second == records - 1
    ]
    for rest in others:
        first, second = histogram([*rest, 0]), histogram([*rest, 1])
        worst = max(
            worst,
            sum(max(first[key] - math.exp(epsilon) * second[key], 0.0) for key in first),
        )
    return worst


@pytest.mark.parametrize(("answers", "records"), [(2, 12), (3, 7)])
@pytest.mark.parametrize("local", [0.5, 1.5])
def test_no_shuffled_randomised_response_leaks_more(answers, records, local):
    for epsilon in (0.05 * local, 0.3 * local, 0.7 * local):
        exact = shuffled_responses(local, records, answers, epsilon)
        bound = clones_delta(local, records, epsilon)
        assert 0.0 < exact <= bound * (1.0 + 1e-9)
        # Without the hiding it would be false, and so would be the same with more clones.
        assert bound < shuffled_responses(local, 1, answers, epsilon)
    # Three times the clones would be too many: the test can tell.
    assert shuffled_responses(local, records, answers, 0.3 * local) > clones_delta(
        local, 3 * records + 9, 0.3 * local
    )


@pytest.mark.parametrize("records", [1_000, 30_000, 1_000_000])
def test_never_above_the_closed_form_where_that_holds(records):
    delta, held = 1e-6, 0
    for local in (0.05, 0.3, 1.0, 3.0, 6.0, 9.0):
        result = shuffled_epsilon(local, records, delta)
        assert result <= local
        if local > math.log(records / (16.0 * math.log(2.0 / delta))):
            continue
        held += 1
        grown = math.exp(local)
        printed = 8.0 * math.sqrt(grown * math.log(4.0 / delta) / records) + 8.0 * grown / records
        assert result <= math.log1p((grown - 1.0) / (grown + 1.0) * printed)
        assert clones_delta(local, records, result) <= delta
        assert clones_delta(local, records, 0.99 * result) > delta
    assert held >= 3


def two_gaussians(mu, third, epsilon):
    """Exact δ of two shuffled messages: 0 or μ at first, `third` the other, unit noise."""

    points = np.linspace(-6.0, 6.0 + mu, 301)
    law = {centre: stats.norm.pdf(points, centre) for centre in (0.0, mu, third)}

    def both(centre):
        one = np.outer(law[centre], law[third])
        return 0.5 * (one + one.T)

    excess = np.maximum(both(mu) - math.exp(epsilon) * both(0.0), 0.0)
    return float(integrate.trapezoid(integrate.trapezoid(excess, points), points))


def test_two_gaussian_messages_leak_no_more_than_the_bound():
    mu, delta = 0.05, 1e-4
    bound = shuffled_gaussian_epsilon(mu, 2, delta)
    alone = float(analytic_epsilon(1.0, delta, mu))
    assert bound <= alone
    exact = max(two_gaussians(mu, third, bound) for third in (0.0, 0.5 * mu, mu))
    assert exact <= delta
    # The sum of both is one thing that can be read off, so no bound may be below its.
    assert bound >= analytic_epsilon(1.0, delta, mu / math.sqrt(2.0))


def test_what_is_moved_is_paid_for():
    # Taken for pure at its ε, a Gaussian message would be promised far more.
    mu, records, delta = 0.5, 10_000, 1e-6
    local = float(analytic_epsilon(1.0, delta, mu))
    assert shuffled_gaussian_epsilon(mu, records, delta) > shuffled_epsilon(local, records, delta)
    result = shuffled_gaussian_epsilon(mu, records, delta)
    least = min(
        clones_delta(each, records, result)
        + (1.0 + math.exp(result))
        * records
        * math.exp(-each)
        * (1.0 + 1.0 / (1.0 + math.exp(each)))
        * float(analytic_delta(each, 1.0, mu))
        for each in np.linspace(0.5, 9.0, 400)
    )
    assert least == pytest.approx(delta, rel=0.05)


def test_bad_input_is_named():
    for bad, words in (((0.0, 10, 1e-6), "μ is 0"), ((1.0, 10, 0.0), "delta is 0")):
        with pytest.raises(InvalidInput, match=words):
            shuffled_gaussian_epsilon(*bad)
