"""DP-FTRL's engine against a plain loop, its noise, and how far one record moves what it sees."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.erm import permuted, stream
from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods.dpftrl import METHOD
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition
from dpcore.mechanisms.toeplitz import coefficients


def calibrated(problem, epsilons=(0.5, 4.0), **settings):
    return METHOD.calibrate(problem, epsilons, 1e-4, Edition.SOUND, Settings(**settings))


def plain_release(problem, features, labels, calibration, run, seed):
    """One (ε, run) at a time, in double precision and with the matrix written out."""
    steps, d = calibration.steps, features.shape[1]
    c = coefficients(steps)
    z = noise_generator(seed, run).standard_normal((steps, d), dtype=np.float32)
    residual = problem.function.residual
    rows = features if residual else features * labels[:, None]
    weights, total, seen, kept = np.zeros(d), np.zeros(d), 0, []
    for step, now in enumerate(np.array_split(permuted.order(len(labels)), steps)):
        values = rows[now] @ weights - (labels[now] if residual else 0.0)
        total += problem.function.slope(values) @ rows[now]
        seen += len(now)
        noise = sum(c[step - s] * z[s].astype(float) for s in range(step + 1))
        weights = -(total + calibration.sigma * noise) / (problem.lam * seen + calibration.ridge)
        if problem.lam == 0.0:
            weights = weights * min(1.0, problem.radius / np.linalg.norm(weights))
        if step + 1 > steps / 2:
            kept.append(weights)
    return np.mean(kept, axis=0)


@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
@pytest.mark.parametrize(("lam", "radius"), [(0.05, None), (0.0, 0.3)])
def test_equals_a_plain_loop(data, monkeypatch, loss, lam, radius) -> None:
    features, labels = data(61, 4)
    problem = Problem(loss, lam, 61, 4, Adjacency.ZERO_OUT, radius=radius)
    chosen = [*calibrated(problem, batch=5), *calibrated(problem, (1.0,), steps=7)]
    monkeypatch.setattr(stream, "MAX_ENTRIES", 120)  # runs two at a time
    released = stream.release(Training(problem, features, labels, chosen, 3, 5))
    for i, calibration in enumerate(chosen):
        for run in range(3):
            expected = plain_release(problem, features, labels, calibration, run, 5)
            assert released[i, run] == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_the_noise_of_one_step_is_the_calibrated_one(assert_normal) -> None:
    problem = Problem("logistic", 0.1, 40, 5)
    chosen = calibrated(problem, (1.0,), steps=1)
    released = stream.release(Training(problem, np.zeros((40, 5)), np.ones(40), chosen, 400, 4))[0]
    assert_normal(released * (0.1 * 40 + chosen[0].ridge), chosen[0].sigma)


def test_a_run_shares_its_noise_with_all_budgets_and_none_with_other_runs() -> None:
    problem = Problem("logistic", 0.1, 40, 5)
    chosen = calibrated(problem, (0.5, 1.0, 4.0), steps=1)
    released = stream.release(Training(problem, np.zeros((40, 5)), np.ones(40), chosen, 4, 1))
    scale = [c.sigma / (4.0 + c.ridge) for c in chosen]
    drawn = released / np.array(scale)[:, None, None]
    assert np.allclose(drawn, drawn[0], rtol=1e-5)
    assert len(np.unique(np.round(drawn[0], 5))) == 20


def test_a_seed_repeats_the_release(data) -> None:
    features, labels = data(50, 3)
    problem = Problem("logistic", 0.1, 50, 3)
    chosen = calibrated(problem)
    first = stream.release(Training(problem, features, labels, chosen, 2, 7))
    assert np.array_equal(first, stream.release(Training(problem, features, labels, chosen, 2, 7)))
    assert not np.allclose(first, stream.release(Training(problem, features, labels, chosen, 2, 8)))


def test_progress_grows_to_the_end(data) -> None:
    features, labels = data(50, 3)
    problem = Problem("logistic", 0.1, 50, 3)
    seen: list[float] = []
    chosen = [*calibrated(problem, batch=1), *calibrated(problem, batch=5)]
    stream.release(
        Training(problem, features, labels, chosen, 2, 7, lambda share, _: seen.append(share))
    )
    assert (np.diff(seen) >= 0).all()
    assert 0.0 < seen[0] < 0.5 < seen[-1] <= 1.0
