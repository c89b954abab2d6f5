"""OPERA and OutPert: σ, conditions, claim against proof, bounds on the excess risk, and noise."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.erm import output_perturbation, sensitivity
from dpcore.erm.method import Settings, Training
from dpcore.erm.methods.opera import METHOD as OPERA
from dpcore.erm.methods.outpert import METHOD as OUTPERT
from dpcore.erm.newton import minimise
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta, analytic_sigma, classical_sigma
from tests.erm.conftest import slopes

BOTH = [OPERA, OUTPERT]
PUBLISHED, SOUND = Edition.PUBLISHED, Edition.SOUND


def one(method, problem, epsilon=0.5, delta=1e-5, edition=SOUND, steps=None):
    return method.calibrate(problem, [epsilon], delta, edition, Settings(steps))[0]


def problems():
    return st.builds(
        lambda loss, convexity, records, dimension, adjacency: Problem(
            loss, convexity[0], records, dimension, adjacency, 0.5, convexity[1]
        ),
        st.sampled_from(["logistic", "huber", "squared"]),
        st.sampled_from([(1e-4, None), (0.02, None), (3.0, None), (0.0, 0.5), (0.0, 20.0)]),
        st.integers(2, 10**6),
        st.integers(1, 500),
        st.sampled_from([Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT]),
    )


@pytest.mark.slow("fits many models")
@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.key)
@given(
    problem=problems(),
    epsilon=st.sampled_from([1e-9, 1e-3, 0.3, 0.999, 1.0, 2.0, 50.0]),
    delta=st.sampled_from([1e-12, 1e-5, 1e-3, 0.3]),
    edition=st.sampled_from([PUBLISHED, SOUND]),
    steps=st.sampled_from([None, 1, 700]),
)
def test_what_is_proved_is_true_of_the_noise_that_is_added(
    method, problem, epsilon, delta, edition, steps
):
    c = one(method, problem, epsilon, delta, edition, steps)
    exact = sensitivity.exact(problem, c.learning_rate, c.steps)
    assert c.sensitivity >= exact
    assert all(condition.text for condition in c.conditions)
    if all(condition.met for condition in c.conditions):
        assert c.status is Status.PROVED
        assert (c.proof.epsilon, c.proof.delta, c.proof.reason) == (epsilon, delta, "")
        # Theorem 2 at the exact sensitivity, whichever σ formula was used.
        assert analytic_delta(epsilon, c.model_noise, exact) <= delta * (1.0 + 1e-12)
        assert c.certified.epsilon <= epsilon
    else:
        assert c.status is Status.CONDITIONS_NOT_MET
        assert c.proof.epsilon is None
        assert c.proof.delta is None
        assert c.proof.reason.endswith(".")
    # The certified ε is true in any case.
    at = analytic_delta(c.certified.epsilon, c.model_noise, exact)
    assert at <= delta * (1.0 + 1e-9)
    assert c.certified.adjacency is c.proof.adjacency is problem.adjacency


@pytest.mark.parametrize("epsilon", [1.0, 2.0])
def test_outpert_proves_nothing_from_one_on_and_is_certified_beside(epsilon, edition):
    c = one(OUTPERT, Problem("logistic", 0.01, 1_000, 10), epsilon, edition=edition)
    assert c.status is Status.CONDITIONS_NOT_MET
    assert (c.proof.epsilon, c.proof.delta) == (None, None)
    assert "proved for ε below 1 only" in c.proof.reason
    assert math.isfinite(c.certified.epsilon)
    assert c.sigma == classical_sigma(epsilon, 1e-5) * c.sensitivity
    if edition is PUBLISHED:
        assert c.claim.epsilon == epsilon  # the printed figure stays, under claim


def excess_risk(method, problem, features, labels, c, runs=400):
    """Mean of F(w_T + z) - F(ŵ) over draws, with its standard error."""
    released = method.release(Training(problem, features, labels, [c], runs, 1))[0]
    signed = features * labels[:, None]

    def objective(weights):
        loss = problem.function.value(weights @ signed.T).mean(axis=1)
        return loss + 0.5 * problem.lam * (weights**2).sum(axis=1)

    best = minimise(problem, features, labels)
    excess = objective(released) - objective(best[None])
    return float(excess.mean()), float(excess.std() / math.sqrt(runs))


@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.key)
@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize(("lam", "radius"), [(0.02, None), (0.3, None), (0.0, 1.0), (0.0, 6.0)])
@pytest.mark.parametrize(("epsilon", "steps"), [(0.3, 1), (0.3, 40), (500.0, 5), (1.5, None)])
def test_the_corrected_bound_holds(data, method, loss, lam, radius, edition, epsilon, steps):
    features, labels = data(400, 5)
    problem = Problem(loss, lam, 400, 5, radius=radius)
    c = one(method, problem, epsilon, 1e-3, edition, steps)
    mean, error = excess_risk(method, problem, features, labels, c)
    assert mean - 4.0 * error <= c.bound_sound


def test_the_printed_bound_of_theorem_4_is_exceeded_where_the_minimiser_is_far():
    # Its first term has no ‖w₀ - ŵ‖²: one step from 0, with hardly any noise, F is higher.
    features, labels = np.full((4_000, 1), 0.2), np.ones(4_000)
    problem = Problem("logistic", 1e-3, 4_000, 1)
    c = one(OPERA, problem, 500.0, 1e-3, PUBLISHED, steps=1)
    mean, error = excess_risk(OPERA, problem, features, labels, c)
    assert mean - 4.0 * error <= c.bound_sound
    assert mean - 4.0 * error > 2.0 * c.bound_published


def test_the_printed_bound_of_theorem_6_is_exceeded_at_many_steps(data):
    # Its second term has no T², while the noise is calibrated to 3LTη/n.
    features, labels = data(500, 5)
    problem = Problem("logistic", 0.0, 500, 5, radius=3.0)
    c = one(OPERA, problem, 1.0, 1e-3, PUBLISHED, steps=1_000)
    mean, error = excess_risk(OPERA, problem, features, labels, c)
    assert mean - 4.0 * error > 10.0 * c.bound_published
    assert mean - 4.0 * error <= c.bound_sound


def test_the_printed_bounds_are_as_printed():
    # α²/ε = 2(σ/Δ)². Theorem 4's and Theorem 6's last lines, with T, d, n, L = 1 put in.
    alpha = 2.0 * analytic_sigma(0.5, 1e-5) ** 2
    strong = Problem("logistic", 0.01, 5_000, 20)
    mu, beta = 0.01, 0.26
    expected = 0.5 * beta * math.exp(-2 * mu * beta * 30 / (mu + beta) ** 2) + 25 * (
        mu + beta
    ) ** 2 * 20 * alpha / (4 * 5_000**2 * mu**2 * beta)
    c = one(OPERA, strong, edition=PUBLISHED, steps=30)
    assert c.bound_published == pytest.approx(expected, rel=1e-12)
    convex = Problem("logistic", 0.0, 5_000, 20, radius=3.0)
    expected = 2 * 0.25 * 9.0 / 30 + 9 * 20 * alpha / (2 * 0.25 * 5_000**2)
    c = one(OPERA, convex, edition=PUBLISHED, steps=30)
    assert c.bound_published == pytest.approx(expected, rel=1e-12)
    assert one(OPERA, strong).bound_published is None


def plain_descent(problem, features, labels, rate, steps):
    weights = np.zeros(features.shape[1])
    for _ in range(steps):
        gradient = problem.lam * weights
        for x, y in zip(features, labels, strict=True):
            gradient = gradient + slopes(problem, y * (x @ weights)) * y * x / len(labels)
        weights = weights - rate * gradient
        if problem.lam == 0.0 and np.linalg.norm(weights) > problem.radius:
            weights = weights * problem.radius / np.linalg.norm(weights)
    return weights


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize(("lam", "radius"), [(0.05, None), (0.0, 0.4), (0.0, 50.0)])
@pytest.mark.parametrize("share_of_zeros", [0.0, 0.9])  # dense and sparse products
def test_descent_equals_a_plain_loop(data, loss, lam, radius, share_of_zeros):
    features, labels = data(30, 8)
    features[np.random.default_rng(5).random(features.shape) < share_of_zeros] = 0.0
    problem = Problem(loss, lam, 30, 8, radius=radius)
    actual = output_perturbation.descend(problem, features, labels, 1.7, [1, 7, 25])
    assert sorted(actual) == [1, 7, 25]
    for steps, weights in actual.items():
        expected = plain_descent(problem, problem.within(features), labels, 1.7, steps)
        assert weights == pytest.approx(expected, abs=1e-12)
