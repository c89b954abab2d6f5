"""The cache folder: downloads, and arrays that took long to compute.

The folder is this user's, or DPCORE_CACHE; only this user can read its files, as they may have been
computed from records. An array is filed under a digest of all that it was computed from; the least
recently used go when room is short. Without a writable folder a private one serves until the
program ends.
"""

from __future__ import annotations

import atexit
import errno
import hashlib
import os
import shutil
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.settings import CACHE

ARRAYS = "arrays"
MAX_BYTES = 2_000_000_000
"""Limit for all arrays together; MNIST's scattering features take 0.6 GB."""
ROOM = 20_000_000
"""Bytes that must be free; with fewer the disk counts as full."""
MEMORY = "/dev/shm"
"""Linux keeps these files in memory, so they can be written even if every disk is full."""
LOOK_SECONDS = 10.0
FULL = (errno.ENOSPC, errno.EDQUOT)

_private: Path | None = None
_last_check: tuple[float, Path, str] | None = None


def folder() -> Path:
    """The cache folder; it is created when something is first written to it."""
    if CACHE.path:
        return CACHE.path
    import platformdirs

    return Path(platformdirs.user_cache_dir("epsilon-explorer"))


def place(name: str = "") -> Path:
    """A folder of this name in the cache, or else a private one; OSError if neither works."""
    try:
        return _writable(folder(), name)
    except OSError:
        return _writable(_private_folder(), name)


def places(name: str) -> list[Path]:
    """The paths that a folder of the cache may have: in the cache, and in the private folder."""
    return [parent / name for parent in (folder(), _private) if parent is not None]


def path_of(name: str) -> Path:
    """The path of a file in the cache, or in the private folder; the file may not exist."""
    path = folder() / name
    if _private is not None and not os.path.exists(path) and os.path.exists(_private / name):
        return _private / name
    return path


def lend(where: Path) -> None:
    """Use another process's private folder as one's own, if it wrote there."""
    global _private
    if where != folder():
        _private = where


def complaint() -> str:
    """Why nothing can be stored, in one sentence; empty if it can. Checked every few seconds."""
    global _last_check
    now, cache_folder = time.monotonic(), folder()
    if (
        _last_check is None
        or _last_check[1] != cache_folder
        or now - _last_check[0] >= LOOK_SECONDS
    ):
        message = ""
        try:
            _writable(cache_folder, "")
        except OSError as error:
            message = sentence(error)
        _last_check = now, cache_folder, message
    return _last_check[2]


def sentence(error: OSError) -> str:
    """One sentence: what is wrong with the cache, and what to do."""
    if error.errno in FULL:
        return (
            "Nothing can be kept for later because the disk is full: free some room, or name a "
            f"folder on another disk in the environment variable {CACHE.name}."
        )
    return (
        f"Nothing can be kept for later because the cache folder cannot be written to "
        f"({error.strerror or type(error).__name__}): name one that can in the environment "
        f"variable {CACHE.name}."
    )


def _writable(parent: Path, name: str) -> Path:
    """The folder, created if need be, after a test that it can be written to and has space left."""
    if str(parent).startswith("~"):
        raise FileNotFoundError(errno.ENOENT, "there is no home folder")
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if name:
        (parent / name).mkdir(mode=0o700, exist_ok=True)
        with suppress(OSError):  # made by an earlier release; somebody else's stays as it is
            os.chmod(parent / name, 0o700)
    handle, probe = tempfile.mkstemp(dir=parent / name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(bytes(4_096))
        if shutil.disk_usage(parent).free < ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.unlink(probe)
    return parent / name


def _private_folder() -> Path:
    global _private
    if _private is None or not _private.is_dir():
        path = Path(tempfile.mkdtemp(prefix="epsilon-explorer-", dir=_temporary_folder()))
        atexit.register(shutil.rmtree, path, ignore_errors=True)
        _private = path
    return _private


def _temporary_folder() -> Path:
    try:
        default = Path(tempfile.gettempdir())
        if shutil.disk_usage(default).free >= ROOM:
            return default
    except OSError:
        pass
    return Path(MEMORY)


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
    """The array filed under a digest of all that it comes from; computed if missing or damaged."""
    path = _array_path(kind, key)
    with suppress(OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        # Opened here, because NumPy leaves a damaged file open.
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            stored: NDArray[Any] = file["values"]
        with suppress(OSError):  # the folder may be read-only
            path.touch()
        return stored
    values = compute()
    # A full or read-only disk costs time, never the answer.
    with suppress(OSError):
        _writable(folder(), ARRAYS)
        write(path, lambda file: np.savez(file, values=values))
        prune(path.parent, MAX_BYTES, keep=path)
    return values


def has_array(kind: str, key: str) -> bool:
    """Whether `array` has stored one of that name."""
    return _array_path(kind, key).exists()


def _array_path(kind: str, key: str) -> Path:
    return folder() / ARRAYS / f"{kind}-{key[:32]}.npz"


def write(path: Path, put: Callable[[IO[bytes]], object], prefix: str = "tmp") -> None:
    """Write a file that only this user can read: others see it old or new, never half."""
    handle, temporary = tempfile.mkstemp(prefix=prefix, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            put(file)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def prune(where: Path, most_bytes: int, keep: Path | None = None) -> None:
    """Remove the oldest files of a folder, not of its subfolders, until `most_bytes` suffice."""
    files = []
    for path in where.iterdir():
        with suppress(FileNotFoundError):  # another process may remove its own meanwhile
            files.append((path.stat().st_mtime_ns, path.stat().st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= most_bytes:
            return
        if path != keep:
            path.unlink(missing_ok=True)
            total -= size
