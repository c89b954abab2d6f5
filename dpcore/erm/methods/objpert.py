"""ObjPert: a random linear term in the objective, Gaussian (Kifer, Smith and Thakurta 2012)."""

from __future__ import annotations

import math
from functools import partial

from dpcore.erm import objective_perturbation
from dpcore.erm.losses import LOSSES
from dpcore.erm.method import SMALL_LAM, Method
from dpcore.erm.objective_perturbation import (
    ObjectiveNoise,
    ObjectiveRule,
    calibrate,
    gaussian_noise,
)
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Edition, Standing, Status


def printed(problem: Problem, epsilon: float, delta: float) -> ObjectiveNoise:
    """σ² = L² (8 ln(2/δ) + 4ε)/ε² and 2β/ε more of Λ (Kifer et al. 2012, algorithm 1)."""
    sigma = math.sqrt(8.0 * math.log(2.0 / delta) + 4.0 * epsilon) / epsilon
    extra = 2.0 * problem.function.curvature / epsilon
    return ObjectiveNoise(sigma, problem.records * problem.lam + extra, 0.0)


METHOD = Method(
    key="objpert",
    title="ObjPert",
    paper="modern baseline (Kifer et al. 2012; Iyengar et al. 2019; Redberg et al. 2023)",
    idea="Add one random tilt to what training minimises, then train without further noise.",
    words="a random tilt of the objective",
    editions={
        Edition.PUBLISHED: Standing(
            claim="(ε, δ) for the exact minimiser.",
            proof="None for what a solver returns: it stops near the minimiser.",
            status=Status.CONDITIONS_NOT_MET,
        ),
        Edition.SOUND: Standing(
            proof="(ε, δ) for an approximate minimiser with a little output noise.",
            status=Status.PROVED,
        ),
    },
    rule=partial(
        calibrate,
        ObjectiveRule(
            printed=printed,
            sound=gaussian_noise,
            deviation=lambda dimension: 1.0,
            pure=False,
            claim_by="Theorem 2 of Kifer, Smith and Thakurta 2012",
            claim_adjacency=Adjacency.ADD_REMOVE,
            proof_by="objective perturbation with output noise, Gaussian",
        ),
    ),
    release=partial(objective_perturbation.release, objective_perturbation.gaussian),
    losses=LOSSES,
    all_classes=True,
    lam_share=SMALL_LAM,
    own_ridge=True,
)
