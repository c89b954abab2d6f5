"""OPERA and OutPert: σ, conditions, claim against proof, bounds on the excess risk, and noise."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.erm import output_noise, sensitivity
from dpcore.erm.method import Settings, Training, noise_generator
from dpcore.erm.methods.opera import METHOD as OPERA
from dpcore.erm.methods.outpert import METHOD as OUTPERT
from dpcore.erm.newton import minimise
from dpcore.erm.output_perturbation import (
    MAX_STEPS,
    TYPICAL_SHARE,
    default_steps,
    excess_risk_bound,
    learning_rate,
    optimisation_gap,
    typical_share,
)
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


def test_outpert_at_a_large_epsilon_is_certified_above_what_it_asked_for():
    c = one(OUTPERT, Problem("logistic", 0.01, 1_000, 10), 50.0)
    assert c.certified.epsilon > 50.0


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_opera_holds_at_every_epsilon(epsilon):
    for edition in Edition:
        c = one(OPERA, Problem("logistic", 0.01, 1_000, 10), epsilon, edition=edition)
        assert c.status is Status.PROVED
        assert c.sigma == analytic_sigma(epsilon, 1e-5) * c.sensitivity


@pytest.mark.parametrize("steps", [1, 30, 5_000])
def test_the_printed_edition_says_by_how_much_its_sensitivity_is_too_large(steps):
    problem = Problem("logistic", 0.01, 455, 30)
    printed = one(OPERA, problem, edition=PUBLISHED, steps=steps)
    exact = sensitivity.exact(problem, printed.learning_rate, steps)
    said = printed.conditions[-1].text
    assert f"at T = {steps:,}: {printed.sensitivity / exact:.2g} times as large" in said
    assert "times as large" not in one(OPERA, problem, steps=steps).conditions[-1].text


def test_sound_noise_is_smaller_for_the_same_guarantee():
    problem = Problem("logistic", 1e-3, 45_211, 51)
    printed, sound = (one(OPERA, problem, edition=e) for e in (PUBLISHED, SOUND))
    assert printed.sensitivity == pytest.approx(0.1110, abs=5e-5)
    assert sound.sensitivity <= 0.04424
    assert printed.sigma / sound.sigma > 2.5
    assert printed.certified.epsilon < 0.5 * printed.proof.epsilon


@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.key)
def test_the_claim_is_the_papers_alone(method):
    problem = Problem("huber", 0.01, 1_000, 10)
    printed, sound = (one(method, problem, edition=e) for e in (PUBLISHED, SOUND))
    assert (printed.claim.epsilon, printed.claim.delta) == (0.5, 1e-5)
    assert "paper 000" in printed.claim.by
    assert (sound.claim.epsilon, sound.claim.by) == (None, "no paper")


@pytest.mark.parametrize("method", BOTH, ids=lambda method: method.key)
def test_the_rule_for_t_is_public_whole_and_capped(method):
    for lam, radius in ((1e-6, None), (0.01, None), (0.0, 5.0)):
        for edition in Edition:
            for epsilon in (1e-9, 1.0, 1e3):
                problem = Problem("logistic", lam, 2_000, 20, radius=radius)
                steps = one(method, problem, epsilon, edition=edition).steps
                assert isinstance(steps, int)
                assert 1 <= steps <= MAX_STEPS


def test_published_t_is_where_the_two_terms_of_the_proof_meet():
    problem = Problem("logistic", 0.01, 5_000, 20)
    c = one(OPERA, problem, edition=PUBLISHED)
    mu, beta, radius = 0.01, 0.26, problem.solution_radius
    descent = radius**2 * math.exp(-2.0 * mu * beta * c.steps / (mu + beta) ** 2)
    assert descent == pytest.approx(20 * c.sigma**2, rel=0.1)
    convex = Problem("logistic", 0.0, 50_000, 20, radius=5.0)
    c = one(OPERA, convex, edition=PUBLISHED)
    descent = 2.0 * 0.25 * 25.0 / c.steps
    assert descent == pytest.approx(0.5 * 0.25 * 20 * c.sigma**2, rel=0.1)


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


def test_the_corrected_bound_is_reached_within_a_small_factor():
    # Everyone on the curved part of the loss, so that β is the curvature everywhere.
    features, labels = np.ones((400, 1)), np.where(np.arange(400) % 2, 1.0, -1.0)
    problem = Problem("huber", 0.05, 400, 1, huber_width=3.0)
    c = one(OPERA, problem, 1.0, 1e-3, steps=30)
    mean, error = excess_risk(OPERA, problem, features, labels, c, 2_000)
    assert mean - 4.0 * error <= c.bound_sound
    assert mean + 4.0 * error >= 0.5 * 0.5 * problem.smoothness * c.sigma**2


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


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0])
@pytest.mark.parametrize("lam", [0.1, 0.0])
def test_the_orders_of_theorems_4_and_6_hold_all_the_same(lam, epsilon):
    ratios = []
    for n in (10**5, 10**6, 10**7):
        problem = Problem("logistic", lam, n, 20, radius=None if lam else 3.0)
        c = one(OPERA, problem, epsilon, 1e-9, PUBLISHED)
        mu, beta = problem.strong_convexity, problem.smoothness
        alpha = 2.0 * analytic_sigma(epsilon, 1e-9) ** 2  # α²/ε
        order = (
            beta * 20 * alpha / (n * mu) ** 2
            if lam
            else (9.0 / n * math.sqrt(beta * 20 * alpha)) ** (2 / 3)
        )
        ratios.append(c.bound_sound / order)
    assert max(ratios) < 60.0


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


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize(("lam", "radius"), [(0.02, None), (0.0, 1.0), (0.0, 10.0)])
@pytest.mark.parametrize("steps", [1, 5, 60])
def test_the_optimisation_gap_holds_without_noise(data, loss, lam, radius, steps):
    features, labels = data(300, 4)
    problem = Problem(loss, lam, 300, 4, radius=radius)
    c = one(OPERA, problem, 1e3, 0.5, steps=steps)
    c = replace(c, model_noise=0.0)
    gap, _ = excess_risk(OPERA, problem, features, labels, c, runs=1)
    bound = optimisation_gap(problem, c.learning_rate, steps)
    assert gap <= bound
    assert excess_risk_bound(problem, c.learning_rate, steps, 0.0) == bound


def test_regression_expects_weights_that_just_reach_every_target():
    long, short = (Problem("squared", lam, 350, 10) for lam in (0.01, 3.0))
    assert typical_share(long) * long.solution_radius == 1.0
    assert typical_share(short) == TYPICAL_SHARE  # R = 1/3 is closer than that
    assert typical_share(Problem("logistic", 0.01, 350, 10)) == TYPICAL_SHARE
    unit = 3.7
    steps = default_steps(long, Edition.SOUND, unit)
    rate = learning_rate(long, Edition.SOUND)

    def expected(count):
        noise = 0.5 * long.smoothness * 10 * (unit * sensitivity.exact(long, rate, count)) ** 2
        return optimisation_gap(long, rate, count) / long.solution_radius**2 + noise

    assert expected(steps) == min(expected(count) for count in range(1, 400))


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
    actual = output_noise.descend(problem, features, labels, 1.7, [1, 7, 25])
    assert sorted(actual) == [1, 7, 25]
    for steps, weights in actual.items():
        expected = plain_descent(problem, problem.within(features), labels, 1.7, steps)
        assert weights == pytest.approx(expected, abs=1e-12)


def test_the_start_counts_as_a_step_zero(data):
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
def test_release_minus_centre_is_gaussian_of_the_calibrated_scale(
    data, assert_normal, method, edition
):
    features, labels = data(200, 5)
    problem = Problem("logistic", 0.05, 200, 5)
    chosen = method.calibrate(problem, [0.7], 1e-3, edition, Settings())
    released = method.release(Training(problem, features, labels, chosen, 400, 3))
    centre = plain_descent(problem, features, labels, chosen[0].learning_rate, chosen[0].steps)
    assert_normal(released[0] - centre, chosen[0].sigma)
    assert chosen[0].sigma == chosen[0].model_noise


def test_noise_is_shared_by_the_budgets_of_a_run_and_by_no_two_runs(data):
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
