"""One pass over a stream of records with correlated noise on its running sums: DP-FTRL's engine.

Follow the regularised leader: after n_t records and gradients that sum to S_t,

    w_{t+1} = argmin S̃_tᵀw + ((λ n_t + R)/2) ‖w‖² = -S̃_t/(λ n_t + R),   S̃_t = S_t + (C Z)_t,

projected onto the ball of the problem's radius where λ = 0. The release is the mean of the second
half of the w_t. All w_t depend on the records through S̃ alone, so it is post-processing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpcore.erm import permuted
from dpcore.erm.forms import Forms
from dpcore.erm.method import Training
from dpcore.mechanisms.toeplitz import correlated

Array = NDArray[np.floating]

MAX_ENTRIES = 2**24  # of the noise held at once, 128 MB
PROGRESS_EVERY = 32


def release(training: Training) -> Array:
    """Mean iterates of the second half of the stream, shape (calibrations, runs, d).

    The records come in the public order of `dpcore.erm.permuted`. A run's draw is shared by all ε
    and never by two runs. Seeded: for exploration only.
    """
    training.check()
    problem, runs = training.problem, training.runs
    forms = problem.forms(training.features, training.labels).contiguous(np.float64)
    order = permuted.order(problem.records)
    every = runs * len(training.calibrations)
    result = np.empty((len(training.calibrations), runs, problem.dimension))
    done = 0
    for chosen in training.grouped(lambda calibration: calibration.steps):
        steps = training.calibrations[chosen[0]].steps
        parts = [forms[part] for part in np.array_split(order, steps)]
        some = max(1, MAX_ENTRIES // (steps * problem.dimension))
        for first in range(0, runs, some):
            block = range(first, min(runs, first + some))

            def report(
                share: float,
                message: str,
                finished: int = done,
                now: int = len(chosen) * len(block),
            ) -> None:
                training.progress((finished + share * now) / every, message)

            followed = _follow(training.part(chosen, report), parts, block)
            result[np.ix_(chosen, block)] = followed
            done += len(chosen) * len(block)
    return result


def _follow(training: Training, parts: Sequence[Forms], runs: range) -> Array:
    problem, calibrations = training.problem, training.calibrations
    steps, dimension = len(parts), problem.dimension
    slope, lam = problem.function.slope, problem.lam
    noise = np.empty((steps, dimension, len(runs)))
    for place, run in enumerate(runs):
        draws = training.generator(run).standard_normal((steps, dimension), dtype=np.float32)
        noise[:, :, place] = correlated(draws)
    scales = training.scales[:, None]
    ridges = np.array([c.ridge for c in calibrations])[:, None]
    shape = (dimension, len(calibrations), len(runs))
    # In double precision: rounding of a sum is noise that nobody has counted.
    sums, total, weights = np.zeros((3, *shape))
    record_count, averaged = 0, 0
    for step, batch in enumerate(parts):
        flat = weights.reshape(dimension, -1)
        sums += (batch.rows.T @ slope(batch.at(flat))).reshape(shape)
        record_count += len(batch)
        weights = (sums + scales * noise[step][:, None, :]) / -(lam * record_count + ridges)
        if lam == 0.0:
            problem.project(weights)
        if 2 * (step + 1) > steps:
            total += weights
            averaged += 1
        if step % PROGRESS_EVERY == 0:
            training.progress((step + 1) / steps, "passing over the stream")
    return np.asarray(np.moveaxis(total / averaged, 0, -1))
