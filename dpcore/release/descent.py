"""Gradient descent on noisy sums of whole numbers: the only step of a release that draws noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpcore.datasets.persons import Persons
from dpcore.erm.full_batch import MOMENTUM
from dpcore.progress import Progress, silent
from dpcore.release import grid
from dpcore.release.grid import Array
from dpcore.release.mechanism import Mechanism
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.slopes import slope_of

Draw = Callable[[int, int], list[int]]


@dataclass(frozen=True)
class Path:
    """How the sums are used; public, and without influence on what is proved.

    Parameters
    ----------
    loss : str
    lam : float
        λ of (λ/2)‖w‖².
    learning_rate : float
    records : int
        n, the divisor of each sum.
    count_sums : int
        How many of the mechanism's sums are counts of scores instead, after the training.
    """

    loss: str
    lam: float
    learning_rate: float
    records: int
    count_sums: int = 0


def descend(
    signed: Array,
    mechanism: Mechanism,
    path: Path,
    draw: Draw = rounded_gaussians,
    progress: Progress = silent,
    persons: Persons | None = None,
) -> Array:
    """The last iterate from w = 0, shape (d,): v ← 0.9 v + (sum + noise)/n + λw, w ← w - ηv.

    Parameters
    ----------
    signed : (d, rows) array
        Of norm at most 1 a row, times the label.
    mechanism : Mechanism
        Made for this d.
    path : Path
    draw : callable
        (σ, count) -> whole numbers; another than the usual one on made-up records only.
    progress : callable
    persons : Persons, optional
        Whose the rows are; by its absence each row is a record.
    """
    slope = slope_of(path.loss)
    weights = np.zeros(mechanism.dimension)
    velocity = np.zeros_like(weights)
    steps = mechanism.steps - path.count_sums
    for step in range(steps):
        progress(step / steps, f"Step {step + 1} of {steps}")
        exact = grid.total(signed, weights, slope, persons).tolist()
        noise = draw(mechanism.sigma, mechanism.dimension)
        # Python's whole numbers have no end, so no draw overflows.
        noisy = [value + more for value, more in zip(exact, noise, strict=True)]
        scale = mechanism.units * path.records
        velocity = MOMENTUM * velocity + np.array([value / scale for value in noisy])
        velocity += path.lam * weights
        weights = weights - path.learning_rate * velocity
    progress(1.0, "Trained")
    return weights
