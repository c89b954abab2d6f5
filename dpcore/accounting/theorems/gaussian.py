"""Gaussian DP, exact without sampling."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpcore.accounting.accountant import ROUNDED_UP, Accountant, change, unsampled_gaussian
from dpcore.accounting.events import Step
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_epsilon


def _epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    precision = math.fsum(step.count / step.multiplier**2 for step in parts) * ROUNDED_UP
    return analytic_epsilon(1.0 / math.sqrt(precision), delta, change(adjacency))


ACCOUNTANT = Accountant(
    "gdp", "Gaussian DP", unsampled_gaussian, _epsilon, "Dong, Roth, Su 2022 (exact)"
)
