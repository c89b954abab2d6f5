"""Numbers of a table from its noisy sums, each with an interval; looks at no record.

An interval's target is the population that the records are drawn from: it covers sampling and
noise. Beside it stands one for noise alone, whose target is the table's own value. Both are made of
the released values as they are; what is shown is made consistent: counts are not negative, levels
and parts add up to their group, quantiles are in order.

Shares and quantiles are inverted: T(p) = y - p N of a share p has mean 0 and variance
N p (1 - p) + σ² (of y - p N), and so has the count below a place, with p the order of a quantile;
where few are expected the law is the binomial with normal noise, not its limit. A mean m inverts
S - m N likewise (Fieller 1954). A standard deviation is by the delta method, with the fourth moment
of the released histogram.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import optimize, special

from dpcore.summaries.counts import Array, ColumnSums, TableSums, Whole
from dpcore.summaries.mechanism import (
    BRANCHES,
    EVERYBODY,
    NOT_KNOWN,
    NumberColumn,
    SummaryMechanism,
    SummaryQuery,
    WordColumn,
)
from dpcore.words import plain

CONFIDENCE = 0.95
QUANTILES: Mapping[str, float] = {"quartile 1": 0.25, "median": 0.5, "quartile 3": 0.75}
ORDERS = np.array(list(QUANTILES.values()))
FEW = 60.0
"""Expected number below which a share's law is taken as it is, and not for normal."""
READABLE = 0.1
"""Half-width of an interval up to which a number is readable: of 1 for a share, or of the width of
a column's bounds."""
SHARE, DEVIATION, HISTOGRAM, ALIVE = "share", "standard deviation", "histogram", "event-free"
FRACTIONS = (SHARE, HISTOGRAM, ALIVE)
"""Statistics that are parts of everybody, and have no unit."""
BARS_LAYER = 2
BARS = BRANCHES**BARS_LAYER
ROUNDS, AGREED = 1_000, 1e-12
"""How often margins are fitted at most, and what they may still be off by."""
Interval = tuple[float, float]


@dataclass(frozen=True)
class SummaryNumber:
    """One number of the table, with its intervals."""

    column: str
    statistic: str
    level: str  # of words; "" of numbers
    group: str
    value: float
    low: float
    high: float
    noise_low: float
    noise_high: float
    width: float  # of what it may be: 1 of a share, else of the column's bounds
    of: float = 0.0  # how many a share is of

    @property
    def is_readable(self) -> bool:
        """Whether its interval tells anything, by `READABLE`."""
        return (self.high - self.low) / 2.0 <= READABLE * self.width

    def told(self, unit: str) -> dict[str, Any]:
        """All that is told of it, as a row."""
        known = dict(vars(self))
        del known["width"], known["of"]
        names = {name: known.pop(name) for name in ("column", "statistic", "level", "group")}
        own = "" if self.statistic in FRACTIONS else unit
        return {**names, "unit": own, **known, "readable": self.is_readable}


def estimates(counts: TableSums, mechanism: SummaryMechanism, records: int) -> list[SummaryNumber]:
    """Every number of the table.

    Parameters
    ----------
    counts : TableSums
        Released, in records; exact ones with a mechanism of no noise are as well.
    mechanism : SummaryMechanism
        Whose noise they have.
    records : int
        n, public.
    """
    found = []
    for group, pooled in _pooled(counts, mechanism.measured):
        if group != EVERYBODY and mechanism.measured.size_weight:
            found.append(_size(group, pooled, mechanism, records))
        for column in mechanism.measured.columns:
            own = pooled.columns[column.name]
            if isinstance(column, WordColumn):
                margins = [
                    _shown(pooled.columns[side.name])
                    for side in mechanism.measured.sides(column)
                    if not column.may_be_unknown
                ]
                found += list(_shares(column, own, group, pooled, mechanism, margins))
            else:
                found += list(_numbers(column, own, group, pooled, mechanism))
    return found


def histograms(counts: TableSums, mechanism: SummaryMechanism) -> list[SummaryNumber]:
    """The shares of a number's range, cut into `BARS` equal parts, for all and each group."""
    found: list[SummaryNumber] = []
    for group, pooled in _pooled(counts, mechanism.measured):
        for column in mechanism.measured.columns:
            if isinstance(column, WordColumn) or column.layers < BARS_LAYER:
                continue
            edges = np.linspace(column.lower, column.upper, BARS + 1).tolist()
            names = tuple(f"{plain(low)} to {plain(high)}" for low, high in pairwise(edges))
            own = pooled.columns[column.name]
            bars = replace(own, levels=own.layers[BARS_LAYER - 1])
            cut = WordColumn(column.name, names, weight=column.layer_weight)
            shares = _shares(cut, bars, group, pooled, mechanism)
            found += [replace(share, statistic=HISTOGRAM) for share in shares]
    return found


