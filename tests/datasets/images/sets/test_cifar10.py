"""CIFAR-10's archive, written here as Python 2 wrote the published one."""

import io
import os
import pickle
import struct
import tarfile

import numpy as np
import pytest

from dpcore.datasets import DataUnavailable, images
from dpcore.datasets.images.sets import cifar10
from dpcore.errors import InvalidInput

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
    result = cifar10.decode(whole_archive())
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
        cifar10.decode(whole_archive(data_batch_3=harmful))
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
        cifar10.decode(data)


def test_the_checksum_comes_before_the_pickle(monkeypatch, tmp_path):
    monkeypatch.setenv("DPCORE_DATA", str(tmp_path))
    (tmp_path / "cifar10").mkdir()
    (tmp_path / cifar10.ENTRY.files[0].path).write_bytes(whole_archive())
    monkeypatch.setattr(cifar10, "decode", lambda data: pytest.fail("it was read"))
    with pytest.raises(DataUnavailable, match="not the published one"):
        images.load("cifar10")
