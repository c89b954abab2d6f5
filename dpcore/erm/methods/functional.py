"""Functional mechanism: noise on the coefficients of the objective (Zhang et al. 2012).

The squared loss, and the quadratic that stands for the logistic one, are polynomials in w whose
coefficients are the sums of y x and x xᵀ. Each coefficient, every x_j² of the diagonal included,
gets Laplace noise sized for the L1 sensitivity of them all; δ is 0.

In print, with |x_j| ≤ 1 and by counting terms: Δ = 2(d+1)² for the coefficients of (wᵀx - y)², and
d²/4 + 3d for those of the second-order Taylor polynomial of the logistic loss at 0.

Here with ‖x‖₂ ≤ 1, |y| ≤ 1, each x_j x_l (j ≤ l) counted once, and weights u on y x and v on x xᵀ.
Blanked out: ‖y x‖₁ ≤ √d and Σ_{j≤l} |x_j x_l| = (‖x‖₁² + ‖x‖₂²)/2 ≤ (d+1)/2, both reached by equal
entries: Δ = u√d + v(d+1)/2. Replaced: with A = x xᵀ - x′x′ᵀ, Cauchy and Schwarz give that
Σ_{j≤l} |A_jl| ≤ √(d(d+3))/2 · ‖A‖_F, as the diagonal enters ‖A‖_F² once and each entry above it
twice. The distance is convex in y, so |y| = 1. For unit norms and t = -y y′ xᵀx′, ‖y x - y′x′‖² =
2 + 2t and ‖A‖_F² = 2 - 2t²; shorter records, with t times their norms, move no more. So, with
s² = 1 - t, Δ is at most the maximum of √(2-s²) (P + Q s), P = u√(2d) and Q = v√(d(d+3)/2), which
lies where 2Q s² + P s = 2Q.

Source: Zhang, Zhang, Xiao, Yang and Winslett, "Functional mechanism" (VLDB 2012), sections 4 and 5;
the survey's (paper 001) reference 54.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpcore.erm import quadratic
from dpcore.erm.method import SMALL_LAM, Calibration, Method, Settings, Training, data_conditions
from dpcore.erm.rounding import of_sum
from dpcore.guarantee import Adjacency, Edition, Guarantee, Standing, Status, proved_under, verdict
from dpcore.mechanisms.laplace import laplace_scale

Array = NDArray[np.floating]

PROVED_BY = "Laplace mechanism on the coefficients, at the L1 sensitivity of short records"
PRINTED_BY = "Algorithm 1 of Zhang et al. 2012"


def printed_sensitivity(loss: str, dimension: int) -> float:
    """Δ of the coefficients as printed: 2(d+1)² for squared loss, d²/4 + 3d for logistic."""
    if loss == "squared":
        return 2.0 * (dimension + 1.0) ** 2
    return dimension**2 / 4.0 + 3.0 * dimension


def sensitivity(
    linear: float, square: float, dimension: int, adjacency: Adjacency, records: int = 0
) -> float:
    """L1 sensitivity of `linear` Σ y x and `square` Σ x_j x_l (j ≤ l), rounded up.

    Attained under zero-out, an upper bound under replace-one. Rounding (`dpcore.erm.rounding`)
    grows with the number of records summed.
    """
    longest = linear * math.sqrt(dimension) + square * (dimension + 1.0) / 2.0
    if adjacency is Adjacency.ZERO_OUT:
        exact = longest
    else:
        flat = linear * math.sqrt(2.0 * dimension)
        turned = square * math.sqrt(dimension * (dimension + 3.0) / 2.0)
        best = (math.sqrt(flat**2 + 16.0 * turned**2) - flat) / (4.0 * turned)
        exact = math.sqrt(2.0 - best**2) * (flat + turned * best)
    return (exact + of_sum(records, records) * longest) * (1.0 + 1e-14)


def weights(loss: str, edition: Edition) -> tuple[float, float]:
    """Factors of y x and x xᵀ in the polynomial; as printed, 2 and 1, or 1/2 and 1/8."""
    if edition is Edition.SOUND:
        return 1.0, 1.0
    return (2.0, 1.0) if loss == "squared" else (0.5, 0.125)


def calibrate(draft: Calibration, settings: Settings) -> Calibration:
    problem, budget, edition = draft.problem, draft.requested, draft.edition
    adjacency, printed = problem.adjacency, edition is Edition.PUBLISHED
    factors = weights(problem.loss, edition)
    exact = sensitivity(*factors, problem.dimension, adjacency, problem.records)
    moved = printed_sensitivity(problem.loss, problem.dimension) if printed else exact
    scale = float(laplace_scale(budget.epsilon, moved))
    square = scale / factors[1]
    conditions = data_conditions(problem)
    by = PRINTED_BY if printed else PROVED_BY
    proof = proved_under(conditions, budget, adjacency, by, pure=True)
    return replace(
        draft,
        query="the coefficients of the objective: the sums of y x and of x xᵀ",
        sensitivity=moved,
        sigma=math.sqrt(2.0) * square,
        model_noise=square,
        conditions=conditions,
        claim=Guarantee(budget.epsilon, 0.0, Adjacency.REPLACE_ONE, PRINTED_BY)
        if printed
        else draft.claim,
        proof=proof,
        certified=Guarantee(exact / scale, 0.0, adjacency, PROVED_BY) if printed else proof,
        status=verdict(proof),
    )


def noise(generator: np.random.Generator, dimension: int) -> tuple[Array, Array]:
    """One draw of scale 1: a symmetric matrix with noise on its diagonal, too, and a vector."""
    upper = np.triu(generator.laplace(size=(dimension, dimension)))
    return upper + np.triu(upper, 1).T, generator.laplace(size=dimension)


def release(training: Training) -> Array:
    """Minimisers of the noisy polynomial, shape (calibrations, runs, d).

    Its negative eigenvalues are dropped, as printed, and the ridge grows with the noise: by 4 of
    its standard deviations as printed, else by about its largest eigenvalue. A run's draws are
    shared by all ε and never by two runs. Seeded: for exploration only.
    """
    problem, scale = training.problem, training.scales
    linear, square = np.transpose(
        [weights(problem.loss, calibration.edition) for calibration in training.calibrations]
    )
    printed = np.array([c.edition is Edition.PUBLISHED for c in training.calibrations])
    widths = np.where(printed, 4.0, 2.0 * math.sqrt(problem.dimension))
    width = math.sqrt(2.0) * scale * widths
    return quadratic.from_sums(
        training,
        quadratic.sums(training),
        noise,
        (scale, scale * square / linear),
        lambda generator: width,
        "functional mechanism",
    )


METHOD = Method(
    key="functional",
    title="Functional",
    paper="survey's ref. 54 (Zhang, Zhang, Xiao, Yang and Winslett 2012)",
    idea="Write what training minimises as a polynomial, and blur each of its coefficients.",
    words="noise on the objective's coefficients",
    editions={
        Edition.PUBLISHED: Standing(
            claim="(ε, 0), by Laplace noise on the coefficients of a polynomial.",
            proof="(ε, 0): its bound on how far a record moves the coefficients holds. It is far "
            "larger than needed where records have length 1.",
            status=Status.PROVED,
        ),
        Edition.SOUND: Standing(
            proof="(ε, 0) by the Laplace mechanism, with each coefficient counted once and records "
            "of length 1.",
            status=Status.PROVED,
        ),
    },
    rule=calibrate,
    release=release,
    limits=(
        "For two classes the loss is replaced by a quadratic, which costs some accuracy without "
        "privacy, too.",
        "The noise grows with the number of features. With Gaussian noise it is InputPert's.",
    ),
    losses=("logistic", "squared"),
    lam_share=SMALL_LAM,
)
