"""The library court: what each case says is wrong is wrong, and its mended twin keeps the claim."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from dpcore.audit.bounds import Verdict
from dpcore.audit.court import cases, libraries
from dpcore.audit.court.case import try_case
from dpcore.audit.sequential import ApproximateDP, Wager, bets_needed
from dpcore.audit.study import CourtStudy
from dpcore.errors import InvalidInput
from dpcore.mechanisms.gaussian import analytic_delta, classical_sigma
from dpcore.mechanisms.laplace import vector_laplace

KEYS = (
    *("batch-average", "record-count", "no-sampling", "unclipped-covariance", "zero-sensitivity"),
    *("unpaid-centring", "unregularised-intercept", "seed-twice", "low-bits"),
    *("classical-gaussian", "unpaid-tuning", "paper-000", "paper-003", "paper-004", "adassp"),
    "wishart",
)


def test_every_case_names_its_source_its_claim_and_what_is_wrong():
    assert tuple(cases()) == KEYS
    for each in cases().values():
        assert each.link.startswith("https://")
        assert each.claim.epsilon is not None
        assert 0.0 <= each.claim.delta < 1.0
        assert each.library
        assert each.source
        for sentence in (each.wrong, each.attack, each.twin):
            assert sentence.endswith(".")
    with pytest.raises(InvalidInput, match="case is 'opacus', but"):
        CourtStudy("opacus")
    with pytest.raises(InvalidInput, match="outputs is 3, but"):
        CourtStudy("paper-003", outputs=3)


@pytest.mark.slow("draws many outputs")
@pytest.mark.parametrize("key", KEYS)
def test_the_broken_form_is_refuted_and_its_twin_is_not(key):
    for seed in (0, 1):
        broken, mended = (
            try_case(cases()[key], mended=mended, seed=seed) for mended in (False, True)
        )
        assert broken.verdict is Verdict.REFUTED
        assert mended.verdict is Verdict.NOT_REFUTED
        assert mended.lost < cases()[key].claim.epsilon <= broken.lost


@pytest.mark.parametrize(("delta", "crossing"), [(1e-3, 7.46), (1e-5, 8.42), (1e-9, 9.62)])
def test_the_classical_formula_fails_from_about_eight_on(delta, crossing):
    def excess(epsilon):
        return math.log(analytic_delta(epsilon, classical_sigma(epsilon, delta)) / delta)

    assert optimize.brentq(excess, 1.0, 40.0) == pytest.approx(crossing, abs=0.005)


def test_the_record_count_is_told_from_the_noise_alone():
    # Over ten records the noise is 1.1 times that over eleven, in 2 000 weights: scaled χ².
    claim = cases()["record-count"].claim
    ratio = (11.0 / 10.0) ** 2
    cut = stats.chi2.ppf(0.999, 2_000)  # of squares in units of noise over eleven
    present, absent = stats.chi2.cdf([cut, cut / ratio], 2_000)
    assert present - math.exp(claim.epsilon) * absent > 0.9 > claim.delta


def test_noise_that_two_releases_share_is_subtracted():
    first, second = cases()["seed-twice"].draw(100, 3, mended=False)
    assert np.allclose(first, 1.0, atol=1e-12)
    assert np.allclose(second, 0.0, atol=1e-12)


def test_doubles_that_noise_on_one_cannot_reach_are_never_seen_there():
    first, second = cases()["low-bits"].draw(20_000, 0, mended=False)
    assert not second.any()
    # In [2^-j, 2^(1-j)) one double of 2^(j-1) is a multiple of 2⁻⁵³.
    within = [math.exp(-(2.0**-j)) - math.exp(-(2.0 ** (1 - j))) for j in range(2, 40)]
    share = sum(p * (1.0 - 2.0 ** (1 - j)) for j, p in enumerate(within, start=2))
    assert first.mean() == pytest.approx(share, abs=4.0 * math.sqrt(share / 20_000))


@pytest.mark.parametrize("intercept", [0.0, libraries.RIDGE])
def test_the_minimiser_of_a_perturbed_loss_is_one(intercept):
    noise = vector_laplace(np.random.default_rng(5), 2, 4.0, 500)
    noise = noise[(noise[:, 1] > -0.99) & (noise[:, 1] < 1.99)]
    ridge = np.array([libraries.RIDGE, intercept])
    for points in (libraries.INNER, libraries.OUTER):
        weights = libraries.minimiser(points, noise, ridge)
        gradient, _ = libraries.derivatives(weights, points, ridge)
        assert np.abs(gradient + noise).max() < 1e-7


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
def test_fewer_outputs_than_are_needed_refute_nothing(epsilon):
    least = bets_needed(epsilon, 1e-5, 0.99)

    def refuted(outputs):
        bets = Wager(ApproximateDP(1e-5), np.array([epsilon]))
        bets.see(np.ones(outputs), np.zeros(outputs))
        return bets.refuted[0]

    assert not refuted(least - 1)
    assert refuted(2 * least)


def test_too_few_outputs_decide_nothing():
    trial = try_case(cases()["paper-003"], outputs=100)
    assert trial.verdict is Verdict.UNDECIDED
    assert trial.needed == 15_269
