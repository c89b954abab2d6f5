"""Gradient descent on noisy sums of whole numbers: the only step of a release that draws noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.datasets.persons import Persons
from dpcore.erm.full_batch import MOMENTUM
from dpcore.progress import Progress, silent
from dpcore.release import grid
from dpcore.release.grid import Array
from dpcore.release.mechanism import Mechanism
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.scorer import Scorer
from dpcore.words import spaced

Draw = Callable[[int, int], list[int]]


@dataclass(frozen=True)
class Path:
    """How the sums are used; public, and without influence on what is proved."""

    scorer: Scorer
    lam: float  # λ of (λ/2)‖w‖²
    learning_rate: float
    records: int  # n, the divisor of each sum
    count_sums: int = 0  # how many of the mechanism's sums are counts of scores instead

    def facts(self) -> dict[str, Any]:
        """What a certificate says of it."""
        return {
            "loss": self.scorer.loss,
            "lam": self.lam,
            "learning_rate": self.learning_rate,
            "records": self.records,
            "count_sums": self.count_sums,
            **self.scorer.facts(),
        }


def descend(
    signed: Array,
    mechanism: Mechanism,
    path: Path,
    draw: Draw = rounded_gaussians,
    progress: Progress = silent,
    persons: Persons | None = None,
) -> Array:
    """The last iterate, shape (parameters,): v ← 0.9 v + (sum + noise)/n + λw, w ← w - ηv.

    `signed`, shape (d, rows), has norm at most 1 a row, times the label; without `persons` each row
    is a record. Another `draw` than the usual one is for made-up records only.
    """
    weights = path.scorer.start()
    velocity = np.zeros_like(weights)
    steps = mechanism.steps - path.count_sums
    for step in range(steps):
        progress(step / steps, f"Step {spaced(step + 1)} of {spaced(steps)}")
        exact = grid.total(signed, weights, path.scorer.gradients, persons).tolist()
        noise = draw(mechanism.sigma, mechanism.dimension)
        # Python's whole numbers have no end, so no draw overflows.
        noisy = [value + more for value, more in zip(exact, noise, strict=True)]
        scale = mechanism.units * path.records
        velocity = MOMENTUM * velocity + np.array([value / scale for value in noisy])
        velocity += path.lam * weights
        weights = weights - path.learning_rate * velocity
    progress(1.0, "Trained")
    return weights
