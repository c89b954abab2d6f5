"""Files of arrays from anyone: MNIST's idx, NumPy's .npz, and MedMNIST's six arrays of such.

The idx format is a header of sizes, then bytes, compressed with gzip. An .npz file is read without
unpickling and without trusting a header's claim of size; MedMNIST's holds images and labels for
training, validation and testing.
"""

from __future__ import annotations

import gzip
import io
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from dpcore.datasets.images.examples import Examples, ExamplesEntry, Setting, unit
from dpcore.datasets.text import quoted
from dpcore.errors import InvalidInput
from dpcore.words import spaced

_UNSIGNED_BYTES = 0x08
"""The code for unsigned bytes, the only type that MNIST uses."""


def read_idx(data: bytes, filename: str, dimensions: int) -> NDArray[np.uint8]:
    """The array of so many dimensions in a gzipped idx file of unsigned bytes."""
    try:
        plain = gzip.decompress(data)
        start, kind, rank = struct.unpack_from(">HBB", plain)
        shape = struct.unpack_from(f">{dimensions}I", plain, 4)
    except (OSError, EOFError, zlib.error, struct.error):
        raise InvalidInput(f"{quoted(filename)} is not a gzip file in idx format.") from None
    header = 4 + 4 * dimensions
    if (start, kind, rank) != (0, _UNSIGNED_BYTES, dimensions) or len(plain) - header != math.prod(
        shape
    ):
        raise InvalidInput(
            f"{quoted(filename)} is not an idx file of unsigned bytes in {dimensions} dimensions "
            "that holds as many as its header says."
        )
    return np.frombuffer(plain, np.uint8, offset=header).reshape(shape)


LARGEST = 300_000_000
"""Bytes of all arrays unpacked, in a file from an unknown user."""
LARGEST_OWN = 4_000_000_000
"""The same in a file that the local user names."""


class Header(NamedTuple):
    """Shape and type of an array, from its header."""

    shape: tuple[int, ...]
    kind: np.dtype[Any]


Check = Callable[[Mapping[str, Header]], None]


def read_npz(
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
                    headers[key] = _npz_header(file, sizes[f"{key}.npy"], f"{key} in {name}")[0]
            check(headers)
            arrays = {}
            for key in keys:
                with archive.open(f"{key}.npy") as file:
                    arrays[key] = _npz_array(file, sizes[f"{key}.npy"], f"{key} in {name}")
            return arrays
    except InvalidInput:
        raise
    except Exception:  # a damaged archive, and what unpacks it, may raise anything
        raise InvalidInput(f"{name} is not an .npz file that can be read.") from None


def _npz_header(file: IO[bytes], size: int, what: str) -> tuple[Header, bool]:
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


def _npz_array(file: IO[bytes], size: int, what: str) -> NDArray[Any]:
    (shape, kind), by_column = _npz_header(file, size, what)
    values = np.frombuffer(file.read(), kind)
    return values.reshape(shape, order="F" if by_column else "C")


SIDE = 28
VALIDATION = Setting(
    "validation",
    "whether the validation part is left out or joins the training part",
    "left out",
    choices=("left out", "training"),
)
MEDMNIST_ARRAYS = tuple(
    f"{part}_{what}" for part in ("train", "val", "test") for what in ("images", "labels")
)
MEDMNIST = "https://zenodo.org/records/10519652/files/"
MEDMNIST_CITATION = (
    "Yang, J., Shi, R., Wei, D., Liu, Z., Zhao, L., Ke, B., Pfister, H., Ni, B. (2023). MedMNIST "
    "v2: a large-scale lightweight benchmark for 2D and 3D biomedical image classification. "
    "Scientific Data 10, 41."
)


def medmnist_examples(entry: ExamplesEntry, data: bytes, name: str, validation: str) -> Examples:
    """The records of one file; the validation part is left out or joined to the training part."""
    stored = read_npz(data, name, MEDMNIST_ARRAYS, largest=LARGEST_OWN)
    inputs: dict[str, NDArray[np.float32]] = {}
    targets: dict[str, NDArray[Any]] = {}
    for part in ("train", "val", "test"):
        images, labels = stored[f"{part}_images"], stored[f"{part}_labels"]
        if labels.dtype != np.uint8 or not labels.ndim:
            raise InvalidInput(
                f"{part}_labels in {name} is {labels.dtype} of shape {labels.shape}, but it must "
                "be uint8 with a row for each image."
            )
        if images.dtype != np.uint8 or images.shape != (len(labels), SIDE, SIDE):
            raise InvalidInput(
                f"{part}_images in {name} is {images.dtype} of shape {images.shape} for "
                f"{spaced(len(labels))} labels, but it must be uint8 of shape (labels, {SIDE}, "
                f"{SIDE})."
            )
        inputs[part] = unit(images)[:, np.newaxis]
        classes = entry.task == "classes"
        targets[part] = (
            labels.reshape(-1).astype(np.int64) if classes else labels.astype(np.float32)
        )
    if validation == "training":
        inputs["train"] = np.concatenate([inputs["train"], inputs["val"]])
        targets["train"] = np.concatenate([targets["train"], targets["val"]])
    return Examples(entry, inputs["train"], targets["train"], inputs["test"], targets["test"])
