"""Area under the ROC curve (AUC): of single models, and over Gaussian noise on their weights.

It is the share of pairs of a positive and a negative record whose scores are in the right order.
For w + z with z ~ N(0, σ²I) the order of a pair depends on wᵀ(x₊ - x₋) + N(0, σ²‖x₊ - x₋‖²), so
its expectation is a mean of Φ over pairs. All pairs are taken where there are few; else a sample in
which every record occurs about equally often, so that only pairwise effects are sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.erm.cells import Cells
from dpcore.erm.forms import Forms
from dpcore.errors import number, whole
from dpcore.evaluation.scoring.metrics import (
    AT_ONCE,
    Array,
    hits_over_draws,
    margins_at,
    mean_hits,
)

BLOCK_ENTRIES = 2**19
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
