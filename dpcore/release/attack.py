"""An attack on a release's own mechanism: many releases on worst neighbours, and the ε they prove.

The neighbours are made up: n records, all blank but one, which is blank in the other data set. The
attacker gets the released weight, knows all else, and guesses by its sign. With the Huber loss and
a short step the one record's gradient keeps its full length, and the weight is a weighted sum of
the noisy sums, so that its law is normal and μ can be fitted. No private record is looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dpcore.audit import bounds
from dpcore.guarantee import Adjacency
from dpcore.release.descent import MOMENTUM, Path, descend
from dpcore.release.grid import Array
from dpcore.release.mechanism import Mechanism

RUNS, MOST_SUMS, CONFIDENCE = 200, 20_000, 0.9999
"""Releases on either data set, fewer where they would take more noisy sums; not below 50."""
ABOUT = (
    "one record against a blank one (or its opposite, under replace-one), from the released "
    "weight; fitted μ, noncentral t"
)


@dataclass(frozen=True)
class Found:
    """The result of an attack.

    Parameters
    ----------
    lower_bound : float
        On ε at `delta`.
    delta : float
    confidence : float
    runs : int
        On either data set.
    about : str
    """

    lower_bound: float
    delta: float
    confidence: float
    runs: int
    about: str = ABOUT


def attack(mechanism: Mechanism, delta: float, runs: int | None = None) -> Found:
    """Attack releases with this noise and so many steps, of one feature.

    Parameters
    ----------
    mechanism : Mechanism
    delta : float
    runs : int, optional
        By default few enough to take seconds.
    """
    runs = max(50, min(RUNS, MOST_SUMS // mechanism.steps)) if runs is None else runs
    # A shorter vector's bound R is smaller: the noise shrinks with it, as it would for a release.
    scale = replace(mechanism, dimension=1).sensitivity / mechanism.sensitivity
    small = replace(mechanism, dimension=1, sigma=math.ceil(mechanism.sigma * scale))
    records = 2
    # Steps so short that no margin leaves the straight part, whatever the noise.
    longest = 60.0 * (small.sigma / small.units + 1.0) * small.steps / (1.0 - MOMENTUM)
    path = Path("huber", 0.0, 0.1 * records / longest, records)
    other = -1.0 if mechanism.adjacency == Adjacency.REPLACE_ONE else 0.0
    first, second = (
        np.array([_weight(record, small, path) for _ in range(runs)]) for record in (1.0, other)
    )
    return Found(bounds.from_gaussian(first, second, delta, CONFIDENCE), delta, CONFIDENCE, runs)


def _weight(record: float, mechanism: Mechanism, path: Path) -> float:
    data: Array = np.array([[record, 0.0]])
    return float(descend(data, mechanism, path)[0])
