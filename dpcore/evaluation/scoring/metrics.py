"""Measures of weight vectors: many at once from margins, or in expectation over Gaussian noise.

The closed forms are exact up to quadrature: for w + z with z ~ N(0, σ²I) the margin of record i is
N(yᵢxᵢᵀw, σ²‖xᵢ‖²), so expected accuracy and loss are one-dimensional integrals.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.erm.forms import Forms
from dpcore.erm.problem import Problem
from dpcore.errors import number, whole

Array = NDArray[np.floating]

BLOCK_ENTRIES = 2**19  # margins held at once: small enough to stay in cache between passes
AT_ONCE = 2**10
"""Records whose hits are counted at once: a multiple of 64, and few enough for lanes of a byte."""
MARGIN_ENTRIES = 2**22  # margins at several centres held at once
BINS = 4096  # standardised margins are pooled into about this many; error below 1e-4 in accuracy
CELLS, CELL_WIDTH = 512, 0.02  # fewer suffice for smooth losses: error below 1e-6
LENGTH_LEVELS = 32  # where rows differ in length; error below 1e-4


@dataclass(frozen=True)
class Rates:
    """Shares of test records judged correctly."""

    accuracy: Array  # share of all records with a positive margin
    true_positive: Array  # share of the +1 records; nan where there are none
    true_negative: Array  # share of the -1 records

    @classmethod
    def of_classes(cls, positive: Array, negative: Array, share: float) -> Rates:
        """From the rates of both classes, 0 of an empty one, and the share of +1 records."""
        overall = np.asarray(share * positive + (1.0 - share) * negative)
        return cls(
            overall,
            positive if share > 0.0 else np.full_like(positive, math.nan),
            negative if share < 1.0 else np.full_like(negative, math.nan),
        )

    @property
    def balanced(self) -> Array:
        """Mean of the two class-wise shares."""
        return np.asarray((self.true_positive + self.true_negative) / 2.0)


def log_likelihood(margins: Array) -> Array:
    """Mean log likelihood of two classes by the margins (n, k) of k logistic models."""
    return np.asarray(-np.mean(np.logaddexp(0.0, -margins), axis=0))


def rates(weights: Array, features: Array, labels: Array) -> Rates:
    """Accuracy overall and per class for each row of `weights` (k, d); sign(0) counts as -1.

    Without records the accuracy overall is nan.
    """
    hits = np.zeros((2, len(weights)))
    for sign, margins in _signed_margins(weights, features, labels):
        hits[int(sign > 0)] += _hits(margins, sign)
    counts = np.array([np.count_nonzero(labels <= 0), np.count_nonzero(labels > 0)])
    with np.errstate(invalid="ignore"):
        shares, overall = hits / counts[:, None], hits.sum(axis=0) / len(labels)
    return Rates(overall, shares[1], shares[0])


def accuracy_interval(
    accuracy: float, records: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Range of the accuracy on new records, from the number of test records alone.

    Wilson's score interval (Wilson 1927): records are drawn independently, the model is given.
    """
    share = number("accuracy", accuracy, at_least=0.0, at_most=1.0)
    count = whole("test records", records, at_least=1)
    level = number("confidence", confidence, above=0.0, below=1.0)
    z = float(special.ndtri(0.5 + 0.5 * level))
    centre = share + z * z / (2.0 * count)
    reach = z * math.sqrt(share * (1.0 - share) / count + (z / (2.0 * count)) ** 2)
    scale = 1.0 + z * z / count
    return max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale)


def training_scores(
    problem: Problem, weights: Array, features: Array, labels: Array
) -> tuple[Array, Array]:
    """(F(w; D), accuracy) on the same records for each row of `weights` (k, d); each shape (k,).

    A blank record, whose label and row are 0, belongs in F; its accuracy is meaningless.
    """
    losses, hits = np.zeros(len(weights)), np.zeros(len(weights))
    for sign, margins in _signed_margins(weights, features, labels):
        hits += _hits(margins, sign)
        values = problem.function.value(margins)
        for part in _parts(len(values)):  # short single-precision sums, added in double
            losses += values[part].sum(axis=0)
    penalty = 0.5 * problem.lam * np.einsum("kd,kd->k", weights, weights)
    return losses / len(labels) + penalty, hits / len(labels)


