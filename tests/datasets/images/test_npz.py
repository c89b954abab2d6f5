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
    result = npz.read(saved(rows=values, more=ROWS), "a.npz", ("rows",))
    assert list(result) == ["rows"]
    assert result["rows"].dtype == values.dtype
    assert np.array_equal(result["rows"], values)


def test_optional_arrays_are_there_when_they_are_there():
    data = saved(rows=ROWS, names=np.array(["a"]))
    assert set(npz.read(data, "a.npz", ("rows",), ("names", "more"))) == {"rows", "names"}


def test_a_missing_array_is_named():
    with pytest.raises(InvalidInput, match=r"'a\.npz' has no array called more, but it must have"):
        npz.read(saved(rows=ROWS), "a.npz", ("rows", "more"))


def test_python_objects_are_never_unpickled():
    with pytest.raises(InvalidInput, match="holds Python objects"):
        npz.read(saved(rows=np.array([{"a": 1}, None])), "a.npz", ("rows",))


def test_a_header_that_promises_more_than_there_is_makes_no_room_for_it():
    huge = array_file(ROWS).replace(b"(3, 4), }", b"(3, 4000000000000), }")
    with pytest.raises(InvalidInput, match="as many entries as its header says"):
        npz.read(one_array(huge), "a.npz", ("rows",))
    negative = array_file(ROWS).replace(b"(3, 4), }", b"(-3, -4), }")
    with pytest.raises(InvalidInput, match="as many entries as its header says"):
        npz.read(one_array(negative), "a.npz", ("rows",))


@pytest.mark.parametrize("side", [2**62, 2**63, 10**30])
def test_a_side_that_no_array_can_have_is_refused_where_there_are_no_entries(side):
    file = io.BytesIO()
    said = {"descr": "<f8", "fortran_order": False, "shape": (0, side)}
    np.lib.format.write_array_header_1_0(file, said)
    with pytest.raises(InvalidInput, match="as many entries as its header says"):
        npz.read(one_array(file.getvalue()), "a.npz", ("rows",))


@pytest.mark.parametrize("depth", [150, 3_000])
def test_a_header_nested_beyond_reason_is_refused(depth):
    head = b"(" * depth + b")" * depth
    data = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head
    with pytest.raises(InvalidInput, match="not an array in NumPy's format"):
        npz.read(one_array(data), "a.npz", ("rows",))


@pytest.mark.slow("reads large or many files")
def test_what_strangers_hand_in_has_room_of_a_few_hundred_megabytes():
    assert npz.LARGEST <= 400_000_000
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rows.npy", array_file(np.zeros((50_000_000, 1), np.float64)))
    assert len(file.getvalue()) < 500_000
    with pytest.raises(InvalidInput, match="bytes unpacked, but it must have at most"):
        npz.read(file.getvalue(), "a.npz", ("rows",))


def test_headers_are_looked_at_before_any_entry(monkeypatch):
    def refuse(headers):
        assert headers["rows"].shape == (3, 4)
        assert headers["rows"].kind == np.float64
        raise InvalidInput("not these")

    monkeypatch.setattr(np, "frombuffer", lambda *given: pytest.fail("entries were read"))
    with pytest.raises(InvalidInput, match="not these"):
        npz.read(saved(rows=ROWS), "a.npz", ("rows",), check=refuse)


@pytest.mark.parametrize("data", [b"", b"text", array_file(ROWS), saved(rows=ROWS)[:-30]])
def test_what_is_no_npz_file_is_refused(data):
    with pytest.raises(InvalidInput, match=r"'a\.npz' is not an \.npz file that can be read"):
        npz.read(data, "a.npz", ("rows",))


def test_an_array_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="not an array in NumPy's format"):
        npz.read(one_array(b"text"), "a.npz", ("rows",))


def test_a_damaged_array_is_refused():
    data = bytearray(one_array(array_file(ROWS)))
    data[150] ^= 1  # within the entries: the archive's own checksum notices
    with pytest.raises(InvalidInput, match="can be read"):
        npz.read(bytes(data), "a.npz", ("rows",))


def test_more_than_the_limit_is_refused_before_it_is_unpacked(monkeypatch):
    monkeypatch.setattr(npz, "LARGEST", 1_000)
    data = saved(rows=np.zeros(1_000))
    assert len(data) < 1_000
    with pytest.raises(InvalidInput, match="must have at most 1,000"):
        npz.read(data, "a.npz", ("rows",))
