"""AdaSSP: what three queries cost together, how far the eigenvalue moves, and its ridge."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.erm.method import Settings, Training
from dpcore.erm.methods import adassp
from dpcore.erm.methods.adassp import METHOD, eigenvalue_noise, ridge, total_mu, weight
from dpcore.erm.problem import Problem
from dpcore.erm.quadratic import sensitivity
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE
SOUND, PUBLISHED = Edition.SOUND, Edition.PUBLISHED


def calibrated(problem, epsilon, edition, delta=1e-5):
    return METHOD.calibrate(problem, [epsilon], delta, edition, Settings())[0]


def data(records=300):
    generator = np.random.default_rng(6)
    features = generator.standard_normal((records, 4))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return features, np.clip(features @ [0.6, -0.4, 0.2, 0.0], -1.0, 1.0)


@pytest.mark.parametrize(
    ("epsilon", "certified"), [(1.0, 0.596), (5.0, 3.43), (20.0, 17.6), (50.0, 60.7)]
)
def test_what_the_printed_noise_certifies(epsilon, certified):
    problem = Problem("squared", 0.01, 300, 4, ZERO)
    result = calibrated(problem, epsilon, PUBLISHED, 1e-6)
    assert result.certified.epsilon == pytest.approx(certified, abs=0.006 * certified)
    assert result.claim.epsilon == epsilon
    assert result.claim.adjacency is Adjacency.ADD_REMOVE
    holds = certified <= epsilon
    assert result.status is (Status.PROVED if holds else Status.CLAIM_NOT_SUPPORTED)
    assert result.proof.epsilon == (epsilon if holds else None)


def test_a_claim_about_other_neighbours_is_not_called_false():
    problem = Problem("squared", 0.01, 300, 4, REPLACE)
    result = calibrated(problem, 10.0, PUBLISHED)
    assert result.status is Status.CONDITIONS_NOT_MET
    assert result.proof.epsilon is None
    assert "with one record replaced" in result.proof.reason
    assert calibrated(problem, 100.0, PUBLISHED).status is Status.CLAIM_NOT_SUPPORTED


@given(
    epsilon=st.floats(1e-3, 50.0),
    delta=st.sampled_from([1e-10, 1e-5, 1e-2]),
    adjacency=st.sampled_from([ZERO, REPLACE]),
)
def test_the_sound_noise_keeps_the_budget_and_no_less_would(epsilon, delta, adjacency):
    result = calibrated(Problem("squared", 0.01, 300, 4, adjacency), epsilon, SOUND, delta)
    size = (300, 4)
    assert analytic_delta(epsilon, 1.0 / total_mu(result.sigma, SOUND, adjacency, size)) <= delta
    less = total_mu(result.sigma * (1.0 - 1e-6), SOUND, adjacency, size)
    assert analytic_delta(epsilon, 1.0 / less) > delta
    exact = total_mu(result.sigma, SOUND, adjacency, size)
    assert result.gaussian_mu == pytest.approx(exact, rel=1e-12)
    assert total_mu(result.sigma, SOUND, adjacency) < exact


def test_three_queries_add_up_to_one_gaussian(adjacency, edition):
    moved = sensitivity(weight(edition, adjacency), adjacency)
    sums, lowest = moved / 3.0, 1.0 / (3.0 * eigenvalue_noise(edition, adjacency))
    assert total_mu(3.0, edition, adjacency) == pytest.approx(math.hypot(sums, lowest), rel=1e-12)
    if edition is SOUND:
        assert lowest**2 / (sums**2 + lowest**2) == pytest.approx(0.05)


def test_no_record_moves_the_smallest_eigenvalue_by_more_than_one(adjacency):
    generator, largest = np.random.default_rng(3), 0.0
    for _ in range(3_000):
        dimension = int(generator.integers(1, 4))
        rest = generator.standard_normal((dimension, dimension)) * generator.choice([0.1, 1.0, 9.0])
        pair = generator.standard_normal((2, dimension))
        pair /= np.linalg.norm(pair, axis=1, keepdims=True)
        pair[1] *= adjacency is REPLACE
        low = [np.linalg.eigvalsh(rest @ rest.T + np.outer(x, x))[0] for x in pair]
        largest = max(largest, abs(low[0] - low[1]))
    one = np.linalg.eigvalsh(np.eye(1))[0]  # a single record in one dimension
    assert largest <= 1.0 + 1e-9
    assert max(largest, float(one)) == pytest.approx(1.0)


def test_the_ridge_is_the_printed_rule():
    sigma, delta = np.array([2.0, 2.0, 2.0]), np.full(3, 1e-5)
    width = 2.0 * math.sqrt(5 * math.log(2 * 25 / 0.05))
    lost = 3.0 * math.sqrt(math.log(6e5))
    result = ridge(np.array([-1.0, 20.0, 1e6]), np.full(3, 3.0), sigma, 5, delta)
    assert result == pytest.approx([width, width - (20.0 - lost), 0.0])


def test_the_noise_of_each_query_is_what_was_calibrated(monkeypatch):
    features, targets = data()
    problem = Problem("squared", 1e-6, 300, 4)
    for edition in (SOUND, PUBLISHED):
        one = calibrated(problem, 3.0, edition)
        seen = {}

        def note(problem, square, linear, width, seen=seen):
            seen["square"], seen["linear"], seen["ridge"] = square[0], linear[0], width[0]
            return np.zeros((1, 4))

        monkeypatch.setattr(adassp, "noise", lambda g, d: (np.eye(d), np.ones(d)))
        monkeypatch.setattr(adassp.quadratic, "minimisers", note)
        METHOD.release(Training(problem, features, targets, [one], 1, 0))
        moved = seen["square"] - features.T @ features
        assert moved == pytest.approx(one.sigma * np.eye(4), rel=1e-9, abs=1e-9)
        moved = seen["linear"] - features.T @ targets
        assert moved == pytest.approx(one.sigma / weight(edition, REPLACE) * np.ones(4), rel=1e-9)


def test_the_eigenvalues_noise_is_normal_of_its_own_size(assert_normal, monkeypatch):
    features, targets = data()
    problem = Problem("squared", 1e-6, 300, 4)
    one = calibrated(problem, 3.0, SOUND)
    lowest, seen = float(np.linalg.eigvalsh(features.T @ features)[0]), []

    def note(values, blur, *rest):
        seen.append(float(values[0]) - lowest)
        return np.zeros(1)

    monkeypatch.setattr(adassp, "ridge", note)
    METHOD.release(Training(problem, features, targets, [one], 1_200, 0))
    assert_normal(np.array(seen), one.sigma * eigenvalue_noise(SOUND, REPLACE))
