"""SVHN's MATLAB files, written here."""

import io

import numpy as np
import pytest
from scipy.io import savemat

from dpcore.datasets.images.sets import svhn
from dpcore.errors import InvalidInput


def written(count, **changed):
    draw = np.random.default_rng(count)
    arrays = {
        "X": draw.integers(0, 256, (32, 32, 3, count), dtype=np.uint8),
        "y": (1 + np.arange(count) % 10).astype(np.uint8)[:, np.newaxis],
    }
    file = io.BytesIO()
    savemat(file, {k: v for k, v in (arrays | changed).items() if v is not None})
    return file.getvalue()


def test_two_files_become_examples_and_ten_means_zero():
    result = svhn.decode((written(12), written(5)))
    assert result.train_inputs.shape == (12, 3, 32, 32)
    assert result.test_inputs.shape == (5, 3, 32, 32)
    assert result.train_targets.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2]
    pixels = np.random.default_rng(12).integers(0, 256, (32, 32, 3, 12), dtype=np.uint8)
    assert result.train_inputs[7, 2, 5, 9] == np.float32(pixels[5, 9, 2, 7]) / np.float32(255)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no matlab file", "arrays X and y"),
        (written(4, y=None), "arrays X and y"),
        (written(4, X=np.zeros((32, 32, 3, 4))), "float64"),
        (written(4, X=np.zeros((32, 32, 3, 3), np.uint8)), "for 4 digits"),
        (written(4, X=np.zeros((28, 28, 1, 4), np.uint8)), r"\(28, 28, 1, 4\)"),
    ],
)
def test_other_files_are_refused_by_name(data, reason):
    with pytest.raises(InvalidInput, match=rf"test_32x32\.mat .*{reason}"):
        svhn.decode((written(4), data))
