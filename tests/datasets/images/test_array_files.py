"""Readers of idx and .npz files on files written here, right and wrong."""

import gzip
import io
import struct
import zipfile

import numpy as np
import pytest

from dpcore.datasets.images import array_files
from dpcore.errors import InvalidInput

IMAGES = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)


def written(values, kind=8, claimed=None):
    shape = claimed or values.shape
    header = struct.pack(f">HBB{len(shape)}I", 0, kind, len(shape), *shape)
    return gzip.compress(header + values.tobytes(), mtime=0)


def test_what_was_written_is_read():
    assert np.array_equal(array_files.read_idx(written(IMAGES), "images.gz", 3), IMAGES)
    assert np.array_equal(array_files.read_idx(written(IMAGES[0, 0]), "labels.gz", 1), IMAGES[0, 0])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a gzip file"),
        (b"no gzip file", "not a gzip file"),
        (written(IMAGES)[:-9], "not a gzip file"),
        (gzip.compress(b"\0\0", mtime=0), "not a gzip file"),
        (written(IMAGES, kind=13), "unsigned bytes in 3 dimensions"),
        (written(IMAGES[0]), "unsigned bytes in 3 dimensions"),
        (written(IMAGES, claimed=(2, 3, 5)), "as many as its header says"),
        (written(IMAGES, claimed=(2**32 - 1,) * 3), "as many as its header says"),
    ],
)
def test_other_files_are_refused_by_name(data, reason):
    with pytest.raises(InvalidInput, match=reason) as refused:
        array_files.read_idx(data, "images.gz", 3)
    assert str(refused.value).startswith("'images.gz' is not")


ROWS = np.arange(12.0).reshape(3, 4)


def saved(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def one_array(data):
    """An .npz file whose array `rows` is these bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("rows.npy", data)
    return file.getvalue()


def array_file(values):
    file = io.BytesIO()
    np.save(file, values, allow_pickle=True)
    return file.getvalue()


@pytest.mark.parametrize(
    "values",
    [
        ROWS,
        np.asfortranarray(ROWS),
        ROWS.astype(">f4"),
        np.array(["edema", "no finding"]),
        np.array(3),
        np.zeros((0, 5), np.uint8),
    ],
)
def test_arrays_come_back_as_they_were_saved(values):
    result = array_files.read_npz(
        saved(rows=values, more=ROWS), "a.npz", ("rows",), ("names", "more")
    )
    assert list(result) == ["rows", "more"]
    assert result["rows"].dtype == values.dtype
    assert np.array_equal(result["rows"], values)


def with_sides(*sides):
    """An array's file of these sides and without entries."""
    file = io.BytesIO()
    said = {"descr": "<f8", "fortran_order": False, "shape": sides}
    np.lib.format.write_array_header_1_0(file, said)
    return file.getvalue()


def nested(depth):
    head = b"(" * depth + b")" * depth
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head


def damaged():
    data = bytearray(one_array(array_file(ROWS)))
    data[150] ^= 1  # within the entries: the archive's own checksum notices
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (saved(more=ROWS), r"'a\.npz' has no array called rows, but it must have"),
        (saved(rows=np.array([{"a": 1}, None])), "holds Python objects"),
        *(
            (one_array(array_file(ROWS).replace(b"(3, 4), }", sides)), "as many entries as its")
            for sides in (b"(3, 4000000000000), }", b"(-3, -4), }")
        ),
        *((one_array(with_sides(0, side)), "as many entries") for side in (2**62, 2**63, 10**30)),
        *((one_array(data), "not an array in NumPy's") for data in (nested(150), nested(3_000))),
        (one_array(b"text"), "not an array in NumPy's format"),
        (damaged(), "can be read"),
        *(
            (data, r"'a\.npz' is not an \.npz file that can be read")
            for data in (b"", b"text", array_file(ROWS), saved(rows=ROWS)[:-30])
        ),
    ],
)
def test_a_hostile_or_damaged_file_is_refused(data, reason):
    with pytest.raises(InvalidInput, match=reason):
        array_files.read_npz(data, "a.npz", ("rows",))


@pytest.mark.slow("reads large or many files")
def test_what_strangers_hand_in_has_room_of_a_few_hundred_megabytes():
    assert array_files.LARGEST <= 400_000_000
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rows.npy", array_file(np.zeros((50_000_000, 1), np.float64)))
    assert len(file.getvalue()) < 500_000
    with pytest.raises(InvalidInput, match="bytes unpacked, but it must have at most"):
        array_files.read_npz(file.getvalue(), "a.npz", ("rows",))
