"""PCA by the Wishart mechanism, as published (Jiang, Xie and Zhang 2015; survey [45]).

To S = Σ x xᵀ, ‖x‖ ≤ 1, is added W ~ Wishart(d + 1, C), C = 3/(2ε) I, whose density is
∝ exp(-tr(C⁻¹W)/2) on the positive semidefinite matrices and 0 elsewhere. The paper bounds the ratio
of densities where both are positive and concludes (ε, 0). But that support moves with the data:
noise is never negative, so S + W - S′ rules out S′ whenever it is not positive semidefinite. With
D the records less x, and D′ with it, S′ = S + x xᵀ and ‖x‖ = 1,

    P[W - x xᵀ is not positive semidefinite] = P[xᵀW⁻¹x > 1] = P[c χ²₂ < 1] = 1 - e^{-1/(2c)},

because 1/(xᵀW⁻¹x) ~ c χ²₂ for Wishart(d + 1, cI). That is 1 - e^{-ε/3} with c = 3/(2ε): no (ε, 0)
holds for any finite ε. With so many degrees of freedom the density has no determinant in it: where
both laws reach, that of S′ is e^{1/(2c)} times that of S, never less. So S exceeds S′ in no set by
more than what S′ does not reach, which is thus their total variation: with x blanked out or not,
the mechanism keeps (0, 1 - e^{-ε/3}), and no ε, however large, makes that δ smaller. The failure is
known (Sarwate 2017, who withdrew a mechanism of the kind; diffprivlib warns of it). The scale
3/(2ε) is quoted at second hand; any other c fails alike, with δ = 1 - e^{-1/(2c)}.
"""

from __future__ import annotations

import math

import numpy as np

from dpcore.guarantee import (
    Adjacency,
    Condition,
    Edition,
    Guarantee,
    PrivacyBudget,
    Standing,
    Status,
)
from dpcore.models import covariance
from dpcore.models.model import Array, Model, ModelNoise, ModelTraining, NoisePlan
from dpcore.models.records import RecordShape
from dpcore.words import plain

PRINTED_BY = "Jiang, Xie and Zhang 2015"


def scale(epsilon: float) -> float:
    """The printed c, 3/(2ε), for sums of x xᵀ."""
    return 1.5 / epsilon


def failure(c: float) -> float:
    """δ = 1 - e^{-1/(2c)}, which holds at ε = 0 and can be smaller at no other ε."""
    return -math.expm1(-0.5 / c)


def plan(shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency) -> NoisePlan:
    c = scale(budget.epsilon)
    reason = (
        "The noise is never negative, so what it can reach moves with the data. One record "
        f"shows for certain with probability {plain(failure(c))}. What is proved instead is ε = 0 "
        f"with δ = {plain(failure(c))}."
    )
    return NoisePlan(
        [ModelNoise("second moments", "wishart", 1.0, c)],
        covariance.SETTINGS,
        by=PRINTED_BY,
        conditions=[Condition("noise reaches the same matrices for neighbours", False, reason)],
        claim=Guarantee(budget.epsilon, 0.0, adjacency, PRINTED_BY),
    )


def noise(generator: np.random.Generator, rows: int) -> Array:
    """One draw at c = 1: one degree of freedom more than rows."""
    root = generator.standard_normal((rows, rows + 1))
    return np.asarray(root @ root.T)


def learn(training: ModelTraining) -> Array:
    """Components, as `covariance.learn` returns them."""
    return covariance.learn(
        lambda generator, rows: (1.0 + covariance.WEIGHT**2) * noise(generator, rows), training
    )


MODEL = Model(
    key="pca-wishart",
    title="PCA, Wishart (as published)",
    system="Wishart mechanism, Jiang et al. [45] (survey III-A-2)",
    paper=PRINTED_BY,
    idea="Add a random covariance matrix to the true one.",
    editions={
        Edition.PUBLISHED: Standing(
            claim="(ε, 0) with Wishart noise of scale 3/(2ε) on the summed second moments.",
            proof=(
                "None of the claim: what the noise can reach moves with the data. For the second "
                "moments, one record blanked out, ε = 0 with δ = 1 - exp(-ε/3) holds, at the "
                "claim's ε. No larger ε makes that δ smaller."
            ),
            status=Status.CLAIM_NOT_SUPPORTED,
        ),
    },
    measure=covariance.MEASURE,
    adjacencies=(Adjacency.ZERO_OUT,),
    plan=plan,
    learn=learn,
    judge=covariance.judge,
    uses_labels=False,
    limits=("It is here to be studied; PCA with δ = 0 keeps what it promises.",),
)
