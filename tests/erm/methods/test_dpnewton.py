"""DP-Newton: what one record can move, the three answers of a step, and their noise."""

import math

import numpy as np
import pytest

from dpcore.erm.losses import loss_named
from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods import dpnewton
from dpcore.erm.methods.dpnewton import METHOD, STEPS, step_noise
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta


def calibrated(problem, epsilons=(0.01, 1.0, 40.0), steps=None):
    return METHOD.calibrate(problem, epsilons, 1e-6, Edition.SOUND, Settings(steps))


@pytest.mark.parametrize("steps", [None, 1, 30])
def test_the_answers_of_all_steps_compose_to_the_budget(adjacency, steps):
    problem = Problem("logistic", 0.01, 3_000, 10, adjacency)
    for c in calibrated(problem, steps=steps):
        assert c.steps == (steps or STEPS)
        one = step_noise(c.gaussian_mu, c.steps)
        squares = [one.gradient**2, one.trace**2, one.direction**2]
        assert analytic_delta(c.requested.epsilon, 1.0 / math.sqrt(c.steps * sum(squares))) <= 1e-6
        assert c.sigma == pytest.approx(problem.gradient_change / one.gradient)
        assert c.model_noise == c.sigma / 3_000
        assert (c.proof.epsilon, c.status) == (c.requested.epsilon, Status.PROVED)


def directions(problem, rows, bends, smallest, gradient):
    bent = (rows.T * bends) @ rows / problem.records
    return np.linalg.solve(bent + smallest * np.eye(rows.shape[1]), gradient)


@pytest.mark.parametrize("smallest", [1e-4, 0.01, 0.3])
def test_the_directions_sensitivity_is_attained(adjacency, smallest):
    problem = Problem("logistic", 0.0, 40, 3, adjacency, radius=1.0)
    bound = dpnewton.direction_sensitivity(problem, smallest)
    rows, bends = np.zeros((40, 3)), np.full(40, 0.25)
    other = rows.copy()
    other[7, 1] = 1.0
    if adjacency is Adjacency.REPLACE_ONE:
        rows[7, 0] = 1.0  # what the other direction loses, this one does not see
    gradient = np.array([0.0, 2.5, 0.0])
    moved = directions(problem, rows, bends, smallest, gradient) - directions(
        problem, other, bends, smallest, gradient
    )
    assert np.linalg.norm(moved) == pytest.approx(bound * 2.5, rel=1e-9)


@pytest.mark.slow("fits many models")
def test_no_neighbours_exceed_the_sensitivities(adjacency):
    generator = np.random.default_rng(5)
    problem = Problem("huber", 0.0, 12, 3, adjacency, huber_width=0.3, radius=1.0)
    curvature = problem.function.curvature
    largest = 0.0
    for _ in range(3_000):
        rows = generator.normal(size=(12, 3)) * (generator.random((12, 1)) < 0.3)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
        bends = curvature * generator.random(12)
        other, changed = rows.copy(), bends.copy()
        other[0] = 0.0
        if adjacency is Adjacency.REPLACE_ONE:
            other[0] = generator.normal(size=3)
            other[0] /= max(1.0, np.linalg.norm(other[0]))
        changed[0] = curvature * generator.random()
        smallest = 10.0 ** generator.uniform(-3, 1)
        gradient = generator.normal(size=3)
        moved = directions(problem, rows, bends, smallest, gradient) - directions(
            problem, other, changed, smallest, gradient
        )
        bound = dpnewton.direction_sensitivity(problem, smallest) * np.linalg.norm(gradient)
        assert np.linalg.norm(moved) <= bound
        largest = max(largest, float(np.linalg.norm(moved) / bound))
        trace = [(b * (r**2).sum(axis=1)).sum() / 12 for r, b in ((rows, bends), (other, changed))]
        assert abs(trace[0] - trace[1]) <= curvature / 12
    assert largest > 0.5


@pytest.mark.parametrize(
    ("loss", "width"), [("logistic", 0.5), ("huber", 0.2), ("huber", 2.0), ("squared", 0.5)]
)
def test_the_majorant_lies_above_the_loss_and_within_its_curvature(loss, width):
    problem = Problem(loss, 0.1, 10, 2, huber_width=width)
    function = loss_named(loss, width)
    at = np.concatenate([np.linspace(-9.0, 9.0, 721), [1.0 + 1e-9, 1e-9, -1e-6]])
    bends = dpnewton.majorant(problem, at)
    assert (bends >= 0.0).all()
    assert bends.max() == function.curvature
    there = np.linspace(-12.0, 12.0, 400)[:, None]
    quadratic = function.value(at) + function.slope(at.copy()) * (there - at)
    quadratic = quadratic + 0.5 * bends * (there - at) ** 2
    gap = quadratic - function.value(there)
    assert gap.min() > -1e-6
    assert dpnewton.majorant(problem, at.astype(np.float32)) == pytest.approx(bends, abs=1e-4)


def plain_release(problem, features, labels, calibration, run, seed):
    """One (ε, run) at a time, with every noise from the sensitivities written out."""
    n, d = features.shape
    c = 2.0 if problem.adjacency is Adjacency.REPLACE_ONE else 1.0
    kappa = {"logistic": 0.25, "huber": 0.5 / problem.huber_width, "squared": 1.0}[problem.loss]
    residual = problem.loss == "squared"
    reach = 0.1 if residual else 1.0
    mu = calibration.gaussian_mu / math.sqrt(calibration.steps)
    mu_g, mu_t, mu_d = (mu * math.sqrt(share) for share in (0.8, 0.2 * 0.1, 0.2 * 0.9))
    generator, weights = noise_generator(seed, run), np.zeros(d)
    signed = features if residual else features * labels[:, None]
    for _ in range(calibration.steps):
        z = generator.standard_normal(2 * d + 1)
        margins = signed @ weights - (labels if residual else 0.0)
        g = problem.function.slope(margins.copy()) @ signed / n + problem.lam * weights
        g = g + c / n / mu_g * z[:d]
        bent = (signed.T * dpnewton.majorant(problem, margins)) @ signed / n
        trace = max(0.0, np.trace(bent) + kappa / n / mu_t * z[-1])
        tau = kappa / n / mu_d
        blur = tau * math.sqrt(d)
        small = problem.lam + max(
            (trace * tau**2) ** (1 / 3), 2.0 * blur, math.sqrt(blur * np.linalg.norm(g) / reach)
        )
        s = kappa / (n * small**2 + kappa * small) * np.linalg.norm(g)
        weights = weights - np.linalg.solve(bent + small * np.eye(d), g) + s / mu_d * z[d : 2 * d]
        if problem.lam == 0.0:
            weights = weights * min(1.0, problem.radius / np.linalg.norm(weights))
    return weights


@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
@pytest.mark.parametrize(("lam", "radius"), [(0.05, None), (0.0, 0.8)])
def test_equals_a_plain_loop(data, monkeypatch, loss, lam, radius, adjacency):
    features, labels = data(150, 4)
    problem = Problem(loss, lam, 150, 4, adjacency, radius=radius)
    chosen = [*calibrated(problem, (0.5, 4.0), 3), *calibrated(problem, (2.0,), 5)]
    monkeypatch.setattr(dpnewton, "MAX_ENTRIES", 600)  # four models at a time
    released = dpnewton.release(Training(problem, features, labels, chosen, 3, 5))
    for i, calibration in enumerate(chosen):
        for run in range(3):
            expected = plain_release(problem, features, labels, calibration, run, 5)
            assert released[i, run] == pytest.approx(expected, rel=1e-3, abs=1e-3)
