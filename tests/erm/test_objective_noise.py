"""The solver of many tilted objectives, and the law of what is released."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from dpcore.erm import objective_noise
from dpcore.erm.method import Settings, Training
from dpcore.erm.objective_perturbation import TOLERANCE
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition
from dpcore.methods import method_named


def data(records: int = 300, dimension: int = 5) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(3)
    features = generator.standard_normal((records, dimension))
    features /= np.maximum(1.0, np.linalg.norm(features, axis=1, keepdims=True))
    labels = np.where(features @ np.arange(1.0, dimension + 1.0) > 0.2, 1.0, -1.0)
    return features, labels


@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_every_column_is_the_minimiser_of_its_own_objective(loss) -> None:
    features, labels = data()
    problem = Problem(loss, 0.01, 300, 5, huber_width=0.1)
    ridge = np.repeat([0.3, 1.0, 40.0], 4)
    tilt = np.random.default_rng(1).standard_normal((5, 12)) * np.repeat([3.0, 3.0, 200.0], 4)
    result = objective_noise.minimisers(problem, features, labels, ridge, tilt, 1e-6)
    signed = features * labels[:, None]
    for w, weight, b in zip(result.T, ridge, tilt.T, strict=True):

        def objective(w: np.ndarray, weight: float = weight, b: np.ndarray = b) -> float:
            return float(problem.function.value(signed @ w).sum() + 0.5 * weight * w @ w + b @ w)

        gradient = signed.T @ problem.function.slope(signed @ w) + weight * w + b
        assert np.linalg.norm(gradient) <= 1e-6
        best = optimize.minimize(objective, w + 0.1, method="BFGS", options={"gtol": 1e-7})
        assert np.linalg.norm(best.x - w) <= 1e-3 * max(1.0, float(np.linalg.norm(w)))


def test_a_gradient_that_cannot_be_reached_is_not_released() -> None:
    features, labels = data()
    problem = Problem("logistic", 0.01, 300, 5)
    tilt = np.full((5, 2), 7.3)
    with pytest.raises(ArithmeticError, match="steps the gradient is"):
        objective_noise.minimisers(problem, features, labels, np.full(2, 0.5), tilt, 1e-18)


@pytest.mark.parametrize("key", ["objpert", "objpert_pure"])
def test_noise_has_its_law(key) -> None:
    # Of empty records the minimiser is -b/Λ.
    records, dimension, runs = 50, 4, 3_000
    problem = Problem("logistic", 0.1, records, dimension, Adjacency.ZERO_OUT)
    method = method_named(key)
    (c,) = method.calibrate(problem, [1.0], 1e-5, Edition.SOUND, Settings())
    tilt_only = np.asarray(
        method.release(
            Training(problem, np.zeros((records, dimension)), np.ones(records), [c], runs, 0)
        )
    )[0]
    scale = c.model_noise / c.ridge
    if key == "objpert":
        law = stats.norm(scale=np.hypot(scale, c.output_noise)).cdf
        seen, wrong = tilt_only.ravel(), stats.norm(scale=2.0 / 3.0 * scale).cdf
    else:
        law = stats.gamma(dimension, scale=scale).cdf
        seen = np.linalg.norm(tilt_only, axis=1)
        wrong = stats.gamma(dimension, scale=2.0 / 3.0 * scale).cdf
        # The output noise of a hundredth of the size hardly moves the law of the sum.
        assert c.output_noise < 0.05 * scale
    assert stats.kstest(seen, law).pvalue > 1e-3
    assert stats.kstest(seen, wrong).pvalue < 1e-9


def test_output_noise_has_its_law() -> None:
    features, labels = data()
    problem = Problem("logistic", 0.1, 300, 5, Adjacency.ZERO_OUT)
    (c,) = method_named("objpert").calibrate(problem, [1.0], 1e-5, Edition.SOUND, Settings())
    training = Training(problem, features, labels, [c], 1, 0)
    draws = iter((1.0, 3.0))
    noisy = objective_noise.release(lambda g, d: np.full(d, next(draws)), training)[0, 0]
    exact = objective_noise.minimisers(
        problem, features, labels, np.array([c.ridge]), np.full((5, 1), c.model_noise), TOLERANCE
    )[:, 0]
    assert noisy - exact == pytest.approx(np.full(5, 3.0 * c.output_noise), rel=1e-6)


def test_runs_are_their_own_and_a_seed_decides_them() -> None:
    features, labels = data()
    problem = Problem("huber", 0.1, 300, 5)
    method = method_named("objpert")
    several = method.calibrate(problem, [0.3, 3.0], 1e-5, Edition.SOUND, Settings())
    three = np.asarray(method.release(Training(problem, features, labels, several, 3, 9)))
    assert three.shape == (2, 3, 5)
    again = np.asarray(method.release(Training(problem, features, labels, several, 2, 9)))
    tolerance = 3.0 * TOLERANCE / min(c.ridge for c in several)
    assert np.abs(again - three[:, :2]).max() <= tolerance
    assert np.abs(three[:, 0] - three[:, 1]).max() > 10.0 * tolerance
