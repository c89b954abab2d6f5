"""DP-GD: full-batch noisy gradient descent with exact Gaussian composition, the modern baseline.

T adaptive Gaussian mechanisms of sensitivity c and noise σ compose exactly to one Gaussian
mechanism of sensitivity √T c (μ-GDP with μ = √T c/σ; Dong, Roth, Su 2022), so σ = √T c · σ₁(ε, δ)
with the analytic σ₁. Source of the algorithm: Ganesh et al. 2023 (arXiv 2305.13209).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.gradient import accelerator, batch_gradient
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import (
    NO_PAPER,
    SMALL_LAM,
    Calibration,
    Method,
    Settings,
    Training,
    data_conditions,
)
from dpcore.erm.problem import Problem
from dpcore.guarantee import Edition, Standing, Status, not_in_print, proved_under, verdict
from dpcore.mechanisms.gaussian import analytic_sigma
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


MIN_STEPS, DEFAULT_MOST_STEPS = 30, 400


def schedule(problem: Problem, unit: float) -> tuple[int, float]:
    """(T, η) by a fixed rule in n, d (`Problem.counted`), ε and δ; `unit` is σ₁.

    τ = r n/(√d σ₁ c) is the path length that the noise allows, r being the loss's reach; T = τ/40
    within [30, 400]; η = min(1/β, τ/(10T)), where the momentum of 0.9 makes the steps ten times
    longer.
    """
    noise = math.sqrt(problem.counted) * unit * problem.gradient_change
    reach = problem.function.reach * problem.records / noise
    steps = int(min(max(reach / 40.0, MIN_STEPS), DEFAULT_MOST_STEPS))
    return steps, min(1.0 / problem.smoothness, reach / (10.0 * steps))


def calibrate(draft: Calibration, settings: Settings) -> Calibration:
    problem, budget = draft.problem, draft.requested
    unit = float(analytic_sigma(budget.epsilon, budget.delta))
    steps, rate = schedule(problem, unit)
    steps = settings.steps_or(steps)
    sensitivity = problem.gradient_change
    sigma = math.sqrt(steps) * sensitivity * unit
    conditions = data_conditions(problem)
    by = f"exact composition of {spaced(steps)} Gaussian mechanisms (Gaussian DP)"
    proof = proved_under(conditions, budget, problem.adjacency, by)
    return replace(
        draft,
        query="the sum of the gradients, each step",
        sensitivity=sensitivity,
        sigma=sigma,
        steps=steps,
        learning_rate=rate,
        model_noise=sigma / problem.records,
        conditions=conditions,
        claim=not_in_print(problem.adjacency, NO_PAPER),
        proof=proof,
        certified=proof,
        status=verdict(proof),
        # σ was rounded three times on its way from `unit`.
        gaussian_mu=(1.0 + 1e-15) / unit,
    )


METHOD = Method(
    key="dpgd",
    title="DP-GD",
    paper="modern baseline (Ganesh et al. 2023; Dong, Roth, Su 2022)",
    idea="Train in few steps, each on all the records, with noise added to every step.",
    words="noise on every full step",
    editions={
        Edition.SOUND: Standing(
            claim=NO_PAPER,
            proof="(ε, δ) by exact composition of Gaussian mechanisms.",
            status=Status.PROVED,
        ),
    },
    rule=calibrate,
    release=release,
    losses=LOSSES,
    lam_share=SMALL_LAM,
    own_ridge=True,
)
