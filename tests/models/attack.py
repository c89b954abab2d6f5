"""What the tests of all models share: small records, neighbours, and a distinguishing attack."""

import math

import numpy as np
from scipy import stats

from dpcore.models.records import BLANK, Records, RecordShape

CONFIDENCE = 0.99


def some(records, *, numbers=2, levels=(3,), seed=0):
    """Records whose label depends on the first number and on the first category."""
    generator = np.random.default_rng(seed)
    x = generator.uniform(-1.0, 1.0, (records, numbers))
    codes = np.stack([generator.integers(0, count, records) for count in levels], axis=1)
    score = x[:, 0] + 0.8 * (codes[:, 0] == 0) - 0.3 + 0.2 * generator.standard_normal(records)
    return Records(RecordShape(records, numbers, levels), x, codes, (score > 0.0).astype(np.int64))


def extreme(shape, generator):
    """One record, often at the ends of its bounds."""
    x = generator.choice([-1.0, 0.0, 1.0, generator.uniform(-1.0, 1.0)], (1, shape.numbers))
    codes = np.array([[generator.integers(0, count) for count in shape.levels]], dtype=np.int64)
    return Records(shape, x, codes.reshape(1, -1), generator.integers(0, 2, 1))


def blank(shape):
    """One blank record."""
    none = np.zeros((1, len(shape.levels)), dtype=np.int64)
    return Records(shape, np.zeros((1, shape.numbers)), none, np.array([BLANK]))


def together(*parts):
    """The records of all parts."""
    return Records(
        parts[0].shape,
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.categories for part in parts]),
        np.concatenate([part.labels for part in parts]),
    )


def least_level(one, other):
    """Lower bound, at 99 % confidence, on the μ by which two Gaussian samples can be told apart.

    Parameters
    ----------
    one, other : (runs, coordinates) array
        Noisy releases of two neighbours; the coordinates' noise is of one size.
    """
    # The best direction is that of the difference; it is found on one half and used on the other.
    half = len(one) // 2
    direction = one[:half].mean(axis=0) - other[:half].mean(axis=0)
    direction /= np.linalg.norm(direction)
    first, second = one[half:] @ direction, other[half:] @ direction
    spread = math.sqrt(0.5 * (first.var(ddof=1) + second.var(ddof=1)))
    level = (first.mean() - second.mean()) / spread
    error = math.sqrt(2.0 / len(first) + level**2 / (4.0 * len(first)))
    return float(level - stats.norm.ppf(CONFIDENCE) * error)


def obeys(seen, law):
    """Whether a Kolmogorov–Smirnov test accepts the frozen scipy law."""
    return bool(stats.kstest(seen, law.cdf).pvalue > 1e-3)  # type: ignore[attr-defined]
