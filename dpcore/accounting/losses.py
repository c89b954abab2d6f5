"""The privacy loss distributions of a run, step by step, and ε along it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from dpcore.accounting import pairs, pld
from dpcore.accounting.accountant import change
from dpcore.accounting.events import Step
from dpcore.accounting.loss_distribution import LossDistribution
from dpcore.guarantee import Adjacency
from dpcore.progress import between, silent

REFINEMENTS = 2  # of a grid that turns out coarse


def loss_distributions(
    parts: Sequence[Step],
    adjacency: Adjacency,
    *,
    delta: float | None = None,
    interval: float | None = None,
    optimistic: bool = False,
) -> tuple[LossDistribution, ...]:
    """The composed privacy loss distributions, one per direction that differs (`pld.compose`)."""
    counts = [step.count for step in parts]
    return tuple(
        pld.compose(pair, counts, delta=delta, interval=interval, optimistic=optimistic)
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
            for index, distribution in pld.along(
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
