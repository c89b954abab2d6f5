"""GRPUA: gradient perturbation with the analytic Gaussian mechanism (paper 000, Algorithm 2)."""

from __future__ import annotations

from functools import partial

from dpcore.accounting.sampled import SampledGaussian, certified_epsilon, noise_multiplier_for
from dpcore.erm import gradient_perturbation
from dpcore.erm.gradient_perturbation import SoundNoise, StepRule
from dpcore.erm.method import Method
from dpcore.erm.problem import Problem
from dpcore.guarantee import Condition, Edition, PrivacyBudget, Standing, Status
from dpcore.mechanisms.gaussian import analytic_sigma
from dpcore.words import plain


def sound_noise(
    problem: Problem, budget: PrivacyBudget, rate: float, steps: int, sampling: str
) -> SoundNoise:
    """σ for the total (ε, δ) by the tightest accountant here (`dpcore.accounting.sampled`)."""
    multiplier = noise_multiplier_for(
        budget.epsilon, budget.delta, rate, steps, sampling, problem.adjacency
    )
    mechanism = SampledGaussian(multiplier, rate, steps, sampling, problem.adjacency)
    epsilon, accountant = certified_epsilon(mechanism, budget.delta)
    condition = Condition(
        f"certified ε = {plain(epsilon, 4)} within the requested {plain(budget.epsilon, 4)}",
        epsilon <= budget.epsilon,
        "The noise found does not reach the requested ε.",
    )
    return SoundNoise(
        multiplier * problem.computed_lipschitz(steps), (condition,), accountant, epsilon
    )


RULE = StepRule(
    unit_sigma=analytic_sigma,
    condition=lambda epsilon: Condition("any ε > 0 for one query (Theorem 2)", True),
    sound=sound_noise,
)

METHOD = Method(
    key="grpua",
    title="GRPUA",
    paper="000 Ding et al., Algorithm 2",
    idea="Train in many small steps on records drawn at random, with noise added to every step.",
    words="noise on every small step",
    editions={
        Edition.PUBLISHED: Standing(
            claim="(√(8 ln(n/δ)) ε + 2nε(e^{2ε/n} - 1), nδ) after T = n² steps (Theorem 7).",
            proof=(
                "None. The query n∇f has sensitivity 2nL but its noise is sized for L. The "
                "total δ of nδ reaches 1 at n = 1/δ."
            ),
            status=Status.CLAIM_NOT_SUPPORTED,
        ),
        Edition.SOUND: Standing(
            proof=(
                "(ε, δ) for correctly sized noise on sampled batches, by Rényi accounting or by "
                "counting hits, whichever is tighter."
            ),
            status=Status.PROVED,
        ),
    },
    rule=partial(gradient_perturbation.calibrate, RULE),
    release=gradient_perturbation.release,
    all_classes=True,
    limits=(
        "Theorems 8 and 9 bound how the loss grows, without a number to compare with.",
        "Theorem 8 drops the n²L² term of G² = n²L² + dσ².",
        "The paper runs T = n² - 1 steps. Here T = n, unless the paper's length is asked for "
        "(up to n = 1 000).",
    ),
)
