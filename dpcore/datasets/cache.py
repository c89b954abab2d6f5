"""The folder for what can be had again: downloads, and arrays that took long to compute.

It is this user's cache folder, or the one that the environment variable DPCORE_CACHE names. An
array is filed under a digest of everything it was computed from, so it is never taken for another
one; those unused for longest go when all together take too much room.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

VARIABLE = "DPCORE_CACHE"
MOST_BYTES = 2_000_000_000
"""Of all arrays together: MNIST's scattering features take 0.6 GB."""


def folder() -> Path:
    """Where it is; not made until something is put there."""
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("epsilon-explorer"))


def digest(*parts: NDArray[Any] | bytes | str) -> str:
    """SHA-256 of arrays (shape, type and entries), bytes and texts in this order."""
    whole = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            plain = np.ascontiguousarray(part)
            whole.update(f"{plain.shape} {plain.dtype.str} ".encode())
            whole.update(plain.data)
        else:
            data = part.encode() if isinstance(part, str) else part
            whole.update(f"{len(data)} ".encode())
            whole.update(data)
    return whole.hexdigest()


def array(kind: str, key: str, compute: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    """The array of that name from the cache, where `compute` puts it first if it is not there.

    Parameters
    ----------
    kind : str
        What it is, for the file's name: "scattering".
    key : str
        From `digest`, of all that it was computed from.
    compute : callable
        Gives the array. It is asked too when the file is damaged.
    """
    path = folder() / "arrays" / f"{kind}-{key[:32]}.npz"
    with suppress(OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        # Opened here, because NumPy leaves a damaged file open.
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            found: NDArray[Any] = file["values"]
        path.touch()
        return found
    values = compute()
    # A full or read-only disk costs time, never the answer.
    with suppress(OSError):
        _keep(path, values)
    return values


def _keep(path: Path, values: NDArray[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, values=values)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    prune(path.parent, MOST_BYTES, keep=path)


def prune(where: Path, most_bytes: int, keep: Path | None = None) -> None:
    """Remove the oldest files of a folder until the rest takes at most `most_bytes`.

    Parameters
    ----------
    where : Path
        The folder; its files are looked at, not its folders' files.
    most_bytes : int
        Of all files together.
    keep : Path, optional
        A file that stays whatever its size.
    """
    files = []
    for path in where.iterdir():
        with suppress(FileNotFoundError):  # another process may remove its own meanwhile
            files.append((path.stat().st_mtime_ns, path.stat().st_size, path))
    kept = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if kept <= most_bytes:
            return
        if path != keep:
            path.unlink(missing_ok=True)
            kept -= size
