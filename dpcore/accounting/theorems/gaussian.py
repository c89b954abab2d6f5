"""Gaussian DP, exact without sampling; and the central limit theorem, an estimate with it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from dpcore.accounting.accountant import ROUNDED_UP, Accountant, change, unsampled_gaussian
from dpcore.accounting.events import Event, Step, steps
from dpcore.errors import number
from dpcore.guarantee import SMALLEST_DELTA, Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon


def _epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    precision = math.fsum(step.count / step.multiplier**2 for step in parts) * ROUNDED_UP
    return analytic_epsilon(1.0 / math.sqrt(precision), delta, change(adjacency))


ACCOUNTANT = Accountant(
    "gdp", "Gaussian DP", unsampled_gaussian, _epsilon, "Dong, Roth, Su 2022 (exact)"
)


def planning_estimate(event: Event, delta: float, adjacency: Adjacency) -> float | None:
    """ε by the central limit theorem for Gaussian DP: a planning estimate, often too low.

    μ = q √(Σ (e^{1/ν²} - 1)): an approximation, not a bound.

    Parameters
    ----------
    event : Event
        Poisson-sampled Gaussian steps; otherwise the answer is ``None``.
    delta : float
        In (0, 1).
    adjacency : Adjacency
        Not replace-one.

    References
    ----------
    Bu, Dong, Long and Su 2020.
    """
    number("δ", delta, at_least=SMALLEST_DELTA, below=1.0)
    parts = steps(event)
    if adjacency is Adjacency.REPLACE_ONE or any(step.sampling != "poisson" for step in parts):
        return None
    with np.errstate(over="ignore"):
        total = sum(
            step.count * step.rate**2 * float(np.expm1(step.multiplier**-2)) for step in parts
        )
    if not math.isfinite(total):
        return math.inf
    return analytic_epsilon(1.0 / math.sqrt(total), delta, 1.0)
