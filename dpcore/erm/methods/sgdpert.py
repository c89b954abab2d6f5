"""SgdPert: gradient perturbation, classical Gaussian mechanism (paper 000's baseline, ref. 12)."""

from __future__ import annotations

import math
from functools import partial

from dpcore.accounting.composition import (
    amplified_epsilon,
    per_step_epsilon,
    strong_composition,
    unamplified_epsilon,
)
from dpcore.erm import gradient_perturbation
from dpcore.erm.gradient_perturbation import SoundNoise, StepRule
from dpcore.erm.method import Method
from dpcore.erm.problem import Problem
from dpcore.guarantee import Condition, Edition, PrivacyBudget, Standing, Status
from dpcore.mechanisms.gaussian import classical_condition, classical_sigma
from dpcore.words import plain

ONE_QUERY = "one query"
CLASSICAL_CAP = 1.0 - 1e-9
"""The classical formula needs ε < 1 for one query; a larger share of the budget stays unspent."""


def sound_noise(
    problem: Problem, budget: PrivacyBudget, rate: float, steps: int, sampling: str
) -> SoundNoise:
    """σ from the total (ε, δ) by the classical formula, tight amplification and strong composition.

    Half of δ is the slack of strong composition, the other half is shared by the T queries.
    The sampling pairs with the adjacency as amplification needs (fixed size and replace-one,
    Poisson and zero-out).
    """
    slack = budget.delta / 2.0
    query_delta = min(budget.delta / (2.0 * steps * rate), 0.5)
    step_epsilon = per_step_epsilon(budget.epsilon, steps, slack)
    query_epsilon = min(unamplified_epsilon(step_epsilon, rate), CLASSICAL_CAP)
    moved = problem.computed_lipschitz(steps) * problem.gradient_change
    sigma = float(classical_sigma(query_epsilon, query_delta, moved))
    proved = strong_composition(amplified_epsilon(query_epsilon, rate), steps, slack)
    conditions = (
        classical_condition(query_epsilon, ONE_QUERY),
        Condition(
            f"δ of one query in (0, 1) (δ = {plain(query_delta)})",
            0.0 < query_delta < 1.0,
            f"The classical Gaussian theorem needs δ in (0, 1), not {plain(query_delta)}.",
        ),
    )
    by = "classical Gaussian mechanism, amplification by sampling, strong composition"
    return SoundNoise(sigma, conditions, by, math.nextafter(proved, math.inf))


RULE = StepRule(
    unit_sigma=classical_sigma,
    condition=lambda epsilon: classical_condition(epsilon, ONE_QUERY),
    sound=sound_noise,
)

METHOD = Method(
    key="sgdpert",
    title="SgdPert",
    paper="000 Ding et al., baseline of section V (after Bassily et al. 2014)",
    idea="As GRPUA: many small steps on random records; its noise follows the classical formula.",
    words="noise on every small step, by the classical formula",
    editions={
        Edition.PUBLISHED: Standing(
            claim="The total that paper 000's own Theorem 7 gives its Algorithm 2, with classical "
            "noise.",
            proof=(
                "None, for the same reasons as GRPUA. Paper 000 prints no algorithm for it; read "
                "here as its Algorithm 2 with the classical σ. Bassily, Smith and Thakurta size "
                "their noise for n∇f, and their own theorem is not judged here."
            ),
            status=Status.CLAIM_NOT_SUPPORTED,
        ),
        Edition.SOUND: Standing(
            proof=(
                "(ε, δ) by tight amplification and strong composition, with the ε of one query "
                "kept below 1."
            ),
            status=Status.PROVED,
        ),
    },
    rule=partial(gradient_perturbation.calibrate, RULE),
    release=gradient_perturbation.release,
    all_classes=True,
    limits=(
        "Strong composition is loose: the certified ε beside the proved one shows by how much.",
    ),
)
