"""DP-Newton: few steps along noisy Newton directions (Ganesh et al. 2023), in Gaussian DP.

The sensitivities of the three answers of a step, and why their noise adds up to one Gaussian
mechanism, are in `dpcore.erm.newton_noise`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpcore.erm import newton_noise
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import (
    Calibration,
    Method,
    MethodStanding,
    Settings,
    data_conditions,
    gaussian_budgets,
)
from dpcore.erm.problem import Problem
from dpcore.errors import whole
from dpcore.guarantee import Edition, Guarantee, Status
from dpcore.mechanisms.gaussian import analytic_mu

STEPS, MOST_STEPS = 12, 1_000
"""T by rule, fixed once on public data; and the largest T allowed."""


def calibrate(
    problem: Problem,
    epsilons: Sequence[float],
    delta: float,
    edition: Edition,
    settings: Settings,
) -> list[Calibration]:
    """One calibration per requested ε. Pure; sees public values only."""
    steps = STEPS
    if settings.steps is not None:
        steps = min(whole("steps T", settings.steps, at_least=1, at_most=1_000_000), MOST_STEPS)
    result = []
    for budget in gaussian_budgets(epsilons, delta):
        mu = float(analytic_mu(budget.epsilon, budget.delta))
        sigma = problem.gradient_change / newton_noise.step_noise(mu, steps).gradient
        proof = Guarantee(
            budget.epsilon,
            budget.delta,
            problem.adjacency,
            f"exact composition of {3 * steps} Gaussian mechanisms (Gaussian DP)",
        )
        result.append(
            Calibration(
                method="dpnewton",
                title="DP-Newton",
                edition=Edition.SOUND,
                problem=problem,
                requested=budget,
                query="the sum of the gradients, each step; the step itself is blurred again",
                sensitivity=problem.gradient_change,
                sigma=sigma,
                steps=steps,
                learning_rate=1.0,
                batch=problem.records,
                sampling="all",
                model_noise=sigma / problem.records,
                conditions=data_conditions(problem),
                claim=Guarantee(
                    None, None, problem.adjacency, "no paper", "Not one of the five papers."
                ),
                proof=proof,
                certified=proof,
                status=Status.PROVED,
                gaussian_mu=math.nextafter(mu, math.inf),
            )
        )
    return result


METHOD = Method(
    key="dpnewton",
    title="DP-Newton",
    paper="modern baseline (Ganesh et al. 2023, double noise)",
    idea="Take a handful of long steps that follow the curvature, and blur both slope and step.",
    editions={
        Edition.SOUND: MethodStanding(
            claim="Not one of the five papers.",
            proof="(ε, δ) by exact composition of Gaussian mechanisms; how far one record moves a "
            "Newton step is derived for both adjacencies.",
            status=Status.PROVED,
        ),
    },
    calibrate=calibrate,
    release=newton_noise.release,
    losses=LOSSES,
    limits=("A step costs d times as much as one of DP-GD, so wide tables take long.",),
)
