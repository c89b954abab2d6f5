"""How good weight vectors are: many at once from margins, or in expectation over Gaussian noise.

The closed forms are exact up to quadrature: for w + z with z ~ N(0, σ²I) the margin of record i is
N(yᵢxᵢᵀw, σ²‖xᵢ‖²), so expected accuracy and loss are one-dimensional integrals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.erm.problem import Problem

Array = NDArray[np.floating]

BLOCK_ENTRIES = 2**19  # margins held at once: small enough to stay in cache between passes
BINS = 4096  # margins of unit-norm rows are pooled into this many; error below 1e-4 in accuracy


@dataclass(frozen=True)
class Rates:
    """Shares of test records judged rightly.

    Parameters
    ----------
    accuracy : (k,) array
        Share of all records with a positive margin.
    true_positive, true_negative : (k,) array
        The same among the +1 and the -1 records.
    """

    accuracy: Array
    true_positive: Array
    true_negative: Array

    @property
    def balanced(self) -> Array:
        """Mean of the two class-wise shares."""
        return np.asarray((self.true_positive + self.true_negative) / 2.0)


def rates(weights: Array, features: Array, labels: Array) -> Rates:
    """Accuracy overall and per class for each row of `weights` (k, d); sign(0) counts as -1."""
    positive = labels > 0
    hits = np.zeros((2, len(weights)))
    transposed = np.ascontiguousarray(weights.T, dtype=np.float32)
    for block in _blocks(len(labels), len(weights)):
        scores = features[block].astype(np.float32) @ transposed
        said = scores > 0
        hits[1] += said[positive[block]].sum(axis=0)
        hits[0] += (~said[~positive[block]]).sum(axis=0)
    counts = np.array([np.count_nonzero(~positive), np.count_nonzero(positive)])
    shares = hits / np.maximum(counts, 1)[:, None]
    return Rates(hits.sum(axis=0) / len(labels), shares[1], shares[0])


def training_scores(
    problem: Problem, weights: Array, features: Array, labels: Array
) -> tuple[Array, Array]:
    """(F(w; D), accuracy) on the same records for each row of `weights` (k, d); each of shape (k,)."""
    losses, hits = np.zeros(len(weights)), np.zeros(len(weights))
    transposed = np.ascontiguousarray(weights.T, dtype=np.float32)
    for block in _blocks(len(labels), len(weights)):
        margins = (features[block] * labels[block, None]).astype(np.float32) @ transposed
        # A margin of exactly 0 is judged -1, as in `rates`.
        hits += np.count_nonzero(margins > 0, axis=0)
        hits += np.count_nonzero(margins[labels[block] < 0] == 0, axis=0)
        losses += problem.function.value(margins).sum(axis=0, dtype=np.float64)
    penalty = 0.5 * problem.lam * np.einsum("kd,kd->k", weights, weights)
    return losses / len(labels) + penalty, hits / len(labels)


def areas_under_curve(weights: Array, features: Array, labels: Array) -> Array:
    """Area under the ROC curve for each row of `weights` (k, d), ties counted half; shape (k,).

    ``nan`` where a class is missing.
    """
    positive = labels > 0
    count_positive = int(np.count_nonzero(positive))
    count_negative = len(labels) - count_positive
    if min(count_positive, count_negative) == 0:
        return np.full(len(weights), math.nan)
    result = np.empty(len(weights))
    columns = max(1, BLOCK_ENTRIES // len(labels))
    rows = features.astype(np.float32)
    for start in range(0, len(weights), columns):
        scores = weights[start : start + columns].astype(np.float32) @ rows.T
        for offset, score in enumerate(scores):
            negatives = np.sort(score[~positive])
            positives = np.sort(score[positive])
            below = np.searchsorted(negatives, positives, side="left")
            upto = np.searchsorted(negatives, positives, side="right")
            wins = 0.5 * (below.sum(dtype=np.float64) + upto.sum(dtype=np.float64))
            result[start + offset] = wins / (count_positive * count_negative)
    return result


def expected_rates(centres: Array, sigmas: Array, features: Array, labels: Array) -> Rates:
    """E of `rates` over w + N(0, σ²I), in closed form; one (w, σ) per row of `centres` (k, d)."""
    parts = []
    for chosen in (labels > 0, labels <= 0):
        side = features[chosen] * labels[chosen, None]
        parts.append(_expected_hits(centres, sigmas, side))
    counts = np.array([np.count_nonzero(labels > 0), np.count_nonzero(labels <= 0)])
    accuracy = (parts[0] * counts[0] + parts[1] * counts[1]) / counts.sum()
    return Rates(accuracy, parts[0], parts[1])


def _expected_hits(centres: Array, sigmas: Array, signed: Array) -> Array:
    """Mean over the rows of P(margin > 0) for each (centre, σ)."""
    if len(signed) == 0:
        return np.zeros(len(centres))
    result = np.empty(len(centres))
    lengths = np.linalg.norm(signed, axis=1)
    for centre, members in _groups(centres):
        # A zero row has margin 0 with certainty, judged -1: a hit exactly for -1 records.
        margins = np.where(lengths > 0, signed @ centre, 0.0) / np.maximum(lengths, 1e-300)
        values, mass = _pooled(margins)
        scale = np.maximum(sigmas[members], 1e-300)
        result[members] = special.ndtr(values[None, :] / scale[:, None]) @ mass
    return result


def expected_objectives(
    problem: Problem, centres: Array, sigmas: Array, features: Array, labels: Array
) -> Array:
    """E F(w + N(0, σ²I); D) in closed form, shape (k,)."""
    result = np.empty(len(centres))
    signed = features * labels[:, None]
    lengths = np.linalg.norm(signed, axis=1)
    same_length = bool(np.all(np.abs(lengths - lengths.max()) < 1e-6))
    for centre, members in _groups(centres):
        margins = signed @ centre
        values, mass = _pooled(margins) if same_length else (margins, None)
        spread = lengths.max() if same_length else lengths
        for member in members:
            losses = problem.function.expected(values, sigmas[member] * spread)
            result[member] = losses.mean() if mass is None else losses @ mass
    norms = np.einsum("kd,kd->k", centres, centres) + centres.shape[1] * sigmas**2
    return np.asarray(result + 0.5 * problem.lam * norms)


def _groups(centres: Array) -> list[tuple[Array, NDArray[np.intp]]]:
    """Distinct centres with the rows that share each: a path of σ usually has few centres."""
    unique, inverse = np.unique(centres, axis=0, return_inverse=True)
    return [(unique[i], np.flatnonzero(inverse == i)) for i in range(len(unique))]


def _pooled(values: Array) -> tuple[Array, Array]:
    """The values' means in equal-width bins and the share of records in each."""
    if len(values) <= BINS:
        return values, np.full(len(values), 1.0 / len(values))
    low, high = float(values.min()), float(values.max())
    if high <= low:
        return np.array([low]), np.ones(1)
    index = np.minimum(((values - low) * (BINS / (high - low))).astype(np.int64), BINS - 1)
    counts = np.bincount(index, minlength=BINS)
    sums = np.bincount(index, weights=values, minlength=BINS)
    filled = counts > 0
    return sums[filled] / counts[filled], counts[filled] / len(values)


def _blocks(rows: int, columns: int) -> list[slice]:
    size = max(1, BLOCK_ENTRIES // max(columns, 1))
    return [slice(start, start + size) for start in range(0, rows, size)]
