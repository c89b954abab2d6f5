"""Passes in a public order: how far one record moves their end, for batches of every size."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.erm import permuted
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency

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


@pytest.mark.parametrize("adjacency", [Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT])
@pytest.mark.parametrize("batch", range(1, N + 1))
def test_the_sensitivity_is_attained_whatever_the_batch_size(batch, adjacency) -> None:
    problem = Problem("huber", LAM, N, 2, adjacency)
    count = permuted.batches(N, batch)
    rate = 1.0 / permuted.smoothness(problem, count)
    for steps in (count, 4 * count, 4 * count + count // 2 + 1):
        bound = permuted.sensitivity(problem, count, rate, steps)
        assert farthest(problem, batch, rate, steps) == pytest.approx(bound, rel=1e-9)


@pytest.mark.parametrize("batch", range(1, N + 1))
def test_whole_passes_reach_what_is_printed_and_dividing_by_the_batch_again_fails(batch) -> None:
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
def test_without_strong_convexity_passes_add_up(batch) -> None:
    problem = Problem("huber", 0.0, N, 2, radius=100.0)
    count = permuted.batches(N, batch)
    bound = permuted.sensitivity(problem, count, 0.02, 3 * count)
    assert farthest(problem, batch, 0.02, 3 * count) == pytest.approx(bound, rel=1e-9)
    assert bound == pytest.approx(permuted.printed(problem, count, 0.02, 3 * count), rel=1e-9)
    assert bound == pytest.approx(2 * 3 * 0.02 * count / N, rel=1e-9)


@pytest.mark.parametrize("loss", ["logistic", "huber", "squared"])
@pytest.mark.parametrize(("lam", "radius"), [(0.05, None), (0.0, 1.0)])
@pytest.mark.parametrize("adjacency", [Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT])
def test_no_neighbours_exceed_it(data, loss, lam, radius, adjacency) -> None:
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
def test_descent_equals_a_plain_loop(data, lam, radius, loss) -> None:
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


def test_the_order_is_a_permutation_that_hangs_on_the_number_of_records_only() -> None:
    assert sorted(permuted.order(50)) == list(range(50))
    assert (permuted.order(50) == permuted.order(50)).all()
    assert (permuted.order(50) != np.arange(50)).any()


def test_the_largest_batch_counts_for_the_smoothness() -> None:
    problem = Problem("logistic", 0.1, 10, 2)
    assert permuted.smoothness(problem, 5) == pytest.approx(0.35)
    # Sizes 4, 3, 3: four records of 3.33 that a batch has on average.
    assert permuted.smoothness(problem, 3) == pytest.approx(0.1 + 0.25 * 1.2)
