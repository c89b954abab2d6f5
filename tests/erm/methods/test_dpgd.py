"""DP-GD: T Gaussian steps are one Gaussian mechanism, equal to a plain loop."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods import dpgd
from dpcore.erm.methods.dpgd import METHOD
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta
from tests.erm.conftest import slopes


def one(problem, epsilon=1.0, delta=1e-5, steps=None):
    return METHOD.calibrate(problem, [epsilon], delta, Edition.SOUND, Settings(steps))[0]


@given(
    epsilon=st.floats(1e-9, 1e3),
    delta=st.sampled_from([1e-100, 1e-12, 1e-5, 0.3]),
    steps=st.one_of(st.none(), st.integers(1, 10**6)),
    adjacency=st.sampled_from([Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT]),
)
def test_the_composition_of_the_steps_is_within_the_budget(epsilon, delta, steps, adjacency):
    problem = Problem("logistic", 0.01, 3_000, 10, adjacency)
    c = one(problem, epsilon, delta, steps)
    change = 2.0 if adjacency is Adjacency.REPLACE_ONE else 1.0
    # The noise on the mean, in units of what one record can move the mean by.
    mu = math.sqrt(c.steps) * (change / 3_000) / c.model_noise
    assert analytic_delta(epsilon, 1.0 / (mu * (1.0 - 1e-15))) <= delta
    assert (c.proof.epsilon, c.proof.delta, c.status) == (epsilon, delta, Status.PROVED)
    assert c.proof.adjacency is adjacency
    assert all(condition.met for condition in c.conditions)


def plain_release(problem, features, labels, calibration, run, seed):
    """One (ε, run) at a time: momentum 0.9, noise σ/n on the mean gradient, then the projection."""
    generator = noise_generator(seed, run)
    signed = features * labels[:, None]
    weights, velocity = np.zeros(features.shape[1]), np.zeros(features.shape[1])
    for _ in range(calibration.steps):
        z = generator.standard_normal(features.shape[1], dtype=np.float32).astype(float)
        mean = sum(
            s * row for s, row in zip(slopes(problem, signed @ weights), signed, strict=True)
        )
        gradient = mean / len(labels) + problem.lam * weights
        velocity = 0.9 * velocity + gradient + calibration.sigma / len(labels) * z
        weights = weights - calibration.learning_rate * velocity
        if problem.lam == 0.0 and np.linalg.norm(weights) > problem.radius:
            weights = weights * problem.radius / np.linalg.norm(weights)
    return weights


def calibrated(problem, epsilons=(0.3, 3.0, 30.0), steps=None):
    return METHOD.calibrate(problem, epsilons, 1e-4, Edition.SOUND, Settings(steps))


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize(("lam", "radius"), [(0.02, None), (0.0, 0.5), (0.0, 30.0)])
def test_equals_a_plain_loop(data, loss, lam, radius, adjacency):
    features, labels = data(120, 4)
    problem = Problem(loss, lam, 120, 4, adjacency, radius=radius)
    # Different T, not in order, to see that columns leave the matrix rightly.
    short, middle, long = calibrated(problem)
    chosen = [replace(c, steps=t) for c, t in ((short, 9), (long, 40), (middle, 23))]
    released = dpgd.release(Training(problem, features, labels, chosen, 3, 5))
    for i, calibration in enumerate(chosen):
        for run in range(3):
            expected = plain_release(problem, features, labels, calibration, run, 5)
            assert released[i, run] == pytest.approx(expected, rel=1e-4, abs=1e-4)
