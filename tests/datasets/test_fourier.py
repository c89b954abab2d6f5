"""Random Fourier features: rows of norm 1 whose products are the Gaussian kernel's."""

import numpy as np
import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.datasets.fourier import fourier_names, frequencies, random_fourier
from dpcore.errors import InvalidInput


def rows(count, columns, seed=0):
    result = np.random.default_rng(seed).normal(size=(count, columns))
    return result / np.linalg.norm(result, axis=1, keepdims=True)


@pytest.mark.parametrize("bandwidth", [0.3, 1.0, 4.0])
def test_products_are_the_kernels_up_to_the_error_of_the_draw(bandwidth):
    x = rows(40, 6)
    features = 4_096
    made = random_fourier(x, features, bandwidth)
    distance = np.linalg.norm(x[:, None] - x[None], axis=2)
    kernel = np.exp(-(distance**2) / (2.0 * bandwidth**2))
    # Each product is a mean of D/2 cosines; five standard errors at most.
    assert np.abs(made @ made.T - kernel).max() < 5.0 / np.sqrt(features)
    # A bandwidth off by a fifth would be seen, where the kernel is neither 0 nor 1.
    if bandwidth == 1.0:
        wrong = np.exp(-(distance**2) / (2.0 * (1.2 * bandwidth) ** 2))
        assert np.abs(made @ made.T - wrong).max() > 5.0 / np.sqrt(features)


@pytest.mark.parametrize("features", [2, 16, 1_000])
def test_every_row_has_norm_one_and_a_blank_one_stays_blank(features):
    x = rows(30, 5)
    x[7] = 0.0
    lengths = np.linalg.norm(random_fourier(x, features, 0.5), axis=1)
    assert lengths[7] == 0.0
    assert np.delete(lengths, 7) == pytest.approx(1.0, abs=1e-12)


def test_a_row_depends_on_its_own_record_and_on_no_other():
    x = rows(10, 4)
    other = x.copy()
    other[3] = rows(1, 4, seed=9)
    here, there = random_fourier(x, 32, 0.5), random_fourier(other, 32, 0.5)
    changed = np.any(here != there, axis=1)
    assert changed.tolist() == [i == 3 for i in range(10)]
    assert np.allclose(random_fourier(x[:4], 32, 0.5), here[:4], atol=1e-15)


def test_the_frequencies_are_drawn_without_data_and_more_of_them_refine_fewer():
    assert np.array_equal(frequencies(5, 8, 1.0), frequencies(5, 32, 1.0)[:, :4])
    assert np.array_equal(frequencies(5, 8, 0.5), 2.0 * frequencies(5, 8, 1.0))
    assert fourier_names(4) == ["cosine 1", "cosine 2", "sine 1", "sine 2"]


@pytest.mark.parametrize("dataset", ["breast_cancer", "diabetes"])
def test_they_are_a_way_to_prepare_any_set(dataset):
    plain = prepare(load(dataset), Preparation())
    made = prepare(load(dataset), Preparation(features="fourier", fourier_features=64))
    assert made.x_train.shape == (plain.records, 64)
    assert made.dimension == 64
    assert len(made.x_test) == len(plain.x_test)
    assert np.array_equal(made.y_train, plain.y_train)
    lengths = np.linalg.norm(made.x_train, axis=1)
    assert lengths.max() <= 1.0
    assert lengths.min() > 1.0 - 1e-6
    assert made.leaks == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"features": "wave"}, "features is 'wave', but it must be one of plain, additive"),
        ({"fourier_features": 7}, "fourier_features is 7, but it must be even"),
        ({"fourier_features": 0}, "fourier_features is 0, but it must be"),
        ({"bandwidth": 0.0}, "bandwidth is 0, but it must be"),
    ],
)
def test_bad_settings_are_refused(change, words):
    with pytest.raises(InvalidInput, match=words):
        Preparation(**change)
