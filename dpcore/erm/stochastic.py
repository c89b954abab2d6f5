"""Noisy stochastic gradient descent: the engine of SgdPert and GRPUA.

All (method, ε) pairs of a run see the same sampled records and the same draws of noise, scaled;
runs share nothing. With μ > 0 and η_t = 1/(μt) (Theorem 8) the iterate is a running mean,
w_{t+1} = -(1/(μt)) Σ_{s≤t} (g_s + σ z_s), where g_s is the data-dependent part of the gradient, so
one step only adds to two sums and the regulariser needs no pass of its own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.method import Training
from dpcore.words import spaced

Array = NDArray[np.floating]
Indices = NDArray[np.int64]

BLOCK_STEPS = 32  # one-record steps taken at once
CHUNK_BYTES = 2**24  # of noise and of record numbers drawn at once


def release(training: Training) -> Array:
    """Last iterates from w₁ = 0, shape (calibrations, runs, d).

    Batches are drawn as each calibration's `sampling` says, which is what its accountant assumes:
    a fixed size without replacement, or every record with probability batch/n (Poisson; the sum
    is then divided by the expected batch size). Seeded: for exploration only.
    """
    training.check()
    groups = training.grouped(
        lambda calibration: (calibration.steps, calibration.batch, calibration.sampling)
    )
    result = np.empty((len(training.calibrations), training.runs, training.problem.dimension))
    for number, chosen in enumerate(groups):

        def report(fraction: float, message: str, number: int = number) -> None:
            training.progress((number + fraction) / len(groups), message)

        result[chosen] = _descend(training.part(chosen, report))
    return result


def _descend(training: Training) -> Array:
    problem, calibrations, runs = training.problem, training.calibrations, training.runs
    steps, batch = calibrations[0].steps, calibrations[0].batch
    records, dimension = problem.records, problem.dimension
    poisson = calibrations[0].sampling == "poisson"
    signed = np.zeros((records + 1, dimension))
    # The extra null row pads Poisson batches.
    signed[:records] = problem.within(training.features, training.labels)
    slope = problem.function.slope
    generators = training.generators
    scales = training.scales[None, :, None]
    rates = np.array([c.learning_rate for c in calibrations])[None, :, None]
    shape = (runs, len(calibrations), dimension)
    # Sums in double precision: their rounding is counted (`dpcore.erm.rounding`).
    data_sum, weights = np.zeros((2, *shape))
    noise_sum = np.zeros((runs, 1, dimension))
    chunk = max(1, min(steps, CHUNK_BYTES // (8 * runs * max(dimension, batch))))
    for start in range(0, steps, chunk):
        length = min(chunk, steps - start)
        picks = [_batches(g, records, batch, length, poisson) for g in generators]
        noise = np.stack(
            [g.standard_normal((length, dimension), dtype=np.float32) for g in generators], axis=1
        )
        if problem.lam > 0.0 and batch == 1 and not poisson:
            numbers = np.concatenate(picks, axis=1)  # (length, runs)
            for first in range(0, length, BLOCK_STEPS):
                block = slice(first, first + BLOCK_STEPS)
                _one_record_steps(
                    signed[numbers[block].T],
                    noise[block].transpose(1, 0, 2),
                    start + first,
                    data_sum,
                    noise_sum,
                    scales,
                    rates,
                    slope,
                )
            weights = (data_sum + scales * noise_sum) * (-rates / (start + length))
        else:
            for offset in range(length):
                step = start + offset + 1
                rows = signed[_aligned([pick[offset] for pick in picks], records)]
                margins = np.matmul(weights, rows.transpose(0, 2, 1))
                coefficients = slope(margins)
                coefficients /= batch
                gradient = np.matmul(coefficients, rows)
                if problem.lam > 0.0:
                    data_sum += gradient
                    noise_sum[:, 0] += noise[offset]
                    np.multiply(noise_sum, scales, out=weights)
                    weights += data_sum
                    weights *= -rates / step
                else:
                    gradient += scales * noise[offset][:, None, :]
                    weights -= rates / np.sqrt(step) * gradient
                    problem.project(weights, axis=2)
        done = start + length
        training.progress(done / steps, f"noisy SGD step {spaced(done)} of {spaced(steps)}")
    return weights.transpose(1, 0, 2)


def _one_record_steps(
    rows: Array,
    noise: Array,
    earlier: int,
    data_sum: Array,
    noise_sum: Array,
    scales: Array,
    rates: Array,
    slope: Callable[[Array], Array],
) -> None:
    """Add k one-record steps of the running mean to its two sums, in place.

    The k records interact only through their Gram matrix: step by step only k margins are updated.
    """
    before = np.cumsum(noise, axis=1) - noise + noise_sum
    margins = np.matmul(data_sum, rows.transpose(0, 2, 1))
    margins += scales * np.einsum("rkd,rkd->rk", before, rows)[:, None, :]
    gram = np.matmul(rows, rows.transpose(0, 2, 1))
    coefficients = np.empty_like(margins)
    for place in range(rows.shape[1]):
        sums = margins[:, :, place, None]
        if place:
            sums = sums + np.matmul(coefficients[:, :, :place], gram[:, :place, place, None])
        weighted = sums * (-rates / max(earlier + place, 1))
        coefficients[:, :, place] = slope(weighted)[:, :, 0]
    data_sum += np.matmul(coefficients, rows)
    noise_sum += noise.sum(axis=1, keepdims=True)


def _batches(
    generator: np.random.Generator, records: int, batch: int, length: int, poisson: bool
) -> list[Indices] | Indices:
    """Record numbers of `length` batches of one run."""
    if batch == 1 and not poisson:
        return generator.integers(0, records, size=(length, 1))
    sizes = (
        generator.binomial(records, batch / records, size=length)
        if poisson
        else np.full(length, batch)
    )
    return [generator.choice(records, size, replace=False, shuffle=False) for size in sizes]


def _aligned(picks: list[Indices], null_row: int) -> Indices:
    longest = max(1, max(len(pick) for pick in picks))
    if all(len(pick) == longest for pick in picks):
        return np.stack(picks)
    result = np.full((len(picks), longest), null_row, dtype=np.int64)
    for row, pick in enumerate(picks):
        result[row, : len(pick)] = pick
    return result
