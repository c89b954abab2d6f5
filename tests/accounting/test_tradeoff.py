"""The best attack in numbers: against the normal distribution itself, and by what must hold."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.accounting import risk, tradeoff
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_mu

ADJACENCY = Adjacency.ZERO_OUT
NORMAL = NormalDist()

epsilons = st.floats(1e-3, 20.0)
priors = st.floats(0.01, 0.99)
rates = st.sampled_from([0.001, 0.01, 0.1])


def of_budget(epsilon, prior, rate):
    return tradeoff.attacker(tradeoff.from_budget(epsilon, 1e-5, ADJACENCY), prior, rate)


@given(st.floats(0.01, 6.0), priors, rates)
def test_the_attacker_on_a_gaussian_is_the_threshold_test(mu, prior, rate):
    # Noise N(0, 1) around 0 or μ: alarm above the threshold that 0 passes with chance `rate`.
    threshold = NORMAL.inv_cdf(1.0 - rate)
    hits = 1.0 - NORMAL.cdf(threshold - mu)
    result = tradeoff.attacker(tradeoff.from_gaussian(mu, ADJACENCY), prior, rate)
    assert result.true_positive_rate == pytest.approx(hits, rel=1e-9)
    assert result.belief == pytest.approx(
        prior * hits / (prior * hits + (1.0 - prior) * rate), rel=1e-9
    )
    halfway = 1.0 - 2.0 * NORMAL.cdf(-mu / 2.0)
    assert result.advantage == pytest.approx(halfway, rel=1e-9)
    assert result.advantage == pytest.approx(risk.gaussian_advantage(mu), rel=1e-9)


@given(epsilons, priors, rates)
def test_the_whole_curve_never_allows_more_than_its_point(epsilon, prior, rate):
    mu = float(analytic_mu(epsilon, 1e-5))
    exact = tradeoff.attacker(tradeoff.from_gaussian(mu, ADJACENCY), prior, rate)
    bound = of_budget(epsilon, prior, rate)
    assert exact.advantage <= bound.advantage + 1e-12
    assert exact.true_positive_rate <= bound.true_positive_rate + 1e-12
    assert exact.belief <= bound.belief + 1e-12


@given(epsilons, priors, priors, rates)
def test_belief_rises_with_the_prior_and_never_beyond_the_likelihood_ratio(
    epsilon, one, other, rate
):
    low, high = sorted((one, other))
    before, after = of_budget(epsilon, low, rate), of_budget(epsilon, high, rate)
    assert low - 1e-12 <= before.belief <= after.belief + 1e-12
    odds = before.belief / (1.0 - before.belief) if before.belief < 1.0 else np.inf
    most = (np.exp(epsilon) + 1e-5 / rate) * low / (1.0 - low)
    assert odds <= most * (1.0 + 1e-6)


def test_the_table_holds_both_curves_point_by_point():
    curves = {
        "exact": tradeoff.from_gaussian(0.5, ADJACENCY),
        "budget": tradeoff.from_budget(1.0, 1e-5, ADJACENCY),
    }
    table = tradeoff.table(curves)
    for series, rows in table.groupby("series"):
        rate = rows["false_positive_rate"].to_numpy()
        assert (np.diff(rate) > 0.0).all()
        assert (rate[0], rate[-1]) == (0.0, 1.0)
        assert rows["true_positive_rate"].to_numpy() == pytest.approx(
            tradeoff.power(curves[series], rate)
        )
        assert set(rows["by"]) == {curves[series].by}


@pytest.mark.parametrize(("prior", "rate"), [(0.0, 0.1), (1.0, 0.1), (0.5, 0.0), (0.5, 1.1)])
def test_a_prior_or_rate_out_of_range_is_refused(prior, rate):
    with pytest.raises(InvalidInput, match=r"prior|false-alarm rate"):
        of_budget(1.0, prior, rate)
