"""Descent against a plain loop, and the noise of output perturbation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.erm import output_noise
from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods.opera import METHOD as OPERA
from dpcore.erm.methods.outpert import METHOD as OUTPERT
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Edition


def slope(problem, margin):
    if problem.loss == "logistic":
        return -1.0 / (1.0 + np.exp(margin))
    h = problem.huber_width
    return -1.0 if margin < 1.0 - h else 0.0 if margin > 1.0 + h else (margin - 1.0 - h) / (2 * h)


def plain_descent(problem, features, labels, rate, steps):
    weights = np.zeros(features.shape[1])
    for _ in range(steps):
        gradient = problem.lam * weights
        for x, y in zip(features, labels, strict=True):
            gradient = gradient + slope(problem, y * (x @ weights)) * y * x / len(labels)
        weights = weights - rate * gradient
        if problem.lam == 0.0 and np.linalg.norm(weights) > problem.radius:
            weights = weights * problem.radius / np.linalg.norm(weights)
    return weights


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize(("lam", "radius"), [(0.05, None), (0.0, 0.4), (0.0, 50.0)])
@pytest.mark.parametrize("share_of_zeros", [0.0, 0.9])  # dense and sparse products
def test_descent_equals_a_plain_loop(data, loss, lam, radius, share_of_zeros) -> None:
    features, labels = data(30, 8)
    features[np.random.default_rng(5).random(features.shape) < share_of_zeros] = 0.0
    problem = Problem(loss, lam, 30, 8, radius=radius)
    actual = output_noise.descend(problem, features, labels, 1.7, [1, 7, 25])
    assert sorted(actual) == [1, 7, 25]
    for steps, weights in actual.items():
        expected = plain_descent(problem, problem.within(features), labels, 1.7, steps)
        assert weights == pytest.approx(expected, abs=1e-12)


def test_the_start_counts_as_a_step_zero(data) -> None:
    features, labels = data(30, 3)
    problem = Problem("logistic", 0.1, 30, 3)
    whole = output_noise.descend(problem, features, labels, 1.0, [4, 9])
    rest = output_noise.descend(problem, features, labels, 1.0, [5], start=whole[4])
    assert rest[5] == pytest.approx(whole[9], abs=1e-14)


def calibrated(problem, *, editions=(Edition.SOUND,), epsilons=(0.5, 2.0), steps=None):
    return [
        c
        for method in (OPERA, OUTPERT)
        for edition in editions
        for c in method.calibrate(problem, epsilons, 1e-3, edition, Settings(steps))
    ]


@pytest.mark.parametrize("method", [OPERA, OUTPERT], ids=lambda method: method.key)
@pytest.mark.parametrize("edition", list(Edition))
def test_release_minus_centre_is_gaussian_of_the_calibrated_scale(
    data, assert_normal, method, edition
) -> None:
    features, labels = data(200, 5)
    problem = Problem("logistic", 0.05, 200, 5)
    chosen = method.calibrate(problem, [0.7], 1e-3, edition, Settings())
    released = method.release(Training(problem, features, labels, chosen, 400, 3))
    centre = plain_descent(problem, features, labels, chosen[0].learning_rate, chosen[0].steps)
    assert_normal(released[0] - centre, chosen[0].sigma)
    assert chosen[0].sigma == chosen[0].model_noise


def test_noise_is_shared_by_the_budgets_of_a_run_and_by_no_two_runs(data) -> None:
    features, labels = data(200, 5)
    problem = Problem("huber", 0.05, 200, 5)
    chosen = calibrated(problem, editions=tuple(Edition))
    released = output_noise.release(Training(problem, features, labels, chosen, 6, 11))
    centres = output_noise.centres(problem, features, labels, chosen)
    scale = np.array([c.sigma for c in chosen])[:, None, None]
    drawn = (released - centres[:, None]) / scale
    unit = [noise_generator(11, run).standard_normal(5) for run in range(6)]
    assert np.allclose(drawn, unit, atol=1e-9)
    assert len(np.unique(np.round(drawn[0], 6))) == 30
    assert abs(np.corrcoef(drawn[0])[np.triu_indices(6, 1)]).max() < 0.99


def test_a_seed_repeats_the_release_and_another_does_not(data) -> None:
    features, labels = data(50, 4)
    problem = Problem("logistic", 0.1, 50, 4)
    chosen = calibrated(problem)
    first = output_noise.release(Training(problem, features, labels, chosen, 3, 7))
    assert np.array_equal(
        first, output_noise.release(Training(problem, features, labels, chosen, 3, 7))
    )
    assert not np.allclose(
        first, output_noise.release(Training(problem, features, labels, chosen, 3, 8))
    )
    # More runs leave the first ones as they were.
    more = output_noise.release(Training(problem, features, labels, chosen, 5, 7))
    assert np.array_equal(first, more[:, :3])


def test_noise_made_for_another_problem_or_other_data_is_not_drawn(data) -> None:
    features, labels = data(50, 4)
    problem = Problem("logistic", 0.1, 50, 4)
    chosen = calibrated(problem)
    with pytest.raises(InvalidInput, match="another problem"):
        output_noise.release(Training(replace(problem, lam=0.2), features, labels, chosen, 1, 0))
    with pytest.raises(InvalidInput, match="shape of the data"):
        output_noise.release(Training(problem, features[:25], labels[:25], chosen, 1, 0))
    with pytest.raises(InvalidInput, match="‖x‖₂"):
        output_noise.release(Training(problem, 5.0 * features, labels, chosen, 1, 0))
