"""Steps on one grid, each by connecting the dots, all by one product of transforms; their ε, δ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from dpcore.accounting.pairs import Pair

Array = NDArray[np.float64]

SUMS = 1e-9  # relative error of a running sum over the longest grid


@dataclass(frozen=True)
class LossDistribution:
    """A discrete privacy loss distribution in one direction of an adjacency."""

    losses: Array  # (k,), ascending
    masses: Array  # (k,), the probability under P of each
    infinite: float  # P-mass at infinite loss
    log_stray: float  # e^(log_stray - tilt ε) bounds the error of δ(ε) from rounding and wrapping
    tilt: float
    largest: float  # the largest finite loss; beyond it δ is `infinite`, without stray mass
    optimistic: bool  # δ(ε) and ε(δ) are then lower bounds, otherwise upper ones

    @property
    def interval(self) -> float:
        """Distance of neighbouring losses."""
        return float(self.losses[1] - self.losses[0])

    def delta(self, epsilon: float) -> float:
        """δ(ε) at any real ε, rounded to the safe side of its bound."""
        if epsilon >= self.largest:
            return self.infinite
        above = self.losses > epsilon
        mass = float(self.masses[above] @ -np.expm1(epsilon - self.losses[above]))
        stray = math.exp(min(self.log_stray - self.tilt * epsilon, 1.0))
        if self.optimistic:
            return max(0.0, mass * (1.0 - SUMS) - stray)
        return min(1.0, mass * (1.0 + SUMS) + self.infinite + stray)

    def epsilon(self, delta: float) -> float:
        """The smallest ε ≥ 0 with δ(ε) ≤ `delta`, on the safe side; ``inf`` if there is none."""
        if self.infinite > delta:
            return math.inf
        if not self.optimistic and self.delta(0.0) <= delta:
            return 0.0
        above, at = self._tails()
        stray = np.exp(np.minimum(self.log_stray - self.tilt * self.losses, 1.0))
        if self.optimistic:
            # The last grid point still above δ, and on from there along the chord.
            high = np.flatnonzero((self.losses > 0.0) & (at * (1.0 - SUMS) - stray > delta))
            if len(high) == 0:
                return 0.0
            k = int(high[-1]) + 1
            start = float(self.losses[k - 1])
            if k == len(self.losses):
                return start
            ratio = (above[k] * (1.0 - SUMS) - delta - stray[k - 1]) / (above[k] - at[k])
            inside = float(self.losses[k]) + math.log(max(float(ratio), 1e-300))
            return max(start, inside - SUMS)
        within = at * (1.0 + SUMS) + self.infinite + stray <= delta
        reached = np.flatnonzero((self.losses > 0.0) & within)
        if len(reached) == 0 or self.losses[reached[0]] >= self.largest:
            return max(self.largest, 0.0)
        k = int(reached[0])
        # δ(ε) = Σ_{j≥k} m_j - e^{ε-ε_k} Σ_{j≥k} m_j e^{ε_k-ε_j} within (ε_{k-1}, ε_k]; the stray
        # part is taken at ε_{k-1}, where it is largest.
        least = above[k] - at[k]
        rest = above[k] * (1.0 + SUMS) + self.infinite + stray[max(k - 1, 0)] - delta
        if not least > 0.0:
            return float(self.losses[k])
        inside = float(self.losses[k]) + math.log(max(float(rest / least), 1e-300)) + SUMS
        return min(max(inside, 0.0), float(self.losses[k])) * (1.0 + 1e-15)

    def roc(self) -> tuple[Array, Array]:
        """(FPR, TPR) of the threshold tests on the loss, ascending, with both ends.

        Every attack lies on or below the polygon through them: the lower envelope of the lines
        TPR = e^ε FPR + δ(ε). Only for a whole curve: not tilted, and not optimistic.
        """
        if self.tilt != 0.0 or self.optimistic:
            raise ValueError("an attacker's curve needs a whole, pessimistic distribution")
        extra = self.infinite + math.exp(self.log_stray)
        step = math.exp(-self.interval)
        # Σ_{j≥k} m_j e^{ε_k-ε_j}
        weight = _fading_sum(self.masses[::-1], step)
        with np.errstate(over="ignore", invalid="ignore"):
            false = np.nan_to_num(weight * np.exp(-self.losses[::-1]), nan=1.0, posinf=1.0)
        true = np.cumsum(self.masses[::-1]) * (1.0 + SUMS) + extra
        return (
            np.concatenate(([0.0], np.maximum.accumulate(np.minimum(false, 1.0)), [1.0])),
            np.minimum(np.concatenate(([extra], true, [1.0])), 1.0),
        )

    def _tails(self) -> tuple[Array, Array]:
        """Σ_{j≥k} m_j and δ(ε_k) without the stray part, for every grid point k."""
        above = np.cumsum(self.masses[::-1])
        # δ(ε_{k-1}) = e^{-h} δ(ε_k) + (1 - e^{-h}) Σ_{j≥k} m_j: a recursion without cancellation.
        step = self.interval
        earlier = np.concatenate(([0.0], above[:-1]))
        at = _fading_sum(-math.expm1(-step) * earlier, math.exp(-step))
        return above[::-1], at[::-1]


def _fading_sum(values: Array, share: float) -> Array:
    """The y with y_k = values_k + share · y_{k-1} from y_{-1} = 0, for a share in (0, 1).

    As the solution of a system with two diagonals: `scipy.signal.lfilter` gives the same digits,
    but half of SciPy is loaded with it.
    """
    diagonals = np.ones((2, len(values)), order="F")
    diagonals[1] = -share
    solution, _ = scipy.linalg.lapack.dtbtrs(diagonals, values[:, None], uplo="L", diag="U")
    return np.asarray(solution[:, 0])


MAX_POINTS = 2**21

MIN_DEVIATION = 1e-8

CURVE_DELTA = 1e-6  # stands for δ where the whole curve is wanted

OUTSIDE_SHARE = 1e-7  # of δ that mass outside the grid, at either end, may take

# Every step's mean loss is moved up by this, relative to 1 + |loss|, against rounding.
SAFETY = 1e-13

LARGEST_EXPONENT = 650.0

SMALLEST_MASS = 1e-290

MOMENT_ERROR = 1e-6  # absolute, of a sum of log moments; it far exceeds their rounding

TABLE_ENTRIES = 2**20  # numbers held at once

REPORT_EVERY = 64  # levels between two reports of progress

ROUNDING = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Prefixes:
    """How often each level of a run occurs up to each mark.

    Up to mark k: all of the levels before `levels[k]`, and `rests[k]` ≥ 1 steps of that one.
    """

    counts: NDArray[np.int64]
    levels: NDArray[np.int64]
    rests: NDArray[np.int64]

    @classmethod
    def of(cls, counts: Sequence[int], marks: Sequence[int]) -> Prefixes:
        """The marks of a run whose levels have these counts."""
        step_counts = np.asarray(counts, dtype=np.int64)
        step_marks = np.asarray(marks, dtype=np.int64)
        ends = np.cumsum(step_counts)
        ascending = np.diff([0, *marks, ends[-1] + 1]) > 0
        if len(step_marks) == 0 or not ascending.all():
            raise ValueError("marks must ascend from 1 or more to at most the number of steps")
        levels = np.searchsorted(ends, step_marks)
        return cls(step_counts, levels, step_marks - (ends - step_counts)[levels])

    def part(self, start: int, stop: int) -> Prefixes:
        """The marks from `start` to `stop`, with only the levels that they need."""
        levels = self.levels[start:stop]
        return Prefixes(self.counts[: int(levels[-1]) + 1], levels, self.rests[start:stop])

    def totals(self) -> Array:
        """Steps up to each mark."""
        return self.sums(np.ones(len(self.counts)))

    def sums(self, values: NDArray[Any]) -> NDArray[Any]:
        """Σ count · value up to each mark, for values of shape (levels, …)."""
        shape = (-1,) + (1,) * (values.ndim - 1)
        weighted = values * self.counts.reshape(shape)
        before = np.cumsum(weighted, axis=0) - weighted
        result = before[self.levels] + values[self.levels] * self.rests.reshape(shape)
        return np.asarray(result)


@dataclass(frozen=True)
class Grid:
    """Steps on one grid and one circle, which serve every mark of `run`.

    `frame` says where each mark's window of `size` points begins, `mosts` are the grid indices of
    its largest possible sum and `infinites` its truncated mass.
    """

    run: Prefixes
    pieces: list[Array]
    starts: NDArray[np.int64]
    interval: float
    frame: _Frame
    size: int
    mosts: NDArray[np.int64]
    infinites: Array

    @classmethod
    def of(
        cls,
        pairs: Sequence[Pair],
        ends: Sequence[tuple[float, float]],
        run: Prefixes,
        deviations: Array,
        interval: float,
        delta: float | None,
        optimistic: bool,
        report: Callable[[float], None],
    ) -> Grid:
        """The grid of the last mark and of as many before it as one tilt can serve."""
        while True:
            pieces, starts, truncated = [], [], []
            for index, (pair, (low, high)) in enumerate(zip(pairs, ends, strict=True)):
                if index % REPORT_EVERY == 0:
                    report(0.5 * index / len(pairs))
                start, masses, above = _on_grid(pair, low, high, interval, optimistic)
                pieces.append(masses)
                starts.append(start)
                truncated.append(above)
            first = np.array(starts)
            last = first + np.array([len(masses) - 1 for masses in pieces])
            mosts = run.sums(last)
            frame = _frame(
                _log_moments_at(pieces, first, interval, run),
                run.sums(first),
                mosts,
                run.totals(),
                interval,
                interval * float(np.max(np.abs([first, last]))),
                deviations,
                delta,
            )
            span = int(np.max(frame.lasts - frame.firsts)) + 1
            size = int(scipy.fft.next_fast_len(max(span, 4), real=True))
            if size <= MAX_POINTS:
                break
            interval *= 2.0 ** math.ceil(math.log2(size / MAX_POINTS))
        served = len(frame.firsts)
        return cls(
            run=run.part(len(deviations) - served, len(deviations)),
            pieces=pieces,
            starts=first,
            interval=interval,
            frame=frame,
            size=size,
            mosts=mosts[-served:],
            infinites=run.sums(np.array(truncated))[-served:] * (1.0 + SUMS),
        )

    def distributions(
        self, optimistic: bool, report: Callable[[float], None]
    ) -> Iterator[tuple[int, LossDistribution]]:
        """The loss distribution at each mark, in order."""
        spectrum = np.ones(self.size // 2 + 1, dtype=complex)
        norms, log_moment, largest, mark = 0.0, 0.0, 0.0, 0
        for level, (masses, start) in enumerate(
            zip(self.pieces, self.starts.tolist(), strict=True)
        ):
            if level % REPORT_EVERY == 0:
                report(0.5 + 0.5 * level / len(self.pieces))
            weights, log_norm = _tilted(masses, start, self.interval, self.frame.tilt)
            factor = scipy.fft.rfft(_wrapped(weights, start, self.size), self.size)
            # A dot product would start threads, which cost more here than they help.
            norm = math.sqrt(float(np.square(weights).sum()))
            largest = max(largest, self.interval * max(abs(start), abs(start + len(masses))))
            while mark < len(self.mosts) and self.run.levels[mark] == level:
                rest = int(self.run.rests[mark])
                yield (
                    mark,
                    self._distribution(
                        mark,
                        _times(spectrum, factor, rest),
                        norms + rest * norm,
                        log_moment + rest * log_norm,
                        largest,
                        optimistic,
                    ),
                )
                mark += 1
            if mark < len(self.mosts):
                count = int(self.run.counts[level])
                spectrum = _times(spectrum, factor, count)
                norms += count * norm
                log_moment += count * log_norm

    def _distribution(
        self,
        mark: int,
        spectrum: NDArray[np.complex128],
        norms: float,
        log_moment: float,
        largest: float,
        optimistic: bool,
    ) -> LossDistribution:
        """The product of transforms as a distribution, with bounds on its stray mass."""
        total, size, tilt = float(self.run.totals()[mark]), self.size, self.frame.tilt
        result = np.maximum(scipy.fft.irfft(spectrum, size), 0.0)
        index = int(self.frame.firsts[mark]) + np.arange(size)
        losses = np.asarray(index * self.interval, dtype=np.float64)
        # ‖error‖₁ ≤ √size ‖error‖₂; a transform is off by some ε_machine·log₂(size) of its 2-norm,
        # a power by count·ε_machine of its value, and all other factors are at most 1.
        spread = 4.0 * (math.log2(size) + 1.0) * (norms + float(np.linalg.norm(result)))
        spread += 8.0 * total * float(np.linalg.norm(result))
        stray = float(self.frame.outsides[mark]) + 2.0 * ROUNDING * math.sqrt(size) * spread
        # The error of normalisations and exponents in the log of every mass.
        error = 1e-12 + total * (2e-15 + 4e-16 * tilt * largest)
        peak = float(_log_peak(np.array([tilt]))[0]) if tilt > 0.0 else 0.0
        exponent = log_moment - tilt * losses + (-error if optimistic else error)
        masses = np.exp(np.minimum(exponent, 700.0)) * result[index % size]
        most = int(self.mosts[mark])
        return LossDistribution(
            losses=losses,
            masses=np.minimum(masses, 1.0),
            infinite=0.0 if optimistic else float(self.infinites[mark]),
            log_stray=log_moment + peak + math.log(stray) + error,
            tilt=tilt,
            largest=most * self.interval * (1.0 + 1e-15 * math.copysign(1.0, most)),
            optimistic=optimistic,
        )


def _times(
    spectrum: NDArray[np.complex128], factor: NDArray[np.complex128], count: int
) -> NDArray[np.complex128]:
    """The product spectrum · factor^count; values far below all rounding become zero."""
    # Subnormal numbers are very slow.
    if count > 1:
        factor = np.where(np.abs(factor) < 1e-150 ** (1.0 / count), 0.0, factor) ** count
    result = spectrum * factor
    result[np.abs(result) < 1e-150] = 0.0
    return result


def _on_grid(
    pair: Pair, low: float, high: float, interval: float, optimistic: bool
) -> tuple[int, Array, float]:
    """(first grid index, masses on the grid, mass left out above) of one step."""
    start, stop = math.floor(low / interval) - 1, math.ceil(high / interval) + 1
    grid = np.asarray(np.arange(start, stop + 1) * interval, dtype=np.float64)
    upper, lower, below, above = pair.masses(grid)
    # Where e^loss overflows or Q's mass underflows, the whole interval goes to the safe end.
    unclear = (lower < SMALLEST_MASS) | (grid[:-1] > LARGEST_EXPONENT)
    ratio = np.exp(np.minimum(grid, LARGEST_EXPONENT))
    safety = np.minimum(SAFETY / interval * (1.0 + np.abs(grid[:-1])), 1.0)
    masses = np.zeros(len(grid))
    if optimistic:
        # Half of each interval is merged with half of the next one so that their common loss is the
        # point between; mass without a partner there goes down to the interval's own lower end.
        surplus = np.where(unclear, 0.0, np.maximum(upper - lower * ratio[:-1], 0.0))
        deficit = np.maximum(lower * ratio[1:] - upper, 0.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            share = np.nan_to_num(np.append(surplus[1:], 0.0) / deficit, nan=0.0, posinf=1.0)
        share = np.where(unclear, 0.0, np.minimum(share, 1.0) * np.maximum(1.0 - 4.0 * safety, 0.0))
        to_top = 0.5 * upper * share
        masses[-1] += above
    else:
        # The share at the upper end keeps both masses: (a - b e^{ε_i}) / (1 - e^{-h}).
        to_top = (upper - lower * ratio[:-1]) / -math.expm1(-interval)
        to_top = np.where(unclear, upper, np.clip(to_top + safety * upper, 0.0, upper))
        masses[0] += below  # moved up to the lowest point; mass above counts as infinite
    masses[1:] += to_top
    masses[:-1] += upper - to_top
    return start, masses, above


FINE = 2.0 ** np.array([-1.5, -1.0, -0.6, -0.3, -0.15, 0.15, 0.3, 0.6, 1.0, 1.5])


@dataclass(frozen=True)
class _Frame:
    """A tilt, and for each mark it serves the indices that hold its loss and the mass outside."""

    tilt: float
    firsts: NDArray[np.int64]
    lasts: NDArray[np.int64]
    outsides: Array


def _frame(
    log_moments: Callable[[Array], Array],
    leasts: NDArray[np.int64],
    mosts: NDArray[np.int64],
    totals: Array,
    interval: float,
    furthest: float,
    deviations: Array,
    delta: float | None,
) -> _Frame:
    """One tilt for the last mark and as many before it as it can serve, and their windows.

    `log_moments` gives K(t) = ln E e^{t·loss} of the discrete steps up to each mark, (marks,
    tilts); `leasts` and `mosts` are the grid indices of the smallest and the largest sum,
    `furthest` is the largest loss of a step, in size.

    The mass outside is bounded by Chernoff's method from the discrete steps themselves:
    P_θ[sum ≥ x] ≤ exp(K(t) - K(θ) - (t-θ)x) for any t > θ, and the same below with t < θ. Of the
    tilts that keep stray mass small against δ, the one with the shortest grid is taken. The moments
    K are tried about the Gaussian saddle point, then about the best of those: a loss of rare large
    values has moments that grow like an exponential of an exponential.
    """
    saddle = 8.0 / float(deviations[-1])
    # Down to where a step's largest loss hardly counts: the loss can be far from Gaussian.
    fewest = math.floor(math.log(1.0 / (saddle * max(furthest, MIN_DEVIATION)), 4.0))
    coarse = saddle * 4.0 ** np.arange(min(-7, fewest), 3)
    tilts = np.concatenate(([-2.0 * saddle, -saddle / 2.0, -saddle / 8.0, 0.0], coarse))
    moments = log_moments(tilts)
    log_delta = math.log(CURVE_DELTA if delta is None else delta)
    for factors in (FINE, 1.0 + (FINE - 1.0) / 8.0):
        positive, bounds = _renyi_bounds(tilts, moments, log_delta)
        near = tilts[positive][bounds[-1].argmin()] * factors
        tilts = np.concatenate((tilts, near))
        moments = np.concatenate((moments, log_moments(near)), axis=1)
    # Stray mass relative to δ is e^{gain}: the Rényi bound on δ at an ε that is likely too small.
    positive, bounds = _renyi_bounds(tilts, moments, log_delta)
    # A Rényi bound exceeds ε by the log of a factor of about 10 to 1000 in δ, over its order.
    least = np.maximum(bounds.min(axis=1), 0.0)
    likely = np.maximum(0.5 * least, least - 9.0 / tilts[positive][bounds.argmin(axis=1)])
    gains = np.full(moments.shape, math.inf)
    if delta is not None:
        gains[:, positive] = _log_peak(tilts[positive]) - np.outer(likely, tilts[positive])
        gains[:, positive] += moments[:, positive]
    gains[:, tilts == 0.0] = 0.0
    gains -= log_delta
    # Rounding adds about 1e-14 per step and root of the grid's length; up to 1e-4 of δ is allowed.
    noise = np.log(1e-14 * totals * np.sqrt(deviations / interval))
    allowed = gains + noise[:, None] <= math.log(1e-4)
    allowed[-1] |= gains[-1] == gains[-1].min()
    serves = np.logical_and.accumulate(allowed[::-1], axis=0)  # from the last mark down
    served = int(np.count_nonzero(serves.any(axis=1)))
    rows = slice(len(moments) - served, len(moments))
    leasts, mosts, moments, gains = leasts[rows], mosts[rows], moments[rows], gains[rows]
    best: _Frame | None = None
    for index in np.flatnonzero(serves[served - 1]).tolist():
        tilt = float(tilts[index])
        log_outside = math.log(OUTSIDE_SHARE) - np.maximum(gains[:, index], 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = moments - moments[:, [index]] - log_outside[:, None]
            reach = reach / ((tilts - tilt) * interval)
        above, below = reach[:, tilts > tilt], reach[:, tilts < tilt]
        lasts = np.minimum(mosts, _whole(np.ceil(above.min(axis=1, initial=math.inf))))
        firsts = np.maximum(leasts, _whole(np.floor(below.max(axis=1, initial=-math.inf))))
        outsides = 2.0 * np.exp(log_outside + MOMENT_ERROR)
        frame = _Frame(tilt, firsts, lasts, outsides)
        if best is None or np.max(lasts - firsts) < np.max(best.lasts - best.firsts):
            best = frame
    assert best is not None
    return best


def _whole(values: Array) -> NDArray[np.int64]:
    return np.clip(values, -(2.0**62), 2.0**62).astype(np.int64)


def _log_moments_at(
    pieces: list[Array], starts: NDArray[np.int64], interval: float, run: Prefixes
) -> Callable[[Array], Array]:
    """The function of tilts giving K(t) = Σ count · ln E e^{t·loss} up to each mark."""
    lowest = int(starts.min())
    offsets = (starts - lowest).tolist()
    length = max(offset + len(masses) for offset, masses in zip(offsets, pieces, strict=True))
    losses = (lowest + np.arange(length)) * interval
    furthest = max(-losses[0], losses[-1])
    batch = max(1, TABLE_ENTRIES // length)

    def log_moments(tilts: Array) -> Array:
        result = np.empty((len(pieces), len(tilts)))
        far = np.abs(tilts) * furthest > LARGEST_EXPONENT
        near = np.flatnonzero(~far)
        for column in np.flatnonzero(far).tolist():
            result[:, column] = [
                _tilted(masses, start, interval, float(tilts[column]))[1]
                for masses, start in zip(pieces, starts.tolist(), strict=True)
            ]
        for columns in np.array_split(near, -(-len(near) // batch)) if len(near) else ():
            table = np.exp(np.outer(tilts[columns], losses))
            for row, (masses, offset) in enumerate(zip(pieces, offsets, strict=True)):
                result[row, columns] = table[:, offset : offset + len(masses)] @ masses
        result[:, near] = np.log(result[:, near])
        return run.sums(result)

    return log_moments


def _log_peak(tilts: Array) -> Array:
    """Logarithm of c(θ) = max of (1 - e^{-y}) e^{-θy} over y > 0 = θ^θ / (1+θ)^{1+θ}, θ > 0."""
    return np.asarray(-tilts * np.log1p(1.0 / tilts) - np.log1p(tilts))


def _renyi_bounds(
    tilts: Array, moments: Array, log_delta: float
) -> tuple[NDArray[np.bool_], Array]:
    """Which tilts are positive, and their Rényi bounds on ε at δ; shape (marks, positive tilts)."""
    positive = tilts > 0.0
    orders = tilts[positive]
    return positive, (moments[:, positive] + _log_peak(orders) - log_delta) / orders


def _tilted(masses: Array, start: int, interval: float, tilt: float) -> tuple[Array, float]:
    losses = (start + np.arange(len(masses))) * interval
    if abs(tilt) * max(-losses[0], losses[-1]) > LARGEST_EXPONENT:
        with np.errstate(divide="ignore"):
            exponent = np.log(masses) + tilt * losses
        peak = float(exponent.max())
        weights = np.exp(exponent - peak)
    else:
        peak, weights = 0.0, masses * np.exp(tilt * losses)
    norm = float(weights.sum())
    return weights / norm, peak + math.log(norm)


def _wrapped(weights: Array, start: int, size: int) -> Array:
    """The weights on a circle of `size` points, loss 0 at index 0."""
    indices = (start + np.arange(len(weights))) % size
    return np.asarray(np.bincount(indices, weights, minlength=size), dtype=np.float64)
