"""Privacy loss distributions: certified bounds for schedules with a different σ at every step.

Each step's loss is put on one grid by connecting the dots (Doroshenko et al. 2022): the mass of the
true loss between two grid points is shared between them so that both its P-mass and its Q-mass are
kept. That is a mean-preserving spread of e^{-loss}, in which every hockey-stick divergence is
convex, so the discrete pair dominates the true one, and compositions dominate compositions. The
chord costs O(interval²) a step. All steps share one grid, so composing them is one product of
transforms.

Mass outside the grid is added to δ. Truncated tails count as infinite loss. Mass that the circular
convolution wraps around, and the rounding of the transform, stay small *relative to δ* by tilting:
every step is composed under the measure e^{θ·loss}P, normalised, with θ the order of the best Rényi
bound. A stray tilted mass m then adds at most m·M(θ)·c(θ)·e^{-θε} to δ(ε), as (1 - e^{-y})₊ ≤
c(θ)e^{θy}: m times the Rényi bound on δ itself. So 1,000,000 steps and δ = 1e-100 are no harder
than ten steps.

The opposite bound merges outcomes (which is post-processing) and moves losses down, so that its
pair is dominated by the true one: `optimistic` shows how much pessimism the certified figure holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from dpcore.accounting.loss_distribution import LossDistribution
from dpcore.accounting.pairs import Pair
from dpcore.accounting.pld_grid import CURVE_DELTA, MAX_POINTS, MIN_DEVIATION, Grid, Prefixes
from dpcore.progress import between, silent

STEP_SHARE, TOTAL_SHARE = 0.08, 0.003
"""Largest grid interval over the deviation of a step's loss, and of the whole; the finer counts.

The chord adds at most interval²/4 to a step's variance: 0.08² / 4 is 0.16 % of it, half that of ε.
"""
FINEST_INTERVAL = 1e-10
WIDTH_SHARE = 2.0**-15
"""An interval need not be finer than this share of a step's range of losses.

It matters only where the deviation comes from rare large losses. The many small ones l then add
l·interval to the variance, next to rare ones of thousands of intervals each.
"""

TAIL_SHARE = 1e-5  # of δ that all truncated tails together may take


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
        The δ of interest: stray mass stays small relative to it. ``None`` for the whole curve,
        which is then not tilted and precise to about 1e-12 times the number of steps.
    interval : float, optional
        Largest grid step; by default fine enough that ε is within about 0.1 %. Rounded down to a
        power of two, and doubled as often as needed to keep the grid below 2²¹ points.
    optimistic : bool
        False for a distribution that dominates the true one, True for one that it dominates.
    """
    marks = [sum(int(count) for count in counts)]
    intervals = None if interval is None else [interval]
    (result,) = along(pairs, counts, marks, delta=delta, intervals=intervals, optimistic=optimistic)
    return result[1]


def along(
    pairs: Sequence[Pair],
    counts: Sequence[int],
    marks: Sequence[int],
    *,
    delta: float | None = None,
    intervals: Sequence[float] | None = None,
    optimistic: bool = False,
    progress: Callable[[float], None] = silent,
) -> Iterator[tuple[int, LossDistribution]]:
    """The privacy loss distribution after each of `marks` steps of one run.

    Marks that need the same interval share one grid, on which the transforms of the steps are
    multiplied once and read off at each mark; the stray mass is bounded for each mark separately.
    Intervals are powers of two, so that a mark's grid does not depend on the other marks.
    """
    run = Prefixes.of(counts, marks)
    squares = np.array([pair.spread() ** 2 for pair in pairs])
    deviations = np.maximum(np.sqrt(run.sums(squares)), MIN_DEVIATION)
    log_tail = math.log(CURVE_DELTA if delta is None else delta) + math.log(TAIL_SHARE / marks[-1])
    ends = [pair.reach(log_tail) for pair in pairs[: int(run.levels[-1]) + 1]]
    widest = np.maximum.accumulate([high - low for low, high in ends])[run.levels]
    if intervals is None:
        steps = np.asarray(marks, dtype=np.float64)
        share = STEP_SHARE * (np.minimum(1.0, (30.0 / steps) ** 0.25) if optimistic else 1.0)
        intervals = deviations * np.minimum(share / np.sqrt(steps), TOTAL_SHARE)
        intervals = np.maximum(intervals, widest * WIDTH_SHARE).tolist()
    finest = np.maximum(2.0 * widest / MAX_POINTS, FINEST_INTERVAL)
    grid_intervals = 2.0 ** np.maximum(np.floor(np.log2(intervals)), np.ceil(np.log2(finest)))
    stop = len(marks)
    while stop > 0:
        start = stop - 1
        while start > 0 and grid_intervals[start - 1] == grid_intervals[stop - 1]:
            start -= 1
        report = between(progress, 1.0 - stop / len(marks), 1.0 - start / len(marks))
        levels = slice(0, int(run.levels[stop - 1]) + 1)
        shared = Grid.of(
            pairs[levels],
            ends[levels],
            run.part(start, stop),
            deviations[start:stop],
            float(grid_intervals[stop - 1]),
            delta,
            optimistic,
            report,
        )
        stop -= len(shared.mosts)
        for index, distribution in shared.distributions(optimistic, report):
            yield stop + index, distribution
