"""Promises of normal steps on sampled records: the curves of one training at other noise.

A training's steps release sums with normal noise of what batches hold. For each σ its accountant's
privacy loss distribution bounds P(S) for every set S by every line e^ε Q(S) + δ(ε), the first data
set's law being P, and by other lines where it is Q. What is bet against is that these lines hold;
that they hold for a σ is what a bound states, as the ε which that σ has at the training's δ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpcore.accounting import pld
from dpcore.accounting.events import TrainingPlan, steps
from dpcore.accounting.planner import spent

Array = NDArray[np.floating]

RATIOS = np.unique(np.concatenate([np.geomspace(0.3, 10.0, 60), np.linspace(0.9, 1.2, 61), [1.0]]))
"""The σ that are bet against, as multiples of the one that is promised; close where it is."""
LEVELS = special.expit(np.linspace(-9.0, 9.0, 451))
"""Q(S) at each of which the tightest line is kept; any line holds at every other, too."""
ROUNDING = 1e-8
"""Added to every δ: ten times what sums over a distribution may be off."""


@dataclass(frozen=True, eq=False)
class SampledSteps:
    """The lines of one training, by the ε that it has with this σ or another."""

    strengths: Array  # (k,), ε at the training's δ
    epsilons: Array  # (orders, k, levels), of the line at each of `LEVELS`
    deltas: Array
    expected: float  # ε with the training's own σ

    @classmethod
    @cache
    def of(cls, plan: TrainingPlan) -> SampledSteps:
        """The lines of a plan, whose adjacency and sampling PLD covers."""
        lines = {}
        for ratio in RATIOS[::-1]:
            other = replace(plan, sigma=float(ratio) * plan.sigma)
            epsilon = spent(other, pld.ACCOUNTANT.key).epsilon
            if epsilon:
                laws = pld.loss_distributions(steps(other.event()), plan.adjacency)
                lines[epsilon] = np.stack([_lines(*law.roc(), law.losses) for law in laws])
        strengths = np.array(sorted(lines))
        epsilons, deltas = np.moveaxis(np.stack([lines[each] for each in sorted(lines)]), 2, 0)
        expected = spent(plan, pld.ACCOUNTANT.key).epsilon or 0.0
        return cls(strengths, np.moveaxis(epsilons, 1, 0), np.moveaxis(deltas, 1, 0), expected)

    def tangent(
        self, strengths: Array, less_likely: Array, exchanged: NDArray[np.bool_]
    ) -> tuple[Array, Array]:
        place, level = (
            np.searchsorted(self.strengths, strengths),
            np.searchsorted(LEVELS, less_likely),
        )
        order = np.minimum(exchanged.astype(int), len(self.epsilons) - 1)
        at = order, place, np.minimum(level, len(LEVELS) - 1)
        return self.epsilons[at], self.deltas[at]


def _lines(false: Array, true: Array, losses: Array) -> Array:
    """(2, levels): ε and δ of the sides of the polygon (`roc`) above each of `LEVELS`."""
    side = np.clip(np.searchsorted(false, LEVELS, side="right") - 1, 0, len(losses) - 1)
    epsilon = losses[::-1][side]
    delta = true[side] - np.exp(epsilon) * false[side]
    return np.stack([epsilon, np.maximum(delta, 0.0) + ROUNDING])
