"""What a process holds: how much memory, and whether some bytes are anywhere in it."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
import pytest

needed = pytest.mark.skipif(
    not Path("/proc/self/mem").exists(), reason="looks into /proc, which only Linux has"
)
BLOCK = 16_000_000
PAGE = mmap.PAGESIZE


def resident(pid: int, most: bool = False) -> float:
    """Megabytes that are in memory now, or the most that ever were since `begin`."""
    name = "VmHWM" if most else "VmRSS"
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1_000


def begin(pid: int) -> float:
    """Count the most from now on; what is in memory now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return resident(pid)


def holds(pid: int, wanted: bytes) -> bool:
    """Whether the bytes are anywhere in what the process can read."""
    maps = Path(f"/proc/{pid}/maps").read_text("utf-8").splitlines()
    with (
        open(f"/proc/{pid}/mem", "rb", buffering=0) as memory,
        open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pages,
    ):
        for line in maps:
            span, rights, _, _, inode, *name = line.split(maxsplit=5)
            written = "w" in rights or inode == "0"
            if "r" not in rights or not written or (name and name[0].startswith("[v")):
                continue
            place, end = (int(address, 16) for address in span.split("-"))
            if any(_found(memory, wanted, *part) for part in _filled(pages, place, end)):
                return True
    return False


def _filled(pages: IO[bytes], place: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts that are in memory or swapped out: most of what is reserved was never written."""
    pages.seek(place // PAGE * 8)
    there = np.frombuffer(pages.read((end - place) // PAGE * 8), np.uint64) >> np.uint64(62) > 0
    edges = np.flatnonzero(np.diff(there, prepend=False, append=False))
    for first, last in edges.reshape(-1, 2).tolist():
        yield place + first * PAGE, place + last * PAGE


def _found(memory: IO[bytes], wanted: bytes, place: int, end: int) -> bool:
    before = b""
    while place < end:
        try:
            memory.seek(place)
            actual = memory.read(min(BLOCK, end - place))
        except OSError:  # it is no longer there
            return False
        if wanted in before + actual:
            return True
        if not actual:
            return False
        before = actual[-len(wanted) :]
        place += len(actual)
    return False


def on_disk(wanted: bytes, *folders: Path, since: float = 0.0) -> list[Path]:
    """The files in these folders, and in that for temporary ones, that hold the bytes."""
    actual = []
    for folder in (*folders, Path(tempfile.gettempdir())):
        for where, _, names in os.walk(folder):
            for path in (Path(where) / name for name in names):
                try:
                    new = path.stat().st_mtime >= since and path.is_file()
                    if new and wanted in path.read_bytes():
                        actual.append(path)
                except OSError:
                    continue
    return actual
