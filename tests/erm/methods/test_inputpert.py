"""Input perturbation: what a message and the sums of all give away, and what they teach."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from dpcore.erm import one_vs_rest, quadratic
from dpcore.erm.method import Settings, Training
from dpcore.erm.methods import inputpert
from dpcore.erm.methods.inputpert import METHOD
from dpcore.erm.problem import Problem
from dpcore.erm.quadratic import Protocol, aggregate, sensitivity
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta
from tests.erm.conftest import made_up_data

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE


def distance(x, y, other, of_other, weight):
    square = np.outer(x, x) - np.outer(other, other)
    linear = weight * (y * x - of_other * other)
    return float(math.hypot(np.linalg.norm(square), np.linalg.norm(linear)))


@pytest.mark.parametrize("weight", [0.3, 0.91, 1.0, math.sqrt(2.0), 2.5])
def test_no_record_moves_the_sums_further_and_some_move_them_that_far(adjacency, weight):
    bound, generator = sensitivity(weight, adjacency), np.random.default_rng(0)
    largest = 0.0
    for _ in range(4_000):
        dimension = int(generator.integers(1, 5))
        pair = generator.standard_normal((2, dimension))
        pair /= np.linalg.norm(pair, axis=1, keepdims=True)
        pair *= generator.uniform(0.0, 1.0, (2, 1)) ** generator.choice([0.0, 0.3])
        y, of_other = generator.choice([-1.0, 1.0, 0.4], 2)
        other = 0.0 * pair[1] if adjacency is ZERO else pair[1]
        largest = max(largest, distance(pair[0], y, other, of_other, weight))
    assert largest <= bound
    if adjacency is REPLACE:
        turn = min(1.0, weight**2 / 2.0)
        one, two = np.array([1.0, 0.0]), np.array([turn, math.sqrt(1.0 - turn**2)])
        largest = distance(one, 1.0, two, -1.0, weight)
        assert largest <= bound
    assert largest >= 0.9999 * bound


def test_figures_of_section_1_2():
    assert sensitivity(1.0, ZERO) == pytest.approx(math.sqrt(2.0))
    assert sensitivity(1.0, REPLACE) == pytest.approx(3.0 / math.sqrt(2.0))
    assert sensitivity(0.91, REPLACE) == pytest.approx(2.0, abs=1e-3)
    for contributors, local in ((100, 14.4), (1_000, 71.3), (10_000, 473.0), (100_000, 3953.0)):
        result = Protocol(contributors, 1.0, 1e-5).local_epsilon
        assert result == pytest.approx(local, rel=5e-3)


@given(
    epsilon=st.floats(1e-3, 20.0),
    contributors=st.integers(2, 10**6),
    share=st.floats(0.0, 0.9),
    adjacency=st.sampled_from([ZERO, REPLACE]),
)
def test_those_who_stay_give_enough_noise(epsilon, contributors, share, adjacency):
    missing = int(share * (contributors - 1))
    protocol = Protocol(contributors, epsilon, 1e-6, adjacency, missing)
    given_together = protocol.share * math.sqrt(contributors - missing)
    moved = sensitivity(protocol.weight, adjacency)
    assert given_together >= protocol.sigma
    assert analytic_delta(epsilon, given_together, moved) <= 1e-6
    assert protocol.local_epsilon > epsilon


@pytest.mark.slow("fits many models")
def test_the_sum_of_messages_is_the_central_mechanism():
    people, dimension, rounds = 20, 3, 1_500
    generator = np.random.default_rng(5)
    x = generator.standard_normal((people, dimension))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = generator.choice([-1.0, 1.0], people)
    protocol = Protocol(people, 1.0, 1e-5)
    square, linear = [], []
    for _ in range(rounds):
        total = aggregate(
            protocol.randomise(one, label, generator) for one, label in zip(x, y, strict=True)
        )
        assert np.array_equal(total.square, total.square.T)
        square.append(total.square - x.T @ x)
        linear.append(total.linear - x.T @ y)
    deviations, blur = np.array(square), np.array(linear)
    diagonal = deviations[:, range(dimension), range(dimension)].ravel()
    above = deviations[:, *np.triu_indices(dimension, 1)].ravel()
    for seen, sigma in (
        (diagonal, protocol.sigma),
        (above, protocol.sigma / math.sqrt(2.0)),
        (blur.ravel(), protocol.sigma / protocol.weight),
    ):
        assert stats.kstest(seen, stats.norm(scale=sigma).cdf).pvalue > 1e-3
        assert stats.kstest(seen, stats.norm(scale=2.0 / 3.0 * sigma).cdf).pvalue < 1e-9


def test_the_example_in_the_documentation_runs():
    page = Path(__file__).resolve().parents[3] / "docs" / "input_perturbation.md"
    _, code, rest = page.read_text(encoding="utf-8").split("```")
    result: dict[str, Any] = {}
    exec(code.removeprefix("python"), result)
    assert result["accuracy"] > 0.7
    protocol = result["protocol"]
    assert protocol.epsilon < protocol.shuffled_epsilon <= protocol.local_epsilon
    for name in ("epsilon", "shuffled_epsilon", "local_epsilon"):
        assert f"`protocol.{name}`" in rest


def test_records_outside_their_bounds_are_refused():
    protocol, generator = Protocol(10, 1.0, 1e-5), np.random.default_rng(0)
    for bad, said in (
        (lambda: sent_by(1.0, missing=-1), "missing is -1"),
        (lambda: protocol.randomise(np.array([2.0]), 1.0, generator), "‖x‖₂ is 2"),
        (lambda: protocol.randomise(np.array([0.2]), 3.0, generator), "y is 3"),
        (lambda: Protocol(10, 1.0, 1e-5, Adjacency.ADD_REMOVE), "adjacency is add-remove"),
        (lambda: Protocol(10, 1.0, 1e-5, missing=10), "missing is 10"),
        (lambda: aggregate([]), "messages is empty"),
    ):
        with pytest.raises(InvalidInput, match=said):
            bad()


PEOPLE, DIMENSION, ROUNDS = 12, 3, 1_500


@pytest.fixture(scope="module")
def records():
    generator = np.random.default_rng(7)
    features = generator.standard_normal((PEOPLE, DIMENSION))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return features, generator.choice([-1.0, 1.0], PEOPLE)


def printed(problem, *epsilons):
    return METHOD.calibrate(problem, epsilons, 1e-5, Edition.PUBLISHED, Settings())


def test_no_record_moves_a_message_further_and_one_moves_it_that_far():
    generator, largest = np.random.default_rng(0), 0.0
    for _ in range(4_000):
        pair = generator.standard_normal((2, int(generator.integers(1, 4))))
        pair /= np.linalg.norm(pair, axis=1, keepdims=True)
        pair *= generator.uniform(0.0, 1.0, (2, 1)) ** generator.choice([0.0, 0.3])
        y, other = generator.choice([-1.0, 1.0, 0.4], 2)
        moved = math.hypot(
            float(np.linalg.norm(pair[0] - pair[1])),
            float(np.linalg.norm(y * pair[0] - other * pair[1])),
        )
        largest = max(largest, moved)
    assert largest <= inputpert.SENSITIVITY
    assert largest >= 0.999 * inputpert.SENSITIVITY


def test_what_is_certified_is_the_messages_own_curve(adjacency):
    problem = Problem("logistic", 0.05, 400, 3, adjacency)
    for one in printed(problem, 0.1, 0.9, 1.0, 8.0):
        epsilon, mu = one.certified.epsilon, inputpert.SENSITIVITY / one.sigma
        assert one.gaussian_mu == pytest.approx(mu, rel=1e-12)

        def excess(z, mu=mu, epsilon=epsilon):
            return max(stats.norm.pdf(z, mu) - math.exp(epsilon) * stats.norm.pdf(z), 0.0)

        start = epsilon / mu + mu / 2.0
        exact, _ = integrate.quad(excess, start, start + 12.0, epsabs=1e-14)
        assert exact == pytest.approx(1e-5, rel=1e-6)


def test_the_formula_of_corollary_1_is_believed_below_one_only():
    below, at = printed(Problem("logistic", 0.05, 400, 3), 0.99, 1.0)
    assert (below.status, below.proof.epsilon) == (Status.PROVED, 0.99)
    assert below.certified.epsilon is not None
    assert below.certified.epsilon <= 0.99
    assert (at.status, at.proof.epsilon) == (Status.CONDITIONS_NOT_MET, None)
    # Theorem 1 is nowhere: neither a claim with numbers nor a proof rests on it.
    for one in (below, at):
        assert one.claim.epsilon is None
        assert "lost" in one.claim.reason
        assert "local privacy only" in one.proof.by


def moments(features, sigma):
    """Variances of the estimated Σ x xᵀ, entry by entry, and of each number of Σ y x."""
    own = np.diag(features.T @ features)
    square = sigma**2 * (own[:, None] + own[None, :]) + len(features) * sigma**4
    return square * (1.0 + np.eye(len(own))), len(features) * sigma**2


def released(records, monkeypatch, epsilon):
    """The sums that `release` learns from."""
    square, linear = [], []

    def note(problem, *sums):
        square.append(sums[0][0])
        linear.append(sums[1][0])
        return np.zeros((1, DIMENSION))

    monkeypatch.setattr(inputpert, "minimisers", note)
    monkeypatch.setattr(inputpert, "BLOCK", 5)
    problem = Problem("logistic", 0.05, PEOPLE, DIMENSION)
    (one,) = printed(problem, epsilon)
    METHOD.release(Training(problem, *records, [one], ROUNDS, 0))
    return square, linear, one.sigma


def test_what_is_learned_from_is_what_contributors_send(records, monkeypatch):
    square, linear, sigma = released(records, monkeypatch, 20.0)
    features, labels = records
    spread, blur = moments(features, sigma)
    # Unbiased, and of the variance that follows from the noise; the test would see ⅔ of it.
    off = np.mean(square, axis=0) - features.T @ features
    assert np.all(np.abs(off) < 5.0 * np.sqrt(spread / ROUNDS))
    assert np.mean(linear, axis=0) == pytest.approx(
        features.T @ labels, abs=5.0 * math.sqrt(blur / ROUNDS)
    )
    seen = np.var(square, axis=0)
    assert seen == pytest.approx(spread, rel=0.25)
    assert not np.any(seen < 1.2 * moments(features, 2.0 / 3.0 * sigma)[0])
    assert np.var(linear, axis=0) == pytest.approx(blur, rel=0.2)
    assert np.allclose(square, np.swapaxes(square, 1, 2))


def sent_by(
    epsilon, records=1_000, adjacency=Adjacency.REPLACE_ONE, edition=Edition.SOUND, missing=0
):
    problem = Problem("logistic", 0.05, records, 4, adjacency)
    (one,) = METHOD.calibrate(problem, [epsilon], 1e-5, edition, Settings(missing=missing))
    return one


@pytest.mark.parametrize("epsilon", [0.001, 0.01, 1.0])
def test_the_more_one_trusts_the_smaller_the_epsilon(epsilon, adjacency):
    assert METHOD.trust is not None
    sums, mixed, single = (
        one.guarantee for one in METHOD.trust(sent_by(epsilon, 10_000, adjacency))
    )
    assert (sums.epsilon, sums.adjacency) == (epsilon, adjacency)
    assert mixed.epsilon <= single.epsilon
    assert {mixed.adjacency, single.adjacency} == {Adjacency.REPLACE_ONE}
    assert {sums.delta, mixed.delta, single.delta} == {1e-5}
    # What mixing does is known only where a message alone says little.
    assert (mixed.epsilon < 0.5 * single.epsilon) == (epsilon < 0.1)
    assert ("hides nothing" in mixed.by) == (epsilon == 1.0)


def test_a_messages_epsilon_is_that_of_its_own_noise():
    for missing in (0, 300):
        one = sent_by(0.3, missing=missing)
        assert METHOD.trust is not None
        local = METHOD.trust(one)[-1].guarantee
        own = one.sigma / math.sqrt(1_000)
        moved = sensitivity(0.91, Adjacency.REPLACE_ONE)
        assert analytic_delta(local.epsilon, own, moved) == pytest.approx(1e-5, rel=1e-6)


@pytest.mark.parametrize("missing", [1, 400, 999, 5_000])
def test_those_who_may_stay_away_are_made_up_for(missing):
    usual, more = sent_by(0.5), sent_by(0.5, missing=missing)
    left = 1_000 - min(missing, 999)
    # The noise of those who are sure to be there is what the promise needs.
    assert more.sigma * math.sqrt(left / 1_000) == pytest.approx(usual.sigma, rel=1e-12)
    assert more.proof.epsilon == usual.proof.epsilon == 0.5
    assert more.gaussian_mu == usual.gaussian_mu
    assert "stay away" in more.proof.by
    assert METHOD.trust is not None
    assert METHOD.trust(more)[-1].guarantee.epsilon < METHOD.trust(usual)[-1].guarantee.epsilon


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 3.0])
def test_a_messages_epsilon_is_never_told_too_small(epsilon):
    one = sent_by(epsilon)
    assert METHOD.trust is not None
    exact = METHOD.trust(one)[-1].guarantee.epsilon
    told = float(one.proof.by.split("a single message has ε = ")[1])
    assert exact <= told <= 1.01 * exact


def test_a_message_is_told_whole_where_there_are_several_classes():
    assert METHOD.trust is not None
    two, ten = (
        one_vs_rest.calibrate(
            METHOD,
            Problem("logistic", 0.05, 1_000, 4, classes=classes),
            [0.7],
            1e-5,
            Edition.SOUND,
            Settings(missing=100),
        )[0]
        for classes in (2, 10)
    )
    assert ten.sigma == pytest.approx(math.sqrt(10.0) * two.sigma, rel=1e-12)
    assert ten.gaussian_mu == two.gaussian_mu
    local = METHOD.trust(ten)[-1].guarantee.epsilon
    told = float(ten.proof.by.split("a single message has ε = ")[1])
    assert local <= told <= 1.01 * local
    # Ten parts with the noise that is drawn, at the distance that a record moves each by.
    own = ten.sigma / math.sqrt(1_000)
    moved = math.sqrt(10.0) * sensitivity(0.91, Adjacency.REPLACE_ONE)
    assert analytic_delta(local, own, moved) == pytest.approx(1e-5, rel=1e-6)


def test_as_published_there_is_nobody_to_trust():
    assert METHOD.trust is not None
    (only,) = METHOD.trust(sent_by(0.5, edition=Edition.PUBLISHED))
    assert only.whom == "Nobody"
    assert only.guarantee.epsilon <= 0.5


def calibrated(problem, *epsilons):
    return METHOD.calibrate(problem, epsilons, 1e-5, Edition.SOUND, Settings())


@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_with_hardly_any_noise_it_is_the_quadratics_minimiser(loss):
    features, labels = made_up_data(400, 3)
    problem = Problem(loss, 0.05, 400, 3, Adjacency.ZERO_OUT)
    result = METHOD.release(Training(problem, features, labels, calibrated(problem, 1e9), 1, 0))[
        0, 0
    ]
    slope, curvature = quadratic.approximation(loss, 0.5)
    signed = features * labels[:, None]
    gradient = (slope + 2.0 * curvature * (signed @ result)) @ signed / 400 + 0.05 * result
    assert np.linalg.norm(gradient) < 1e-3


def test_the_noise_is_what_was_calibrated(monkeypatch):
    features, labels = made_up_data(400, 3)
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


def test_large_noise_leaves_a_model_of_finite_length():
    features, labels = made_up_data(400, 3)
    for convexity in ({"lam": 0.01}, {"lam": 0.0, "radius": 2.0}):
        problem = Problem("logistic", records=400, dimension=3, **convexity)
        result = METHOD.release(
            Training(problem, features, labels, calibrated(problem, 1e-6), 5, 0)
        )
        assert np.isfinite(result).all()
        assert np.linalg.norm(result, axis=2).max() <= (2.0 + 1e-9 if "radius" in convexity else 50)
