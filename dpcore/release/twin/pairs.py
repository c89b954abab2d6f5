"""How columns go together: sums of products of signs, and the correlations estimated from them.

In each column a record has the sign +1 if its cell is at or above a cut, and -1 below. Cuts follow
from the noisy tables, one for either outcome, so that about half of the records lie on each side.
The products of two columns' signs, summed over all records, say how the columns go together beyond
what the outcome explains. A blank record has no signs and adds nothing.

The correlation of a pair is that of two normal numbers, cut where the columns are, whose signs have
this mean product: P(both above) = Φ(-a) Φ(-b) + ∫ φ(a, b; r) dr from 0 to ρ (Plackett 1954).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.release.grid import Array
from dpcore.release.twin.cells import Whole
from dpcore.release.twin.fit import Fit

ROWS = 2**16
"""Records at a time; the result does not depend on it."""
LARGEST = 0.95
"""Correlations beyond this one are taken for it."""
_HALVINGS, _NODES, _MIN_SHARE = 30, 32, 1e-3


def products(places: Whole, label: NDArray[np.int8], cuts: Whole) -> Whole:
    """The sums of products of every pair of columns, the first with the second first; exact.

    Places, shape (d, n), are of `cells`; labels are -1 or 1, or 0 of a blank record; cuts, shape
    (d, 2), are by column and outcome.
    """
    d = len(places)
    total = np.zeros((d, d))
    for first in range(0, len(label), ROWS):
        part = slice(first, first + ROWS)
        above = places[:, part] >= cuts[:, (label[part] > 0).astype(int)]
        signs = np.where(above, 1.0, -1.0) * (label[part] != 0)
        # Each sum on the way is a whole number far below 2⁵³: exact in any order.
        total += signs @ signs.T
    return total[np.triu_indices(d, 1)].astype(np.int64)


def cuts(fit: Fit) -> Whole:
    """Where each column is cut for either outcome, nearest to its middle; shape (d, 2)."""
    return np.array([[_middle(table[:, outcome]) for outcome in (0, 1)] for table in fit.tables])


def correlations(fit: Fit, cuts: Whole, means: Array, noise: float) -> Array:
    """Correlations of normal numbers that stand for the columns; shape (d, d).

    Mean products are in the order of `products`; `noise` is their standard deviation by noise.
    """
    d, weights = len(fit.tables), np.array(fit.sizes) / sum(fit.sizes)
    shares = np.array(
        [
            [table[cut:, outcome].sum() / table[:, outcome].sum() for outcome, cut in enumerate(at)]
            for table, at in zip(fit.tables, cuts, strict=True)
        ]
    ).clip(_MIN_SHARE, 1.0 - _MIN_SHARE)
    places, (i, j) = -special.ndtri(shares), np.triu_indices(d, 1)
    low, high = np.full(len(means), -LARGEST), np.full(len(means), LARGEST)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        expected = sum(
            weights[at] * _mean_product(places[i, at], places[j, at], middle) for at in (0, 1)
        )
        is_low = expected < means
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    estimates = (low + high) / 2.0
    # A correlation as small as its noise is mostly noise, so it is shrunk.
    spread = np.pi / 2.0 * noise
    estimates *= estimates**2 / (estimates**2 + (2.0 * spread) ** 2 + 1e-30)
    result = np.eye(d)
    result[i, j] = result[j, i] = estimates
    return _nearest_correlation(result)


def _middle(counts: Array) -> int:
    shares = np.cumsum(counts)[:-1] / counts.sum()
    return 1 + int(np.argmin(np.abs(shares - 0.5)))


def _mean_product(first: Array, second: Array, correlation: Array) -> Array:
    """E[signs' product] of normal numbers cut at two places, of each pair."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    a, b = first[:, np.newaxis], second[:, np.newaxis]
    r = correlation[:, np.newaxis] * (nodes + 1.0) / 2.0
    left = 1.0 - r * r
    density = np.exp(-(a * a - 2.0 * r * a * b + b * b) / (2.0 * left)) / np.sqrt(left)
    moved = (density @ weights) * correlation / (4.0 * np.pi)
    above, also = special.ndtr(-first), special.ndtr(-second)
    return np.asarray(4.0 * (above * also + moved) - 2.0 * (above + also) + 1.0)


def _nearest_correlation(matrix: Array) -> Array:
    """The matrix without its negative directions, with ones on the diagonal."""
    values, vectors = np.linalg.eigh(matrix)
    positive_part = (vectors * np.maximum(values, 1e-6)) @ vectors.T
    scale = np.sqrt(np.diag(positive_part))
    return np.asarray(positive_part / np.outer(scale, scale))
