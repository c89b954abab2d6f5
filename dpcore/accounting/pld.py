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

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from dpcore.accounting import pairs
from dpcore.accounting.events import Accountant, Step, change
from dpcore.accounting.pairs import Pair
from dpcore.accounting.pld_grid import (
    CURVE_DELTA,
    MAX_POINTS,
    MIN_DEVIATION,
    Grid,
    LossDistribution,
    Prefixes,
)
from dpcore.guarantee import Adjacency
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
REFINEMENTS = 2  # of a grid that turns out coarse


def compose(
    pairs: Sequence[Pair],
    counts: Sequence[int],
    *,
    delta: float | None = None,
    interval: float | None = None,
    optimistic: bool = False,
) -> LossDistribution:
    """The privacy loss distribution of all steps together, in one direction.

    There is one pair, and its count, for each distinct step. Stray mass stays small relative to
    `delta`; ``None`` is for the whole curve, which is then not tilted and precise to about 1e-12
    times the number of steps. `interval`, the largest grid step, is by default fine enough that ε
    is within about 0.1 %; it is rounded down to a power of two, and doubled as often as needed to
    keep the grid below 2²¹ points. The result dominates the true distribution; if `optimistic`, it
    is dominated by it.
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


def loss_distributions(
    parts: Sequence[Step],
    adjacency: Adjacency,
    *,
    delta: float | None = None,
    interval: float | None = None,
    optimistic: bool = False,
) -> tuple[LossDistribution, ...]:
    """The composed privacy loss distributions, one per direction that differs (`compose`)."""
    counts = [step.count for step in parts]
    return tuple(
        compose(pair, counts, delta=delta, interval=interval, optimistic=optimistic)
        for pair in _directions(parts, adjacency, attained=optimistic)
    )


def epsilons_along(
    parts: Sequence[Step],
    marks: Sequence[int],
    delta: float,
    adjacency: Adjacency,
    progress: Callable[[float], None] = silent,
) -> list[float]:
    """ε after each of `marks` steps."""
    directions, counts = _directions(parts, adjacency), [step.count for step in parts]
    best, earlier_intervals = np.full((2, len(marks)), math.inf)
    intervals = None
    remaining = np.arange(len(marks))
    # A grid is seldom refined: the rounds after the first count as a tenth of the progress.
    begins = (0.0, *np.linspace(0.9, 1.0, REFINEMENTS + 1).tolist())
    for begin, end in itertools.pairwise(begins):
        epsilons, grid_intervals = np.zeros((2, len(remaining)))
        sides = np.linspace(begin, end, len(directions) + 1).tolist()
        for chosen, part in zip(directions, itertools.pairwise(sides), strict=True):
            for index, distribution in along(
                chosen,
                counts,
                [marks[mark] for mark in remaining.tolist()],
                delta=delta,
                intervals=intervals,
                progress=between(progress, *part),
            ):
                epsilons[index] = max(epsilons[index], distribution.epsilon(delta))
                grid_intervals[index] = max(grid_intervals[index], distribution.interval)
        best[remaining] = least = np.minimum(best[remaining], epsilons)
        # A grid that is coarse relative to ε is refined; every grid gives an upper bound.
        coarse = (least > 0.0) & (grid_intervals > least / 30.0) & np.isfinite(least)
        coarse &= grid_intervals < earlier_intervals[remaining]
        earlier_intervals[remaining] = grid_intervals
        remaining, intervals = remaining[coarse], least[coarse] / 100.0
        if len(remaining) == 0:
            break
    return [float(epsilon) for epsilon in best]


def _directions(
    parts: Sequence[Step], adjacency: Adjacency, *, attained: bool = False
) -> list[list[pairs.Pair]]:
    """Each step's dominating pair, in every direction that differs."""

    def pair(step: Step, adding: bool) -> pairs.Pair:
        moved = change(adjacency)
        if step.mechanism == "laplace":
            return pairs.LaplacePair(step.multiplier / moved)
        if step.mechanism == "pure":
            return pairs.ResponsePair(1.0 / step.multiplier)
        if step.sampling == "poisson" and adjacency is Adjacency.REPLACE_ONE:
            return pairs.PoissonGaussianReplaced(step.multiplier, step.rate)
        if step.sampling == "fixed" and not attained:
            if adjacency is Adjacency.REPLACE_ONE:
                return pairs.FixedGaussian.replaced(step.multiplier / 2.0, step.rate)
            return pairs.FixedGaussian.blanked(step.multiplier, step.rate, adding=adding)
        multiplier = step.multiplier if step.sampling == "poisson" else step.multiplier / moved
        return pairs.PoissonGaussian(multiplier, step.rate, adding)

    one_sided = {"poisson", "fixed"}
    if adjacency is Adjacency.REPLACE_ONE:
        one_sided = {"fixed"} if attained else set()
    differ = any(step.sampling in one_sided for step in parts)
    directions = (False, True) if differ else (False,)
    return [[pair(step, adding) for step in parts] for adding in directions]


def _covers(step: Step, adjacency: Adjacency) -> bool:
    return step.sampling != "fixed" or adjacency is not Adjacency.ADD_REMOVE


def _epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    return epsilons_along(parts, [sum(step.count for step in parts)], delta, adjacency)[0]


ACCOUNTANT = Accountant(
    "pld",
    "PLD",
    _covers,
    _epsilon,
    "Doroshenko et al. 2022; Zhu, Dong, Wang 2022; Balle, Barthe, Gaboardi 2018",
)