@dataclass(frozen=True)
class _Pooled:
    """One group's numbers, or those of several together."""

    parts: int  # groups that were added up, each with its noise
    size: float
    columns: Mapping[str, ColumnSums]


def _pooled(counts: TableSums, measured: SummaryQuery) -> Iterator[tuple[str, _Pooled]]:
    """Everybody, then each group that has a name."""
    count = len(measured.groups)
    choices = [(EVERYBODY, list(range(count)))]
    if measured.by:
        named = [place for place, name in enumerate(measured.groups) if name != NOT_KNOWN]
        choices += [(measured.groups[place], [place]) for place in named]
    for name, chosen in choices:

        def added(part: Array, chosen: list[int] = chosen) -> Array:
            return np.asarray(part[chosen].sum(axis=0)) if part.size else part

        columns = {
            key: ColumnSums(
                added(own.levels),
                added(own.known),
                added(own.total),
                added(own.squares),
                tuple(map(added, own.layers)),
            )
            for key, own in counts.columns.items()
        }
        yield name, _Pooled(len(chosen), float(added(counts.sizes).sum()), columns)


def _quantile(confidence: float = CONFIDENCE) -> float:
    return float(special.ndtri(0.5 + confidence / 2.0))


def _size(group: str, pooled: _Pooled, mechanism: SummaryMechanism, records: int) -> SummaryNumber:
    """The share of the records that are in the group."""
    sigma = mechanism.scale_of(mechanism.measured.size_weight) * math.sqrt(pooled.parts)
    both, alone = share_intervals(pooled.size, records, sigma, 0)
    share = min(max(pooled.size / records, 0.0), 1.0)
    by = mechanism.measured.by
    return SummaryNumber(by, SHARE, group, EVERYBODY, share, *both, *alone, 1.0, records)


def _within(low: float, high: float, least: float, most: float) -> tuple[float, float]:
    return min(max(low, least), most), min(max(high, least), most)


def _shares(
    column: WordColumn,
    own: ColumnSums,
    group: str,
    pooled: _Pooled,
    mechanism: SummaryMechanism,
    margins: Sequence[Array] = (),
) -> Iterator[SummaryNumber]:
    """The share of each level among those of the group for whom it is known.

    Shares of a cross-table that stands beside its `margins` add up to these.
    """
    sigma = mechanism.scale_of(column.weight) * math.sqrt(pooled.parts)
    known = float(own.levels.sum())
    shown = agreeing(_shown(own), *margins) if margins else _shown(own)
    for place, level in enumerate(column.levels):
        both, alone = share_intervals(float(own.levels[place]), known, sigma, len(column.levels))
        share = float(shown[place])
        yield SummaryNumber(
            column.name, SHARE, level, group, share, *both, *alone, 1.0, max(known, 1.0)
        )


def share_intervals(
    count: float, known: float, sigma: float, levels: int
) -> tuple[Interval, Interval]:
    """Between what a share lies for the population, and by noise alone for the table.

    It is of `known`, the sum of so many `levels` with noise σ each; public where there are none.
    """
    if levels:
        both = ratio_interval(count, known - count, sigma, levels - 1)
    else:
        both = share_interval(count, known, sigma)
    # Noise alone: |count - p known| within z of its noise (Fieller).
    own = (math.sqrt(levels) * sigma, sigma**2 if levels else 0.0)
    alone = _fieller(count, known, sigma, *own, 0.0, _quantile())
    return both, _within(*alone, 0.0, 1.0)


def share_errors(
    mechanism: SummaryMechanism, column: str, group: str, share: float, of: float
) -> tuple[float, float]:
    """Half of both intervals of a share that are to be expected, by its own value without noise."""
    measured = mechanism.measured
    levels, weight, parts = 0, measured.size_weight, 1  # of the groups' own sizes
    for each in measured.columns:
        if isinstance(each, WordColumn) and each.name == column:
            levels, weight = len(each.levels), each.weight
            parts = len(measured.groups) if group == EVERYBODY else 1
    sigma = mechanism.scale_of(weight) * math.sqrt(parts)
    both, alone = share_intervals(share * of, of, sigma, levels)
    return (both[1] - both[0]) / 2.0, (alone[1] - alone[0]) / 2.0


