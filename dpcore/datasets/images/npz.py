"""Arrays in .npz format, read without unpickling and without trusting a header's claim of size."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable, Mapping
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dpcore.datasets.text import quoted
from dpcore.errors import InvalidInput
from dpcore.words import spaced

LARGEST = 300_000_000
"""Bytes of all arrays unpacked, in a file from an unknown user."""
LARGEST_OWN = 4_000_000_000
"""The same in a file that the local user names."""


class Header(NamedTuple):
    """Shape and type of an array, from its header."""

    shape: tuple[int, ...]
    kind: np.dtype[Any]


Check = Callable[[Mapping[str, Header]], None]


def read(
    data: bytes,
    filename: str,
    wanted: tuple[str, ...],
    optional: tuple[str, ...] = (),
    check: Check = lambda headers: None,
    largest: int | None = None,
) -> dict[str, NDArray[Any]]:
    """The arrays called `wanted`, and those called `optional` that exist."""
    name = quoted(filename)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            sizes = {info.filename: info.file_size for info in archive.infolist()}
            keys = [key for key in (*wanted, *optional) if f"{key}.npy" in sizes]
            for key in wanted:
                if key not in keys:
                    raise InvalidInput(
                        f"{name} has no array called {key}, but it must have "
                        + ", ".join(wanted)
                        + "."
                    )
            total = sum(sizes[f"{key}.npy"] for key in keys)
            if total > (most := largest or LARGEST):
                raise InvalidInput(
                    f"{name} has {spaced(total)} bytes unpacked, but it must have at most "
                    f"{spaced(most)}."
                )
            headers = {}
            for key in keys:
                with archive.open(f"{key}.npy") as file:
                    headers[key] = _header(file, sizes[f"{key}.npy"], f"{key} in {name}")[0]
            check(headers)
            arrays = {}
            for key in keys:
                with archive.open(f"{key}.npy") as file:
                    arrays[key] = _array(file, sizes[f"{key}.npy"], f"{key} in {name}")
            return arrays
    except InvalidInput:
        raise
    except Exception:  # a damaged archive, and what unpacks it, may raise anything
        raise InvalidInput(f"{name} is not an .npz file that can be read.") from None


def _header(file: IO[bytes], size: int, what: str) -> tuple[Header, bool]:
    """The array's header, checked against its size, and whether it is stored by columns."""
    try:
        version = npy.read_magic(file)
        header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
        shape, by_column, kind = header(file)
    except (ValueError, KeyError, RecursionError, MemoryError):
        raise InvalidInput(f"{what} is not an array in NumPy's format.") from None
    if kind.hasobject:
        raise InvalidInput(f"{what} holds Python objects, but it must hold plain values.")
    # An array without entries may still have a side that no array can have.
    sides = range(size + 1)
    if any(side not in sides for side in shape) or (
        math.prod(shape) * kind.itemsize != size - file.tell()
    ):
        raise InvalidInput(f"{what} does not hold as many entries as its header says.")
    return Header(shape, kind), by_column


def _array(file: IO[bytes], size: int, what: str) -> NDArray[Any]:
    (shape, kind), by_column = _header(file, size, what)
    values = np.frombuffer(file.read(), kind)
    return values.reshape(shape, order="F" if by_column else "C")
