"""The noise: the right law and σ are accepted, wrong ones rejected, and no bit is guessed."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.release import rounded_gaussian
from dpcore.release.rounded_gaussian import Entropy, rounded_gaussians

DRAWS = 30_000


def p_value(values, sigma, shift=0.0):
    """Of the chi-square test of the cells of round(σZ) at σ, the tails pooled."""
    inner = np.arange(-math.ceil(2.5 * sigma), math.ceil(2.5 * sigma) + 1)
    edges = np.concatenate([[-np.inf], inner - 0.5, [inner[-1] + 0.5, np.inf]])
    expected = np.diff(stats.norm.cdf(edges, scale=sigma, loc=shift)) * len(values)
    counts = np.histogram(values, np.concatenate([[-1e9], edges[1:-1], [1e9]]))[0]
    return float(stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue)


@pytest.mark.slow("releases models many times over")
@pytest.mark.parametrize("sigma", [1, 3])
def test_cells_are_those_of_a_rounded_gaussian_and_of_no_other(sigma):
    values = rounded_gaussians(sigma, DRAWS)
    assert p_value(values, sigma) > 1e-6
    assert p_value(values, sigma * 1.05) < 1e-6
    assert p_value(values, sigma, shift=0.08 * sigma) < 1e-6
    if sigma == 1:
        # The half-step that truncation would lose would show in the mean.
        assert abs(np.mean(values)) < 5 * math.sqrt(13 / 12 / DRAWS)
        # A discrete Gaussian has this variance, a rounded one 1/12 more
        discrete = np.exp(-0.5 * np.arange(-8, 9) ** 2)
        counts = np.array([values.count(k) for k in range(-3, 4)])
        share = discrete[5:12] / discrete.sum()
        assert stats.chisquare(counts, share / share.sum() * counts.sum()).pvalue < 1e-6


def assert_is_normal(values, wrong=0.1, level=1e-6):
    """Values are N(0, 1), and of a σ that is so much less or more they would not be."""

    def tails(scale):
        """The p-value of the sum of squares, which is χ² at the right σ."""
        squares, count = float(np.sum((values / scale) ** 2)), len(values)
        return 2.0 * min(stats.chi2.cdf(squares, count), stats.chi2.sf(squares, count))

    assert stats.kstest(values, "norm").pvalue > 1e-6
    assert tails(1.0) > 1e-6
    assert max(tails(1.0 - wrong), tails(1.0 + wrong)) < level


@pytest.mark.slow("releases models many times over")
def test_a_large_sigma_is_kept_and_three_percent_less_or_more_is_not():
    values = np.array(rounded_gaussians(2**24, 40_000)) / 2**24
    assert_is_normal(values, 0.03, 1e-4)


def test_numbers_known_by_two_bits_get_as_many_more_as_they_need(monkeypatch):
    monkeypatch.setattr(rounded_gaussian, "BITS", 2)
    refined, refine = [], rounded_gaussian.Uniform.refine
    monkeypatch.setattr(
        rounded_gaussian.Uniform, "refine", lambda self: (refined.append(1), refine(self))[1]
    )
    values = rounded_gaussians(3, 10_000)
    assert len(refined) > 20_000
    assert p_value(values, 3) > 1e-6


def test_no_word_of_entropy_is_handed_out_twice(monkeypatch):
    blocks = iter(range(1, 4))
    monkeypatch.setattr(rounded_gaussian.os, "urandom", lambda size: bytes([next(blocks)]) * size)
    entropy = Entropy()
    words = [entropy.word() for _ in range(2 * rounded_gaussian.BLOCK // 8)]
    assert {words.count(word) for word in words} == {rounded_gaussian.BLOCK // 8}
