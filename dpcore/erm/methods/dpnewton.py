"""DP-Newton: few steps along noisy Newton directions (Ganesh et al. 2023), in Gaussian DP.

The sensitivities of the three answers of a step, and why their noise adds up to one Gaussian
mechanism, are in `dpcore.erm.newton_noise`.
"""

from __future__ import annotations

import math
from dataclasses import replace

from dpcore.described import Standing
from dpcore.erm import newton_noise
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import (
    NO_PAPER,
    SMALL_LAM,
    Calibration,
    Method,
    Settings,
    data_conditions,
)
from dpcore.guarantee import Edition, Status, not_in_print, proved_under, verdict
from dpcore.mechanisms.gaussian import analytic_mu

STEPS, MAX_STEPS = 12, 1_000
"""T by rule, fixed once on public data; and the largest T allowed."""


def calibrate(draft: Calibration, settings: Settings) -> Calibration:
    problem, budget = draft.problem, draft.requested
    steps = min(settings.steps_or(STEPS), MAX_STEPS)
    mu = float(analytic_mu(budget.epsilon, budget.delta))
    sigma = problem.gradient_change / newton_noise.step_noise(mu, steps).gradient
    conditions = data_conditions(problem)
    by = f"exact composition of {3 * steps} Gaussian mechanisms (Gaussian DP)"
    proof = proved_under(conditions, budget, problem.adjacency, by)
    return replace(
        draft,
        query="the sum of the gradients, each step; the step itself is blurred again",
        sensitivity=problem.gradient_change,
        sigma=sigma,
        steps=steps,
        learning_rate=1.0,
        model_noise=sigma / problem.records,
        conditions=conditions,
        claim=not_in_print(problem.adjacency, NO_PAPER),
        proof=proof,
        certified=proof,
        status=verdict(proof),
        gaussian_mu=math.nextafter(mu, math.inf),
    )


METHOD = Method(
    key="dpnewton",
    title="DP-Newton",
    paper="modern baseline (Ganesh et al. 2023, double noise)",
    idea="Take a handful of long steps that follow the curvature, and blur both slope and step.",
    words="noise on a few curved steps",
    editions={
        Edition.SOUND: Standing(
            claim=NO_PAPER,
            proof="(ε, δ) by exact composition of Gaussian mechanisms. How far one record moves a "
            "Newton step is derived for both adjacencies.",
            status=Status.PROVED,
        ),
    },
    rule=calibrate,
    release=newton_noise.release,
    losses=LOSSES,
    limits=("A step costs d times as much as one of DP-GD, so wide tables take long.",),
    lam_share=SMALL_LAM,
)
