"""Private k-means: how far one point moves a step's sums, its noise, and where its centres go."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelTraining, noiseless
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import k_means
from tests.models.attack import extreme, obeys

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE
SHAPES = [RecordShape(50, 3, ()), RecordShape(50, 1, (2, 4)), RecordShape(50, 0, (3,))]


def blobs(records, seed=0):
    draw = np.random.default_rng(seed)
    middles = np.array([[0.7, 0.7], [-0.7, 0.7], [0.7, -0.7], [-0.7, -0.7]])
    x = middles[draw.integers(0, 4, records)] + 0.1 * draw.standard_normal((records, 2))
    shape = RecordShape(records, 2, ())
    codes = np.zeros((records, 0), dtype=np.int64)
    return Records(shape, np.clip(x, -1.0, 1.0), codes, np.zeros(records, dtype=np.int64))


@pytest.mark.parametrize("shape", SHAPES)
def test_no_point_moves_a_step_further_and_some_move_it_that_far(shape, adjacency):
    draw, furthest = np.random.default_rng(0), 0.0
    share = k_means.weight(shape)
    for _ in range(400):
        centres = draw.uniform(-1.0, 1.0, (1, int(draw.integers(1, 4)), shape.dimension))
        one, other = extreme(shape, draw), extreme(shape, draw)
        if adjacency is REPLACE and draw.random() < 0.3:  # as far apart as can be
            other = Records(
                shape, -one.numbers, (one.categories + 1) % np.array(shape.levels, int), one.labels
            )
        moved = k_means.step_sums(one.points(), centres, share)
        if adjacency is REPLACE:
            moved = moved - k_means.step_sums(other.points(), centres, share)
        furthest = max(furthest, float(np.linalg.norm(moved)))
    bound = k_means.sensitivity(shape, adjacency)
    assert 0.999 * bound <= furthest <= bound


def test_the_noise_that_a_fit_draws():
    # One cluster of one step: the centre times the count gives the noisy sum away.
    records = blobs(60)
    c = k_means.MODEL.calibrate(records.shape, [1.0], 1e-5, ZERO)[0]
    seen: list[np.ndarray] = []
    original = k_means.updated

    def note(centres, noisy, share, sigma):
        exact = k_means.step_sums(records.points(), centres[0], share)
        seen.append((noisy[0] - exact).ravel())
        return original(centres, noisy, share, sigma)

    k_means.updated = note
    try:
        k_means.learn(ModelTraining(records, records[:0], [c], 150, 0))
    finally:
        k_means.updated = original
    assert len(seen) == k_means.STEPS == c.noise.times
    for noise in seen:
        assert obeys(noise, stats.norm(scale=c.noise.scale))
    everything = np.concatenate(seen)
    assert not obeys(everything, stats.norm(scale=2.0 / 3.0 * c.noise.scale))
    assert not obeys(everything, stats.norm(scale=1.5 * c.noise.scale))


def test_without_noise_a_step_is_lloyds():
    records = blobs(300)
    points = records.points()
    centres = points[[0, 1, 2]][None, None]
    share = k_means.weight(records.shape)
    sums = k_means.step_sums(points, centres[0], share)[None]
    moved = k_means.updated(centres, sums, share, np.zeros((1, 1, 1, 1)))[0, 0]
    near = ((points[:, None] - centres[0, 0]) ** 2).sum(axis=2).argmin(axis=1)
    for place in range(3):
        assert moved[place] == pytest.approx(points[near == place].mean(axis=0), abs=1e-9)


def test_an_empty_cluster_stays_where_it_is():
    centres = np.array([[[[0.1, 0.2]]]])
    for count in (0.0, -3.0):
        noisy = np.array([[[[5.0, 1.0, count]]]])
        result = k_means.updated(centres, noisy, 1.0, np.ones((1, 1, 1, 1)))
        assert np.array_equal(result, centres)


def test_clusters_are_found_given_enough_budget():
    train, test = blobs(4_000), blobs(1_000, seed=1)
    calibrations = k_means.MODEL.calibrate(train.shape, [0.01, 1.0], 1e-5, ZERO)
    result = k_means.MODEL.judge(
        k_means.learn(ModelTraining(train, test[:0], calibrations, 10, 0)), test
    )
    exact = noiseless(calibrations[0])
    limit = k_means.MODEL.judge(
        k_means.learn(ModelTraining(train, test[:0], [exact], 10, 0)), test
    ).mean()
    assert result[1].mean() == pytest.approx(limit, abs=0.15)
    assert result[1].mean() < 0.6 * result[0].mean()
    assert k_means.one_centre(train, test) == pytest.approx(1.0, abs=0.01)
