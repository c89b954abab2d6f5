"""PSGD: passes over the records in a public order, then noise on the weights (Wu et al. 2017)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from dpcore.erm import output_perturbation, permuted
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import Calibration, Method, Settings, data_conditions
from dpcore.erm.output_perturbation import TYPICAL_SHARE
from dpcore.erm.problem import Problem
from dpcore.guarantee import (
    Adjacency,
    Condition,
    Edition,
    Guarantee,
    Standing,
    Status,
    proved_under,
    verdict,
)
from dpcore.mechanisms.gaussian import (
    analytic_epsilon,
    analytic_sigma,
    classical_condition,
    classical_sigma,
)
from dpcore.words import plain, spaced

PASSES = 10
SMALLEST_BATCH, MAX_BATCHES = 50, 1_000
"""Fixed in advance: ten passes in batches of 50 records, or of n/1,000 where that is more."""

LONGEST = 20.0
"""Fixed in advance: longer weights are not worth their noise."""
HALVINGS = 20
"""The step size is chosen from 1/β and so many halvings of it, by n, d, λ, ε and δ only."""

PRINTED_BY = "Algorithms 1 and 2 of Wu et al. 2017 with the classical Gaussian mechanism"
PROVED_BY = "analytic Gaussian mechanism (Balle and Wang 2018) with the exact sensitivity of PSGD"


def calibrate(draft: Calibration, settings: Settings) -> Calibration:
    problem, budget, printed = draft.problem, draft.requested, draft.edition is Edition.PUBLISHED
    n, adjacency = problem.records, problem.adjacency
    batch = settings.batch_or(min(n, max(SMALLEST_BATCH, -(-n // MAX_BATCHES))), n)
    count = permuted.batches(n, batch)
    steps = settings.steps_or(PASSES * count)
    unit = float((classical_sigma if printed else analytic_sigma)(budget.epsilon, budget.delta))
    choices = _choices(problem, count, steps)
    # In print the sensitivity does not fall with the step size, so the longest is best.
    fixed = printed and problem.strong_convexity > 0.0
    rate, exact = choices[0][:2] if fixed else _chosen(problem, choices, unit)
    change = exact
    top = 2.0 / (permuted.smoothness(problem, count) + problem.strong_convexity)
    conditions = (
        Condition(
            f"η ≤ 2/(β+μ) = {plain(top, 4)} (η ≤ {plain(rate, 4)})",
            rate <= top,
            "The sensitivity bound needs η ≤ 2/(β+μ); this step is longer.",
        ),
        *data_conditions(problem),
    )
    if printed:
        # The released weights were computed with rounding, which the printed Δ leaves out.
        change = permuted.printed(problem, count, rate, steps)
        change += permuted.rounding(problem, count, rate, steps)
        conditions = (
            classical_condition(budget.epsilon),
            Condition(
                f"the printed sensitivity {plain(change)} is at least the exact {plain(exact)} at "
                f"T = {spaced(steps)}",
                # The exact one is rounded up, and both may be equal.
                change * (1.0 + 1e-13 * (steps + 10.0)) >= exact,
                f"The printed sensitivity {plain(change)} is below the exact one, {plain(exact)}.",
            ),
            *conditions,
        )
    sigma = unit * change
    proof = proved_under(conditions, budget, adjacency, PRINTED_BY if printed else PROVED_BY)
    return replace(
        draft,
        query="the trained weights",
        sensitivity=change,
        sigma=sigma,
        steps=steps,
        learning_rate=rate,
        batch=batch,
        sampling=permuted.SAMPLING,
        model_noise=sigma,
        conditions=conditions,
        claim=Guarantee(budget.epsilon, budget.delta, Adjacency.REPLACE_ONE, PRINTED_BY)
        if printed
        else draft.claim,
        proof=proof,
        certified=Guarantee(
            float(analytic_epsilon(sigma, budget.delta, exact)),
            budget.delta,
            adjacency,
            "exact Gaussian curve at the exact sensitivity of PSGD",
        ),
        status=verdict(proof),
        gaussian_mu=math.nextafter(exact / sigma, math.inf),
    )


@lru_cache(maxsize=64)
def _choices(problem: Problem, count: int, steps: int) -> list[tuple[float, float, float]]:
    """(largest step size, Δ, bound on the optimisation gap) for 1/β and halvings of it.

    The gap of full descent from w = 0 is at most (β/2) R² Π (1-η_tμ)² and R²/(2 Σ η_t). R is half
    the public bound on ‖ŵ‖ and at most `LONGEST`; only the step size depends on it.
    """
    radius = min(TYPICAL_SHARE * problem.solution_radius, LONGEST)
    top = 1.0 / permuted.smoothness(problem, count)
    result = []
    for rate in (top / 2.0**halving for halving in range(HALVINGS)):
        eta = permuted.rates(problem, rate, steps)
        shrinkage = math.exp(2.0 * float(np.log1p(-eta * problem.strong_convexity).sum()))
        gap = radius**2 * min(0.5 * problem.smoothness * shrinkage, 0.5 / float(eta.sum()))
        result.append((rate, permuted.sensitivity(problem, count, rate, steps), gap))
    return result


def _chosen(
    problem: Problem, choices: Sequence[tuple[float, float, float]], unit: float
) -> tuple[float, float]:
    """The step size, and its Δ, with the smallest bound on the excess risk; `unit` is σ/Δ."""

    def bound(choice: tuple[float, float, float]) -> float:
        _, change, gap = choice
        return gap + 0.5 * problem.smoothness * problem.dimension * (unit * change) ** 2

    rate, change, _ = min(choices, key=bound)
    return rate, change


METHOD = Method(
    key="psgd",
    title="PSGD",
    paper="modern baseline (Wu et al. 2017, “bolt-on”)",
    idea="Pass over the records ten times in small batches, then blur the finished model once.",
    words="ten passes, then noise on the model",
    editions={
        Edition.PUBLISHED: Standing(
            claim="(ε, δ) for every ε in (0, 1).",
            proof="(ε, δ) for ε < 1; from ε = 1 on the classical formula has no proof.",
            status=Status.PROVED,
        ),
        Edition.SOUND: Standing(
            proof="(ε, δ) for every ε, with the exact sensitivity: at most 2L/(nμ) after whole "
            "passes, whatever the batch size.",
            status=Status.PROVED,
        ),
    },
    rule=calibrate,
    release=output_perturbation.release,
    closed_form=True,
    losses=LOSSES,
    limits=(
        "A widely used implementation divides the sensitivity by the batch size once more, and so "
        "adds far too little noise.",
        "The order of the records is public and the same in every run.",
    ),
)
