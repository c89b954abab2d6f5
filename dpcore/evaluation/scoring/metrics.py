"""Measures of weight vectors: many at once from margins, or in expectation over Gaussian noise.

The closed forms are exact up to quadrature: for w + z with z ~ N(0, σ²I) the margin of record i is
N(yᵢxᵢᵀw, σ²‖xᵢ‖²), so expected accuracy and loss are one-dimensional integrals.

The area under the ROC curve (AUC) is the share of pairs of a positive and a negative record whose
scores are in the right order. The order of a pair depends on wᵀ(x₊ - x₋) + N(0, σ²‖x₊ - x₋‖²), so
its expectation is a mean of Φ over pairs. All pairs are taken where there are few; else a sample in
which every record occurs about equally often, so that only pairwise effects are sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.erm.gradient import Cells
from dpcore.erm.losses import Forms
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


PAIRS = 2**18  # sampled for means
LEVEL = 0.05  # no correction of an AUC closer to 1/2 than this
BAND_PAIRS = 2**14  # for the scatter of single draws around their mean
PAIR_SEED = 0x50616972


def auc_of_models(weights: Array, features: Array, labels: Array) -> Array:
    """Area under the ROC curve for each row of `weights` (k, d), ties counted half; shape (k,).

    ``nan`` where a class is missing.
    """
    result = np.empty(len(weights))
    columns = max(1, BLOCK_ENTRIES // len(labels))
    rows = features.astype(np.float32)
    for start in range(0, len(weights), columns):
        scores = weights[start : start + columns].astype(np.float32) @ rows.T
        result[start : start + columns] = auc(scores, labels > 0)
    return result


def auc(scores: Array, positive: NDArray[np.bool_]) -> Array:
    """Area under the ROC curve for each row of `scores` (k, n), ties counted half; shape (k,).

    ``nan`` where a class is missing or a score is no number.
    """
    count = int(np.count_nonzero(positive))
    pairs = count * (len(positive) - count)
    result = np.full(len(scores), math.nan)
    for place, score in enumerate(scores if pairs else ()):
        if not np.isfinite(score).all():
            continue
        negatives = np.sort(score[~positive])
        positives = np.sort(score[positive])
        below = np.searchsorted(negatives, positives, side="left")
        upto = np.searchsorted(negatives, positives, side="right")
        wins = 0.5 * (below.sum(dtype=np.float64) + upto.sum(dtype=np.float64))
        result[place] = wins / pairs
    return result


def expected_auc(centres: Array, sigmas: Array, features: Array, labels: Array) -> Array:
    """E of `auc_of_models` over w + N(0, σ²I); one (w, σ) per row of `centres` (k, d).

    Exact without noise, and to 1e-4 where there are at most 2^18 pairs. Else so many are sampled,
    the same for every row, and their result is scaled by their error in the area without noise: on
    Adult's test records (15 million pairs) that leaves an error of at most .0004, almost none for
    little noise. ``nan`` where a class is missing.
    """
    result, noisy = np.empty(len(centres)), np.asarray(sigmas) > 0.0
    still, place = np.unique(centres[~noisy], axis=0, return_inverse=True)
    result[~noisy] = auc_of_models(still, features, labels)[place]
    if noisy.any():
        result[noisy] = _over_noise(centres[noisy], sigmas[noisy], features, labels)
    return result


def _over_noise(centres: Array, sigmas: Array, features: Array, labels: Array) -> Array:
    positive, negative = _pairs(labels, PAIRS)
    if not len(positive):
        return np.full(len(centres), math.nan)
    lengths = _lengths(features, positive, negative)
    distinct = lengths > 0.0  # noise cannot order two equal records
    positive, negative, lengths = positive[distinct], negative[distinct], lengths[distinct]
    share, sampled = float(np.mean(distinct)), len(distinct) == PAIRS
    result = np.empty(len(centres))
    for scores, members in margins_at(centres, Forms(features)):
        gaps = scores.take(positive)
        gaps -= scores.take(negative)
        above = share * (mean_hits(gaps, lengths, sigmas[members], tie=0.5) - 0.5)
        if sampled:
            ahead = np.count_nonzero(gaps > 0.0) - np.count_nonzero(gaps < 0.0)
            above *= _missed(scores, labels, share * 0.5 * ahead / len(gaps))
        result[members] = 0.5 + above
    return result


def _missed(scores: Array, labels: Array, sampled: float) -> float:
    """Factor from the sampled pairs' area to the area without noise; 1 where that is close to ½."""
    if abs(sampled) < LEVEL:
        return 1.0
    return (float(auc(scores[None], labels > 0)[0]) - 0.5) / sampled


