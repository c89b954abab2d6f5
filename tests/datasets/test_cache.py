"""Arrays kept on disk: found again, recomputed when damaged, and not without end."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from dpcore.datasets import cache

VALUES = np.arange(6, dtype=np.float16).reshape(2, 3)


class Counted:
    def __init__(self, values: np.ndarray = VALUES) -> None:
        self.values, self.times = values, 0

    def __call__(self) -> np.ndarray:
        self.times += 1
        return self.values


def kept() -> list[Path]:
    return sorted((cache.folder() / "arrays").iterdir())


def test_an_array_is_computed_once() -> None:
    compute = Counted()
    first, second = (cache.array("squares", "key", compute) for _ in range(2))
    assert compute.times == 1
    assert np.array_equal(first, second)
    assert second.dtype == np.float16
    assert cache.array("cubes", "key", Counted(VALUES + 1))[0, 0] == 1


def test_a_damaged_file_is_computed_again() -> None:
    cache.array("squares", "key", Counted())
    (path,) = kept()
    for damage in (b"", b"text", path.read_bytes()[:-20]):
        path.write_bytes(damage)
        again = Counted()
        assert np.array_equal(cache.array("squares", "key", again), VALUES)
        assert again.times == 1


def test_a_folder_that_cannot_be_written_costs_time_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "a file").write_text("in the way")
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path / "a file" / "cache"))
    assert np.array_equal(cache.array("squares", "key", Counted()), VALUES)


def test_nothing_is_kept_of_a_computation_that_fails() -> None:
    def fail() -> np.ndarray:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.array("squares", "key", fail)
    assert not (cache.folder() / "arrays").exists()


def test_what_was_unused_for_longest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in range(3):
        cache.array("squares", f"key{place}", Counted())
        os.utime(kept()[-1], (place, place))
    cache.array("squares", "key0", Counted())  # used again
    monkeypatch.setattr(cache, "MOST_BYTES", 2 * kept()[0].stat().st_size)
    cache.array("squares", "key3", Counted())
    assert [path.name for path in kept()] == ["squares-key0.npz", "squares-key3.npz"]
    monkeypatch.setattr(cache, "MOST_BYTES", 0)
    cache.array("squares", "key4", Counted())
    assert [path.name for path in kept()] == ["squares-key4.npz"]


def test_a_digest_sees_entries_shape_type_and_where_one_part_ends() -> None:
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


def test_the_oldest_files_go_until_the_rest_fits(tmp_path: Path) -> None:
    for age, name in ((300, "old"), (200, "middle"), (100, "young")):
        (tmp_path / name).write_bytes(b"x" * 1_000)
        os.utime(tmp_path / name, (1_000 - age,) * 2)
    cache.prune(tmp_path, 3_000)
    assert {path.name for path in tmp_path.iterdir()} == {"old", "middle", "young"}
    cache.prune(tmp_path, 2_999)
    assert {path.name for path in tmp_path.iterdir()} == {"middle", "young"}
    cache.prune(tmp_path, 1_000, keep=tmp_path / "middle")
    assert {path.name for path in tmp_path.iterdir()} == {"middle"}
