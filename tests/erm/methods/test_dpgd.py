"""DP-GD: T Gaussian steps are one Gaussian mechanism, equal to a plain loop."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.accounting.sampled import SampledGaussian, hit_epsilon
from dpcore.erm import full_batch
from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods.dpgd import DEFAULT_MOST_STEPS, METHOD, MIN_STEPS
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


def test_an_independent_accountant_agrees():
    c = one(Problem("logistic", 0.01, 3_000, 10), 0.7)
    what = SampledGaussian(c.sigma, 1.0, c.steps, "fixed", Adjacency.REPLACE_ONE)
    assert hit_epsilon(what, 1e-5) == pytest.approx(0.7, rel=1e-5)


def test_the_schedule_is_public_and_within_its_limits():
    for epsilon in (1e-9, 0.1, 1.0, 100.0):
        for loss, lam, radius in (("logistic", 0.1, None), ("huber", 0.0, 2.0)):
            problem = Problem(loss, lam, 500, 30, radius=radius)
            c = one(problem, epsilon)
            assert MIN_STEPS <= c.steps <= DEFAULT_MOST_STEPS
            assert 0.0 < c.learning_rate <= 1.0 / problem.smoothness


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
    released = full_batch.release(Training(problem, features, labels, chosen, 3, 5))
    for i, calibration in enumerate(chosen):
        for run in range(3):
            expected = plain_release(problem, features, labels, calibration, run, 5)
            assert released[i, run] == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_equals_a_plain_loop_beyond_one_block_of_rows(data):
    features, labels = data(3_000, 3)
    problem = Problem("logistic", 0.01, 3_000, 3)
    chosen = calibrated(problem, steps=5)
    released = full_batch.release(Training(problem, features, labels, chosen, 2, 1))
    for i, calibration in enumerate(chosen):
        expected = plain_release(problem, features, labels, calibration, 1, 1)
        assert released[i, 1] == pytest.approx(expected, rel=1e-4, abs=1e-5)


def test_one_step_carries_the_calibrated_noise(data, assert_normal, adjacency):
    features, labels = data(150, 5)
    problem = Problem("logistic", 0.02, 150, 5, adjacency)
    chosen = calibrated(problem, (0.8,), steps=1)
    released = full_batch.release(Training(problem, features, labels, chosen, 400, 2))[0]
    known = -0.5 * (features * labels[:, None]).mean(axis=0)  # ∇F(0), logistic
    sum_noise = (-released / chosen[0].learning_rate - known) * 150
    assert_normal(sum_noise, chosen[0].sigma)


def test_every_step_draws_afresh(assert_normal):
    # Null records: with momentum 0.9 three steps leave -η(σ/n)(2.71 z₁ + 1.9 z₂ + z₃).
    problem = Problem("logistic", 0.0, 50, 5, radius=1e6)
    chosen = calibrated(problem, (1.0,), steps=3)
    released = full_batch.release(
        Training(problem, np.zeros((50, 5)), np.ones(50), chosen, 400, 4)
    )[0]
    scale = chosen[0].learning_rate * chosen[0].sigma / 50
    assert_normal(released, scale * float(np.sqrt(2.71**2 + 1.9**2 + 1.0)))


@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_the_torch_path_gives_the_same_release(data, monkeypatch, loss):
    features, labels = data(1_500, 4)
    problem = Problem(loss, 0.02, 1_500, 4)
    chosen = calibrated(problem, steps=12)
    monkeypatch.setattr(full_batch, "accelerator", lambda: None)
    here = full_batch.release(Training(problem, features, labels, chosen, 3, 5))
    monkeypatch.setattr(full_batch, "accelerator", lambda: "cpu")
    there = full_batch.release(Training(problem, features, labels, chosen, 3, 5))
    assert there == pytest.approx(here, rel=1e-4, abs=1e-5)
