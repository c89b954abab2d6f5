"""Random Fourier features: a kernel method as a linear one, by a map that is drawn without data.

With frequencies ωⱼ ~ N(0, I/h²), j = 1 … D/2, a row x becomes √(2/D) (cos ωⱼᵀx, sin ωⱼᵀx)ⱼ. Each
pair's squares sum to 2/D, so every row has norm exactly 1, and the product of two rows is, on
average over the frequencies, the Gaussian kernel exp(-‖x - x′‖²/(2h²)). The map is the same for all
data sets of d columns: one record still moves one row and nothing else.

Source: Rahimi and Recht 2007, section 3 (the pairs rather than the random phases, which would allow
norms of √2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

STREAM = 0x466F7572696572  # any number; keeps the frequencies apart from splits and noise


def frequencies(columns: int, features: int, bandwidth: float) -> FloatArray:
    """ω as columns, shape (d, D/2): drawn from d alone, the same on every machine."""
    drawn = np.random.default_rng([columns, STREAM]).standard_normal((features // 2, columns))
    return np.asarray(drawn.T / bandwidth)


def random_fourier(rows: FloatArray, features: int, bandwidth: float) -> FloatArray:
    """The features of each row, shape (n, D), at bandwidth h in the rows' units."""
    angles = rows @ frequencies(rows.shape[1], features, bandwidth)
    half = features // 2
    result = np.empty((len(rows), features))
    np.cos(angles, out=result[:, :half])
    np.sin(angles, out=result[:, half:])
    result *= (1.0 / half) ** 0.5
    result[~rows.any(axis=1)] = 0.0
    return result


def fourier_names(features: int) -> list[str]:
    """What the features are called: all cosines, then all sines."""
    half = features // 2
    return [f"{wave} {j}" for wave in ("cosine", "sine") for j in range(1, half + 1)]
