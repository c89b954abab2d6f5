"""The careful .npz reader on files written here, right and wrong."""

import io
import zipfile

import numpy as np
import pytest

from dpcore.datasets.images import npz
from dpcore.errors import InvalidInput

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
    result = npz.read(saved(rows=values, more=ROWS), "a.npz", ("rows",), ("names", "more"))
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
        npz.read(data, "a.npz", ("rows",))


@pytest.mark.slow("reads large or many files")
def test_what_strangers_hand_in_has_room_of_a_few_hundred_megabytes():
    assert npz.LARGEST <= 400_000_000
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rows.npy", array_file(np.zeros((50_000_000, 1), np.float64)))
    assert len(file.getvalue()) < 500_000
    with pytest.raises(InvalidInput, match="bytes unpacked, but it must have at most"):
        npz.read(file.getvalue(), "a.npz", ("rows",))
