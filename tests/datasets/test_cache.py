"""Arrays kept on disk: found again, recomputed when damaged, and not without end."""

import errno
import os

import numpy as np
import pytest

from dpcore.datasets import cache

VALUES = np.arange(6, dtype=np.float16).reshape(2, 3)


class Counted:
    def __init__(self, values=VALUES):
        self.values, self.times = values, 0

    def __call__(self):
        self.times += 1
        return self.values


def kept():
    return sorted((cache.folder() / "arrays").iterdir())


def test_an_array_is_computed_once():
    compute = Counted()
    first, second = (cache.array("squares", "key", compute) for _ in range(2))
    assert compute.times == 1
    assert np.array_equal(first, second)
    assert second.dtype == np.float16
    assert cache.array("cubes", "key", Counted(VALUES + 1))[0, 0] == 1


def test_a_damaged_file_is_computed_again():
    cache.array("squares", "key", Counted())
    (path,) = kept()
    for damage in (b"", b"text", path.read_bytes()[:-20]):
        path.write_bytes(damage)
        again = Counted()
        assert np.array_equal(cache.array("squares", "key", again), VALUES)
        assert again.times == 1


def test_what_was_unused_for_longest_goes_first(monkeypatch):
    for place in range(3):
        cache.array("squares", f"key{place}", Counted())
        os.utime(kept()[-1], (place, place))
    cache.array("squares", "key0", Counted())  # used again
    monkeypatch.setattr(cache, "MAX_BYTES", 2 * kept()[0].stat().st_size)
    cache.array("squares", "key3", Counted())
    assert [path.name for path in kept()] == ["squares-key0.npz", "squares-key3.npz"]
    monkeypatch.setattr(cache, "MAX_BYTES", 0)
    cache.array("squares", "key4", Counted())
    assert [path.name for path in kept()] == ["squares-key4.npz"]


def test_a_digest_sees_entries_shape_type_and_where_one_part_ends():
    parts = [
        (VALUES,),
        (VALUES.T,),
        (VALUES.reshape(3, 2),),
        (VALUES.astype(np.float32),),
        (VALUES + 1,),
        ("ab", "c"),
        ("a", "bc"),
        ("abc",),
        (),
    ]
    assert len({cache.digest(*each) for each in parts}) == len(parts)
    assert cache.digest(VALUES.T) == cache.digest(np.ascontiguousarray(VALUES.T))
    assert cache.digest(b"ab") == cache.digest("ab")


def test_where_the_cache_cannot_be_written_there_is_a_private_folder(monkeypatch, tmp_path):
    (tmp_path / "a file").write_text("in the way")
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path / "a file" / "cache"))
    where = cache.place("jobs")
    assert where.parent.name.startswith("epsilon-explorer-")
    assert [path.stat().st_mode & 0o777 for path in (where.parent, where)] == [0o700] * 2
    assert cache.place("jobs") == where
    (where / "a.csv").write_text("a")
    assert cache.path_of("jobs/a.csv") == where / "a.csv"
    assert cache.path_of("jobs/b.csv") == tmp_path / "a file" / "cache" / "jobs" / "b.csv"
    assert "DPCORE_CACHE" in cache.complaint()
    # Writable again, it is used again.
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path / "cache"))
    assert cache.place("jobs") == tmp_path / "cache" / "jobs"
    assert cache.complaint() == ""
    assert cache.path_of("jobs/a.csv") == where / "a.csv"


@pytest.mark.parametrize(
    "name", ["/proc/cache", "~nobody by that name/cache", "x" * 300, "/dev/null"]
)
def test_no_name_of_a_cache_is_an_error(monkeypatch, tmp_path, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPCORE_CACHE", name)
    assert cache.complaint().endswith("DPCORE_CACHE.")
    assert cache.complaint().count(".") == 1
    assert cache.place("jobs").is_dir()
    assert np.array_equal(cache.array("squares", "key", Counted()), VALUES)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_called_so_and_nothing_is_left(monkeypatch, tmp_path):
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "ROOM", 2**62)
    assert cache.complaint().startswith("Nothing can be kept for later because the disk is full:")
    with pytest.raises(OSError, match="No space left") as refused:
        cache.place("jobs")
    assert "the disk is full" in cache.sentence(refused.value)
    assert np.array_equal(cache.array("squares", "key", Counted()), VALUES)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_that_cannot_be_written_whole_leaves_nothing(tmp_path):
    def put(file):
        file.write(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(OSError, match="No space left"):
        cache.write(tmp_path / "a", put)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]
