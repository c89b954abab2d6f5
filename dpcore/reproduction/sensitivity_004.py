"""Paper 004's small network (section IV-A): the response of its cost to shifted weights.

Two inputs, two sigmoid units, one linear output, trained on x₁ AND x₂ of rounded inputs. Figure 2
shifts two of its nine weights by up to 0.3 and draws the cost, which derivatives should predict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.evaluation.scoring import spread_by
from dpcore.progress import Progress

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

SAMPLES, EPOCHS, SHIFT = 1_000, 150, 0.3
BATCH, LEARNING_RATE = 10, 0.1
"""Not in print."""

NAMES = ("θ1", "θ2", "θ3", "θ4", "θ5", "θ6", "b1", "b2", "b3")
AXES = dict(zip(NAMES, np.eye(len(NAMES)), strict=True))
DRAWN = ("θ1", "θ6", "b3")
PAIRS = (("θ1", "b3"), ("θ6", "b3"))
GRID = 16


def cost(weights: Array, inputs: Array, wanted: Array) -> Array:
    """Mean squared error for each of several weight vectors, (…, 9) to (…)."""
    return np.asarray(((_outputs(weights, inputs)[0] - wanted) ** 2).mean(-1))


def derivatives(weights: Array, inputs: Array, wanted: Array) -> Array:
    """Derivatives of the cost by each of the nine weights."""
    output, hidden = _outputs(weights, inputs)
    error = 2.0 * (output - wanted) / len(wanted)
    back = error * hidden * (1.0 - hidden) * weights[4:6, None]
    into = back @ inputs  # (hidden unit, input)
    return np.array(
        [into[0, 0], into[1, 0], into[0, 1], into[1, 1], *hidden @ error, *back.sum(1), error.sum()]
    )


def _outputs(weights: Array, inputs: Array) -> tuple[Array, Array]:
    before = (
        weights[..., 0:2, None] * inputs[:, 0]
        + weights[..., 2:4, None] * inputs[:, 1]
        + weights[..., 6:8, None]
    )
    hidden = 1.0 / (1.0 + np.exp(-before))
    return (weights[..., 4:6, None] * hidden).sum(-2) + weights[..., 8, None], hidden


def trained(seed: int) -> tuple[Array, Array, Array]:
    """Weights after 150 epochs, and the samples."""
    random = np.random.default_rng(seed)
    inputs = random.random((SAMPLES, 2))
    targets = np.all(np.round(inputs) == 1.0, axis=1).astype(float)
    weights = random.normal(size=len(NAMES))
    for _ in range(EPOCHS):
        for batch in np.split(random.permutation(SAMPLES), SAMPLES // BATCH):
            weights -= LEARNING_RATE * derivatives(weights, inputs[batch], targets[batch])
    return weights, inputs, targets


def surfaces(runs: int, progress: Progress) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Changes of the cost under shifted weights in several trained networks, as three tables."""
    import pandas as pd

    single, pairs, curves = [], [], []
    steps = np.linspace(0.0, SHIFT, GRID)
    for run in range(runs):
        progress(run / runs, f"network {run + 1} of {runs}")
        weights, inputs, targets = trained(run)
        base = float(cost(weights, inputs, targets))
        slopes = derivatives(weights, inputs, targets)
        increases = cost(weights + 0.5 * SHIFT * np.eye(len(NAMES)), inputs, targets) - base
        for name, slope, change in zip(NAMES, slopes, increases, strict=True):
            single.append((run, name, slope, 0.5 * SHIFT, change))
        for name in DRAWN:
            changes = cost(weights + steps[:, None] * AXES[name], inputs, targets) - base
            curves += [(run, name, *cells) for cells in zip(steps, changes, strict=True)]
        for first, second in PAIRS:
            for shift in steps:
                shifted = weights + shift * AXES[first] + steps[:, None] * AXES[second]
                costs = cost(shifted, inputs, targets)
                pairs += [
                    (run, first, second, shift, *cells) for cells in zip(steps, costs, strict=True)
                ]
    lines = pd.DataFrame(curves, columns=["run", "weight", "shift", "change"])
    groups = lines.groupby(["weight", "shift"])["change"]
    names = "change", "change_low", "change_high"
    summary = pd.DataFrame(dict(zip(names, spread_by(groups), strict=True)))
    return (
        pd.DataFrame(single, columns=["run", "weight", "derivative", "shift", "change"]),
        pd.DataFrame(pairs, columns=["run", "first", "second", "shift", "other", "cost"]),
        summary.reset_index(),
    )
