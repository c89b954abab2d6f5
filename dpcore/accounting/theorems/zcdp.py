"""Zero-concentrated differential privacy: ρ adds up over steps."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpcore.accounting import concentrated
from dpcore.accounting.accountant import ROUNDED_UP, Accountant, change, unsampled_gaussian
from dpcore.accounting.events import Step
from dpcore.guarantee import Adjacency


def _epsilon(parts: Sequence[Step], delta: float, adjacency: Adjacency) -> float:
    rho = math.fsum(0.5 * step.count * (change(adjacency) / step.multiplier) ** 2 for step in parts)
    return concentrated.epsilon(concentrated.Concentrated(rho * ROUNDED_UP), delta)


ACCOUNTANT = Accountant("zcdp", "zCDP", unsampled_gaussian, _epsilon, "Bun, Steinke 2016")