def _shown(own: ColumnSums) -> Array:
    """The shares of a column's levels: none is negative, and they add up to 1."""
    known = max(float(own.levels.sum()), 1.0)
    return nearest(own.levels, known) / known


def nearest(counts: Array, total: float) -> Array:
    """The nearest counts that are not negative and add up to a total: min ‖x - counts‖."""
    loss = _losses(counts[None], np.array([total]))[0]
    return np.asarray(np.maximum(counts - loss, 0.0))


def _losses(rows: Array, totals: Array) -> Array:
    """What each number of a row loses until those above 0 add up to its total.

    All others are 0 then (Held, Wolfe and Crowder 1974).
    """
    falling = -np.sort(-rows, axis=1)
    losses = (falling.cumsum(axis=1) - totals[:, None]) / np.arange(1, rows.shape[1] + 1)
    last = np.maximum((falling > losses).sum(axis=1) - 1, 0)
    return np.asarray(np.take_along_axis(losses, last[:, None], axis=1)[:, 0])


def agreeing(cells: Array, first: Array, second: Array) -> Array:
    """The shares nearest to those of a cross-table that are not negative and have these margins.

    By raising rows and columns in turn: coordinate ascent on the dual problem, which is concave.
    """
    table, of_columns = cells.reshape(len(first), len(second)), np.zeros(len(second))
    for _ in range(ROUNDS):
        of_rows = _losses(table - of_columns, first)
        before, of_columns = of_columns, _losses((table - of_rows[:, None]).T, second)
        if np.abs(of_columns - before).max() < AGREED:
            break
    return np.maximum(table - of_rows[:, None] - of_columns, 0.0).ravel()


def share_interval(count: float, records: float, sigma: float) -> tuple[float, float]:
    """The shares p for which `count` is no surprise: binomial of `records`, and noise σ on it."""
    return _inverted(count, records, sigma, 0.0, 0)


def ratio_interval(count: float, others: float, sigma: float, cells: int) -> tuple[float, float]:
    """The same of a count among itself and `cells` others, each with noise σ."""
    return _inverted(count, max(count + others, 1.0), sigma, sigma, cells)


def _inverted(
    count: float, records: float, sigma: float, others: float, cells: int
) -> tuple[float, float]:
    """The shares p for which count - p records is no surprise.

    Its noise has variance (1 - p)² σ² + cells p² others², or σ² where there are no other cells.
    """
    own = 1.0 if cells else 0.0

    def noise(p: float) -> float:
        return math.sqrt((sigma * (1.0 - own * p)) ** 2 + cells * (p * others) ** 2)

    z = _quantile()
    # (count - p N)² ≤ z² (N p (1 - p) + noise²), a quadratic in p.
    a = records**2 + z**2 * (records - own * sigma**2 - cells * others**2)
    b = -2.0 * count * records - z**2 * (records - 2.0 * own * sigma**2)
    c = count**2 - z**2 * sigma**2
    root = b * b - 4.0 * a * c
    if a > 0.0 and root >= 0.0:
        ends = (-b - math.sqrt(root)) / (2.0 * a), (-b + math.sqrt(root)) / (2.0 * a)
        if records * ends[0] >= FEW and records * ends[1] <= records - FEW:
            return ends
    tail = (1.0 - CONFIDENCE) / 2.0
    low = _root(lambda p: _below(count, records, p, noise(p), strict=True) - 1.0 + tail)
    high = _root(lambda p: _below(count, records, p, noise(p), strict=False) - tail)
    return low, high


def _root(excess: Callable[[float], float]) -> float:
    """The p in [0, 1] at which a falling function is 0; an end where it is nowhere."""
    if excess(0.0) <= 0.0:
        return 0.0
    return 1.0 if excess(1.0) >= 0.0 else float(optimize.brentq(excess, 0.0, 1.0, xtol=1e-7))


def _below(count: float, records: float, p: float, noise: float, *, strict: bool) -> float:
    """P(X + noise ≤ count) of X binomial; X alone where there is no noise."""
    expected = records * p
    variance = expected * (1.0 - p)
    if min(expected, records - expected) >= FEW:
        spread = math.sqrt(variance + noise**2)
        return float(special.ndtr((count - expected) / spread))
    if expected > records / 2.0:
        mirrored = _below(records - count, records, 1.0 - p, noise, strict=not strict)
        return 1.0 - mirrored
    whole = max(round(records), 1)
    reach = int(expected + 12.0 * math.sqrt(expected + 1.0) + 12.0)
    support = np.arange(min(whole, reach) + 1)
    weights = _binomial(support, whole, p)
    if noise <= 0.0:
        return float(weights[support < count if strict else support <= count].sum())
    return float((weights * special.ndtr((count - support) / noise)).sum())


