"""Areas under the ROC curve against scikit-learn's, and over noise against sampled models."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from dpcore.errors import InvalidInput
from dpcore.evaluation.scoring import auc
from tests.evaluation.scoring.test_metrics import NORMS, models
from tests.evaluation.splits import made_split

SIGMAS = np.array([0.0, 0.05, 0.5, 5.0])


@pytest.mark.parametrize("norms", NORMS)
def test_areas_are_those_of_scikit_learn(norms):
    split = made_split(norms=norms)
    weights = models(split)
    actual = auc.auc_of_models(weights, split.x_test, split.y_test)
    # In single precision, as ours: two nearly equal scores may tie there.
    scores = weights.astype(np.float32) @ split.x_test.astype(np.float32).T
    wanted = [roc_auc_score(split.y_test, score) for score in scores]
    assert actual == pytest.approx(wanted, abs=1e-9)


def test_areas_do_not_depend_on_the_size_of_a_block(monkeypatch):
    split = made_split()
    weights = models(split)
    whole = auc.auc_of_models(weights, split.x_train, split.y_train)
    monkeypatch.setattr(auc, "BLOCK_ENTRIES", 50)
    again = auc.auc_of_models(weights, split.x_train, split.y_train)
    assert whole == pytest.approx(again, abs=1e-12)


def standard_errors_apart(norms, widened, draws=4_000):
    """The largest (closed form - mean over sampled models), in standard errors of that mean."""
    split = made_split(tests=90, norms=norms)
    signed = split.x_test * split.y_test[:, None]
    centre = signed.mean(axis=0, keepdims=True) / np.linalg.norm(signed.mean(axis=0))
    closed = auc.expected_auc(
        np.repeat(centre, len(SIGMAS), axis=0), widened * SIGMAS, split.x_test, split.y_test
    )
    noise = np.random.default_rng(3).standard_normal((draws, split.dimension))
    apart = []
    for expected, sigma in zip(closed[1:], SIGMAS[1:], strict=True):
        actual = auc.auc_of_models(centre + sigma * noise, split.x_test, split.y_test)
        apart.append((expected - actual.mean()) / (actual.std() / math.sqrt(draws)))
    return float(np.abs(apart).max())


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("norms", NORMS)
def test_the_closed_form_is_the_mean_of_sampled_models(norms):
    assert standard_errors_apart(norms, 1.0) < 4.0
    assert standard_errors_apart(norms, 2.0 / 3.0) > 8.0


@pytest.mark.parametrize("norms", NORMS)
def test_without_noise_it_is_the_area_itself(norms):
    split = made_split(tests=90, norms=norms)
    weights = models(split)
    actual = auc.expected_auc(weights, np.zeros(len(weights)), split.x_test, split.y_test)
    wanted = [roc_auc_score(split.y_test, split.x_test @ one) for one in weights]
    assert actual == pytest.approx(wanted, abs=1e-9)
    nothing = auc.expected_auc(
        np.zeros((1, split.dimension)), np.zeros(1), split.x_test, split.y_test
    )
    assert nothing[0] == 0.5


def test_equal_records_of_both_classes_are_a_tie_whatever_the_noise():
    features, labels = np.ones((4, 2)), np.array([1.0, 1.0, -1.0, -1.0])
    result = auc.expected_auc(np.ones((2, 2)), np.array([0.0, 3.0]), features, labels)
    assert result.tolist() == [0.5, 0.5]


def test_a_missing_class_has_no_area():
    split = made_split(tests=30)
    ones = np.ones(len(split.y_test))
    centres, sigmas = models(split, 2), np.array([0.0, 1.0])
    draws = np.random.default_rng(0).standard_normal((5, split.dimension))
    assert np.isnan(auc.auc_of_models(centres, split.x_test, ones)).all()
    assert np.isnan(auc.expected_auc(centres, sigmas, split.x_test, ones)).all()
    assert np.isnan(auc.noisy_areas(centres, sigmas, draws, split.x_test, ones)).all()


@pytest.mark.parametrize(("positive", "negative"), [(30, 50), (7, 11), (40, 40), (1, 90)])
def test_pairs_are_distinct_and_use_all_records_alike(positive, negative):
    labels = np.repeat([1.0, -1.0], [positive, negative])
    most = positive * negative * 2 // 3
    ones, others = auc._pairs(labels, most)
    assert len(set(zip(ones.tolist(), others.tolist(), strict=True))) == most == len(ones)
    assert (labels[ones] > 0).all()
    assert (labels[others] < 0).all()
    for result, many in ((ones, positive), (others - positive, negative)):
        counts = np.bincount(result, minlength=many)
        assert np.ptp(counts) <= max(1, math.ceil(most / math.lcm(positive, negative)))
    every = auc._pairs(labels, positive * negative)
    assert len(set(zip(*(each.tolist() for each in every), strict=True))) == positive * negative


def test_sampled_pairs_come_close_to_all(monkeypatch):
    split = made_split(tests=1_200)
    signed = split.x_test * split.y_test[:, None]
    centres = np.repeat(signed.mean(axis=0, keepdims=True), len(SIGMAS), axis=0)
    every = auc.expected_auc(centres, SIGMAS, split.x_test, split.y_test)
    monkeypatch.setattr(auc, "PAIRS", 2**14)
    some = auc.expected_auc(centres, SIGMAS, split.x_test, split.y_test)
    assert not np.array_equal(some, every)
    # With little noise the pairs that are left out are made up for; with more, almost.
    assert some[0] == every[0]
    assert some == pytest.approx(every, abs=2e-3)
    little = np.array([1e-6])
    near = auc.expected_auc(centres[:1], little, split.x_test, split.y_test)
    assert near == pytest.approx(every[:1], abs=1e-6)
    monkeypatch.setattr(auc, "LEVEL", 1.0)
    plain = auc.expected_auc(centres[:1], little, split.x_test, split.y_test)
    assert plain != pytest.approx(every[:1], abs=1e-4)


@pytest.mark.parametrize("norms", NORMS)
def test_noisy_areas_are_those_of_single_models(norms):
    split = made_split(tests=90, norms=norms)
    centres = np.repeat(models(split, 1), len(SIGMAS), axis=0)
    draws = np.random.default_rng(5).standard_normal((200, split.dimension))
    areas = auc.noisy_areas(centres, SIGMAS, draws, split.x_test, split.y_test)
    assert np.ptp(areas[0]) == 0.0
    for row, sigma in enumerate(SIGMAS[1:], start=1):
        wanted = auc.auc_of_models(centres[row] + sigma * draws, split.x_test, split.y_test)
        # Equal records of both classes count half in the one and nothing in the other.
        assert areas[row] - areas[row].mean() == pytest.approx(wanted - wanted.mean(), abs=1e-3)


def test_the_interval_is_where_the_area_found_is_likely():
    for area, ones, others in ((0.8, 40, 60), (0.5, 10, 10), (0.99, 200, 20)):
        low, high = auc.area_interval(area, ones, others)
        assert 0.0 < low < area < high < 1.0
        for end in (low, high):
            within = (ones - 1) * (1 - end) / (2 - end) + (others - 1) * end / (1 + end)
            deviation = math.sqrt(end * (1 - end) * (1 + within) / (ones * others))
            assert abs(end - area) == pytest.approx(1.959964 * deviation, rel=1e-6)
    low, high = auc.area_interval(1.0, 10, 10)
    assert low < 0.95
    assert high == 1.0
    wide, narrow = (auc.area_interval(0.8, n, n) for n in (20, 2_000))
    assert narrow[1] - narrow[0] < 0.2 * (wide[1] - wide[0])
    with pytest.raises(InvalidInput, match="positive test records is 0"):
        auc.area_interval(0.8, 0, 10)
