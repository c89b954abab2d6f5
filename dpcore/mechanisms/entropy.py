"""Noise from the operating system's entropy, number by number: there is no state to store or guess.

A normal number is the inverse distribution function of a uniform one whose exponent has no lower
end, in double precision: every tail event whose probability a double can hold occurs as often as it
should. Exponential, Laplace and (for whole shapes) gamma numbers are logarithms of such uniforms.
Numbers are still rounded to doubles, and no proof covers their low bits (Mironov 2012).
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from dpcore.errors import whole

_LEADING, _MANTISSA = 11, 52
"""Bits of a word for a uniform number's exponent and mantissa; one more is for a sign."""

SEED_BYTES = 32
"""Bytes of fresh entropy for a generator that draws batches."""


def normals(count: int) -> NDArray[np.float64]:
    """Independent standard normal numbers from the system's entropy.

    ±Φ⁻¹(V/2) for a sign and V as in `signed_uniforms`; shape (count,).
    """
    signs, mantissas, exponents = signed_uniforms(count)
    values: NDArray[np.float64] = -signs * scipy.special.ndtri(np.ldexp(mantissas, exponents - 1))
    return values


def exponentials(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Signs, and independent numbers of density e^{-x}: -ln V, each (count,)."""
    signs, mantissas, exponents = signed_uniforms(count)
    return signs, -(np.log(mantissas) + exponents * np.log(2.0))


def signed_uniforms(
    count: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Signs of one bit, and V uniform in (0, 1) as mantissas in [1, 2) and exponents.

    V = 2^-(k+1) (1 + m/2⁵²) with m of 52 bits and k the zeros before the first one bit, which may
    take any number of bits.
    """
    words = _words(count)
    signs = np.where(words & np.uint64(1), 1.0, -1.0)
    leading = (words >> np.uint64(1)) & np.uint64(2**_LEADING - 1)
    zeros = _LEADING - _lengths(leading)
    open_ended = np.flatnonzero(leading == 0)
    while len(open_ended):
        more = _words(len(open_ended)) >> np.uint64(64 - 53)  # as many bits as a double holds
        zeros[open_ended] += 53 - _lengths(more)
        open_ended = open_ended[more == 0]
    mantissas = 1.0 + (words >> np.uint64(1 + _LEADING)).astype(np.float64) * 2.0**-_MANTISSA
    return signs, mantissas, -(zeros + 1)


class SystemNoise(np.random.Generator):
    """A NumPy generator whose noise is the operating system's, drawn afresh at every call.

    Noise (`standard_normal`, `laplace`, `gamma`) never comes from a generator with a state. Other
    random numbers, such as which records are in a batch, come from PCG64 with 256 bits of fresh
    entropy, which is never returned and is discarded with this object.
    """

    def __init__(self) -> None:
        # Eight words of 32 bits: NumPy's usual pool of four would keep half of the entropy.
        seed = np.random.SeedSequence(int.from_bytes(os.urandom(SEED_BYTES), "little"), pool_size=8)
        super().__init__(np.random.PCG64(seed))

    def standard_normal(  # type: ignore[override]
        self, size: Any = None, dtype: Any = np.float64, out: None = None
    ) -> Any:
        """N(0, 1), always in double precision: a narrower type would cut the tails."""
        return _shaped(normals, size)

    def laplace(self, loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:  # type: ignore[override]
        """Density e^{-|x - loc|/scale}/(2 scale)."""
        return loc + scale * _shaped(_laplaces, size)

    def gamma(self, shape: Any, scale: float = 1.0, size: Any = None) -> Any:  # type: ignore[override]
        """Gamma of a whole shape: the sum of `shape` exponentials, times the scale."""
        parts = whole("shape", shape, at_least=1)
        return scale * _shaped(
            lambda count: exponentials(count * parts)[1].reshape(count, parts).sum(axis=1), size
        )

    def __reduce__(self) -> Any:
        """Refuse to be pickled."""
        raise TypeError("what draws noise for keeping is not stored")


class NoNoise(np.random.Generator):
    """A NumPy generator whose noise is too small to move any number; batches are drawn as usual.

    A training that draws from it is the same training without its noise: for exploration only.
    """

    def standard_normal(  # type: ignore[override]
        self, size: Any = None, dtype: Any = np.float64, out: None = None
    ) -> Any:
        """N(0, 1) times 1e-100: a direction can still be taken from it."""
        draws = super().standard_normal(size) * 1e-100
        return draws if size is None else draws.astype(dtype)

    def laplace(self, loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:  # type: ignore[override]
        """`loc` alone."""
        return loc if size is None else np.full(size, loc)

    def gamma(self, shape: Any, scale: float = 1.0, size: Any = None) -> Any:  # type: ignore[override]
        """0."""
        return 0.0 if size is None else np.zeros(size)


def _laplaces(count: int) -> NDArray[np.float64]:
    signs, sizes = exponentials(count)
    return signs * sizes


def _shaped(draw: Any, size: Any) -> Any:
    if size is None:
        return float(draw(1)[0])
    return draw(int(np.prod(size))).reshape(size)


def _words(count: int) -> NDArray[np.uint64]:
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def _lengths(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Bit length of each word, without leading zeros; 0 for 0. At most 53 bits."""
    return np.frexp(words.astype(np.float64))[1].astype(np.int64)
