"""Gradient descent without noise, then one Gaussian draw: the engine of OPERA, OutPert and PSGD.

With the same data, w₀ and η, w_T for a smaller T lies on the path to a larger one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import scipy
from numpy.typing import NDArray

from dpcore.erm import permuted
from dpcore.erm.cells import Cells
from dpcore.erm.gradient import block_size
from dpcore.erm.method import Calibration, Training
from dpcore.erm.problem import Problem
from dpcore.progress import Progress, silent

Array = NDArray[np.floating]

SPARSE_BELOW = 0.3  # share of non-zero entries under which sparse products win on one-hot data
PROGRESS_EVERY = 64


def descend(
    problem: Problem,
    features: Array,
    labels: Array,
    learning_rate: float,
    steps: Sequence[int],
    progress: Progress = silent,
    start: Array | None = None,
) -> dict[int, Array]:
    """w_T for every T in `steps`, by full gradient descent with constant step.

    With λ = 0, each iterate is projected onto the ball of the problem's radius. `start` is w₀, 0
    by default; it must be public, since the sensitivity counts on neighbours sharing it.
    """
    records, lam = len(labels), problem.lam
    total_gradient = _total_gradient(problem, features, labels)
    stops, last = set(steps), max(steps)
    weights: Array = np.zeros(features.shape[1]) if start is None else start
    result: dict[int, Array] = {}
    for step in range(1, last + 1):
        gradient = total_gradient(weights) / records + lam * weights
        weights = weights - learning_rate * gradient
        if lam == 0.0:
            problem.project(weights)
        if step in stops:
            result[step] = weights
        if step % PROGRESS_EVERY == 0:
            progress(step / last, "gradient descent")
    return result


def _total_gradient(problem: Problem, features: Array, labels: Array) -> Callable[[Array], Array]:
    slope, forms = problem.function.slope, problem.forms(features, labels)
    cells = Cells.of(forms.rows, features)
    size = block_size(cells.others.shape[1])
    if np.count_nonzero(cells.others) < SPARSE_BELOW * cells.others.size:
        cells, size = replace(cells, others=scipy.sparse.csr_array(cells.others)), len(forms)
    blocks = [
        (cells[start : start + size], forms[start : start + size])
        for start in range(0, len(forms), size)
    ]

    def gradient(weights: Array) -> Array:
        turned, total = cells.turned(weights), np.zeros_like(weights)
        for block, some in blocks:
            total += block.sums(slope(some.less_offsets(block.times(turned))))
        return cells.turned_back(total)

    return gradient


def centres(
    problem: Problem,
    features: Array,
    labels: Array,
    calibrations: Sequence[Calibration],
    progress: Progress = silent,
) -> Array:
    """w_T before noise for every calibration, shape (calibrations, d)."""
    result = np.empty((len(calibrations), features.shape[1]))
    by_rate: dict[float, list[int]] = {}
    by_batch: dict[int, list[int]] = {}
    for i, c in enumerate(calibrations):
        if c.sampling == permuted.SAMPLING:
            by_batch.setdefault(c.batch, []).append(i)
        else:
            by_rate.setdefault(c.learning_rate, []).append(i)
    for rate, chosen in sorted(by_rate.items()):
        steps = [calibrations[i].steps for i in chosen]
        iterates = descend(problem, features, labels, rate, steps, progress)
        for i in chosen:
            result[i] = iterates[calibrations[i].steps]
    for batch, chosen in sorted(by_batch.items()):
        count = permuted.batches(len(labels), batch)
        requests = [(calibrations[i].learning_rate, calibrations[i].steps) for i in chosen]
        paths = permuted.descend(problem, features, labels, count, requests, progress)
        for i, request in zip(chosen, requests, strict=True):
            result[i] = paths[request]
    return result


def release(training: Training) -> Array:
    """W = w_T + σ z, shape (calibrations, runs, d).

    The draw z of a run is shared by all ε and methods and never by two runs. A seed is for
    exploration; a published release needs operating-system entropy.
    """
    training.check()
    models = centres(
        training.problem,
        training.features,
        training.labels,
        training.calibrations,
        training.progress,
    )
    dimension = training.problem.dimension
    noise = np.stack([draw.standard_normal(dimension) for draw in training.generators])
    return np.asarray(models[:, None, :] + training.scales[:, None, None] * noise[None, :, :])
