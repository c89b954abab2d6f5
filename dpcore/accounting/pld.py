"""Privacy loss distributions: certified bounds for schedules with a different σ at every step.

Each step's loss is put on one grid by connecting the dots (Doroshenko et al. 2022): the mass of the
true loss between two grid points is shared between them so that both its P-mass and its Q-mass are
kept. That is a mean-preserving spread of e^{-loss}, in which every hockey-stick divergence is
convex, so the discrete pair dominates the true one, and compositions dominate compositions. The
chord costs O(interval²) a step. All steps share one grid, so composing them is one product of
transforms.

What the grid cannot hold is added to δ. Truncated tails count as infinite loss. Mass that the
circular convolution carries round, and the rounding of the transform, are kept small *relative to
δ* by tilting: every step is composed under the measure e^{θ·loss}P, normalised, with θ the order of
the best Rényi bound. A stray tilted mass m then adds at most m·M(θ)·c(θ)·e^{-θε} to δ(ε), as (1 -
e^{-y})₊ ≤ c(θ)e^{θy}: m times the Rényi bound on δ itself. So 1,000,000 steps and δ = 1e-100 are no
harder than ten steps.

The opposite bound merges outcomes (which is post-processing) and moves losses down, so that its
pair is dominated by the true one: `optimistic` shows how much pessimism the certified figure holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft, signal

from dpcore.accounting.pairs import Pair

Array = NDArray[np.float64]

STEP_SHARE, TOTAL_SHARE = 0.06, 0.002
"""Grid interval over the deviation of a step's loss, and of the whole; the finer counts.

The chord adds at most interval²/4 to a step's variance: 0.06² / 4 is 0.1 % of it."""

FINEST_INTERVAL, LEAST_DEVIATION = 1e-10, 1e-8
MOST_POINTS = 2**21
TAIL_SHARE = 1e-5  # of δ that all truncated tails together may take
CURVE_DELTA = 1e-6  # stands for δ where the whole curve is wanted
OUTSIDE_SHARE = 1e-7  # of δ that mass outside the grid, at either end, may take
SAFETY = (
    1e-13  # every step's mean loss is moved up by this, relative to 1 + |loss|, against rounding
)
LARGEST_EXPONENT = 650.0
SMALLEST_MASS = 1e-290
SUMS = 1e-9  # relative error of a running sum over the longest grid
ROUNDING = float(np.finfo(float).eps)


@dataclass(frozen=True)
class LossDistribution:
    """A discrete privacy loss distribution in one direction of an adjacency.

    Parameters
    ----------
    losses : (k,) array
        Grid of losses, ascending.
    masses : (k,) array
        Probability under P of each.
    infinite : float
        P-mass at infinite loss.
    log_stray, tilt : float
        e^(log_stray - tilt ε) bounds what rounding and wrapping may have done to δ(ε).
    largest : float
        No finite loss of the composition exceeds this: beyond, δ is `infinite`, whatever is stray.
    optimistic : bool
        False: δ(ε) and ε(δ) are upper bounds. True: lower bounds.
    """

    losses: Array
    masses: Array
    infinite: float
    log_stray: float
    tilt: float
    largest: float
    optimistic: bool

    @property
    def interval(self) -> float:
        """Distance of neighbouring losses."""
        return float(self.losses[1] - self.losses[0])

    def delta(self, epsilon: float) -> float:
        """δ(ε) at any real ε, rounded to the safe side of its bound."""
        if epsilon >= self.largest:
            return self.infinite
        above = self.losses > epsilon
        kept = float(self.masses[above] @ -np.expm1(epsilon - self.losses[above]))
        stray = math.exp(min(self.log_stray - self.tilt * epsilon, 1.0))
        if self.optimistic:
            return max(0.0, kept * (1.0 - SUMS) - stray)
        return min(1.0, kept * (1.0 + SUMS) + self.infinite + stray)

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
        reached = np.flatnonzero(
            (self.losses > 0.0) & (at * (1.0 + SUMS) + self.infinite + stray <= delta)
        )
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
        weight = signal.lfilter([1.0], [1.0, -step], self.masses[::-1])  # Σ_{j≥k} m_j e^{ε_k-ε_j}
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
        at = signal.lfilter([-math.expm1(-step)], [1.0, -math.exp(-step)], earlier)
        return above[::-1], at[::-1]


