"""Noisy full-batch gradient descent with momentum, all (ε, run) pairs in one matrix: for DP-GD."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.gradient import accelerator, batch_gradient
from dpcore.erm.method import Training
from dpcore.words import spaced

Array = NDArray[np.floating]

MOMENTUM = 0.9
PROGRESS_EVERY = 8


def release(training: Training) -> Array:
    """Last iterates of noisy gradient descent from w₀ = 0, shape (calibrations, runs, d).

    v ← 0.9 v + ∇F(w) + σ z/n, w ← w - η v. A step's draw z is shared by all ε of a run and never
    by two runs; the seed makes it reproducible, for exploration only.
    """
    training.check()
    problem, calibrations, runs = training.problem, training.calibrations, training.runs
    gradient = batch_gradient(problem, training.features, training.labels, accelerator())
    dimension, lam = problem.dimension, np.float32(problem.lam)
    # Longest first: finished columns are then always the last ones.
    order = sorted(range(len(calibrations)), key=lambda i: -calibrations[i].steps)
    chosen = [calibrations[i] for i in order]
    rates = np.repeat(np.array([c.learning_rate for c in chosen], dtype=np.float32), runs)
    scales = np.repeat(np.array([c.model_noise for c in chosen]), runs)
    lengths = np.repeat([c.steps for c in chosen], runs)
    weights = np.zeros((dimension, len(rates)), dtype=np.float32)
    velocity = np.zeros_like(weights)
    generators = training.generators
    last, work_done, work = int(lengths.max()), 0, int(lengths.sum())
    for step in range(last):
        live = int(np.count_nonzero(lengths > step))
        noise = np.stack([g.standard_normal(dimension, dtype=np.float32) for g in generators], 1)
        w, v = weights[:, :live], velocity[:, :live]
        # The noise is added in double precision; the rest is post-processing.
        released = gradient(w)
        released += np.tile(noise, live // runs) * scales[:live]
        v *= np.float32(MOMENTUM)
        v += released
        v += lam * w
        w -= rates[:live] * v
        if problem.lam == 0.0:
            problem.project(w)
        work_done += live
        if step % PROGRESS_EVERY == 0:
            training.progress(work_done / work, f"DP-GD step {spaced(step + 1)} of {spaced(last)}")
    result = np.empty((len(calibrations), runs, dimension))
    result[order] = weights.T.reshape(len(calibrations), runs, dimension)
    return result