def _binomial(successes: Whole, trials: int, p: float) -> Array:
    """The binomial's weights; SciPy's own checks would take ten times as long."""
    ways = special.gammaln(trials + 1.0) - special.gammaln(successes + 1.0)
    ways -= special.gammaln(trials - successes + 1.0)
    chance = special.xlogy(successes, p) + special.xlog1py(trials - successes, -p)
    return np.asarray(np.exp(ways + chance))


def _fieller(
    top: float,
    bottom: float,
    top_noise: float,
    bottom_noise: float,
    covariance: float,
    sampling: float,
    z: float,
) -> tuple[float, float]:
    """The ratios r with |top - r bottom| ≤ z sd(top - r bottom); the whole line where many are."""
    # (top - r bottom)² ≤ z² (sampling + a - 2 r c + r² b)
    a = bottom**2 - z**2 * bottom_noise**2
    b = -2.0 * (top * bottom - z**2 * covariance)
    c = top**2 - z**2 * (top_noise**2 + sampling)
    root = b * b - 4.0 * a * c
    if a <= 0.0 or root < 0.0:
        return -math.inf, math.inf
    return (-b - math.sqrt(root)) / (2.0 * a), (-b + math.sqrt(root)) / (2.0 * a)


def _numbers(
    column: NumberColumn, own: ColumnSums, group: str, pooled: _Pooled, mechanism: SummaryMechanism
) -> Iterator[SummaryNumber]:
    """What is told of a number, in its own unit: of moments and quantiles those that there are."""
    scale, parts = mechanism.scale_of, math.sqrt(pooled.parts)
    is_own = column.may_be_unknown
    known = float(own.known) if is_own else pooled.size
    of_known = scale(column.known_weight if is_own else mechanism.measured.size_weight) * parts
    of_layer = scale(column.layer_weight) * parts
    distribution = _distribution(column, own, known, of_known, of_layer) if column.layers else None

    def scaled() -> Iterator[tuple[str, float, Interval, Interval]]:
        if column.sum_weight:
            noise = (scale(column.sum_weight) * parts, scale(column.squares_weight) * parts)
            yield from _moments(own, known, (of_known, *noise), distribution)
        if distribution is not None:
            told = distribution.quantiles(ORDERS), *distribution.intervals(ORDERS)
            yield from zip(QUANTILES, *told, strict=True)

    half = column.half_width
    for name, value, *intervals in scaled():
        middle, least = (0.0, 0.0) if name == DEVIATION else (column.middle, column.lower)
        ends = (
            _within(middle + half * low, middle + half * high, least, middle + half)
            for low, high in intervals
        )
        (low, high), alone = ends
        width = column.upper - column.lower
        yield SummaryNumber(
            column.name, name, "", group, middle + half * value, low, high, *alone, width
        )


def _moments(
    own: ColumnSums,
    known: float,
    noise: tuple[float, float, float],
    distribution: Distribution | None,
) -> Iterator[tuple[str, float, Interval, Interval]]:
    """Mean and standard deviation, of values scaled to [-1, 1]."""
    of_known, of_sum, of_squares = noise
    number, top, z = max(known, 1.0), float(own.total), _quantile()
    mean, square = top / number, float(own.squares) / number
    mean = min(max(mean, -1.0), 1.0)
    variance = min(max(square - mean**2, 0.0), 1.0 - mean**2)
    both, alone = (
        _fieller(top, known, of_sum, of_known, 0.0, sampling, z)
        for sampling in (number * variance, 0.0)
    )
    yield "mean", mean, both, alone

    # Without layers the fourth moment is bounded: (u - m)² is at most (1 + |m|)².
    fourth = (1.0 + abs(mean)) ** 2 * variance
    if distribution is not None:
        fourth = distribution.moment(mean, 4)
    drawn = of_squares**2 + (2.0 * mean * of_sum) ** 2 + ((2.0 * mean**2 - square) * of_known) ** 2

    def deviations(total: float) -> Interval:
        reach = z * math.sqrt(total) / number
        low, high = _within(variance - reach, variance + reach, 0.0, 1.0)
        return math.sqrt(low), math.sqrt(high)

    sampling = number * max(fourth - variance**2, 0.0)
    yield DEVIATION, math.sqrt(variance), deviations(drawn + sampling), deviations(drawn)


