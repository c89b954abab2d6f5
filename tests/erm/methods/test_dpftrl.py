"""DP-FTRL: one Gaussian mechanism on the whole stream, equal to a plain loop."""

import numpy as np
import pytest

from dpcore.erm import permuted
from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods import dpftrl
from dpcore.erm.methods.dpftrl import METHOD
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta
from dpcore.mechanisms.toeplitz import coefficients


def calibrated(problem, epsilons=(0.1, 1.0, 8.0), **settings):
    return METHOD.calibrate(problem, epsilons, 1e-5, Edition.SOUND, Settings(**settings))


@pytest.mark.parametrize("batch", [None, 1, 9, 60])
def test_one_record_moves_the_factored_stream_by_the_sensitivity_at_most(adjacency, batch):
    problem = Problem("logistic", 0.1, 60, 3, adjacency)
    for c in calibrated(problem, batch=batch):
        root = coefficients(c.steps)
        # A record in step s moves rows s, s+1, … of C G by c_0, c_1, …; the first step is worst.
        moved = [
            problem.gradient_change * np.linalg.norm(root[: c.steps - s]) for s in range(c.steps)
        ]
        assert max(moved) == moved[0] <= c.sensitivity
        assert c.sensitivity == pytest.approx(moved[0], rel=1e-12)
        assert analytic_delta(c.requested.epsilon, c.sigma, moved[0]) <= 1e-5
        assert c.gaussian_mu == pytest.approx(c.sensitivity / c.sigma)
        assert (c.status, c.proof.epsilon) == (Status.PROVED, c.requested.epsilon)


def test_every_record_is_in_one_step_only():
    for n, settings in ((60, {}), (10_007, {}), (100, {"batch": 7}), (100, {"steps": 13})):
        c = calibrated(Problem("logistic", 0.1, n, 3), **settings)[0]
        sizes = [len(part) for part in np.array_split(permuted.order(n), c.steps)]
        assert sum(sizes) == n
        assert 1 <= min(sizes) <= max(sizes) <= c.batch


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
def test_equals_a_plain_loop(data, monkeypatch, loss, lam, radius):
    features, labels = data(61, 4)
    problem = Problem(loss, lam, 61, 4, Adjacency.ZERO_OUT, radius=radius)
    chosen = [*calibrated(problem, (0.5, 4.0), batch=5), *calibrated(problem, (1.0,), steps=7)]
    monkeypatch.setattr(dpftrl, "MAX_ENTRIES", 120)  # runs two at a time
    released = dpftrl.release(Training(problem, features, labels, chosen, 3, 5))
    for i, calibration in enumerate(chosen):
        for run in range(3):
            expected = plain_release(problem, features, labels, calibration, run, 5)
            assert released[i, run] == pytest.approx(expected, rel=1e-4, abs=1e-4)
