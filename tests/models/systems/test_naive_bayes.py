"""Naive Bayes: its sensitivity on worst-case neighbours, its noise, and what it predicts."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpcore.guarantee import Adjacency
from dpcore.models.model import ModelTraining, noiseless
from dpcore.models.records import Records, RecordShape
from dpcore.models.systems import naive_bayes
from tests.models.attack import extreme, least_level, obeys, some, together

ZERO, REPLACE = Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE
SHAPES = [
    RecordShape(50, 3, ()),
    RecordShape(50, 0, (2, 4)),
    RecordShape(50, 2, (3, 2, 5)),
    RecordShape(50, 9, (2,)),
]


def at(shape, x, level, label):
    return Records(
        shape,
        np.full((1, shape.numbers), x),
        np.full((1, len(shape.levels)), level, dtype=np.int64),
        np.array([label]),
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_no_record_moves_the_sums_further_and_some_move_them_that_far(shape):
    draw, added, replaced = np.random.default_rng(0), 0.0, 0.0
    for _ in range(500):
        one, other = extreme(shape, draw), extreme(shape, draw)
        added = max(added, float(np.linalg.norm(naive_bayes.sums(one))))
        apart = naive_bayes.sums(one) - naive_bayes.sums(other)
        replaced = max(replaced, float(np.linalg.norm(apart)))
    inner = 1.0 - naive_bayes._WORST_DISTANCE
    for other in (at(shape, 1.0, 1, 1), at(shape, inner, 1, 0)):
        moved = naive_bayes.sums(at(shape, 1.0, 0, 0)) - naive_bayes.sums(other)
        replaced = max(replaced, float(np.linalg.norm(moved)))
    for seen, adjacency in ((added, ZERO), (replaced, REPLACE)):
        bound = naive_bayes.sensitivity(shape, adjacency)
        assert 0.999999 * bound <= seen <= bound


@pytest.fixture(scope="module")
def neighbours():
    train = some(30)
    return train, together(train, at(train.shape, 1.0, 0, 1))


def released(records, share, seed):
    calibration = naive_bayes.MODEL.calibrate(records.shape, [5.0], 1e-5, ZERO)[0]
    noise = replace(calibration.noise, scale=share * calibration.noise.scale)
    result = naive_bayes.noisy_sums(
        ModelTraining(records, records[:0], [replace(calibration, noises=(noise,))], 3_000, seed)
    )
    return result.reshape(3_000, -1)


def test_worst_neighbours_are_told_apart_no_better_than_promised(neighbours):
    calibration = naive_bayes.MODEL.calibrate(neighbours[0].shape, [5.0], 1e-5, ZERO)[0]
    promised = calibration.noise.sensitivity / calibration.noise.scale
    one, other = neighbours
    assert least_level(released(other, 1.0, 1), released(one, 1.0, 2)) <= promised
    too_little = least_level(released(other, 2.0 / 3.0, 1), released(one, 2.0 / 3.0, 2))
    assert too_little > promised


def test_the_law_of_the_noise(neighbours):
    train = neighbours[0]
    sigma = naive_bayes.MODEL.calibrate(train.shape, [5.0], 1e-5, ZERO)[0].noise.scale
    seen = (released(train, 1.0, 3) - naive_bayes.sums(train).ravel()).ravel()[::7]
    assert obeys(seen, stats.norm(scale=sigma))
    assert not obeys(seen, stats.norm(scale=2.0 / 3.0 * sigma))
    assert not obeys(seen, stats.norm(scale=1.5 * sigma))


def test_without_noise_it_is_gaussian_naive_bayes():
    from sklearn.naive_bayes import GaussianNB

    train, test = some(400, numbers=4, levels=(2,)), some(300, numbers=4, levels=(2,), seed=1)
    exact = [noiseless(naive_bayes.MODEL.calibrate(train.shape, [1.0], 1e-5, ZERO)[0])]
    weights = naive_bayes.learn(ModelTraining(train, test[:0], exact, 1, 0))[0, 0]
    known = GaussianNB(var_smoothing=0.0).fit(train.numbers, train.labels)
    odds = known.predict_log_proba(test.numbers)
    odds = (odds[:, 1] - odds[:, 0]) - (odds[0, 1] - odds[0, 0])
    p = train.shape.numbers
    numbers = naive_bayes.features(test)[:, 1 : 1 + 2 * p] @ weights[1 : 1 + 2 * p]
    assert numbers - numbers[0] == pytest.approx(odds, abs=1e-6)


def test_a_record_alone_in_its_range_or_class_shows_only_through_the_sums():
    # Where ranges, classes or levels are read off the data (as diffprivlib does when bounds are
    # left out), one record changes all the others' contributions, or the shape of the answer.
    train = some(30)
    one_class = Records(train.shape, train.numbers, train.categories, 0 * train.labels)
    outlier = at(train.shape, 1.0, 2, 1)
    calibrations = naive_bayes.MODEL.calibrate(train.shape, [1.0], 1e-5, ZERO)
    before = naive_bayes.noisy_sums(ModelTraining(one_class, one_class[:0], calibrations, 3, 0))
    after = naive_bayes.noisy_sums(
        ModelTraining(
            together(one_class, outlier), together(one_class, outlier)[:0], calibrations, 3, 0
        )
    )
    assert before.shape == after.shape
    moved = (after - before).reshape(3, -1)
    assert np.linalg.norm(moved, axis=1) == pytest.approx(
        np.linalg.norm(naive_bayes.sums(outlier)), rel=1e-9
    )
    assert np.isfinite(
        naive_bayes.learn(ModelTraining(one_class, train[:0], calibrations, 3, 0))
    ).all()
