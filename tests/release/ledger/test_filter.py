"""The filter against the best adaptive adversary, and its parts against what they generalise."""

import math
from functools import cache

import mpmath
import pytest

from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon
from dpcore.release.ledger import orders
from dpcore.release.ledger.filter import ACCEPTS, LedgerAccount, Totals, pure_mu, terms
from dpcore.release.ledger.spends import (
    ApproximateSpend,
    ConcentratedSpend,
    GaussianSpend,
    PureSpend,
    SubsampledGaussianSpend,
)


def account(epsilon, delta, *accepts, adjacency="zero-out"):
    agreed = terms(
        person_unit="one patient",
        adjacency=adjacency,
        epsilon=epsilon,
        delta=delta,
        owner="A",
        accepts=accepts or ACCEPTS,
    )
    return LedgerAccount(agreed, epsilon, delta)


UNIT = 0.25


def worst_delta(agreed, spends, scale):
    """δ at the cap's ε of the adversary who picks the next spend, or the end, by the loss so far.

    Each spend is randomised response, the worst of its kind: the loss moves by ±ε_i, and with
    probability δ_i everything is lost.
    """
    charges = [agreed.terms.charge(spend) for spend in spends]

    @cache
    def allowed(counts):
        totals = Totals()
        for charge, count in zip(charges, counts, strict=True):
            totals = totals.plus(charge, count) if count else totals
        return agreed.within(scale(totals))

    @cache
    def value(counts, loss):
        best = max(0.0, -math.expm1(agreed.epsilon - UNIT * loss))
        for place, spend in enumerate(spends):
            more = tuple(count + (place == at) for at, count in enumerate(counts))
            if allowed(more):
                step, up = round(spend.epsilon / UNIT), 1.0 / (1.0 + math.exp(-spend.epsilon))
                after = up * value(more, loss + step) + (1.0 - up) * value(more, loss - step)
                broken = getattr(spend, "delta", 0.0)
                best = max(best, broken + (1.0 - broken) * after)
        return best

    return value((0,) * len(spends), 0)


GAMES = {
    "renyi": (account(4.0, 1e-2, "renyi"), [PureSpend(0.25), PureSpend(1.0)]),
    "gaussian": (account(4.0, 1e-2, "gaussian"), [PureSpend(0.25), PureSpend(1.0)]),
    "all": (account(4.0, 3e-2), [PureSpend(0.5), ApproximateSpend(1.0, 2e-3)]),
}


def halved(totals):
    """What a filter would hold that counts half of everything."""
    parts = (totals.epsilon, totals.mu_squared, totals.delta)
    epsilon, mu_squared, delta = (None if part is None else part / 2.0 for part in parts)
    return Totals(epsilon, mu_squared, tuple(each / 2.0 for each in totals.rdp or ()), delta or 0.0)


@pytest.mark.parametrize("name", GAMES)
def test_no_adaptive_adversary_gets_beyond_delta(name):
    agreed, spends = GAMES[name]
    assert 0.0 < worst_delta(agreed, spends, lambda totals: totals) <= agreed.delta
    assert worst_delta(agreed, spends, halved) > agreed.delta


SUMS = {
    "training": orders.of_step(SubsampledGaussianSpend(1.1, 0.01, 1000).step(), Adjacency.ZERO_OUT),
    "release": orders.of_step(GaussianSpend(4.0, 3).step(), Adjacency.REPLACE_ONE),
    "pure": orders.of_pure(0.3),
    "little": orders.of_pure(1e-9),
    "much": orders.of_step(GaussianSpend(0.1, 1000).step(), Adjacency.ZERO_OUT),
}


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-200])
def test_the_epsilon_of_a_path_is_the_largest_value_of_its_condition(name, delta):
    total, share = SUMS[name], orders.weights(3.0, delta)
    assert sum(share) <= 1.0
    result = orders.epsilon_of(total, share, delta)
    with mpmath.workdps(40):
        pairs = [
            (mpmath.mpf(order) - 1, mpmath.mpf(rdp), mpmath.mpf(weight))
            for order, rdp, weight in zip(orders.ORDERS.tolist(), total, share, strict=True)
        ]

        def condition(loss):
            inside = mpmath.fsum(w * mpmath.exp(gap * (loss - rdp)) for gap, rdp, w in pairs)
            rest = 1 - mpmath.mpf(delta) * inside
            return loss + mpmath.log(rest) if rest > 0 else mpmath.mpf("-inf")

        low, high = 0.0, 2.0 * result + 100.0
        for _ in range(80):  # thirds: the condition is concave
            left, right = low + (high - low) / 3, high - (high - low) / 3
            if condition(left) < condition(right):
                low = left
            else:
                high = right
        largest = condition(low)
    assert max(0.0, largest) <= result <= max(0.0, largest) * (1.0 + 1e-8) + 1e-8


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 0.5, 9.9, 10.1, 100.0])
def test_the_costs_of_pure_privacy_are_those_of_randomised_response(epsilon):
    with mpmath.workdps(120):
        true = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon)))
        for order, result in zip(orders.ORDERS.tolist(), orders.of_pure(epsilon), strict=True):
            a = mpmath.mpf(order)
            moment = true**a * (1 - true) ** (1 - a) + (1 - true) ** a * true ** (1 - a)
            exact = mpmath.log(moment) / (a - 1)
            assert exact <= result <= exact * (1 + mpmath.mpf(1e-10))
        # The Gaussian meets the corner (a, a) of the trade-off curve, or lies below it.
        mu = mpmath.mpf(pure_mu(epsilon))
        assert mpmath.ncdf(-mu / 2) <= 1 - true
        assert mpmath.ncdf(-mu / 2 * (1 - mpmath.mpf(1e-8))) > 1 - true


def test_gaussians_alone_are_compared_exactly():
    for adjacency, moved in (("zero-out", 1.0), ("replace-one", 2.0)):
        only = account(3.0, 1e-5, "gaussian", adjacency=adjacency)
        after = only.spent(GaussianSpend(8.0, 3), {}).spent(GaussianSpend(5.0), {})
        exact = analytic_epsilon(1.0, 1e-5, moved * math.sqrt(3 / 64 + 1 / 25))
        assert exact <= after.epsilon_spent() <= exact * (1.0 + 1e-9)


def test_known_pairs_add_up_and_need_their_part_of_delta():
    only = account(1.0, 1e-5, "approximate")
    after = only.spent(ApproximateSpend(0.5, 4e-6), {}).spent(PureSpend(0.25), {})
    assert after.epsilon_spent() == pytest.approx(0.75)
    assert not after.within(after.spent(ApproximateSpend(0.1, 7e-6), {}).totals)
    third = account(1.0, 1e-5)
    assert not third.within(third.spent(ApproximateSpend(0.1, 4e-6), {}).totals)
    assert third.within(third.spent(ApproximateSpend(0.1, 3e-6), {}).totals)


def test_what_a_data_set_does_not_accept_is_refused():
    training = SubsampledGaussianSpend(1.1, 0.01, 10)
    for accepts, spend in (
        ("gaussian", training),
        ("gaussian", ConcentratedSpend(1e-3)),
        ("renyi", ApproximateSpend(0.1, 1e-7)),
        ("approximate", GaussianSpend(10.0)),
    ):
        with pytest.raises(ValueError, match=f"created to accept {accepts}, but this spend needs"):
            account(1.0, 1e-5, accepts).spent(spend, {})
    every = account(1.0, 1e-5).spent(SubsampledGaussianSpend(5.0, 1.0, 3), {})
    assert every.totals == account(1.0, 1e-5).spent(GaussianSpend(5.0, 3), {}).totals
