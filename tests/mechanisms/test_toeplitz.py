"""The optimal Toeplitz factorisation of prefix sums: its product, its error, its noise."""

import numpy as np
import pytest

from dpcore.errors import InvalidInput
from dpcore.mechanisms import toeplitz


def matrix(steps):
    c = toeplitz.coefficients(steps)
    return np.array([[c[i - j] if i >= j else 0.0 for j in range(steps)] for i in range(steps)])


@pytest.mark.slow("draws many samples")
@pytest.mark.parametrize("steps", [1, 2, 7, 300])
def test_it_is_a_square_root_of_the_prefix_sums(steps):
    root = matrix(steps)
    assert root @ root == pytest.approx(np.tril(np.ones((steps, steps))), abs=1e-12)
    norms = np.linalg.norm(root, axis=0)
    assert norms.max() <= toeplitz.column_norm(steps)
    assert toeplitz.column_norm(steps) == pytest.approx(norms[0], rel=1e-12)


@pytest.mark.parametrize("shape", [(1, 2), (6,), (50, 3), (128, 2, 2)])
def test_the_transforms_give_the_product(shape):
    noise = np.random.default_rng(1).normal(size=shape)
    expected = np.tensordot(matrix(shape[0]), noise, axes=1)
    assert toeplitz.correlated(noise) == pytest.approx(expected, abs=1e-12)


def test_steps_are_checked():
    with pytest.raises(InvalidInput, match="steps T is 0, but it must be"):
        toeplitz.column_norm(0)
