"""Synthetic records: how far one record moves counts and scores, what all costs, what is drawn."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from dpcore.accounting.concentrated import Concentrated, epsilon
from dpcore.guarantee import Adjacency
from dpcore.models.model import generator, noiseless
from dpcore.models.records import RecordShape
from dpcore.models.systems import noisy_marginals
from tests.models.attack import blank, extreme, obeys, some, together

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE
SHAPE = RecordShape(60, 2, (3,))


def moved(adjacency):
    """Pairs of neighbours' counts."""
    draw, common = np.random.default_rng(0), some(60)
    for _ in range(150):
        one, other = extreme(SHAPE, draw), extreme(SHAPE, draw)
        left = together(common, blank(common.shape) if adjacency is ZERO else other)
        yield noisy_marginals.counts(left), noisy_marginals.counts(together(common, one))


def test_a_record_moves_counts_and_scores_as_far_as_is_said_and_no_further(adjacency):
    columns, furthest = len(noisy_marginals.sizes(SHAPE)), [0.0, 0.0, 0.0]
    released = [np.full(size, 60.0 / size) for size in noisy_marginals.sizes(SHAPE)]
    tree = list(pairwise(range(columns)))
    for one, other in moved(adjacency):
        columns_moved = [a - b for a, b in zip(one.ones, other.ones, strict=True)]
        tables_moved = [(one.twos[pair] - other.twos[pair]).ravel() for pair in tree]
        scored = [
            np.array(list(noisy_marginals.scores(each, released, 60.0, 2.0).values()))
            for each in (one, other)
        ]
        seen = (
            float(np.linalg.norm(np.concatenate(columns_moved))),
            float(np.linalg.norm(np.concatenate(tables_moved))),
            float(np.ptp(scored[1] - scored[0])),
        )
        furthest = [max(pair) for pair in zip(furthest, seen, strict=True)]
    bounds = (
        noisy_marginals.sensitivity(columns, adjacency),
        noisy_marginals.sensitivity(columns - 1, adjacency),
        noisy_marginals.score_range(adjacency),
    )
    for seen, bound in zip(furthest, bounds, strict=True):
        assert seen <= bound + 1e-9
    assert furthest[0] >= 0.999999 * bounds[0]
    assert furthest[1] >= 0.999999 * bounds[1]


def test_the_range_of_the_scores_is_reached(adjacency):
    # Independence gives 5 in every cell; the record is where one table is above that and the other
    # below, and came from where it is the other way round.
    before = np.array([[9.0, 1.0], [9.0, 1.0]])
    first, second = before.copy(), before.copy()
    first[0, 0] += 1.0
    second[0, 1] += 1.0
    if adjacency is REPLACE:
        first[0, 1] -= 1.0
        second[0, 0] -= 1.0
    released = [np.array([10.0, 10.0])] * 3
    result = [
        noisy_marginals.scores(
            noisy_marginals.Counts([], {(0, 1): one, (0, 2): other}), released, 20.0, 0.0
        )
        for one, other in ((before, before), (first, second))
    ]
    change = [result[1][pair] - result[0][pair] for pair in result[0]]
    assert max(change) - min(change) == pytest.approx(noisy_marginals.score_range(adjacency))


def test_all_releases_together_keep_the_promise(adjacency):
    for c in noisy_marginals.MODEL.calibrate(
        RecordShape(500, 4, (2, 7)), [0.05, 1.0, 20.0], 1e-6, adjacency
    ):
        column, choice, table = c.noises
        rho = sum(0.5 * (noise.sensitivity / noise.scale) ** 2 for noise in (column, table))
        rho += choice.times * (choice.scale * choice.sensitivity) ** 2 / 8.0
        result = epsilon(Concentrated(rho), 1e-6)
        assert 0.9999 * c.requested.epsilon <= result <= c.requested.epsilon
        assert choice.times == len(noisy_marginals.sizes(c.shape)) - 1


def test_the_noise_that_a_release_draws():
    records, seen = some(60), {"one": [], "two": []}
    c = noisy_marginals.MODEL.calibrate(records.shape, [1.0], 1e-5, ZERO)[0]
    exact, original = noisy_marginals.counts(records), noisy_marginals.simplex
    for run in range(60):
        drawn: list[np.ndarray] = []

        def note(noisy, total, drawn=drawn):
            drawn.append(noisy)
            return original(noisy, total)

        noisy_marginals.simplex = note
        try:
            made = noisy_marginals.release(exact, c, generator(0, run))
        finally:
            noisy_marginals.simplex = original
        seen["one"] += [a - b for a, b in zip(drawn, exact.ones, strict=False)]
        chosen = [exact.twos[pair] for pair in made.twos]
        seen["two"] += [a - b for a, b in zip(drawn[len(exact.ones) :], chosen, strict=True)]
    for name, noise in (("one", c.noises[0]), ("two", c.noises[2])):
        values = np.concatenate([part.ravel() for part in seen[name]])
        assert obeys(values, stats.norm(scale=noise.scale))
        assert values.std() == pytest.approx(noise.scale, rel=0.05)
        assert not obeys(values, stats.norm(scale=2.0 / 3.0 * noise.scale))


def test_the_pairs_make_a_tree_and_the_closest_ones_are_likelier():
    scored = {(0, 1): 50.0, (0, 2): 0.0, (1, 2): 45.0, (0, 3): -5.0, (1, 3): 30.0, (2, 3): 0.0}
    best = noisy_marginals.spanning(scored, 4, math.inf, generator(0, 0))
    assert set(best) == {(0, 1), (1, 2), (1, 3)}
    drawn = [
        noisy_marginals.spanning(scored, 4, 0.05, generator(0, run))[0] for run in range(1_000)
    ]
    weights = np.exp(0.05 * np.array(list(scored.values())))
    seen = np.array([drawn.count(pair) for pair in scored])
    assert stats.chisquare(seen, 1_000 * weights / weights.sum()).pvalue > 1e-3
    wrong = weights ** (2.0 / 3.0)
    assert stats.chisquare(seen, 1_000 * wrong / wrong.sum()).pvalue < 1e-3


def test_without_noise_synthetic_records_have_the_pairs_of_the_true_ones():
    records = some(4_000, numbers=2, levels=(3,), seed=2)
    c = noiseless(noisy_marginals.MODEL.calibrate(records.shape, [1.0], 1e-5, ZERO)[0])
    exact = noisy_marginals.counts(records)
    made = noisy_marginals.release(exact, c, generator(0, 0))
    assert made.total == pytest.approx(4_000)
    synthetic = made.records(20_000, generator(0, 1))
    drawn = noisy_marginals.counts(synthetic)
    for pair in made.twos:
        assert np.abs(drawn.twos[pair] / 20_000 - exact.twos[pair] / 4_000).max() < 0.012
