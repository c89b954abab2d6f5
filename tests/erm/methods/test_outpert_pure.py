"""OutPert with δ = 0: its sensitivity is reached and never exceeded, its noise has its law."""

import numpy as np
import pytest
from scipy import stats

from dpcore.erm.method import Settings, Training
from dpcore.erm.methods.outpert_pure import METHOD, sensitivity
from dpcore.erm.newton import minimise
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Status


def one(problem, edition=Edition.SOUND, epsilon=1.0):
    return METHOD.calibrate(problem, [epsilon], 1e-5, edition, Settings())[0]


def test_neighbours_minimisers_are_as_far_apart_as_is_counted_and_no_further(adjacency):
    # On the straight part of the Huber loss the gradient of a record is of length 1 all along.
    records, lam = 40, 0.5
    problem = Problem("huber", lam, records, 3, adjacency, huber_width=0.1)
    features, labels = np.zeros((records, 3)), np.ones(records)
    features[0, 0] = 1.0
    other = features.copy()
    other[0] = -features[0] if adjacency is Adjacency.REPLACE_ONE else 0.0
    far = np.linalg.norm(minimise(problem, features, labels) - minimise(problem, other, labels))
    bound = sensitivity(problem, Edition.SOUND)
    assert 0.99 * bound <= far <= bound


def test_noise_has_its_law():
    problem = Problem("logistic", 0.1, 50, 4, Adjacency.ZERO_OUT)
    c = one(problem)
    drawn = np.asarray(
        METHOD.release(Training(problem, np.zeros((50, 4)), np.ones(50), [c], 3_000, 0))
    )[0]
    norms = np.linalg.norm(drawn, axis=1)
    assert stats.kstest(norms, stats.gamma(4, scale=c.model_noise).cdf).pvalue > 1e-3
    assert stats.kstest(norms, stats.gamma(4, scale=2 / 3 * c.model_noise).cdf).pvalue < 1e-9
    assert drawn[:, 0].std() == pytest.approx(c.sigma, rel=0.1)


def test_what_is_printed_is_certified_for_a_little_more():
    problem = Problem("logistic", 0.1, 500, 4, Adjacency.REPLACE_ONE)
    printed, sound = one(problem, Edition.PUBLISHED), one(problem)
    assert printed.sensitivity == pytest.approx(2.0 / 50.0)
    assert printed.proof.epsilon is None
    assert 1.0 < printed.certified.epsilon < 1.001
    assert (sound.proof.epsilon, sound.proof.delta, sound.status) == (1.0, 0.0, Status.PROVED)


def test_without_regularisation_the_radius_bounds_it():
    problem = Problem("logistic", 0.0, 60, 2, Adjacency.REPLACE_ONE, radius=3.0)
    c = one(problem)
    assert c.sensitivity == pytest.approx(6.0)
    generator = np.random.default_rng(0)
    features = generator.standard_normal((60, 2))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    result = METHOD.release(
        Training(problem, features, np.where(features[:, 0] > 0, 1.0, -1.0), [c], 2, 0)
    )
    assert np.isfinite(result).all()


def test_with_next_to_no_regularisation_the_ball_bounds_it_too():
    problem = Problem("logistic", 1e-6, 100, 2, Adjacency.REPLACE_ONE)
    assert sensitivity(problem, Edition.SOUND) == pytest.approx(2.0 * problem.solution_radius)
    features = np.tile([[1.0, 0.0], [0.8, 0.6]], (50, 1))
    # At a vast ε hardly any noise is left: what is released lies in the ball.
    c = one(problem, epsilon=1e12)
    result = METHOD.release(Training(problem, features, np.ones(100), [c], 1, 0))[0, 0]
    assert np.linalg.norm(result) <= problem.solution_radius * (1.0 + 1e-6)
