"""DP-GD: full-batch noisy gradient descent with exact Gaussian composition, the modern baseline.

T adaptive Gaussian mechanisms of sensitivity c and noise σ compose exactly to one Gaussian
mechanism of sensitivity √T c (μ-GDP with μ = √T c/σ; Dong, Roth, Su 2022), so σ = √T c · σ₁(ε, δ)
with the analytic σ₁. Source of the algorithm: Ganesh et al. 2023 (arXiv 2305.13209).
"""

from __future__ import annotations

import math
from dataclasses import replace

from dpcore.described import Standing
from dpcore.erm import full_batch
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
from dpcore.mechanisms.gaussian import analytic_sigma
from dpcore.words import spaced

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
    release=full_batch.release,
    losses=LOSSES,
    lam_share=SMALL_LAM,
    own_ridge=True,
)
