"""AdaSSP: noisy sums with a ridge that adapts to them (Wang 2018).

Three Gaussian queries: the sum of x xᵀ, the sum of y x, and the smallest eigenvalue of the first,
which sets the ridge. One record, ‖x‖ ≤ 1 and |y| ≤ 1, moves the eigenvalue by at most 1: it adds
a matrix between 0 and I, and a replacement adds another. All three together are one Gaussian
mechanism: μ² adds up (Δ/σ)² of the sums, taken jointly (`dpcore.erm.quadratic`), and of
the eigenvalue.

In print each query has σ = √ln(6/δ)·3/ε, by a formula that is not the exact one: the certified ε
is below the claimed one up to about ε = 20, and above it beyond.

Source: Wang, "Revisiting differentially private linear regression" (UAI 2018), algorithm 2; noise
on the sum of x xᵀ as in its code, (G + Gᵀ)/2.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpcore.erm import quadratic
from dpcore.erm.losses import RESIDUAL_LOSSES
from dpcore.erm.method import Calibration, Method, Settings, Training, data_conditions
from dpcore.erm.quadratic import BALANCE, noise, sensitivity
from dpcore.erm.rounding import of_sum
from dpcore.guarantee import (
    Adjacency,
    Condition,
    Edition,
    Guarantee,
    PrivacyBudget,
    Standing,
    Status,
    proved_under,
    verdict,
)
from dpcore.mechanisms.gaussian import analytic_epsilon, analytic_sigma
from dpcore.words import plain

Array = NDArray[np.floating]

EIGENVALUE_SHARE = 0.05
EIGENVALUE_ROUNDINGS = 64  # a row: a backward stable solver's small multiple of d, taken large
"""Share of μ² for the smallest eigenvalue in the sound edition: 2.6 % more noise on the sums."""
CONFIDENCE = 0.05
"""The printed ϱ: probability that the noise of the sums is wider than the ridge assumes."""
CLAIMED_BY = "Algorithm 2 of Wang 2018"
CLAIMED = Adjacency.ZERO_OUT
"""Stands for the claim's own, one record more or less, which moves the sums as far."""


def weight(edition: Edition, adjacency: Adjacency) -> float:
    """Weight of y x beside x xᵀ, called c in `dpcore.erm.quadratic`; 1 as printed."""
    return 1.0 if edition is Edition.PUBLISHED else BALANCE[adjacency]


def eigenvalue_noise(edition: Edition, adjacency: Adjacency) -> float:
    """σ of the smallest eigenvalue over that of the sum of x xᵀ; 1 as printed."""
    if edition is Edition.PUBLISHED:
        return 1.0
    moved = sensitivity(weight(edition, adjacency), adjacency)
    return math.sqrt((1.0 - EIGENVALUE_SHARE) / EIGENVALUE_SHARE) / moved


def total_mu(
    sigma: float, edition: Edition, adjacency: Adjacency, size: tuple[int, int] = (0, 0)
) -> float:
    """The three queries are μ-Gaussian DP for this μ, rounded up; `sigma` is that of x xᵀ.

    `size` is (n, d), with which rounding grows: that of the sums, and of the eigenvalue, which is
    off by a small multiple of d units of the largest one, n at most. Without it there is none.
    """
    records, dimension = size
    moved = sensitivity(weight(edition, adjacency), adjacency, records)
    lowest = 1.0 + of_sum(records, records + EIGENVALUE_ROUNDINGS * dimension)
    exact = math.hypot(moved, lowest / eigenvalue_noise(edition, adjacency)) / sigma
    return exact * (1.0 + 1e-15)


