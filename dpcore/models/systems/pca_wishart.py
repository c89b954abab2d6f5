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
from collections.abc import Sequence

from dpcore.guarantee import Adjacency, Condition, Edition, Guarantee, Status
from dpcore.models import covariance
from dpcore.models.model import (
    Array,
    Model,
    ModelCalibration,
    ModelNoise,
    budgets,
    data_conditions,
    generator,
)
from dpcore.models.records import Records, RecordShape
from dpcore.progress import Progress, silent

KEY = "pca-wishart"
PRINTED_BY = "Jiang, Xie and Zhang 2015"


def scale(epsilon: float) -> float:
    """The printed c, 3/(2ε), for sums of x xᵀ."""
    return 1.5 / epsilon


def failure(c: float) -> float:
    """δ = 1 - e^{-1/(2c)}, which holds at ε = 0 and can be smaller at no other ε."""
    return -math.expm1(-0.5 / c)


def calibrate(
    shape: RecordShape, epsilons: Sequence[float], delta: float, adjacency: Adjacency
) -> list[ModelCalibration]:
    """One calibration per requested ε. Pure; sees public values only."""
    result = []
    for budget in budgets(epsilons, delta, adjacency, MODEL.adjacencies):
        c = scale(budget.epsilon)
        reason = (
            "The noise is never negative, so what it can reach moves with the data: one record "
            f"shows for certain with probability {failure(c):.3g}. What is proved instead is ε = 0 "
            f"with δ = {failure(c):.3g}."
        )
        result.append(
            ModelCalibration(
                model=KEY,
                shape=shape,
                requested=budget,
                adjacency=adjacency,
                noises=(ModelNoise("second moments", "wishart", 1.0, c),),
                settings={"components": covariance.COMPONENTS},
                conditions=(
                    *data_conditions(shape),
                    Condition("noise reaches the same matrices for neighbours", False, reason),
                ),
                claim=Guarantee(budget.epsilon, 0.0, adjacency, PRINTED_BY),
                proof=Guarantee(None, None, adjacency, PRINTED_BY, reason),
                status=Status.CLAIM_NOT_SUPPORTED,
            )
        )
    return result


def noise(shape: RecordShape, runs: int, seed: int) -> list[Array]:
    """Noise of each run at c = 1: one degree of freedom more than rows."""
    rows, draws = covariance.side(shape), []
    for run in range(runs):
        root = generator(seed, run).standard_normal((rows, rows + 1))
        draws.append(root @ root.T)
    return draws


def learn(
    train: Records,
    unlabelled: Records,
    calibrations: Sequence[ModelCalibration],
    runs: int,
    seed: int,
    progress: Progress = silent,
) -> Array:
    """Components, shape (calibrations, runs, d, components); a run's noise is shared by all ε."""
    del unlabelled
    # Rows z = (x, w) are of norm² 1 + w², which the noise has to follow.
    draws = [(1.0 + covariance.WEIGHT**2) * draw for draw in noise(train.shape, runs, seed)]
    return covariance.learned(train, calibrations, draws, progress)


MODEL = Model(
    key=KEY,
    title="PCA, Wishart (as published)",
    system="Wishart mechanism, Jiang et al. [45] (survey III-A-2)",
    source=PRINTED_BY,
    idea="Add a random covariance matrix to the true one.",
    claim="(ε, 0) with Wishart noise of scale 3/(2ε) on the summed second moments.",
    proof=(
        "None of the claim: what the noise can reach moves with the data. What holds for the "
        "second moments, one record blanked out, is ε = 0 with δ = 1 - exp(-ε/3), the ε being that "
        "of the claim; no larger ε makes that δ smaller."
    ),
    status=Status.CLAIM_NOT_SUPPORTED,
    measure=covariance.MEASURE,
    adjacencies=(Adjacency.ZERO_OUT,),
    calibrate=calibrate,
    learn=learn,
    judge=covariance.judge,
    trivial=covariance.random_share,
    uses_labels=False,
    edition=Edition.PUBLISHED,
    limits=("It is here to be studied; PCA with δ = 0 keeps what it promises.",),
)
