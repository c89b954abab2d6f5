"""Functional mechanism: how far a record moves the coefficients, and the law of their noise."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from dpcore.erm.method import Settings, Training
from dpcore.erm.methods import functional
from dpcore.erm.methods.functional import METHOD, noise, printed_sensitivity, sensitivity, weights
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Status

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE
SOUND, PUBLISHED = Edition.SOUND, Edition.PUBLISHED


def distance(x, y, other, of_other, linear, square):
    upper = np.triu_indices(len(x))
    matrix = np.outer(x, x) - np.outer(other, other)
    moved = linear * np.abs(y * x - of_other * other).sum()
    return float(moved + square * np.abs(matrix[upper]).sum())


@pytest.mark.slow("fits many models")
@pytest.mark.parametrize("dimension", [1, 2, 3, 6])
@pytest.mark.parametrize(("linear", "square"), [(1.0, 1.0), (2.0, 1.0), (0.5, 0.125)])
def test_no_record_moves_the_coefficients_further(dimension, linear, square, adjacency):
    bound, generator = sensitivity(linear, square, dimension, adjacency), np.random.default_rng(1)
    for _ in range(1_500):
        pair = generator.standard_normal((2, dimension))
        pair /= np.linalg.norm(pair, axis=1, keepdims=True)
        pair *= generator.uniform(0.0, 1.0, (2, 1)) ** generator.choice([0.0, 0.3])
        y, of_other = generator.choice([-1.0, 1.0, 0.4], 2)
        other = pair[1] * (adjacency is REPLACE)
        assert distance(pair[0], y, other, of_other, linear, square) <= bound


def test_equal_entries_reach_the_bound_for_a_record_blanked_out():
    for dimension in (1, 2, 7):
        x = np.full(dimension, 1.0 / math.sqrt(dimension))
        reached = distance(x, -1.0, 0.0 * x, 0.0, 1.0, 1.0)
        assert reached == pytest.approx(sensitivity(1.0, 1.0, dimension, ZERO), rel=1e-12)


@pytest.mark.parametrize("dimension", [2, 4])
def test_for_a_record_replaced_the_bound_is_nearly_reached(dimension):
    def moved(v):
        x, other = v[:dimension] / np.linalg.norm(v[:dimension]), v[dimension:]
        return -distance(x, 1.0, other / np.linalg.norm(other), -1.0, 1.0, 1.0)

    generator = np.random.default_rng(0)
    best = max(
        -optimize.minimize(moved, generator.normal(size=2 * dimension), method="Powell").fun
        for _ in range(12)
    )
    bound = sensitivity(1.0, 1.0, dimension, REPLACE)
    assert 0.95 * bound < best <= bound
    # Two lone records would be counted apart; together they move less.
    assert bound < 2.0 * sensitivity(1.0, 1.0, dimension, ZERO)


def test_the_printed_bounds_hold_and_are_far_larger():
    assert printed_sensitivity("squared", 10) == 242.0
    assert printed_sensitivity("logistic", 10) == 55.0
    for loss in ("squared", "logistic"):
        for dimension in (1, 3, 10, 100):
            true = sensitivity(*weights(loss, PUBLISHED), dimension, REPLACE)
            assert true < printed_sensitivity(loss, dimension)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_claim_proof_and_certificate_stand_apart(loss, adjacency):
    problem = Problem(loss, 0.01, 300, 5, adjacency)
    (printed,) = METHOD.calibrate(problem, [1.0], 1e-5, PUBLISHED, Settings())
    (sound,) = METHOD.calibrate(problem, [1.0], 1e-5, SOUND, Settings())
    assert (printed.claim.epsilon, printed.claim.delta) == (1.0, 0.0)
    assert printed.claim.adjacency is REPLACE
    assert printed.certified.epsilon < 0.5 < printed.proof.epsilon == 1.0
    assert (sound.claim.epsilon, sound.proof.epsilon, sound.proof.delta) == (None, 1.0, 0.0)
    assert sound.certified == sound.proof
    assert printed.status is sound.status is Status.PROVED
    assert sound.sigma < 0.3 * printed.sigma


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_every_coefficient_gets_the_calibrated_noise(loss, edition, monkeypatch):
    generator = np.random.default_rng(4)
    features = generator.uniform(0.0, 1.0, (200, 3)) / math.sqrt(3.0)
    labels = generator.choice([-1.0, 1.0], 200)
    problem = Problem(loss, 0.01, 200, 3)
    (one,) = METHOD.calibrate(problem, [0.7], 1e-5, edition, Settings())
    seen = {}

    def note(problem, square, linear, width):
        seen["square"] = square[0] - features.T @ features
        seen["linear"] = linear[0] - features.T @ labels
        return np.zeros((1, 3))

    monkeypatch.setattr(functional, "noise", lambda g, d: (np.ones((d, d)), np.ones(d)))
    monkeypatch.setattr(functional.quadratic, "minimisers", note)
    METHOD.release(Training(problem, features, labels, [one], 1, 0))
    linear, square = weights(loss, edition)
    scale = one.sensitivity / 0.7
    assert seen["square"] == pytest.approx(np.full((3, 3), scale / square), rel=1e-9)
    assert seen["linear"] == pytest.approx(np.full(3, scale / linear), rel=1e-9)


def test_no_diagonal_is_released_as_it_is():
    """A maintained library sizes the noise on Σ x_j² for bounds (0, 1) by 0, and releases it."""
    generator = np.random.default_rng(7)
    draws = [noise(generator, 3) for _ in range(2_500)]
    square, linear = (np.array(part) for part in zip(*draws, strict=True))
    assert np.array_equal(square, square.transpose(0, 2, 1))
    for j in range(3):
        for seen in (square[:, j, j], square[:, j, (j + 1) % 3], linear[:, j]):
            assert stats.kstest(seen, stats.laplace().cdf).pvalue > 1e-3
            assert stats.kstest(seen, stats.laplace(scale=2.0 / 3.0).cdf).pvalue < 1e-9
    flat = np.column_stack([square[:, *np.triu_indices(3)], linear])
    assert np.abs(np.corrcoef(flat.T) - np.eye(9)).max() < 0.12
