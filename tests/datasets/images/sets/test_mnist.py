"""MNIST's four files, made up and real."""

import gzip
import struct

import numpy as np
import pytest

from dpcore.datasets import images
from dpcore.datasets.images.sets import mnist


def packed(values):
    header = struct.pack(f">HBB{values.ndim}I", 0, 8, values.ndim, *values.shape)
    return gzip.compress(header + values.tobytes())


def four_files(count=6):
    draw = np.random.default_rng(0)
    files = []
    for records in (count, count // 2):
        files.append(packed(draw.integers(0, 256, (records, 28, 28), dtype=np.uint8)))
        files.append(packed(draw.integers(0, 10, records, dtype=np.uint8)))
    return tuple(files)


def test_four_files_become_examples():
    files = four_files()
    result = mnist.decode(files)
    assert result.train_inputs.shape == (6, 1, 28, 28)
    assert result.test_inputs.shape == (3, 1, 28, 28)
    pixels = np.frombuffer(gzip.decompress(files[0]), np.uint8, offset=16).reshape(6, 28, 28)
    assert np.allclose(result.train_inputs[:, 0] * 255, pixels)


@pytest.mark.slow("reads large or many files")
def test_the_real_files_have_the_published_counts(data_folder, monkeypatch):
    monkeypatch.setenv("DPCORE_DATA", str(data_folder))
    if images.availability("mnist") != "local":
        pytest.skip("mnist is not in the folder")
    result = images.load("mnist")
    assert np.bincount(result.train_targets).tolist() == [
        5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949,
    ]  # fmt: skip
    assert np.bincount(result.test_targets).tolist() == [
        980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009,
    ]  # fmt: skip
    # The mean that public code quotes for the training images.
    assert result.train_inputs.mean() == pytest.approx(0.1307, abs=5e-5)
