"""Paper 002's own messages: how far a record moves one, what it keeps private, what they teach."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from dpcore.accounting.risk import gaussian_advantage
from dpcore.erm import noisy_records
from dpcore.erm.method import Calibration, Settings, Training
from dpcore.erm.methods.inputpert import METHOD
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Status

PEOPLE, DIMENSION, ROUNDS = 12, 3, 1_500


@pytest.fixture(scope="module")
def records() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(7)
    features = generator.standard_normal((PEOPLE, DIMENSION))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return features, generator.choice([-1.0, 1.0], PEOPLE)


def printed(problem: Problem, *epsilons: float) -> list[Calibration]:
    return METHOD.calibrate(problem, epsilons, 1e-5, Edition.PUBLISHED, Settings())


def test_no_record_moves_a_message_further_and_one_moves_it_that_far() -> None:
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
    assert largest <= noisy_records.SENSITIVITY
    assert largest >= 0.999 * noisy_records.SENSITIVITY


@pytest.mark.parametrize("adjacency", [Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT])
def test_what_is_certified_is_the_messages_own_curve(adjacency: Adjacency) -> None:
    problem = Problem("logistic", 0.05, 400, 3, adjacency)
    for one in printed(problem, 0.1, 0.9, 1.0, 8.0):
        epsilon, mu = one.certified.epsilon, noisy_records.SENSITIVITY / one.sigma
        assert epsilon is not None

        def excess(z: float, mu: float = mu, epsilon: float = epsilon) -> float:
            return max(stats.norm.pdf(z, mu) - math.exp(epsilon) * stats.norm.pdf(z), 0.0)

        start = epsilon / mu + mu / 2.0
        exact, _ = integrate.quad(excess, start, start + 12.0, epsabs=1e-14)
        assert exact == pytest.approx(1e-5, rel=1e-6)


def test_the_formula_of_corollary_1_is_believed_below_one_only() -> None:
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


@given(epsilon=st.floats(1e-3, 100.0), records=st.integers(2, 10**6))
def test_nothing_but_the_messages_own_noise_counts(epsilon: float, records: int) -> None:
    # n plays no part: adding people does not protect a message.
    (one,) = printed(Problem("logistic", 0.05, records, 3), epsilon)
    (two,) = printed(Problem("logistic", 0.05, 2, 3), epsilon)
    assert one.sigma == two.sigma


def randomise(
    x: np.ndarray, y: float, sigma: float, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """One contributor's (q̃, p̃), as the paper's algorithm 1 makes them on their own device."""
    blur = sigma * generator.standard_normal((2, len(x)))
    return x + blur[0], y * x + blur[1]


def estimate(
    noisy: np.ndarray, products: np.ndarray, sigma: float
) -> tuple[np.ndarray, np.ndarray]:
    """The messages' sums without their noise's mean: unbiased for Σ x xᵀ and Σ y x."""
    excess = len(noisy) * sigma**2 * np.eye(noisy.shape[1])
    return noisy.T @ noisy - excess, products.sum(axis=0)


@pytest.mark.parametrize(("share", "caught"), [(1.0, False), (2.0 / 3.0, True)])
def test_messages_survive_the_best_test_and_those_with_less_noise_do_not(share, caught) -> None:
    # The worst pair is x and -x with the same y, and the best test looks along their difference.
    rounds, generator = 6_000, np.random.default_rng(0)
    (one,) = printed(Problem("logistic", 0.05, 400, 1), 8.0)
    assert one.gaussian_mu is not None

    def above(x: float) -> int:
        sigma = share * one.sigma
        sent = [randomise(np.array([x]), 1.0, sigma, generator) for _ in range(rounds)]
        return sum(float(noisy[0] + product[0]) > 0.0 for noisy, product in sent)

    hits, alarms = above(1.0), above(-1.0)
    least = stats.beta.ppf(0.005, hits, rounds - hits + 1)
    most = stats.beta.ppf(0.995, alarms + 1, rounds - alarms)
    # An advantage above what the μ of the certified ε allows, with 99 % confidence.
    assert (least - most > gaussian_advantage(one.gaussian_mu)) == caught


def moments(features: np.ndarray, sigma: float) -> tuple[np.ndarray, float]:
    """Variances of the estimated Σ x xᵀ, entry by entry, and of each number of Σ y x."""
    own = np.diag(features.T @ features)
    square = sigma**2 * (own[:, None] + own[None, :]) + len(features) * sigma**4
    return square * (1.0 + np.eye(len(own))), len(features) * sigma**2


def sent(
    records: tuple[np.ndarray, np.ndarray], sigma: float
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Sums of what people send, each by the function that runs on their own device."""
    features, labels = records
    generator = np.random.default_rng(3)
    square, linear = [], []
    for _ in range(ROUNDS):
        messages = [
            randomise(x, y, sigma, generator) for x, y in zip(features, labels, strict=True)
        ]
        result = estimate(*map(np.array, zip(*messages, strict=True)), sigma)
        square.append(result[0])
        linear.append(result[1])
    return square, linear


