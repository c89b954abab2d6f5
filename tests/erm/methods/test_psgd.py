"""PSGD: the noise fits its sensitivity, and more passes are worth their cost."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.erm import permuted
from dpcore.erm.method import Settings, Training
from dpcore.erm.methods.psgd import METHOD
from dpcore.erm.newton import minimise
from dpcore.erm.output_noise import centres
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta


def calibrated(problem, epsilons=(0.1, 1.0, 8.0), edition=Edition.SOUND, **settings):
    return METHOD.calibrate(problem, epsilons, 1e-5, edition, Settings(**settings))


@pytest.mark.parametrize("adjacency", [Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT])
@pytest.mark.parametrize(("lam", "radius"), [(0.02, None), (0.0, 3.0)])
@pytest.mark.parametrize("batch", [None, 1, 7])
def test_the_noise_is_that_of_one_gaussian_mechanism(adjacency, lam, radius, batch) -> None:
    problem = Problem("logistic", lam, 700, 5, adjacency, radius=radius)
    for c in calibrated(problem, batch=batch):
        count = permuted.batches(700, c.batch)
        exact = permuted.sensitivity(problem, count, c.learning_rate, c.steps)
        assert analytic_delta(c.requested.epsilon, c.model_noise, exact) <= 1e-5
        assert c.gaussian_mu == pytest.approx(exact / c.sigma)
        assert c.certified.epsilon == pytest.approx(c.requested.epsilon, rel=1e-6)
        assert c.status is Status.PROVED


def test_the_printed_sensitivity_covers_whole_passes_and_its_formula_ends_at_one() -> None:
    below, above = calibrated(Problem("logistic", 0.02, 700, 5), (0.9, 2.0), Edition.PUBLISHED)
    exact = 2.0 / (700 * 0.02)
    assert exact < below.sensitivity == pytest.approx(exact, rel=1e-8)
    assert below.status is Status.PROVED
    assert below.certified.epsilon < 0.9
    assert above.status is Status.CONDITIONS_NOT_MET
    assert "ε below 1" in above.proof.reason


def test_a_broken_pass_can_pass_the_printed_sensitivity_and_is_told() -> None:
    problem = Problem("logistic", 0.2, 100, 5)
    count = permuted.batches(100, 25)
    result = calibrated(problem, (0.5,), Edition.PUBLISHED, batch=25, steps=count * 10 + 1)[0]
    assert result.sensitivity < result.gaussian_mu * result.sigma * (1.0 - 1e-3)
    assert result.status is Status.CONDITIONS_NOT_MET
    assert "below the exact one" in result.proof.reason
    assert calibrated(problem, (0.5,), batch=25, steps=41)[0].status is Status.PROVED


def test_ten_passes_come_near_the_minimiser(data) -> None:
    features, labels = data(600, 4)
    problem = Problem("logistic", 0.05, 600, 4)
    chosen = calibrated(problem, (1.0, 30.0))
    middle = centres(problem, features, labels, chosen)
    exact = minimise(problem, features, labels)
    assert np.linalg.norm(middle - exact, axis=1) == pytest.approx(0.0, abs=0.02)


def test_the_release_is_the_end_of_the_path_and_noise(data, assert_normal) -> None:
    features, labels = data(90, 4)
    problem = Problem("huber", 0.05, 90, 4, Adjacency.ZERO_OUT)
    chosen = calibrated(problem, (0.7,), batch=9)
    released = METHOD.release(Training(problem, features, labels, chosen, 500, 3))[0]
    assert_normal(released - centres(problem, features, labels, chosen)[0], chosen[0].sigma)


def test_batches_are_bounded_in_size_and_number() -> None:
    assert [calibrated(Problem("logistic", 0.1, n, 5))[0].batch for n in (20, 400, 10**6)] == [
        20,
        50,
        1_000,
    ]
    with pytest.raises(InvalidInput, match="batch size is 21, but"):
        calibrated(Problem("logistic", 0.1, 20, 5), batch=21)


def test_less_privacy_takes_longer_steps_up_to_the_longest_that_is_proved() -> None:
    problem = Problem("logistic", 0.01, 3_000, 10)
    result = calibrated(problem, (1e-3, 0.1, 1.0, 100.0))
    lengths = [c.learning_rate for c in result]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1] == 1.0 / permuted.smoothness(problem, 60)
    # A shorter step hides a record better.
    assert [c.sensitivity for c in result] == sorted(c.sensitivity for c in result)
