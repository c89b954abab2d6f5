"""The folder for what can be had again: downloads, and arrays that took long to compute.

It is this user's cache folder, or the one that the environment variable DPCORE_CACHE names. An
array is filed under a digest of everything it was computed from, so it is never taken for another
one; those unused for longest go when all together take too much room. Nobody but this user can read
what lies here: it may have been computed from records.

Where that folder cannot be written to, what has to be a file lies in a private one until the
program ends, and arrays are computed again each time.
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

VARIABLE = "DPCORE_CACHE"
ARRAYS = "arrays"
MOST_BYTES = 2_000_000_000
"""Of all arrays together: MNIST's scattering features take 0.6 GB."""
ROOM = 20_000_000
"""Bytes that have to be free for the disk not to count as full."""
MEMORY = "/dev/shm"
"""Where there are files on Linux even if every disk is full."""
LOOK_SECONDS = 10.0
FULL = (errno.ENOSPC, errno.EDQUOT)

_private: Path | None = None
_looked: tuple[float, Path, str] | None = None


def folder() -> Path:
    """Where it is; not made until something is put there."""
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        return Path(os.path.expanduser(named))
    import platformdirs

    return Path(platformdirs.user_cache_dir("epsilon-explorer"))


def place(name: str = "") -> Path:
    """A folder to write in, which only this user can read: in the cache, or else a private one.

    Parameters
    ----------
    name : str
        Of the folder within the cache; empty for the cache itself.

    Raises
    ------
    OSError
        If nothing can be written anywhere.
    """
    try:
        return _made(folder(), name)
    except OSError:
        return _made(_own(), name)


def places(name: str) -> list[Path]:
    """Where a folder of the cache may be: in it, and in the private folder."""
    return [where / name for where in (folder(), _private) if where is not None]


def found(name: str) -> Path:
    """Where a file of the cache lies: in it, or in the private folder; it need not be there."""
    here = folder() / name
    if _private is not None and not os.path.exists(here) and os.path.exists(_private / name):
        return _private / name
    return here


def lend(where: Path) -> None:
    """Take another process's private folder for one's own, where that is what it wrote in."""
    global _private
    if where != folder():
        _private = where


def complaint() -> str:
    """Why nothing can be kept, in one sentence; empty where it can. Looked at now and then."""
    global _looked
    now, where = time.monotonic(), folder()
    if _looked is None or _looked[1] != where or now - _looked[0] >= LOOK_SECONDS:
        said = ""
        try:
            _made(where, "")
        except OSError as error:
            said = sentence(error)
        _looked = now, where, said
    return _looked[2]


def sentence(error: OSError) -> str:
    """What is wrong with the cache, and what to do."""
    if error.errno in FULL:
        return (
            "Nothing can be kept for later because the disk is full: free some room, or name a "
            f"folder on another disk in the environment variable {VARIABLE}."
        )
    return (
        f"Nothing can be kept for later because the cache folder cannot be written to "
        f"({error.strerror or type(error).__name__}): name one that can in the environment "
        f"variable {VARIABLE}."
    )


def _made(where: Path, name: str) -> Path:
    """The folder, made if need be, in which something has just been written and room is left."""
    if str(where).startswith("~"):
        raise FileNotFoundError(errno.ENOENT, "there is no home folder")
    where.mkdir(mode=0o700, parents=True, exist_ok=True)
    if name:
        (where / name).mkdir(mode=0o700, exist_ok=True)
        with suppress(OSError):  # made by an earlier release; somebody else's stays as it is
            os.chmod(where / name, 0o700)
    handle, probe = tempfile.mkstemp(dir=where / name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(bytes(4_096))
        if shutil.disk_usage(where).free < ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.unlink(probe)
    return where / name


def _own() -> Path:
    """The process's private folder, which goes when the process ends."""
    global _private
    if _private is None or not _private.is_dir():
        made = Path(tempfile.mkdtemp(prefix="epsilon-explorer-", dir=_elsewhere()))
        atexit.register(shutil.rmtree, made, ignore_errors=True)
        _private = made
    return _private


def _elsewhere() -> Path:
    """A folder for temporary files with room in it."""
    try:
        usual = Path(tempfile.gettempdir())
        if shutil.disk_usage(usual).free >= ROOM:
            return usual
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
    path = folder() / ARRAYS / f"{kind}-{key[:32]}.npz"
    with suppress(OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        # Opened here, because NumPy leaves a damaged file open.
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            kept: NDArray[Any] = file["values"]
        with suppress(OSError):  # of a folder that can only be read
            path.touch()
        return kept
    values = compute()
    # A full or read-only disk costs time, never the answer.
    with suppress(OSError):
        _made(folder(), ARRAYS)
        write(path, lambda file: np.savez(file, values=values))
        prune(path.parent, MOST_BYTES, keep=path)
    return values


def write(path: Path, put: Callable[[IO[bytes]], object], prefix: str = "tmp") -> None:
    """Write a file in one piece: a reader sees the old one or the new one, never half of it.

    Parameters
    ----------
    path : Path
        In a folder that is there. Only this user will be able to read the file.
    put : callable
        Given the open file.
    prefix : str
        What the temporary file's name begins with, which stays if the process is killed meanwhile.

    Raises
    ------
    OSError
        If it cannot be written; nothing is left of it.
    """
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
