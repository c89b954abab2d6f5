"""ObjPert with δ = 0: the tilt has density ∝ e^{-‖b‖/s} (Chaudhuri, Monteleoni, Sarwate 2011)."""

from __future__ import annotations

import math
from functools import partial

from dpcore.erm import objective_perturbation
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import SMALL_LAM, Method
from dpcore.erm.objective_perturbation import ObjectiveNoise, ObjectiveRule, calibrate, pure_noise
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Standing, Status


def printed(problem: Problem, epsilon: float, delta: float) -> ObjectiveNoise:
    """Algorithm 2 of the source, in sums: scale 2/ε′ with ε′ = ε - 2 ln(1 + β/(nλ)).

    Where that leaves nothing, ε′ = ε/2 and Λ = β/(e^{ε/4} - 1). δ plays no part.
    """
    curvature, ridge = problem.function.curvature, problem.records * problem.lam
    remainder = epsilon - 2.0 * math.log1p(curvature / ridge) if ridge > 0.0 else -math.inf
    if remainder <= 0.0:
        remainder, ridge = epsilon / 2.0, curvature / math.expm1(epsilon / 4.0)
    return ObjectiveNoise(2.0 / remainder, ridge, 0.0)


METHOD = Method(
    key="objpert_pure",
    title="ObjPert, δ = 0",
    paper="modern baseline (Chaudhuri, Monteleoni and Sarwate 2011)",
    idea="The same with a tilt of heavier tails, which never breaks the promise of ε.",
    words="a random tilt of the objective, δ = 0",
    editions={
        Edition.PUBLISHED: Standing(
            claim="(ε, 0) for the exact minimiser.",
            proof="None for what a solver returns: it stops near the minimiser.",
            status=Status.CONDITIONS_NOT_MET,
        ),
        Edition.SOUND: Standing(
            proof="(ε, 0) for an approximate minimiser with a little output noise.",
            status=Status.PROVED,
        ),
    },
    rule=partial(
        calibrate,
        ObjectiveRule(
            printed=printed,
            sound=lambda problem, epsilon, delta: pure_noise(problem, epsilon),
            deviation=lambda dimension: math.sqrt(dimension + 1.0),
            pure=True,
            claim_by="Theorem 9 of Chaudhuri, Monteleoni and Sarwate 2011",
            claim_adjacency=Adjacency.REPLACE_ONE,
            proof_by="objective perturbation with output noise, vector-Laplace",
        ),
    ),
    release=partial(objective_perturbation.release, objective_perturbation.vector_laplace),
    losses=LOSSES,
    lam_share=SMALL_LAM,
    own_ridge=True,
)
