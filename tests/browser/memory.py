"""How much memory a process takes, its confined processes, and which files hold some bytes."""

import os
import tempfile
from pathlib import Path

import pytest

needed = pytest.mark.skipif(
    not Path("/proc/self/mem").exists(), reason="looks into /proc, which only Linux has"
)


def resident(pid, most=False):
    """Megabytes that are in memory now, or the most that ever were since `begin`."""
    name = "VmHWM" if most else "VmRSS"
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1_000


def begin(pid):
    """Count the most from now on; what is in memory now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return resident(pid)


def confined(pid):
    """The processes in which a server has files read."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    processes = {int(child) for path in children for child in path.read_text("utf-8").split()}
    return {child for child in processes if b"dpcore.confined" in _command(child)}


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has ended
        return b""


def on_disk(wanted, *folders, since=0.0):
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
