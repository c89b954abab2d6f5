"""DP-FTRL: one pass over the records, with correlated noise on the running sum of the gradients.

Every record takes part in one step, so it moves one row of the stream of summed gradients by at
most c = 2L (replace-one) or L (zero-out), and all running sums together are one Gaussian mechanism
of sensitivity c ‖c₀…c_{T-1}‖₂ (`dpcore.mechanisms.toeplitz`). Source: Kairouz et al. 2021, Denisov
et al. 2022.
"""

from __future__ import annotations

import math
from dataclasses import replace

from dpcore.described import Standing
from dpcore.erm import permuted, stream
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import (
    NO_PAPER,
    SMALL_LAM,
    Calibration,
    Method,
    Settings,
    data_conditions,
)
from dpcore.erm.problem import Problem
from dpcore.guarantee import Edition, Status, not_in_print, proved_under, verdict
from dpcore.mechanisms import toeplitz
from dpcore.mechanisms.gaussian import analytic_sigma
from dpcore.words import spaced

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
    release=stream.release,
    losses=LOSSES,
    limits=(
        "Made for records that arrive one after the other. Where all are at hand, methods that "
        "pass over them many times lose less.",
        "The order of the records is public and the same in every run.",
    ),
    lam_share=SMALL_LAM,
    own_ridge=True,
)
