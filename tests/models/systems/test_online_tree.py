"""Online learning from tree sums: which nodes a record is in, its gradient, noise and progress."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelTraining, generator
from dpcore.models.systems import online_tree
from tests.models.attack import extreme, least_level, obeys, some

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE
ROUNDS, LEVELS = online_tree.ROUNDS, online_tree.LEVELS


def below(place):
    """The rounds whose gradients a node sums up."""
    level, start, count = 0, 0, ROUNDS
    while place >= start + count:
        start, count, level = start + count, count // 2, level + 1
    first = (place - start) << level
    return range(first, first + (1 << level))


def test_every_prefix_is_made_of_disjoint_nodes_and_a_round_is_in_one_a_level():
    used = set()
    for done, parts in enumerate(online_tree.nodes(ROUNDS), 1):
        rounds = [number for part in parts for number in below(part)]
        assert sorted(rounds) == list(range(done))
        assert len(parts) <= LEVELS - 1 or done == ROUNDS
        used |= set(parts)
    for number in range(ROUNDS):
        assert sum(number in below(place) for place in range(2 * ROUNDS - 1)) == LEVELS
        assert sum(number in below(place) for place in used) <= LEVELS
    assert max(used) == 2 * ROUNDS - 2


@pytest.mark.slow("fits many models")
def test_no_record_moves_the_tree_further_than_its_sensitivity(adjacency):
    draw, furthest = np.random.default_rng(0), 0.0
    shape = some(1, numbers=3).shape
    for _ in range(2_000):
        pair = [extreme(shape, draw) for _ in range(2)]
        weights = draw.standard_normal((1, shape.dimension + 1))
        weights *= online_tree.RADIUS / np.linalg.norm(weights)
        result = [
            online_tree.gradients(online_tree.rows(one), 2.0 * one.labels - 1.0, weights)
            for one in pair
        ]
        moved = result[0] - (result[1] if adjacency is REPLACE else 0.0)
        furthest = max(furthest, math.sqrt(LEVELS) * float(np.linalg.norm(moved)))
    bound = online_tree.sensitivity(adjacency)
    # Two gradients of one model are never quite opposite, so 2 is an upper bound only.
    assert (0.999 if adjacency is ZERO else 0.6) * bound <= furthest <= bound


def test_gradients_are_those_of_the_logistic_loss():
    records = some(20, numbers=3)
    x, signs = online_tree.rows(records), 2.0 * records.labels - 1.0
    assert np.linalg.norm(x, axis=1).max() <= 1.0
    weights = np.random.default_rng(1).standard_normal((2, x.shape[1]))
    result = online_tree.gradients(x, signs, weights)
    for row, w in zip(result, weights, strict=True):
        for place in range(len(w)):
            step = np.zeros_like(w)
            step[place] = 1e-6
            losses = [np.logaddexp(0.0, -signs * (x @ v)).sum() for v in (w + step, w - step)]
            assert row[place] == pytest.approx((losses[0] - losses[1]) / 2e-6, abs=1e-6)


@pytest.fixture(scope="module")
def prefixes():
    return np.stack([online_tree.prefix_noise(generator(0, run), 1)[:, 0] for run in range(3_000)])


def test_each_prefix_has_the_noise_of_its_nodes(prefixes):
    for done, parts in enumerate(online_tree.nodes(ROUNDS), 1):
        if done in (1, 7, 96, ROUNDS - 1, ROUNDS):
            seen, sigma = prefixes[:, done - 1], math.sqrt(len(parts))
            assert obeys(seen, stats.norm(scale=sigma))
            assert not obeys(seen, stats.norm(scale=2.0 / 3.0 * sigma))


def test_a_release_of_nothing_is_the_noise_of_its_calibration():
    records = some(ROUNDS)
    made = online_tree.MODEL.calibrate(records.shape, [1.0, 6.0], 1e-5, ZERO)
    training = ModelTraining(records, records, made, 2, 0)
    unit = np.stack([online_tree.prefix_noise(generator(0, run), 3) for run in range(2)])
    for done, (noisy, _) in enumerate(
        online_tree.stream(np.zeros((ROUNDS, 3)), np.zeros(ROUNDS), training)
    ):
        for each, c in zip(noisy, made, strict=True):
            assert each == pytest.approx(c.noise.scale * unit[:, done])


def test_worst_neighbours_are_told_apart_no_better_than_promised(prefixes):
    # A gradient of length 1 in the first round moves every prefix; in the third, all from there.
    # Whitened by the prefixes' covariance, the release is as clear as the tree allows.
    c = online_tree.MODEL.calibrate(some(1).shape, [6.0], 1e-5, ZERO)[0]
    promised = c.noise.sensitivity / c.noise.scale
    member = online_tree.membership()
    root = np.linalg.inv(np.linalg.cholesky(member @ member.T))
    half = len(prefixes) // 2
    for share, flagged in ((1.0, False), (0.5, True)):
        sigma = share * c.noise.scale
        released = sigma * prefixes @ root.T
        level = least_level(released[:half] + root @ np.ones(ROUNDS), released[half:])
        assert (level > promised) is flagged
