"""Learning from noisy sums: the quadratic, its minimiser, and the noise that goes in."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.erm import quadratic
from dpcore.erm.losses import loss_named
from dpcore.erm.method import Settings, Training
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition
from dpcore.methods import method_named

METHOD = method_named("inputpert")


def data(records: int = 400) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(4)
    features = generator.standard_normal((records, 3))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return features, np.where(features @ [1.0, -2.0, 0.5] > 0.1, 1.0, -1.0)


def calibrated(problem: Problem, *epsilons: float):
    return METHOD.calibrate(problem, epsilons, 1e-5, Edition.SOUND, Settings())


def test_the_quadratic_is_close_to_the_logistic_loss() -> None:
    slope, curvature = quadratic.approximation("logistic", 0.5)
    assert slope == pytest.approx(-0.5, abs=1e-12)
    margins = np.linspace(-2.0, 2.0, 401)
    rest = loss_named("logistic").value(margins) - slope * margins - curvature * margins**2
    # Half the spread is the error that the best constant leaves.
    assert np.ptp(rest) / 2.0 < 0.01
    taylor = loss_named("logistic").value(margins) + 0.5 * margins - margins**2 / 8.0
    assert np.ptp(rest) < np.ptp(taylor) / 3.0


@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_with_hardly_any_noise_it_is_the_quadratics_minimiser(loss) -> None:
    features, labels = data()
    problem = Problem(loss, 0.05, 400, 3, Adjacency.ZERO_OUT)
    result = METHOD.release(Training(problem, features, labels, calibrated(problem, 1e9), 1, 0))[
        0, 0
    ]
    slope, curvature = quadratic.approximation(loss, 0.5)
    signed = features * labels[:, None]
    gradient = (slope + 2.0 * curvature * (signed @ result)) @ signed / 400 + 0.05 * result
    assert np.linalg.norm(gradient) < 1e-3


def test_the_noise_is_what_was_calibrated(monkeypatch) -> None:
    features, labels = data()
    problem = Problem("logistic", 0.05, 400, 3)
    (one,) = calibrated(problem, 1.0)
    monkeypatch.setattr(quadratic, "noise", lambda g, d: (np.eye(d), np.ones(d)))
    actual = METHOD.release(Training(problem, features, labels, [one], 1, 0))[0, 0]
    slope, curvature = quadratic.approximation("logistic", 0.5)
    square = features.T @ features + one.sigma * np.eye(3)
    ridge = 400 * 0.05 + 2.0 * curvature * one.sigma * np.sqrt(6.0)
    wanted = np.linalg.solve(
        2.0 * curvature * square + ridge * np.eye(3),
        -slope * (features.T @ labels + one.sigma / 0.91),
    )
    assert actual == pytest.approx(wanted, rel=1e-9)


def test_large_noise_leaves_a_model_of_finite_length() -> None:
    features, labels = data()
    for convexity in ({"lam": 0.01}, {"lam": 0.0, "radius": 2.0}):
        problem = Problem("logistic", records=400, dimension=3, **convexity)
        result = METHOD.release(
            Training(problem, features, labels, calibrated(problem, 1e-6), 5, 0)
        )
        assert np.isfinite(result).all()
        assert np.linalg.norm(result, axis=2).max() <= (2.0 + 1e-9 if "radius" in convexity else 50)


def test_one_gaussian_mechanism_under_the_problems_adjacency() -> None:
    for adjacency in (Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE):
        problem = Problem("logistic", 0.05, 400, 3, adjacency)
        (one,) = calibrated(problem, 0.7)
        assert one.gaussian_mu == pytest.approx(one.sensitivity / one.sigma)
        assert (one.proof.epsilon, one.proof.adjacency) == (0.7, adjacency)
        assert one.claim.epsilon is None
