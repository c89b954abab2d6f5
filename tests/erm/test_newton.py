"""The exact minimiser: stationarity, the ball, other solvers, and no guarantee of any kind."""

import numpy as np
import pytest
from scipy import optimize
from sklearn.linear_model import LogisticRegression

from dpcore.erm import one_vs_rest
from dpcore.erm.method import Settings, Training
from dpcore.erm.methods.nonprivate import METHOD
from dpcore.erm.newton import GRADIENT_TOLERANCE, Majorant, minimise, ridge_path
from dpcore.erm.problem import Problem
from dpcore.guarantee import Edition


def gradient(problem, features, labels, weights):
    signed = features * labels[:, None]
    slope = problem.function.slope(signed @ weights)
    return signed.T @ slope / len(labels) + problem.lam * weights


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("lam", [1e-6, 1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("separable", [False, True])
def test_the_gradient_vanishes(data, loss, lam, separable):
    features, labels = data(300, 6)
    if separable:
        labels = np.where(features[:, 0] > 0, 1.0, -1.0)
    problem = Problem(loss, lam, 300, 6)
    weights = minimise(problem, features, labels)
    assert np.linalg.norm(gradient(problem, features, labels, weights)) <= GRADIENT_TOLERANCE


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("radius", [0.01, 1.0, 20.0])
def test_on_the_ball_the_gradient_points_inwards_only(data, loss, radius):
    features, labels = data(300, 6)
    labels = np.where(features[:, 0] > 0, 1.0, -1.0)  # separable: the ball binds
    problem = Problem(loss, 0.0, 300, 6, radius=radius)
    weights = minimise(problem, features, labels)
    length = float(np.linalg.norm(weights))
    assert length <= radius
    push = gradient(problem, features, labels, weights)
    if length < radius * (1.0 - 1e-6):
        assert np.linalg.norm(push) <= 1e-6
    else:
        multiplier = -float(push @ weights) / length**2
        assert multiplier >= 0.0
        assert np.linalg.norm(push + multiplier * weights) <= 1e-7


@pytest.mark.parametrize("lam", [1e-4, 1e-2, 1.0])
def test_agrees_with_scikit_learn(data, lam):
    features, labels = data(500, 7)
    other = LogisticRegression(
        C=1.0 / (lam * 500), fit_intercept=False, solver="newton-cholesky", tol=1e-10
    ).fit(features, labels)
    result = minimise(Problem("logistic", lam, 500, 7), features, labels)
    assert result == pytest.approx(other.coef_[0], rel=1e-6, abs=1e-7)


def test_squared_loss_agrees_with_a_general_solver_where_residuals_are_long(data):
    features, labels = data(200, 4)
    problem = Problem("squared", 1e-4, 200, 4)
    result = minimise(problem, features, labels)
    residuals = features @ result - labels
    assert (np.abs(residuals) > 1.0).any()

    def objective(w):
        size = np.abs(features @ w - labels)
        return float(np.where(size <= 1, size**2 / 2, size - 0.5).mean() + 0.5e-4 * w @ w)

    other = optimize.minimize(objective, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    assert result == pytest.approx(other, abs=1e-5)


def test_a_path_of_lambdas_equals_one_at_a_time(data):
    features, labels = data(200, 5)
    lams = [1.0, 0.1, 0.001]
    problem = Problem("huber", 1.0, 200, 5)
    path = ridge_path(problem.function, problem.forms(features, labels), lams)
    for lam, weights in zip(lams, path, strict=True):
        alone = minimise(Problem("huber", lam, 200, 5), features, labels)
        assert weights == pytest.approx(alone, abs=1e-7 / lam)


def stepped(records, numbers=12, steps=24):
    """Rows of length 1 with that many steps of each number, and labels that follow the numbers."""
    draw = np.random.default_rng(3)
    values = draw.uniform(size=(records, numbers))
    edges = np.linspace(0.0, 1.0, steps + 2)[1:-1]
    rows = np.where(values[:, :, None] > edges, 1.0, -1.0).reshape(records, numbers * steps)
    odds = 6.0 * (np.sin(4.0 * values[:, 0]) - values[:, 1] + 0.2)
    labels = np.where(draw.uniform(size=records) < 1.0 / (1.0 + np.exp(-odds)), 1.0, -1.0)
    return rows / np.sqrt(numbers * steps), labels


@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
@pytest.mark.parametrize("lam", [1e-5, 1e-3, 0.1])
def test_conjugate_gradients_find_the_same_minimiser(loss, lam):
    features, labels = stepped(500)
    problem = Problem(loss, lam, *features.shape)
    majorant = Majorant.of(problem, features)
    assert majorant is not None
    result = minimise(problem, features, labels, majorant)
    assert result == pytest.approx(minimise(problem, features, labels), abs=3e-9 / lam)
    if loss != "squared":
        assert np.linalg.norm(gradient(problem, features, labels, result)) <= GRADIENT_TOLERANCE


def test_a_majorant_lies_above_every_hessian_and_is_made_for_steps_only(data):
    features, labels = stepped(500)
    problem = Problem("logistic", 1e-3, *features.shape)
    majorant = Majorant.of(problem, features)
    assert majorant is not None
    lower = np.tril(majorant.factor)
    for scale in (0.0, 1.0, 30.0):
        margins = labels * (features @ np.full(features.shape[1], scale))
        bent = (features.T * problem.function.bend(margins)) @ features / len(labels)
        bent += problem.lam * np.eye(len(bent))
        assert np.linalg.eigvalsh(lower @ lower.T - bent).min() >= -1e-12
    vector = np.arange(float(features.shape[1]))
    assert lower @ (lower.T @ majorant.solve(vector)) == pytest.approx(vector, abs=1e-9)
    plain, _ = data(300, 300)
    assert Majorant.of(Problem("logistic", 1e-3, 300, 300), plain) is None
    few = features[:, :48]
    assert Majorant.of(Problem("logistic", 1e-3, *few.shape), few) is None
    ball = Problem("logistic", 0.0, *features.shape, radius=1.0)
    assert Majorant.of(ball, features) is None
    assert one_vs_rest.minimise(problem, features, labels) == pytest.approx(
        minimise(problem, features, labels), abs=1e-6
    )


def test_every_release_is_the_minimiser(data):
    features, labels = data(50, 3)
    problem = Problem("huber", 0.1, 50, 3)
    chosen = METHOD.calibrate(problem, [0.1, 10.0], 1e-5, Edition.SOUND, Settings())
    released = METHOD.release(Training(problem, features, labels, chosen, 4, 0))
    assert released.shape == (2, 4, 3)
    assert released == pytest.approx(
        np.broadcast_to(minimise(problem, features, labels), (2, 4, 3))
    )