@dataclass(frozen=True)
class Distribution:
    """The noisy distribution function of a number in one group, and its noise."""

    edges: Array  # scaled to [-1, 1]; one more than cells
    below: Array  # released counts below each inner edge
    known: float
    spread: Array  # variance of the noise on each of `below`
    shared: Array  # its covariance with that on `known`
    of_known: float  # the variance of that
    reached: Array  # the share below each edge; it rises from 0 to 1

    def moment(self, about: float, power: int) -> float:
        """The mean power of the distance from a place, as if cells were at their middles."""
        centres = (self.edges[1:] + self.edges[:-1]) / 2.0
        return float((np.diff(self.reached) * (centres - about) ** power).sum())

    def quantiles(self, orders: Array) -> list[float]:
        """Where the rising function reaches each order: in the middle of a part that is level."""
        found, edges, reached = [], self.edges, self.reached
        sides = (np.searchsorted(reached, orders, side) for side in ("left", "right"))
        for order, first, last in zip(orders, *sides, strict=True):
            if first < last:
                found.append(float(edges[first] + edges[last - 1]) / 2.0)
                continue
            low, high = reached[first - 1], reached[first]
            step = edges[first] - edges[first - 1]
            found.append(float(edges[first - 1] + step * (order - low) / (high - low)))
        return found

    def intervals(self, orders: Array) -> list[list[Interval]]:
        """The places between those that are surely below each quantile and surely above it.

        By sampling and noise, and by noise alone.
        """
        order, size = orders[:, None], len(self.below)
        noise = self.spread - 2.0 * order * self.shared + order**2 * self.of_known
        sampling = max(self.known, 1.0) * order * (1.0 - order)
        limit = _quantile() * np.sqrt(np.maximum(np.stack([noise + sampling, noise]), 0.0))
        excess = self.below - order * self.known
        is_low, is_high = excess < -limit, excess > limit
        # The first edge that is not surely low has all before it low; likewise from above.
        first = np.where(is_low.all(axis=-1), size, is_low.argmin(axis=-1))
        last = np.where(is_high.all(axis=-1), 0, size - is_high[..., ::-1].argmin(axis=-1))
        ends = self.edges[np.stack([first, np.minimum(last + 1, size + 1)], axis=-1)]
        return [[(low, high) for low, high in each] for each in ends.tolist()]


def _distribution(
    column: NumberColumn, own: ColumnSums, known: float, of_known: float, of_layer: float
) -> Distribution:
    """Fit the layers and the known count to one another by least squares."""
    weights = 1.0 if of_layer <= 0.0 else (of_layer / max(of_known, 1e-12)) ** 2
    fit, covariance, edges = _fitting(column.layers, round(weights, 9))
    observed = np.concatenate([[known], *own.layers])
    below = np.cumsum(fit @ observed)
    total = max(float(below[-1]), 1.0)
    rising = np.clip(optimize.isotonic_regression(below).x / total, 0.0, 1.0)
    reached = np.concatenate([[0.0], rising[:-1], [1.0]])
    spread, shared = (of_layer**2 * part for part in covariance)
    return Distribution(
        edges, below[:-1], float(below[-1]), spread[:-1], shared[:-1], float(shared[-1]), reached
    )


@lru_cache(maxsize=32)
def _fitting(layers: int, root_weight: float) -> tuple[Array, tuple[Array, Array], Array]:
    """From (known, layers) to cells, the noise of counts below edges, and the edges.

    Of the noise there are the variances, and the covariances with that on the count of all, which
    is the last; in units of a layer's variance, in which `root_weight` is the precision of `known`.
    """
    cells = BRANCHES**layers
    rows = [np.ones((1, cells))]
    for depth in range(1, layers + 1):
        rows.append(np.kron(np.eye(BRANCHES**depth), np.ones((1, cells // BRANCHES**depth))))
    design = np.vstack(rows)
    precision = np.ones(len(design))
    precision[0] = root_weight
    inverse = np.linalg.inv((design.T * precision) @ design)
    sums = np.tril(np.ones((cells, cells)))
    covariance = sums @ inverse @ sums.T
    noise = (np.diag(covariance).copy(), covariance[:, -1].copy())
    return inverse @ (design.T * precision), noise, np.linspace(-1.0, 1.0, cells + 1)


def without_noise(mechanism: SummaryMechanism) -> SummaryMechanism:
    """A mechanism whose noise is next to nothing: for a table's own values."""
    return replace(mechanism, sigma=1)
