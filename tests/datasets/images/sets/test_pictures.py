"""Small pictures: files made up and real, and the digits against scikit-learn's own reader."""

import gzip
import io
import os
import pickle
import struct
import tarfile

import numpy as np
import pytest
from scipy.io import savemat

from dpcore.datasets import DataUnavailable, images
from dpcore.datasets.images.sets import pictures
from dpcore.errors import InvalidInput


def test_they_are_scikit_learns():
    from sklearn.datasets import load_digits

    result, reference = images.load("digits"), load_digits()
    inputs = np.concatenate([result.train_inputs, result.test_inputs])[:, 0]
    assert np.array_equal(inputs * 16, reference.images)
    targets = np.concatenate([result.train_targets, result.test_targets])
    assert np.array_equal(targets, reference.target)


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
    result = pictures.decode_mnist(files)
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


BATCHES = [f"data_batch_{number}" for number in range(1, 6)] + ["test_batch"]


def text(value):
    """A Python 2 text in a pickle of protocol 2."""
    return b"T" + struct.pack("<i", len(value)) + value


def whole(value):
    return b"J" + struct.pack("<i", value)


def python_2_batch(pixels, labels):
    """A batch as Python 2's pickle writes a dictionary with an array of bytes."""
    array = (
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n"
        + b"(" + whole(0) + b"t" + text(b"b") + b"tR"
        + b"(" + whole(1) + b"(" + b"".join(map(whole, pixels.shape)) + b"t"
        + b"cnumpy\ndtype\n(" + text(b"u1") + whole(0) + whole(1) + b"tR"
        + b"(" + whole(3) + text(b"|") + b"NNN" + whole(-1) + whole(-1) + whole(0) + b"tb"
        + b"I00\n" + text(pixels.tobytes()) + b"tb"
    )  # fmt: skip
    listed = b"](" + b"".join(whole(int(label)) for label in labels) + b"e"
    return b"\x80\x02}(" + text(b"data") + array + text(b"labels") + listed + b"u."


def archive(batches):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, data in batches.items():
            member = tarfile.TarInfo(f"cifar-10-batches-py/{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return packed.getvalue()


def made_up(count=3):
    draw = np.random.default_rng(2)
    pixels = {n: draw.integers(0, 256, (count, 3072), dtype=np.uint8) for n in BATCHES}
    return pixels, {name: draw.integers(0, 10, count) for name in BATCHES}


def whole_archive(**changed):
    pixels, labels = made_up()
    batches = {name: python_2_batch(pixels[name], labels[name]) for name in BATCHES}
    return archive(batches | changed)


def test_the_six_batches_become_examples():
    pixels, labels = made_up()
    result = pictures.decode_cifar10(whole_archive())
    assert result.train_inputs.shape == (15, 3, 32, 32)
    assert np.array_equal(result.train_targets[3:6], labels["data_batch_2"])
    assert np.array_equal(result.test_targets, labels["test_batch"])
    # A row holds all red values, then all green, then all blue, each by rows of the image.
    assert result.train_inputs[4, 2, 5, 7] == np.float32(
        pixels["data_batch_2"][1, 2 * 1024 + 5 * 32 + 7]
    ) / np.float32(255)


class Harmful:
    def __init__(self, place):
        self.place = place

    def __reduce__(self):
        return os.mkdir, (str(self.place),)


def test_a_pickle_that_would_run_something_is_refused_and_runs_nothing(tmp_path):
    place = tmp_path / "made"
    harmful = pickle.dumps({"data": Harmful(place), "labels": [0]}, protocol=2)
    with pytest.raises(InvalidInput, match="a batch is not an array with labels"):
        pictures.decode_cifar10(whole_archive(data_batch_3=harmful))
    assert not place.exists()
    pickle.loads(harmful)  # it would have
    assert place.exists()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no archive", "lacks one of the six batches"),
        (archive({"data_batch_1": b""}), "lacks one of the six batches"),
        (whole_archive(test_batch=b""), "lacks one of the six batches"),
        (whole_archive(test_batch=b"text"), "a batch is not"),
        (
            whole_archive(test_batch=python_2_batch(np.zeros((3, 5), np.uint8), np.zeros(3))),
            "a batch is not",
        ),
    ],
)
def test_other_archives_are_refused(data, reason):
    with pytest.raises(InvalidInput, match=reason):
        pictures.decode_cifar10(data)


def test_the_checksum_comes_before_the_pickle(monkeypatch, tmp_path):
    monkeypatch.setenv("DPCORE_DATA", str(tmp_path))
    (tmp_path / "cifar10").mkdir()
    (tmp_path / pictures.CIFAR10_ENTRY.files[0].path).write_bytes(whole_archive())
    monkeypatch.setattr(pictures, "decode_cifar10", lambda data: pytest.fail("it was read"))
    with pytest.raises(DataUnavailable, match="not the published one"):
        images.load("cifar10")


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
    result = pictures.decode_svhn((written(12), written(5)))
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
        pictures.decode_svhn((written(4), data))
