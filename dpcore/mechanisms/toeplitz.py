"""Prefix sums of a stream with correlated noise: the optimal Toeplitz factorisation.

A = C C is the lower-triangular matrix of ones, whose product with a stream G of T rows is all its
prefix sums. C is Toeplitz with the coefficients of (1-x)^{-1/2}: c_0 = 1, and
c_k = c_{k-1} (2k-1)/(2k). The release, A G + C Z = C (C G + Z) with Z_tj ~ N(0, σ²), comes
from one Gaussian mechanism on C G. If one record moves a single row of G, by at most Δ in norm, it
moves C G by at most Δ ‖c‖₂, a column's norm, so the whole stream of sums is μ-Gaussian DP with
μ = Δ ‖c‖₂/σ. That holds for adaptive streams too, where G_t depends on earlier releases
(Denisov et al. 2022, Theorem 2.1), C being lower triangular.

The error of the last sum, the largest, has standard deviation σ ‖c‖₂ = ‖c‖₂² Δ/μ in each
coordinate; ‖c‖₂² grows as ln(T)/π where independent noise on the rows needs √T.

Source: Fichtenberger, Henzinger and Upadhyay 2023; Denisov, McMahan, Rush, Smith and Thakurta 2022.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import whole

Array = NDArray[np.floating]

MAX_STEPS = 10_000_000


def coefficients(steps: int) -> Array:
    """c_0 to c_{T-1}, shape (T,)."""
    k = np.arange(1.0, whole("steps T", steps, at_least=1, at_most=MAX_STEPS))
    return np.concatenate([[1.0], np.cumprod((2.0 * k - 1.0) / (2.0 * k))])


def column_norm(steps: int) -> float:
    """‖c‖₂, rounded up: the change of C G when one row of the stream changes by norm 1."""
    # The rounding of a product of k factors is at most k ulp, and the early ones weigh most.
    exact = float(np.linalg.norm(coefficients(steps)))
    return exact * (1.0 + 3e-16 * (steps + 10.0))


def correlated(noise: Array) -> Array:
    """C Z, the noise on the prefix sums, by FFT along the first axis of independent Z (T, ...)."""
    from scipy import fft

    steps = len(noise)
    length = fft.next_fast_len(2 * steps - 1, real=True)
    shape = (-1,) + (1,) * (noise.ndim - 1)
    kernel = fft.rfft(coefficients(steps), length).reshape(shape)
    product = fft.rfft(np.asarray(noise, dtype=float), length, axis=0) * kernel
    return np.asarray(fft.irfft(product, length, axis=0)[:steps])
