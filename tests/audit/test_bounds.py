"""Lower bounds on ε: exact limits, their coverage, and that they find what is there."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.audit import bounds
from dpcore.errors import InvalidInput
from dpcore.mechanisms.gaussian import analytic_epsilon


@pytest.mark.parametrize("hits", [0, 1, 7, 39, 40])
def test_limits_of_a_share_are_cloppers_and_pearsons(hits):
    for limit, tail in ((bounds.least_share, "greater"), (bounds.most_share, "less")):
        result = float(limit(hits, 40, 0.995))
        exact = stats.binomtest(hits, 40, alternative=tail).proportion_ci(0.995, "exact")
        assert result == pytest.approx(exact.low if tail == "greater" else exact.high, rel=1e-12)


def test_counts_prove_the_logarithm_of_their_limits_ratio():
    # What may fail, 1 %, is shared by the two limits.
    low, high = (
        stats.binomtest(k, 1000, alternative=a).proportion_ci(0.995, "exact")
        for k, a in ((600, "greater"), (100, "less"))
    )
    result = float(bounds.from_counts(600, 100, 1000, 0.05, 0.99))
    assert result == pytest.approx(math.log((low.low - 0.05) / high.high), rel=1e-12)
    assert bounds.from_counts(100, 600, 1000, 0.05, 0.99) == 0.0
    assert bounds.from_counts(30, 0, 1000, 0.05, 0.99) == 0.0  # all of it may be δ


def test_the_limit_of_mu_covers_exactly_as_often_as_it_says():
    generator = np.random.default_rng(5)
    low = [
        bounds.gaussian_mu(
            generator.normal(1.3, 2.0, 30), generator.normal(-0.7, 2.0, 30), confidence=0.9
        )
        for _ in range(2_000)
    ]
    above = np.count_nonzero(np.array(low) > 1.0)
    # 200 expected; four standard deviations either way would catch a wrong factor of any size.
    assert 146 <= above <= 254


def test_the_limit_of_mu_becomes_an_epsilon_by_the_exact_curve():
    generator = np.random.default_rng(2)
    first, second = generator.normal(2.0, 1.0, 4_000), generator.normal(0.0, 1.0, 4_000)
    mu = bounds.gaussian_mu(first, second)
    assert 1.8 < mu < 2.0
    assert bounds.from_gaussian(first, second, 1e-5) == analytic_epsilon(1.0 / mu, 1e-5)
    assert bounds.from_gaussian(second, first, 1e-5) == 0.0  # the sign was fixed beforehand


def test_scores_without_any_noise_refute_every_promise():
    assert bounds.from_gaussian(np.ones(10), np.zeros(10), 1e-5) > 1e6
    assert bounds.from_gaussian(np.zeros(10), np.ones(10), 1e-5) == 0.0
    assert bounds.from_gaussian(np.zeros(10), np.zeros(10), 1e-5) == 0.0


def test_thresholds_on_laplace_scores_come_near_the_true_epsilon_and_not_above():
    generator = np.random.default_rng(3)
    result = [
        bounds.from_scores(
            generator.laplace(1.0, 1.0, 4_000), generator.laplace(0.0, 1.0, 4_000), 0.0
        )
        for _ in range(100)
    ]
    assert np.count_nonzero(np.array(result) > 1.0) <= 4  # one expected at 99 %
    assert np.median(result) > 0.8


def test_the_best_threshold_of_scores_with_few_values_is_the_best_there_is():
    generator = np.random.default_rng(9)
    first, second = generator.binomial(5, 0.8, 3_000), generator.binomial(5, 0.5, 3_000)
    for one, other in ((first, second), (second, first), (-first, -second)):
        best = bounds.best_threshold(one, other, 0.05, 0.99)
        result = bounds.from_counts(*best.counts(one, other), 3_000, 0.05, 0.99)
        every = [
            bounds.from_counts(
                *bounds.Threshold(level, above, is_first).counts(one, other), 3_000, 0.05, 0.99
            )
            for level in np.unique(np.concatenate([one, other]))
            for above in (True, False)
            for is_first in (True, False)
        ]
        assert result == max(every) > 2.0


def test_one_data_set_that_alone_shows_an_output_is_charged_to_delta_first():
    # On the first set one run in five gives itself away, which δ = 0.3 allows and δ = 0.1 does not.
    generator = np.random.default_rng(6)
    first = np.where(generator.random(10_000) < 0.2, 50.0, generator.normal(size=10_000))
    second = generator.normal(size=10_000)
    assert bounds.from_scores(first, second, 0.3) == 0.0
    assert bounds.from_scores(first, second, 0.1) > 4.0


@pytest.mark.parametrize(
    ("first", "delta", "confidence", "sentence"),
    [
        (3, 0.0, 0.99, "runs is 3, but it must be"),
        (9, 0.0, 0.99, "runs are 9 on one data set and 10 on the other"),
        (10, 1.0, 0.99, "delta is 1"),
        (10, 0.0, 1.0, "confidence is 1"),
    ],
)
def test_bad_input_is_one_sentence(first, delta, confidence, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        bounds.from_scores(np.arange(first), np.arange(10), delta, confidence)


def test_mu_is_bounded_where_scipy_has_gaps():
    scores = np.random.default_rng(0).normal(size=200)
    for apart in np.linspace(12.4, 12.6, 41):
        mu = bounds.gaussian_mu(scores + apart, scores[::-1], 0.9996)
        assert 0.8 * apart < mu < 1.1 * apart