def compose(
    pairs: Sequence[Pair],
    counts: Sequence[int],
    *,
    delta: float | None = None,
    interval: float | None = None,
    optimistic: bool = False,
) -> LossDistribution:
    """The privacy loss distribution of all steps together, in one direction.

    Parameters
    ----------
    pairs : sequence of Pair
        One per distinct step, all in the same direction.
    counts : sequence of int
        How often each occurs.
    delta : float, optional
        Where the answer is wanted: stray mass is kept small against it. ``None`` for the whole
        curve, which is then not tilted and precise to about 1e-12 times the number of steps.
    interval : float, optional
        Grid step; by default fine enough that ε is within about 0.1 %. Doubled as often as needed
        to keep the grid below 2²¹ points.
    optimistic : bool
        False for a distribution that dominates the true one, True for one that it dominates.
    """
    total = sum(int(count) for count in counts)
    deviation = math.sqrt(
        math.fsum(count * pair.spread() ** 2 for pair, count in zip(pairs, counts, strict=True))
    )
    deviation = max(deviation, LEAST_DEVIATION)
    log_tail = math.log(CURVE_DELTA if delta is None else delta) + math.log(TAIL_SHARE / total)
    ends = [pair.reach(log_tail) for pair in pairs]
    if interval is None:
        share = STEP_SHARE * (min(1.0, (30.0 / total) ** 0.25) if optimistic else 1.0)
        interval = deviation * min(share / math.sqrt(total), TOTAL_SHARE)
    widest = max(high for _, high in ends) - min(low for low, _ in ends)
    interval = max(interval, FINEST_INTERVAL, 2.0 * widest / MOST_POINTS)
    while True:
        pieces, starts, infinite = [], [], 0.0
        for pair, count, (low, high) in zip(pairs, counts, ends, strict=True):
            start, masses, lost = _on_grid(pair, low, high, interval, optimistic)
            pieces.append(masses)
            starts.append(start)
            infinite += count * lost
        _, most = _edges(pieces, starts, counts)
        tilt, first, last, outside = _frame(pieces, starts, counts, interval, deviation, delta)
        size = int(fft.next_fast_len(max(last - first + 1, 4), real=True))
        if size <= MOST_POINTS:
            break
        interval *= 2.0 ** math.ceil(math.log2(size / MOST_POINTS))
    spectrum = np.ones(size // 2 + 1, dtype=complex)
    norms, log_moment, largest = 0.0, 0.0, 0.0
    for masses, start, count in zip(pieces, starts, counts, strict=True):
        weights, log_norm = _tilted(masses, start, interval, tilt)
        log_moment += count * log_norm
        factor = fft.rfft(_wrapped(weights, start, size), size)
        # What would end far below every double's rounding is zero: subnormal numbers are very slow.
        factor[np.abs(factor) < 1e-150 ** (1.0 / count)] = 0.0
        spectrum *= factor if count == 1 else factor ** int(count)
        spectrum[np.abs(spectrum) < 1e-150] = 0.0
        norms += count * float(np.linalg.norm(weights))
        largest = max(largest, interval * max(abs(start), abs(start + len(masses))))
    result = np.maximum(fft.irfft(spectrum, size), 0.0)
    index = first + np.arange(size)
    losses = np.asarray(index * interval, dtype=np.float64)
    # ‖error‖₁ ≤ √size ‖error‖₂; a transform is off by some ε_machine·log₂(size) of its 2-norm, a
    # power by count·ε_machine of its value, and all other factors are at most 1.
    spread = 4.0 * (math.log2(size) + 1.0) * (norms + float(np.linalg.norm(result)))
    spread += 8.0 * total * float(np.linalg.norm(result))
    stray = outside + 2.0 * ROUNDING * math.sqrt(size) * spread
    # Normalisations and exponents leave this much in the log of every mass.
    error = 1e-12 + total * (2e-15 + 4e-16 * tilt * largest)
    peak = float(_log_peak(np.array([tilt]))[0]) if tilt > 0.0 else 0.0
    exponent = log_moment - tilt * losses + (-error if optimistic else error)
    masses = np.exp(np.minimum(exponent, 700.0)) * result[index % size]
    return LossDistribution(
        losses=losses,
        masses=np.minimum(masses, 1.0),
        infinite=0.0 if optimistic else infinite,
        log_stray=log_moment + peak + math.log(stray) + error,
        tilt=tilt,
        largest=most * interval * (1.0 + 1e-15 * math.copysign(1.0, most)),
        optimistic=optimistic,
    )


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
        # point between; what finds no partner there goes down to the interval's own lower end.
        surplus = np.where(unclear, 0.0, np.maximum(upper - lower * ratio[:-1], 0.0))
        deficit = np.maximum(lower * ratio[1:] - upper, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.nan_to_num(np.append(surplus[1:], 0.0) / deficit, nan=0.0, posinf=1.0)
        share = np.where(unclear, 0.0, np.minimum(share, 1.0) * np.maximum(1.0 - 4.0 * safety, 0.0))
        to_top = 0.5 * upper * share
        masses[-1] += above
    else:
        # The share at the upper end keeps both masses: (a - b e^{ε_i}) / (1 - e^{-h}).
        to_top = (upper - lower * ratio[:-1]) / -math.expm1(-interval)
        to_top = np.where(unclear, upper, np.clip(to_top + safety * upper, 0.0, upper))
        masses[0] += below  # moved up to the lowest point; what is above counts as infinite
    masses[1:] += to_top
    masses[:-1] += upper - to_top
    return start, masses, above


COARSE = 4.0 ** np.arange(-7, 3)
FINE = 2.0 ** np.array([-1.5, -1.0, -0.6, -0.3, -0.15, 0.15, 0.3, 0.6, 1.0, 1.5])


def _frame(
    pieces: list[Array],
    starts: Sequence[int],
    counts: Sequence[int],
    interval: float,
    deviation: float,
    delta: float | None,
) -> tuple[float, int, int, float]:
    """The tilt, the grid indices that hold the tilted loss, and the mass outside them.

    The mass is bounded by Chernoff's method from the discrete steps themselves:
    P_θ[sum ≥ x] ≤ exp(K(t) - K(θ) - (t-θ)x) for any t > θ, and the same below with t < θ. Of the
    tilts that keep stray mass small against δ, the one with the shortest grid is taken. The moments
    K are tried about the Gaussian saddle point, then about the best of those: a loss of rare large
    values has moments that grow like an exponential of an exponential.
    """
    least, most = _edges(pieces, starts, counts)
    saddle = 8.0 / deviation
    tilts = np.concatenate(([-2.0 * saddle, -saddle / 2.0, -saddle / 8.0, 0.0], saddle * COARSE))
    moments = _log_moments(pieces, starts, counts, interval, tilts)
    log_delta = math.log(CURVE_DELTA if delta is None else delta)
    for factors in (FINE, 1.0 + (FINE - 1.0) / 8.0):
        near = _best_tilt(tilts, moments, log_delta) * factors
        tilts = np.concatenate((tilts, near))
        moments = np.append(moments, _log_moments(pieces, starts, counts, interval, near))
    # Stray mass relative to δ is e^{gain}: the Rényi bound on δ at an ε that is likely too small.
    positive = tilts > 0.0
    bounds = (moments[positive] + _log_peak(tilts[positive]) - log_delta) / tilts[positive]
    # A Rényi bound is off by the logarithm of a factor of some 10 to 1000 in δ, over its order.
    least_bound = max(float(bounds.min()), 0.0)
    likely = max(0.5 * least_bound, least_bound - 9.0 / float(tilts[positive][bounds.argmin()]))
    gains = np.full(len(tilts), math.inf)
    gains[positive] = moments[positive] + _log_peak(tilts[positive]) - tilts[positive] * likely
    gains[tilts == 0.0] = 0.0
    gains -= log_delta
    if delta is None:
        gains[positive] = math.inf
    # Rounding leaves about 1e-14 a step and root of the grid's length; it may take 1e-4 of δ.
    noise = math.log(1e-14 * sum(counts) * math.sqrt(deviation / interval))
    allowed = gains + noise <= math.log(1e-4)
    allowed |= gains == gains.min()
    best = (math.inf, 0.0, least, most)
    for place in np.flatnonzero(allowed).tolist():
        tilt = float(tilts[place])
        log_outside = min(math.log(OUTSIDE_SHARE) - gains[place], math.log(OUTSIDE_SHARE))
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (moments - moments[place] - log_outside) / (tilts - tilt)
        above, below = reach[tilts > tilt], reach[tilts < tilt]
        last = min(most, math.ceil(float(above.min()) / interval)) if len(above) else most
        first = max(least, math.floor(float(below.max()) / interval)) if len(below) else least
        if last - first < best[0]:
            best, outside = (last - first, tilt, first, last), 2.0 * math.exp(log_outside)
    return best[1], best[2], best[3], outside


def _log_moments(
    pieces: list[Array],
    starts: Sequence[int],
    counts: Sequence[int],
    interval: float,
    tilts: Array,
) -> Array:
    """K(t) = Σ count · ln E e^{t·loss} of the discrete steps at each tilt."""
    lowest = min(starts)
    length = max(start - lowest + len(masses) for masses, start in zip(pieces, starts, strict=True))
    losses = (lowest + np.arange(length)) * interval
    moments = np.empty(len(tilts))
    for place, tilt in enumerate(tilts.tolist()):
        if abs(tilt) * max(-losses[0], losses[-1]) > LARGEST_EXPONENT:
            logs = [
                _tilted(masses, start, interval, tilt)[1]
                for masses, start in zip(pieces, starts, strict=True)
            ]
        else:
            table = np.exp(tilt * losses)  # serves every step
            logs = [
                math.log(float(masses @ table[start - lowest : start - lowest + len(masses)]))
                for masses, start in zip(pieces, starts, strict=True)
            ]
        moments[place] = float(np.asarray(counts, dtype=float) @ np.array(logs))
    return moments


def _log_peak(tilts: Array) -> Array:
    """Logarithm of c(θ) = max of (1 - e^{-y}) e^{-θy} over y > 0 = θ^θ / (1+θ)^{1+θ}, θ > 0."""
    return np.asarray(-tilts * np.log1p(1.0 / tilts) - np.log1p(tilts))


def _best_tilt(tilts: Array, moments: Array, log_delta: float) -> float:
    """The positive tilt of the best Rényi bound on ε at δ."""
    positive = tilts > 0.0
    bounds = (moments[positive] + _log_peak(tilts[positive]) - log_delta) / tilts[positive]
    return float(tilts[positive][np.argmin(bounds)])


def _edges(pieces: list[Array], starts: Sequence[int], counts: Sequence[int]) -> tuple[int, int]:
    """Grid indices of the smallest and the largest possible sum."""
    least = sum(int(count) * start for start, count in zip(starts, counts, strict=True))
    most = sum(
        int(count) * (start + len(masses) - 1)
        for masses, start, count in zip(pieces, starts, counts, strict=True)
    )
    return least, most


def _tilted(masses: Array, start: int, interval: float, tilt: float) -> tuple[Array, float]:
    """(masses times e^{θ·loss}, normalised, and the log of the norm)."""
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
    """The weights on a circle of `size` points, loss 0 at place 0."""
    if len(weights) <= size:
        result = np.zeros(size)
        offset = start % size
        head = min(len(weights), size - offset)
        result[offset : offset + head] = weights[:head]
        result[: len(weights) - head] = weights[head:]
        return result
    places = (start + np.arange(len(weights))) % size
    return np.asarray(np.bincount(places, weights, minlength=size), dtype=np.float64)