def objectives(problem: Problem, weights: Array, features: Array, labels: Array) -> Array:
    """F(w; D) for each row of `weights` (k, d), in double precision; shape (k,)."""
    forms = problem.forms(features, labels)
    losses = np.zeros(len(weights))
    for block in forms.blocks(max(1, BLOCK_ENTRIES // max(1, len(weights)))):
        losses += problem.function.value(block.at(weights.T)).sum(axis=0)
    penalty = 0.5 * problem.lam * np.einsum("kd,kd->k", weights, weights)
    return np.asarray(losses / len(forms) + penalty)


def _signed_margins(
    weights: Array, features: Array, labels: Array
) -> Iterator[tuple[float, Array]]:
    """Single-precision margins of a block of one class at every row of `weights`, and its sign."""
    transposed = np.ascontiguousarray(weights.T, dtype=np.float32)
    size = max(1, BLOCK_ENTRIES // max(len(weights), 1))
    for sign, chosen in ((1.0, labels > 0), (-1.0, labels <= 0)):
        rows: Array = features[chosen].astype(np.float32)
        rows *= sign
        for start in range(0, len(rows), size):
            yield sign, rows[start : start + size] @ transposed


def _hits(margins: Array, sign: float) -> Array:
    """Number of margins that count as right; a score of 0 is judged -1."""
    right = margins > 0 if sign > 0 else margins >= 0
    count = np.zeros(margins.shape[1])
    for part in _parts(len(right)):
        count += np.add.reduce(right[part].view(np.uint8), axis=0, dtype=np.uint8)
    return count


def _parts(rows: int) -> list[slice]:
    """Slices of 255 rows, the most that one byte can count."""
    return [slice(start, start + 255) for start in range(0, rows, 255)]


def expected_rates(centres: Array, sigmas: Array, features: Array, labels: Array) -> Rates:
    """E of `rates` over w + N(0, σ²I), in closed form; one (w, σ) per row of `centres` (k, d)."""
    positive, lengths = labels > 0, np.ones(len(labels))
    if np.any(sigmas > 0.0):  # else no margin moves
        lengths = np.sqrt(np.einsum("nd,nd->n", features, features))
    null = lengths == 0.0  # noise does not change the margin of a null row
    hits = np.zeros((2, len(centres)))
    for scores, members in margins_at(centres, Forms(features)):
        for side, (some, sign) in enumerate(((positive, 1.0), (~positive, -1.0))):
            moving = some & ~null
            margins = sign * scores[moving]
            # A margin of 0 is judged -1.
            hits[side, members] = mean_hits(margins, lengths[moving], sigmas[members], float(side))
    for side, some in enumerate((positive, ~positive)):
        still = float(np.mean(null[some])) if some.any() else 0.0
        hits[side] = hits[side] * (1.0 - still) + side * still
    share = np.count_nonzero(positive) / len(labels)
    return Rates.of_classes(hits[0], hits[1], share)


def mean_hits(margins: Array, lengths: Array, sigmas: Array, tie: float) -> Array:
    """Mean of P(margin + N(0, σ² length²) > 0) for each σ, shape (k,); 0 where there are none."""
    result = np.zeros(len(sigmas))
    noisy = sigmas > 0.0
    if len(margins) and noisy.any():
        values, mass = _pooled(margins / lengths)
        result[noisy] = special.ndtr(values / sigmas[noisy, None]) @ mass
    if len(margins) and not noisy.all():
        result[~noisy] = np.mean(margins > 0.0) + tie * np.mean(margins == 0.0)
    return result


def noisy_accuracies(
    centres: Array, sigmas: Array, draws: Array, features: Array, labels: Array
) -> Array:
    """`rates` accuracy of w + σ z for every draw z, shape (k, number of draws)."""
    shared, middles = draws.astype(np.float32), centres.astype(np.float32)

    def blocks() -> Iterator[tuple[Array, Array, int]]:
        for start in range(0, len(labels), AT_ONCE):
            block = slice(start, start + AT_ONCE)
            signed = (features[block] * labels[block, None]).astype(np.float32)
            null_hits = int(np.count_nonzero(~signed.any(axis=1) & (labels[block] < 0)))
            yield shared @ signed.T, middles @ signed.T, null_hits

    return hits_over_draws(blocks(), sigmas, len(draws)) / len(labels)


def hits_over_draws(blocks: Iterable[tuple[Array, Array, int]], sigmas: Array, draws: int) -> Array:
    """How many records are judged rightly by w + σ z, shape (k, draws)."""
    hits = np.zeros((len(sigmas), draws))
    noisy, still = np.flatnonzero(sigmas > 0.0), sigmas <= 0.0
    scales = sigmas[noisy, None].astype(np.float32)
    is_hit = np.zeros((draws, AT_ONCE), dtype=bool)
    lanes = np.empty((len(noisy), draws), dtype=np.uint64)
    for moves, margins, null_hits in blocks:
        count = moves.shape[1]
        is_hit[:, count:] = False
        for place, least in enumerate(-margins[noisy] / scales):
            np.greater(moves, least, out=is_hit[:, :count])
            # Of eight records in a byte, then of bytes in eight lanes of a word.
            eights = np.bitwise_count(is_hit.view(np.uint64))
            np.add.reduce(eights.view(np.uint64), axis=1, out=lanes[place])
        for lane in range(8):
            hits[noisy] += lanes.view(np.uint8)[:, lane::8]
        hits[still] += np.count_nonzero(margins[still] > 0.0, axis=1)[:, None]
        hits += null_hits  # a margin of 0 is judged -1, as in `rates`
    return hits


def noisy_rates(
    centres: Array, sigmas: Array, draws: Array, features: Array, labels: Array
) -> Rates:
    """`rates` of w + σ z for every draw z, shape (k, number of draws)."""
    ill, well = (
        noisy_accuracies(centres, sigmas, draws, features[some], labels[some])
        if some.any()
        else np.zeros((len(centres), len(draws)))
        for some in (labels > 0, labels <= 0)
    )
    positive = np.count_nonzero(labels > 0) / len(labels)
    return Rates.of_classes(ill, well, positive)


def noisy_objectives(
    problem: Problem, centres: Array, sigmas: Array, draws: Array, features: Array, labels: Array
) -> Array:
    """F(w + σ z; D) for every draw z, shape (k, number of draws); all rows share the draws."""
    forms = problem.forms(features, labels).contiguous(np.float32)
    moves = forms.rows @ np.ascontiguousarray(draws.T, dtype=np.float32)
    margins = forms.at(np.ascontiguousarray(centres.T, dtype=np.float32))
    result = np.zeros((len(centres), len(draws)))
    for row, scale in enumerate(sigmas.astype(np.float32)):
        for part in _parts(len(forms)):  # few enough to stay in cache between passes
            at = margins[part, row, None]
            if scale > 0.0:
                at = moves[part] * scale + at
            result[row] += problem.function.value(at).sum(axis=0)
    result /= len(forms)
    sigma = sigmas[:, None]
    squares = np.einsum("kd,kd->k", centres, centres)[:, None]
    squares = squares + 2.0 * sigma * (centres @ draws.T)
    squares += sigma**2 * np.einsum("jd,jd->j", draws, draws)
    return np.asarray(result + 0.5 * problem.lam * squares)


def expected_objectives(
    problem: Problem, centres: Array, sigmas: Array, features: Array, labels: Array
) -> Array:
    """E F(w + N(0, σ²I); D) in closed form, shape (k,)."""
    result = np.empty(len(centres))
    forms = problem.forms(features, labels)
    squares = np.einsum("nd,nd->n", forms.rows, forms.rows)
    for margins, members in margins_at(centres, forms):
        cells = _cells(margins, squares)
        for member in members:
            # The variance of margins within a cell changes the mean like a little more noise.
            spread = np.sqrt(cells.variances + sigmas[member] ** 2 * cells.squares)
            result[member] = problem.function.expected(cells.margins, spread) @ cells.mass
    norms = np.einsum("kd,kd->k", centres, centres) + centres.shape[1] * sigmas**2
    return np.asarray(result + 0.5 * problem.lam * norms)


def margins_at(centres: Array, forms: Forms) -> Iterator[tuple[Array, NDArray[np.intp]]]:
    """Margins, or residuals, at each distinct centre; and the rows of `centres` that share it."""
    unique, inverse = np.unique(centres, axis=0, return_inverse=True)
    together = max(1, MARGIN_ENTRIES // max(1, len(forms)))
    for start in range(0, len(unique), together):
        block = forms.at(unique[start : start + together].T)
        for offset, margins in enumerate(np.ascontiguousarray(block.T)):
            yield margins, np.flatnonzero(inverse == start + offset)


def _pooled(values: Array) -> tuple[Array, Array]:
    """The values' means in equal-width bins and the share of records in each."""
    if len(values) <= BINS:
        return values, np.full(len(values), 1.0 / max(1, len(values)))
    width = max(float(values.max() - values.min()), 1e-300) / BINS
    places = values / width
    np.floor(places, out=places)
    places -= places.min()
    index = places.astype(np.intp)
    counts = np.bincount(index)
    sums = np.bincount(index, weights=values)
    filled = counts > 0
    return sums[filled] / counts[filled], counts[filled] / len(values)


@dataclass(frozen=True)
class _Cells:
    """Records pooled by margin, and by length where lengths differ; each array of shape (cells,).

    `margins`, `squares` (of the lengths) and `variances` (of the margins) are a cell's means;
    `mass` is its share of the records.
    """

    margins: Array
    squares: Array
    variances: Array
    mass: Array


def _cells(margins: Array, squares: Array) -> _Cells:
    records = len(margins)
    if records <= CELLS:
        return _Cells(margins, squares, np.zeros(records), np.full(records, 1.0 / records))
    lengths = np.sqrt(squares)
    levels = 1 if np.ptp(lengths) < 1e-6 else LENGTH_LEVELS
    # The width limits the error of a loss, which is its third derivative times the width cubed.
    columns = int(np.clip(np.ptp(margins) / CELL_WIDTH, CELLS / levels, BINS / levels))
    index = _level(margins, columns) * levels + _level(lengths, levels)
    counts = np.bincount(index)
    filled = counts > 0
    weight = counts[filled]

    def mean(values: Array) -> Array:
        return np.asarray(np.bincount(index, weights=values)[filled] / weight)

    middle = mean(margins)
    variances = np.maximum(mean(margins**2) - middle**2, 0.0)
    return _Cells(middle, mean(squares), variances, weight / records)


def _level(values: Array, levels: int) -> NDArray[np.int64]:
    """Which of `levels` equal parts of their range each value lies in."""
    low, width = float(values.min()), float(np.ptp(values))
    if width == 0.0:
        return np.zeros(len(values), dtype=np.int64)
    return np.minimum(((values - low) * (levels / width)).astype(np.int64), levels - 1)
