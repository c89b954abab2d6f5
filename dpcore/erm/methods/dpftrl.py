"""DP-FTRL: one pass over the records, with correlated noise on the running sum of the gradients.

Every record takes part in one step, so it moves one row of the stream of summed gradients by at
most c = 2L (replace-one) or L (zero-out), and all running sums together are one Gaussian mechanism
of sensitivity c ‖c₀…c_{T-1}‖₂ (`dpcore.mechanisms.toeplitz`). Source: Kairouz et al. 2021, Denisov
et al. 2022.

Follow the regularised leader: after n_t records and gradients that sum to S_t,

    w_{t+1} = argmin S̃_tᵀw + ((λ n_t + R)/2) ‖w‖² = -S̃_t/(λ n_t + R),   S̃_t = S_t + (C Z)_t,

projected onto the ball of the problem's radius where λ = 0. The release is the mean of the second
half of the w_t. All w_t depend on the records through S̃ alone, so it is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpcore.erm import permuted
from dpcore.erm.losses import LOSSES, Forms
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
from dpcore.mechanisms import toeplitz
from dpcore.mechanisms.gaussian import analytic_sigma
from dpcore.mechanisms.toeplitz import correlated
from dpcore.words import spaced

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


MAX_BATCHES = 300
REACH, REACH_OF_NUMBERS = 10.0, 1.0
"""Fixed once, on public data: steps in the pass, and how far the noise on the sums may move w. Only
the direction of w tells classes apart, but its length counts where a number is predicted."""


def calibrate(draft: Calibration, settings: Settings) -> Calibration:
    problem, budget = draft.problem, draft.requested
    n = problem.records
    batch = settings.batch_or(-(-n // MAX_BATCHES), n)
    steps = permuted.batches(n, batch)
    if settings.steps is not None:
        # More steps than records would leave some without any: it is one pass.
        steps = min(settings.steps_or(n), n)
        batch = -(-n // steps)
    sensitivity = problem.gradient_change * toeplitz.column_norm(steps)
    sigma = float(analytic_sigma(budget.epsilon, budget.delta, sensitivity))
    # The first steps must not overshoot, nor the noise carry the weights away.
    ridge = max(batch * problem.function.curvature, noise_ridge(problem, sigma, steps))
    conditions = data_conditions(problem)
    by = f"one Gaussian mechanism on all {spaced(steps)} running sums (Denisov et al. 2022)"
    proof = proved_under(conditions, budget, problem.adjacency, by)
    return replace(
        draft,
        query="the running sums of the gradients, all at once",
        sensitivity=sensitivity,
        sigma=sigma,
        steps=steps,
        learning_rate=1.0 / ridge,
        batch=batch,
        sampling=permuted.SAMPLING,
        model_noise=sigma,
        conditions=conditions,
        claim=not_in_print(problem.adjacency, NO_PAPER),
        proof=proof,
        certified=proof,
        status=verdict(proof),
        gaussian_mu=math.nextafter(sensitivity / sigma, math.inf),
        ridge=ridge,
    )


def noise_ridge(problem: Problem, sigma: float, steps: int) -> float:
    """R by a fixed rule: the last sum's noise has norm about √d σ ‖c‖₂, and moves w by so far."""
    reach = REACH_OF_NUMBERS if problem.function.residual else REACH
    return math.sqrt(problem.dimension) * sigma * toeplitz.column_norm(steps) / reach


METHOD = Method(
    key="dpftrl",
    title="DP-FTRL",
    paper="modern baseline (Kairouz et al. 2021; Denisov et al. 2022)",
    idea="See every record once, as it comes in, with noise whose draws cancel from step to step.",
    words="one pass with noise on running sums",
    editions={
        Edition.SOUND: Standing(
            claim=NO_PAPER,
            proof="(ε, δ) by one Gaussian mechanism on all running sums; each record is used once.",
            status=Status.PROVED,
        ),
    },
    rule=calibrate,
    release=release,
    losses=LOSSES,
    limits=(
        "Made for records that arrive one after the other. Where all are at hand, methods that "
        "pass over them many times lose less.",
        "The order of the records is public and the same in every run.",
    ),
    lam_share=SMALL_LAM,
    own_ridge=True,
)