def released(
    records: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch, epsilon: float
) -> tuple[list[np.ndarray], list[np.ndarray], float]:
    """The sums that `release` learns from."""
    square, linear = [], []

    def note(problem: Problem, *sums: np.ndarray) -> np.ndarray:
        square.append(sums[0][0])
        linear.append(sums[1][0])
        return np.zeros((1, DIMENSION))

    monkeypatch.setattr(noisy_records, "minimisers", note)
    monkeypatch.setattr(noisy_records, "BLOCK", 5)
    problem = Problem("logistic", 0.05, PEOPLE, DIMENSION)
    (one,) = printed(problem, epsilon)
    METHOD.release(Training(problem, *records, [one], ROUNDS, 0))
    return square, linear, one.sigma


def test_what_is_learned_from_is_what_contributors_send(records, monkeypatch) -> None:
    square, linear, sigma = released(records, monkeypatch, 20.0)
    by_people = sent(records, sigma)
    features, labels = records
    spread, blur = moments(features, sigma)
    for squares, linears in ((square, linear), by_people):
        # Unbiased, and of the variance that follows from the noise; the test would see ⅔ of it.
        off = np.mean(squares, axis=0) - features.T @ features
        assert np.all(np.abs(off) < 5.0 * np.sqrt(spread / ROUNDS))
        assert np.mean(linears, axis=0) == pytest.approx(
            features.T @ labels, abs=5.0 * math.sqrt(blur / ROUNDS)
        )
        seen = np.var(squares, axis=0)
        assert seen == pytest.approx(spread, rel=0.25)
        assert not np.any(seen < 1.2 * moments(features, 2.0 / 3.0 * sigma)[0])
        assert np.var(linears, axis=0) == pytest.approx(blur, rel=0.2)
        assert np.allclose(squares, np.swapaxes(squares, 1, 2))
    for row, column in ((0, 0), (0, 2), (1, 2)):
        two = [[each[row, column] for each in one] for one in (square, by_people[0])]
        assert stats.ks_2samp(*two).pvalue > 1e-3
        assert stats.ks_2samp(two[0], 2.0 / 3.0 * np.array(two[1])).pvalue < 1e-6


def test_blurred_records_teach_what_the_sums_do_when_there_is_little_noise() -> None:
    generator = np.random.default_rng(1)
    features = generator.standard_normal((400, 3))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    labels = np.where(features @ [1.0, -2.0, 0.5] > 0.1, 1.0, -1.0)
    problem = Problem("logistic", 0.05, 400, 3)
    published = METHOD.release(Training(problem, features, labels, printed(problem, 1e8), 1, 0))[
        0, 0
    ]
    sound = METHOD.calibrate(problem, [1e8], 1e-5, Edition.SOUND, Settings())
    assert published == pytest.approx(
        METHOD.release(Training(problem, features, labels, sound, 1, 0))[0, 0], rel=1e-3
    )
