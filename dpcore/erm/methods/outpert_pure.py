"""OutPert with δ = 0: the minimiser plus noise of density ∝ e^{-‖z‖/s} (Chaudhuri et al. 2011).

Λ-strong convexity of the sum, Λ = nλ, keeps neighbours' minimisers within c/Λ, where c is the
sensitivity of the summed gradient: 1 blanked out, 2 replaced. A solver that stops at ‖∇‖ ≤ τ is
within τ/Λ of its minimiser, so Δ = (c + 2τ)/Λ; and never more than 2R, for weights of norm ≤ R.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.losses import LOSSES
from dpcore.erm.method import Calibration, Method, Settings, Training, data_conditions
from dpcore.erm.objective_perturbation import TOLERANCE, exact_minimiser, minimisers, vector_laplace
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Guarantee, Standing, Status, proved_under, verdict
from dpcore.mechanisms.laplace import laplace_scale

Array = NDArray[np.floating]

PRINTED_BY = "Theorem 6 of Chaudhuri, Monteleoni and Sarwate 2011"
PROVED_BY = "vector-Laplace mechanism (Chaudhuri et al. 2011) at the sensitivity of what is solved"


def sensitivity(problem: Problem, edition: Edition) -> float:
    """Δ in the units of w: 2/(nλ) as printed; as the module docstring derives it, rounded up."""
    ridge = problem.records * problem.lam
    if edition is Edition.PUBLISHED:
        return 2.0 / ridge if ridge > 0.0 else 2.0 * problem.solution_radius
    moved = (problem.gradient_change + 2.0 * TOLERANCE) / ridge if ridge > 0.0 else math.inf
    return min(moved, 2.0 * problem.solution_radius) * (1.0 + 1e-15)


def calibrate(draft: Calibration, settings: Settings) -> Calibration:
    problem, budget, edition = draft.problem, draft.requested, draft.edition
    printed, adjacency = edition is Edition.PUBLISHED, problem.adjacency
    change = sensitivity(problem, edition)
    # Both editions release the same approximate minimiser; Δ as printed is a little too small.
    true = sensitivity(problem, Edition.SOUND)
    scale = float(laplace_scale(budget.epsilon, change))
    conditions = (*data_conditions(problem), *((exact_minimiser(),) if printed else ()))
    by = PRINTED_BY if printed else PROVED_BY
    proof = proved_under(conditions, budget, adjacency, by, pure=True)
    certified = Guarantee(max(budget.epsilon, true / scale), 0.0, adjacency, PROVED_BY)
    return replace(
        draft,
        query="the trained weights",
        sensitivity=change,
        sigma=scale * math.sqrt(problem.dimension + 1.0),
        model_noise=scale,
        conditions=conditions,
        claim=Guarantee(budget.epsilon, 0.0, Adjacency.REPLACE_ONE, PRINTED_BY)
        if printed
        else draft.claim,
        proof=proof,
        certified=certified if printed else proof,
        status=verdict(proof),
    )


def release(training: Training) -> Array:
    """W = w + s z, shape (calibrations, runs, d); a run's z is shared by all ε, for exploration."""
    training.check()
    problem, features, labels = training.problem, training.features, training.labels
    dimension = problem.dimension
    if problem.lam > 0.0:
        ridge, still = np.array([problem.records * problem.lam]), np.zeros((dimension, 1))
        minimiser = minimisers(
            problem, features, labels, ridge, still, TOLERANCE, training.progress
        )[:, 0]
    else:
        from dpcore.erm.newton import minimise

        minimiser = minimise(problem, features, labels)
    # Projected onto the ball that holds the exact minimiser, which moves no two points apart.
    minimiser = minimiser.copy()
    problem.project(minimiser)
    draws = np.stack([vector_laplace(draw, dimension) for draw in training.generators])
    return np.asarray(minimiser + training.scales[:, None, None] * draws[None])


METHOD = Method(
    key="outpert_pure",
    title="OutPert, δ = 0",
    paper="modern baseline (Chaudhuri, Monteleoni and Sarwate 2011)",
    idea="Blur the finished model once, with noise of heavier tails that never breaks its promise.",
    words="noise on the finished model, δ = 0",
    editions={
        Edition.PUBLISHED: Standing(
            claim="(ε, 0) for the exact minimiser.",
            proof="None for what a solver returns; a slightly larger ε is certified for it.",
            status=Status.CONDITIONS_NOT_MET,
        ),
        Edition.SOUND: Standing(
            proof="(ε, 0), the solver's distance from the minimiser counted in.",
            status=Status.PROVED,
        ),
    },
    rule=calibrate,
    release=release,
    losses=LOSSES,
)