def calibrate(draft: Calibration, settings: Settings) -> Calibration:
    problem, budget, edition = draft.problem, draft.requested, draft.edition
    adjacency, printed = problem.adjacency, edition is Edition.PUBLISHED
    size = (problem.records, problem.dimension)
    together = "one Gaussian mechanism: both sums, taken jointly, and the smallest eigenvalue"
    if printed:
        sigma = 3.0 * math.sqrt(math.log(6.0 / budget.delta)) / budget.epsilon
        mu = total_mu(sigma, edition, adjacency, size)
        actual = float(analytic_epsilon(1.0 / mu, budget.delta)) * (1.0 + 1e-15)
        conditions = (*data_conditions(problem), _covered(actual, budget, adjacency))
        claim_epsilon = float(
            analytic_epsilon(1.0 / total_mu(sigma, edition, CLAIMED, (0, 0)), budget.delta)
        )
        claim = Guarantee(budget.epsilon, budget.delta, Adjacency.ADD_REMOVE, CLAIMED_BY)
    else:
        unit = float(analytic_sigma(budget.epsilon, budget.delta)) * (1.0 + 2e-15)
        sigma = unit * total_mu(1.0, edition, adjacency, size)
        mu = total_mu(sigma, edition, adjacency, size)
        actual = claim_epsilon = budget.epsilon
        conditions, claim = data_conditions(problem), draft.claim
    proof = proved_under(conditions, budget, adjacency, together)
    return replace(
        draft,
        query="the sums of x xᵀ and of y x, and the smallest eigenvalue of the first",
        sensitivity=sensitivity(weight(edition, adjacency), adjacency),
        sigma=sigma,
        model_noise=sigma,
        conditions=conditions,
        claim=claim,
        proof=proof,
        certified=Guarantee(actual, budget.delta, adjacency, together),
        status=_status(proof, claim_epsilon <= budget.epsilon),
        gaussian_mu=mu,
    )


def _status(proof: Guarantee, claim_holds: bool) -> Status:
    return verdict(proof) if claim_holds else Status.CLAIM_NOT_SUPPORTED


def _covered(actual: float, budget: PrivacyBudget, adjacency: Adjacency) -> Condition:
    """The condition that the printed noise gives the printed ε, by exact accounting."""
    return Condition(
        f"the noise as printed certifies ε = {plain(actual, 4)}, at most the claimed "
        f"{plain(budget.epsilon, 4)}",
        actual <= budget.epsilon,
        f"The noise as printed gives ε = {plain(actual, 4)} with {adjacency.difference}, more than "
        f"the claimed {plain(budget.epsilon, 4)}.",
    )


def ridge(lowest: Array, blur: Array, sigma: Array, dimension: int, delta: Array) -> Array:
    """The printed rule: the width of the sums' noise, less the records' sure curvature.

    `lowest` is the smallest eigenvalue with noise of scale `blur`, which is taken to be below
    blur √ln(6/δ); `sigma` is that of the noise of the sum of x xᵀ. All are (k,).
    """
    surely = np.maximum(lowest - blur * np.sqrt(np.log(6.0 / delta)), 0.0)
    wide = sigma * math.sqrt(dimension * math.log(2.0 * dimension**2 / CONFIDENCE))
    return np.asarray(np.maximum(wide - surely, 0.0))


def release(training: Training) -> Array:
    """Ridge regression on the noisy sums, shape (calibrations, runs, d).

    The problem's own ridge nλ, or the adaptive one where that is more. A run's draws are shared by
    all ε and never by two runs. Seeded: for exploration only.
    """
    problem, sigma, exact = training.problem, training.scales, quadratic.sums(training)
    lowest = float(np.linalg.eigvalsh(exact[0])[0])
    adjacency, editions = problem.adjacency, [c.edition for c in training.calibrations]
    balance = np.array([weight(edition, adjacency) for edition in editions])
    delta = np.array([calibration.requested.delta for calibration in training.calibrations])
    blur = sigma * [eigenvalue_noise(edition, adjacency) for edition in editions]

    def width(generator: np.random.Generator) -> Array:
        noisy_lowest = lowest + blur * generator.standard_normal()
        ridges = ridge(noisy_lowest, blur, sigma, problem.dimension, delta)
        return np.asarray(np.maximum(ridges - problem.records * problem.lam, 0.0))

    return quadratic.from_sums(training, exact, noise, (sigma, sigma / balance), width, "AdaSSP")


METHOD = Method(
    key="adassp",
    title="AdaSSP",
    paper="modern baseline (Wang 2018)",
    idea="Blur the sums that linear regression needs, and regularise as much as they then ask for.",
    words="noise on the sums",
    editions={
        Edition.PUBLISHED: Standing(
            claim="(ε, δ) for every ε, with one record more or less.",
            proof="(ε, δ) as long as exact accounting of the three queries gives no more than ε. "
            "At very large ε it gives more.",
            status=Status.PROVED,
        ),
        Edition.SOUND: Standing(
            proof="(ε, δ) by one Gaussian mechanism for both sums and the smallest eigenvalue.",
            status=Status.PROVED,
        ),
    },
    rule=calibrate,
    release=release,
    limits=("The ridge follows from a noisy eigenvalue, which takes a twentieth of the budget.",),
    losses=RESIDUAL_LOSSES,
    own_ridge=True,
)
