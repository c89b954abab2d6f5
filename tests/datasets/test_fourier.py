"""Random Fourier features: rows of norm 1 whose products are the Gaussian kernel's."""

import numpy as np
import pytest

from dpcore.datasets.fourier import fourier_names, frequencies, random_fourier


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


def test_the_frequencies_are_drawn_without_data_and_more_of_them_refine_fewer():
    assert np.array_equal(frequencies(5, 8, 1.0), frequencies(5, 32, 1.0)[:, :4])
    assert np.array_equal(frequencies(5, 8, 0.5), 2.0 * frequencies(5, 8, 1.0))
    assert fourier_names(4) == ["cosine 1", "cosine 2", "sine 1", "sine 2"]
