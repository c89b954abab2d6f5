"""Files in MNIST's idx format, compressed with gzip: a header of sizes, then bytes."""

from __future__ import annotations

import gzip
import math
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets.text import quoted
from dpcore.errors import InvalidInput

_BYTES = 0x08
"""The code for unsigned bytes, the only type that MNIST uses."""


def read(data: bytes, filename: str, dimensions: int) -> NDArray[np.uint8]:
    """The array of so many dimensions in a gzipped idx file of unsigned bytes."""
    try:
        plain = gzip.decompress(data)
        start, kind, rank = struct.unpack_from(">HBB", plain)
        shape = struct.unpack_from(f">{dimensions}I", plain, 4)
    except (OSError, EOFError, zlib.error, struct.error):
        raise InvalidInput(f"{quoted(filename)} is not a gzip file in idx format.") from None
    header = 4 + 4 * dimensions
    if (start, kind, rank) != (0, _BYTES, dimensions) or len(plain) - header != math.prod(shape):
        raise InvalidInput(
            f"{quoted(filename)} is not an idx file of unsigned bytes in {dimensions} dimensions "
            "that holds as many as its header says."
        )
    return np.frombuffer(plain, np.uint8, offset=header).reshape(shape)
