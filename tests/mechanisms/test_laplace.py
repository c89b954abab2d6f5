"""Laplace noise: the scale, and draws that a Kolmogorov-Smirnov test can tell from wrong ones."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpcore.errors import InvalidInput
from dpcore.mechanisms.laplace import laplace_scale, vector_laplace

DRAWS = 4000
SCALE = 0.7


def draw(dimension, seed=20):
    return vector_laplace(np.random.default_rng(seed), dimension, SCALE, DRAWS)


def norm_p_value(draws, scale):
    norms = np.linalg.norm(draws, axis=1)
    gamma = stats.gamma(draws.shape[1], scale=scale)
    return float(stats.kstest(norms, gamma.cdf).pvalue)


def direction_p_value(draws, axis):
    """Against the law of one coordinate of a uniform direction: (1 + u)/2 ~ Beta((d-1)/2, ·)."""
    directions = draws / np.linalg.norm(draws, axis=1, keepdims=True)
    half = (draws.shape[1] - 1) / 2
    along = directions @ (axis / np.linalg.norm(axis))
    return float(stats.kstest((1 + along) / 2, stats.beta(half, half).cdf).pvalue)


@given(st.floats(1e-9, 1e3), st.floats(1e-9, 1e9))
def test_the_scale_spends_at_most_epsilon(epsilon, sensitivity):
    scale = laplace_scale(epsilon, sensitivity)
    # Exactly, in rational arithmetic.
    numerator, denominator = scale.as_integer_ratio()
    top, bottom = epsilon.as_integer_ratio()
    upper, lower = sensitivity.as_integer_ratio()
    assert numerator * top * lower >= upper * denominator * bottom
    assert scale == pytest.approx(sensitivity / epsilon, rel=1e-15)


@pytest.mark.parametrize("dimension", [1, 2, 13, 104])
def test_the_norm_is_gamma_at_the_right_scale_only(dimension):
    draws = draw(dimension)
    assert draws.shape == (DRAWS, dimension)
    assert norm_p_value(draws, SCALE) > 0.01
    assert norm_p_value(draws, SCALE * 2 / 3) < 1e-6
    assert norm_p_value(draws, SCALE * 1.5) < 1e-6


@pytest.mark.parametrize("dimension", [2, 3, 13])
def test_the_direction_is_uniform_and_not_that_of_a_cube(dimension):
    draws = draw(dimension)
    axes = (np.eye(dimension)[0], np.eye(dimension)[-1], np.ones(dimension))
    cube = np.random.default_rng(1).uniform(-1, 1, (10 * DRAWS, dimension))
    for axis in axes:
        assert direction_p_value(draws, axis) > 0.003
    assert direction_p_value(cube, axes[0]) < 1e-6
    assert direction_p_value(np.abs(draws), axes[0]) < 1e-6


def test_the_direction_says_nothing_about_the_norm():
    draws = draw(3)
    norms = np.linalg.norm(draws, axis=1)
    first = draws[:, 0] / norms
    assert stats.spearmanr(first, norms).pvalue > 0.01
    assert stats.spearmanr(np.abs(first), norms).pvalue > 0.01


def test_in_one_dimension_it_is_the_laplace_distribution():
    draws = draw(1)[:, 0]
    for share, is_right in ((1.0, True), (2 / 3, False), (1.5, False)):
        level = stats.kstest(draws, stats.laplace(scale=SCALE * share).cdf).pvalue
        assert level > 0.01 if is_right else level < 1e-6


@pytest.mark.parametrize("bad", [0, -1.0, math.nan, math.inf, None, "wide", 1j])
def test_a_bad_argument_is_named(bad):
    generator = np.random.default_rng(0)
    for name, call in (
        ("dimension", lambda: vector_laplace(generator, bad, 1.0)),
        ("scale", lambda: vector_laplace(generator, 2, bad)),
        ("generator", lambda: vector_laplace(bad, 2, 1.0)),
        ("size", lambda: vector_laplace(generator, 2, 1.0, -1)),
        ("epsilon", lambda: laplace_scale(bad)),
        ("sensitivity", lambda: laplace_scale(1.0, bad)),
    ):
        with pytest.raises(InvalidInput, match=f"^{name} is "):
            call()
    assert vector_laplace(generator, 2, 1.0, 0).shape == (0, 2)