def noisy_areas(
    centres: Array, sigmas: Array, draws: Array, features: Array, labels: Array
) -> Array:
    """About the area of w + σ z for every draw z (m, d), shape (k, m).

    On 2^14 pairs at most: the choice of pairs moves all draws alike. ``nan`` where a class is
    missing.
    """
    positive, negative = _pairs(labels, BAND_PAIRS)
    if not len(positive):
        return np.full((len(centres), len(draws)), math.nan)
    # Equal records are one row: whatever the rounding, their scores then differ by 0.
    rows, place = _distinct(features.astype(np.float32))
    moves, scores = (w.astype(np.float32) @ rows.T for w in (draws, centres))

    def gaps() -> Iterator[tuple[Array, Array, int]]:
        for start in range(0, len(positive), AT_ONCE):
            pairs = slice(start, start + AT_ONCE)
            first, second = place[positive[pairs]], place[negative[pairs]]
            ahead, before = (
                one.take(first, axis=1) - one.take(second, axis=1) for one in (moves, scores)
            )
            yield ahead, before, 0

    return hits_over_draws(gaps(), sigmas, len(draws)) / len(positive)


def _distinct(rows: Array) -> tuple[Array, NDArray[np.intp]]:
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows[0].nbytes)))[:, 0]
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    return rows[first], place


def area_interval(area: float, positives: int, negatives: int) -> tuple[float, float]:
    """Range of the area on new records at 95 %, from the numbers of test records alone.

    All areas at which the observed one is within z standard errors, by the variance of Hanley and
    McNeil (1982); inverted like Wilson's interval, it is no point at an area of 1 (Newcombe 2006).
    """
    observed = number("area under the curve", area, at_least=0.0, at_most=1.0)
    positive_count = whole("positive test records", positives, at_least=1)
    negative_count = whole("negative test records", negatives, at_least=1)
    z = float(special.ndtri(0.5 + 0.5 * 0.95))

    def near(true: float) -> bool:
        within = (positive_count - 1) * (1.0 - true) / (2.0 - true) + (
            negative_count - 1
        ) * true / (1.0 + true)
        variance = true * (1.0 - true) * (1.0 + within) / (positive_count * negative_count)
        return (true - observed) ** 2 <= z * z * variance

    return _last(near, observed, 0.0), _last(near, observed, 1.0)


def _last(holds: Callable[[float], bool], start: float, end: float) -> float:
    """The last point between `start` and `end` at which the condition holds, by bisection."""
    for _ in range(60):
        middle = 0.5 * (start + end)
        start, end = (middle, end) if holds(middle) else (start, middle)
    return end


def _pairs(labels: Array, most: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    positive, negative = np.flatnonzero(labels > 0), np.flatnonzero(labels <= 0)
    many, few = len(positive), len(negative)
    if many * few <= most:
        return np.repeat(positive, few), np.tile(negative, many)
    generator = np.random.default_rng(PAIR_SEED)
    positive, negative = generator.permutation(positive), generator.permutation(negative)
    turn = np.arange(most)
    # In step, the two lists form all possible pairs before the first pair comes again.
    return positive[turn % many], negative[(turn + turn // math.lcm(many, few)) % few]


def _lengths(features: Array, positive: NDArray[np.intp], negative: NDArray[np.intp]) -> Array:
    rows, result = Cells.of(features, features).astype(np.float32), np.empty(len(positive))
    size = max(1, BLOCK_ENTRIES // (rows.others.shape[1] + len(rows.sizes) + 1))
    for start in range(0, len(positive), size):
        part = slice(start, start + size)
        result[part] = rows.distances(positive[part], negative[part])
    return result
