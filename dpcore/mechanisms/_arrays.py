"""Arguments that are numbers or arrays: checked, broadcast, and worked through block by block."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.errors import InvalidInput, number

Array = NDArray[np.float64]

# Some ten working arrays of this length stay in the second-level cache.
BLOCK = 4096


def checked(
    field: str,
    value: ArrayLike,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
    infinite: bool = False,
) -> Array:
    """Check `value` as a float64 array; the first element outside the limits is named."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise InvalidInput(
            f"{field} is a ragged list, but it must be a number or an array of numbers."
        ) from None
    if array.ndim == 0:
        single: Any = value
        if infinite and single == math.inf:
            return np.asarray(math.inf)
        return np.asarray(number(field, single, above=above, at_least=at_least, below=below))
    if array.dtype.kind not in "fiu":
        raise InvalidInput(
            f"{field} is an array of {array.dtype}, but it must be a number or an array of numbers."
        )
    array = array.astype(np.float64, copy=False)
    # Comparisons with nan are false, so nan is refused with the rest.
    valid = (array > above) & (array >= at_least) & (array < below)
    valid |= (array == math.inf) & infinite
    if not valid.all():
        first = float(array[~valid][0])
        number(field, first, above=above, at_least=at_least, below=below)
    return array


def apply(function: Callable[..., Array], *arguments: Array) -> Any:
    """`function` over the broadcast `arguments`, block by block; a float if all are 0-d."""
    try:
        shape = np.broadcast_shapes(*(argument.shape for argument in arguments))
    except ValueError:
        shapes = " and ".join(str(argument.shape) for argument in arguments)
        raise InvalidInput(f"Arrays of shapes {shapes} do not broadcast together.") from None
    flat = [np.broadcast_to(argument, shape).reshape(-1) for argument in arguments]
    size = flat[0].size
    if size <= BLOCK:
        result = function(*flat) if size else np.empty(0)
    else:
        result = np.empty(size)

        def fill(start: int) -> None:
            block = slice(start, start + BLOCK)
            result[block] = function(*(argument[block] for argument in flat))

        starts = range(0, size, BLOCK)
        # NumPy releases the interpreter lock inside its loops, so threads share the work.
        with ThreadPoolExecutor(min(len(starts), os.cpu_count() or 1)) as pool:
            for _ in pool.map(fill, starts):
                pass
    return float(result[0]) if shape == () else result.reshape(shape)
