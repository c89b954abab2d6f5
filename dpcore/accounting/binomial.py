"""Both tails of a binomial distribution by the incomplete beta; `scipy.stats` loads slowly."""

from __future__ import annotations

import numpy as np
import scipy.special
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def beyond(count: ArrayLike, trials: int, chance: float | Array) -> Array:
    """P(K > count) for K ~ Binomial(trials, chance)."""
    below = np.clip(count, 0, trials - 1)
    tail = scipy.special.betainc(below + 1.0, trials - below, chance)
    return np.where(np.less(count, 0), 1.0, np.where(np.less(count, trials), tail, 0.0))


def up_to(count: ArrayLike, trials: int, chance: float | Array) -> Array:
    """P(K <= count) for K ~ Binomial(trials, chance); for the arguments see `beyond`."""
    below = np.clip(count, 0, trials - 1)
    tail = scipy.special.betaincc(below + 1.0, trials - below, chance)
    return np.where(np.less(count, 0), 0.0, np.where(np.less(count, trials), tail, 1.0))
