"""PSGD: how far a record moves the end of passes in a public order, and noise that fits."""

import numpy as np
import pytest

from dpcore.erm import permuted
from dpcore.erm.method import Settings
from dpcore.erm.methods.psgd import METHOD
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.mechanisms.gaussian import analytic_delta

N, LAM = 12, 0.4


def end(problem, features, labels, batch, rate, steps):
    count = permuted.batches(problem.records, batch)
    return permuted.descend(problem, features, labels, count, [(rate, steps)])[rate, steps]


def farthest(problem, batch, rate, steps):
    """How far one record moves the end where all losses stay linear: the largest over its place."""
    still, moved = np.zeros((2, N, 2)), 0.0
    for place in range(N):
        here, there = still[0].copy(), still[1].copy()
        here[place, 0] = 1.0
        there[place, 0] = -1.0 if problem.adjacency is Adjacency.REPLACE_ONE else 0.0
        ends = [end(problem, x, np.ones(N), batch, rate, steps) for x in (here, there)]
        moved = max(moved, float(np.linalg.norm(ends[0] - ends[1])))
    return moved


@pytest.mark.parametrize("batch", range(1, N + 1))
def test_the_sensitivity_is_attained_whatever_the_batch_size(batch, adjacency):
    problem = Problem("huber", LAM, N, 2, adjacency)
    count = permuted.batches(N, batch)
    rate = 1.0 / permuted.smoothness(problem, count)
    for steps in (count, 4 * count, 4 * count + count // 2 + 1):
        bound = permuted.sensitivity(problem, count, rate, steps)
        assert farthest(problem, batch, rate, steps) == pytest.approx(bound, rel=1e-9)


@pytest.mark.parametrize("batch", range(1, N + 1))
def test_whole_passes_reach_what_is_printed_and_dividing_by_the_batch_again_fails(batch):
    problem = Problem("huber", LAM, N, 2)
    count = permuted.batches(N, batch)
    rate, steps = 1.0 / permuted.smoothness(problem, count), 60 * count
    moved, printed = farthest(problem, batch, rate, steps), 2.0 / (N * LAM)
    assert permuted.printed(problem, count, rate, steps) == printed
    # The first few steps are shorter than 1/(μt), which many passes make up for.
    assert 0.97 * printed < moved <= printed * (1.0 + 1e-9)
    # The error of a widely used library: 2L/(γ n b).
    if batch > 1:
        assert moved > 1.9 * printed / batch


@pytest.mark.parametrize("batch", [1, 3, 5, 12])
def test_without_strong_convexity_passes_add_up(batch):
    problem = Problem("huber", 0.0, N, 2, radius=100.0)
    count = permuted.batches(N, batch)
    bound = permuted.sensitivity(problem, count, 0.02, 3 * count)
    assert farthest(problem, batch, 0.02, 3 * count) == pytest.approx(bound, rel=1e-9)
    assert bound == pytest.approx(permuted.printed(problem, count, 0.02, 3 * count), rel=1e-9)
    assert bound == pytest.approx(2 * 3 * 0.02 * count / N, rel=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
@pytest.mark.parametrize(("lam", "radius"), [(0.05, None), (0.0, 1.0)])
def test_no_neighbours_exceed_it(data, loss, lam, radius, adjacency):
    generator = np.random.default_rng(3)
    for batch in (1, 4, 7, 20):
        features, labels = data(20, 3, seed=batch)
        problem = Problem(loss, lam, 20, 3, adjacency, radius=radius)
        count = permuted.batches(20, batch)
        rate, steps = 1.0 / permuted.smoothness(problem, count), 3 * count + 1
        bound = permuted.sensitivity(problem, count, rate, steps)
        here = end(problem, features, labels, batch, rate, steps)
        for place in range(20):
            other, signs = features.copy(), labels.copy()
            if adjacency is Adjacency.ZERO_OUT:
                other[place] = 0.0
            else:
                other[place] = -features[place] / np.linalg.norm(features[place])
                signs[place] = generator.choice([-1.0, 1.0])
            there = end(problem, other, signs, batch, rate, steps)
            assert np.linalg.norm(here - there) <= bound


@pytest.mark.parametrize(("lam", "radius"), [(0.05, None), (0.0, 0.4)])
@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_descent_equals_a_plain_loop(data, lam, radius, loss):
    features, labels = data(23, 4)
    problem = Problem(loss, lam, 23, 4, radius=radius)
    wanted = [(0.9, 9), (2.5, 4), (0.9, 2)]
    actual = permuted.descend(problem, features, labels, 5, wanted)
    parts = np.array_split(permuted.order(23), 5)
    for top, steps in wanted:
        weights = np.zeros(4)
        for step in range(1, steps + 1):
            x, y = features[parts[(step - 1) % 5]], labels[parts[(step - 1) % 5]]
            if loss == "logistic":
                slopes = -y / (1.0 + np.exp(y * (x @ weights)))
            else:
                slopes = np.clip(x @ weights - y, -1.0, 1.0)
            eta = top if lam == 0.0 else min(top, 1.0 / (lam * step))
            weights = weights - eta * (slopes @ x * 5 / 23 + lam * weights)
            if lam == 0.0:
                weights = weights * min(1.0, radius / np.linalg.norm(weights))
        assert actual[top, steps] == pytest.approx(weights, rel=1e-9)


def test_the_largest_batch_counts_for_the_smoothness():
    problem = Problem("logistic", 0.1, 10, 2)
    assert permuted.smoothness(problem, 5) == pytest.approx(0.35)
    # Sizes 4, 3, 3: four records of 3.33 that a batch has on average.
    assert permuted.smoothness(problem, 3) == pytest.approx(0.1 + 0.25 * 1.2)


def calibrated(problem, epsilons=(0.1, 1.0, 8.0), edition=Edition.SOUND, **settings):
    return METHOD.calibrate(problem, epsilons, 1e-5, edition, Settings(**settings))


@pytest.mark.parametrize(("lam", "radius"), [(0.02, None), (0.0, 3.0)])
@pytest.mark.parametrize("batch", [None, 1, 7])
def test_the_noise_is_that_of_one_gaussian_mechanism(adjacency, lam, radius, batch):
    problem = Problem("logistic", lam, 700, 5, adjacency, radius=radius)
    for c in calibrated(problem, batch=batch):
        count = permuted.batches(700, c.batch)
        exact = permuted.sensitivity(problem, count, c.learning_rate, c.steps)
        assert analytic_delta(c.requested.epsilon, c.model_noise, exact) <= 1e-5
        assert c.gaussian_mu == pytest.approx(exact / c.sigma)
        assert c.certified.epsilon == pytest.approx(c.requested.epsilon, rel=1e-6)
        assert c.status is Status.PROVED


def test_the_printed_sensitivity_covers_whole_passes_and_its_formula_ends_at_one():
    below, above = calibrated(Problem("logistic", 0.02, 700, 5), (0.9, 2.0), Edition.PUBLISHED)
    exact = 2.0 / (700 * 0.02)
    assert exact < below.sensitivity == pytest.approx(exact, rel=1e-8)
    assert below.status is Status.PROVED
    assert below.certified.epsilon < 0.9
    assert above.status is Status.CONDITIONS_NOT_MET
    assert "ε below 1" in above.proof.reason


def test_a_broken_pass_can_pass_the_printed_sensitivity_and_is_told():
    problem = Problem("logistic", 0.2, 100, 5)
    count = permuted.batches(100, 25)
    result = calibrated(problem, (0.5,), Edition.PUBLISHED, batch=25, steps=count * 10 + 1)[0]
    assert result.sensitivity < result.gaussian_mu * result.sigma * (1.0 - 1e-3)
    assert result.status is Status.CONDITIONS_NOT_MET
    assert "below the exact one" in result.proof.reason
    assert calibrated(problem, (0.5,), batch=25, steps=41)[0].status is Status.PROVED
