"""DP-Newton: few steps along noisy Newton directions (Ganesh et al. 2023), in Gaussian DP.

One step at public or released w, with A = B + (λ+κ₀) I, where B = (1/n) Σᵢ aᵢ xᵢxᵢᵀ and 0 ≤ aᵢ ≤ κ,
κ being the loss's largest curvature:

1. g̃ = ∇F(w) + noise: one record moves the gradient by c/n, c = 2L (replace-one) or L (zero-out).
2. t̃ = tr B + noise: by κ/n under either adjacency, as one record gives between 0 and κ/n.
   κ₀ is computed from t̃ and ‖g̃‖, both released by then.
3. w - A⁻¹ g̃ + noise. With ℓ = λ+κ₀ the smallest eigenvalue that A can have and τ = κ/n, one record
   moves A⁻¹ by at most s₀ = τ/(ℓ(ℓ+τ)) in operator norm, and so the step by s₀‖g̃‖.

Proof of 3. Let A leave the record out, and A + a u uᵀ hold it: 0 ≤ a ≤ τ, ‖u‖ = 1 (a shorter x has
a smaller a). By Sherman and Morrison P = A⁻¹ - (A + a u uᵀ)⁻¹ = a (A⁻¹u)(A⁻¹u)ᵀ/(1 + a q) with
q = uᵀA⁻¹u, so P is positive semidefinite and ‖P‖ = a ‖A⁻¹u‖²/(1 + a q) ≤ (a q/ℓ)/(1 + a q), which
grows in a and in q ≤ 1/ℓ: at most τ/(ℓ(ℓ+τ)). That is zero-out. Replace-one compares A⁻¹ - P with
A⁻¹ - Q, and ‖P - Q‖ ≤ max(‖P‖, ‖Q‖) as both are positive semidefinite: the same bound. Equality:
A = ℓ I in the direction of u and of g̃.

Each answer is a Gaussian mechanism given the answers before it, whose noise is as many times its
sensitivity as was fixed beforehand; so all of them together are μ-Gaussian DP with μ² the sum of
their μᵢ² (Dong, Roth and Su 2022, Corollary 2).

aᵢ is the curvature of the sharpest quadratic that lies above the loss and touches it at the
record's margin: A then makes every noiseless step a descent, from however far.

Source: Ganesh, Haghifam, Steinke and Thakurta 2023 (arXiv 2305.13209), Algorithm 3; theirs is
zero-out and logistic, and the sensitivities above are derived again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from dpcore.erm.gradient import row_blocks
from dpcore.erm.losses import LOSSES, Forms
from dpcore.erm.method import (
    NO_PAPER,
    SMALL_LAM,
    Calibration,
    Method,
    Settings,
    Training,
    data_conditions,
)
from dpcore.erm.problem import Problem
from dpcore.erm.rounding import OTHERS, gamma, of_sum
from dpcore.guarantee import Edition, Standing, Status, not_in_print, proved_under, verdict
from dpcore.mechanisms.gaussian import analytic_mu
from dpcore.words import plain

Array = NDArray[np.floating]

HESSIAN_SHARE, TRACE_SHARE = 0.2, 0.1
"""Fixed once, on public data: the curvature's share of a step's μ², and of that the trace's."""

SHIFT, FLOOR, CARRIED = 1.0, 2.0, 0.1
"""Fixed once, on public data: k, k′ and how far a step's noise may carry w, as a share of the
loss's reach (`shift`)."""

MAX_ENTRIES = 2**23  # records times models whose margins are held at once
PROGRESS_EVERY = 16

CENTRES = {"logistic": 0.0, "huber": 1.0, "squared": 0.0}
"""Margin or residual about which the loss less a linear function is even."""


@dataclass(frozen=True)
class StepNoise:
    """μ of the three answers of one step, from the μ of all T steps."""

    gradient: float
    trace: float
    direction: float


def step_noise(mu: float, steps: int) -> StepNoise:
    """Split the μ² of a training over the answers of its steps; all together are at most μ²."""
    # Each root and product is rounded once or twice.
    square = mu * mu / steps * (1.0 - 1e-14)
    hessian = HESSIAN_SHARE * square
    return StepNoise(
        gradient=math.sqrt(square - hessian),
        trace=math.sqrt(TRACE_SHARE * hessian),
        direction=math.sqrt((1.0 - TRACE_SHARE) * hessian),
    )


def _noise_of(problem: Problem, calibration: Calibration) -> StepNoise:
    gradient = problem.gradient_change / (problem.records * calibration.model_noise)
    return step_noise(gradient * math.sqrt(1.0 / (1.0 - HESSIAN_SHARE)), 1)


def trace_sensitivity(problem: Problem) -> float:
    """τ = κ/n, and what rounding adds to a sum of n terms of up to κ, and of d of them."""
    n = problem.records
    return problem.function.curvature / n * (1.0 + of_sum(n, n + problem.dimension))


def direction_sensitivity(problem: Problem, smallest: float) -> float:
    """s₀ = τ/(ℓ(ℓ+τ)) for the smallest eigenvalue ℓ = λ+κ₀, rounded up; times ‖g̃‖ it is Δ.

    An ℓ of at most ten times its own rounding error is refused (`ArithmeticError`).

    Notes
    -----
    The computed step solves (A + E)s = g̃ with ‖E‖ ≤ e. The sum B is off by at most 2γκ in Frobenius
    norm, as one half stands for both, and Cholesky's method by at most dγ_{3d+1}‖A‖ (Higham 2002,
    Theorem 10.4 and equation 10.7). Either data set's step is thus off by at most e‖g̃‖/(ℓ(ℓ-e)).
    """
    n, d, curvature = problem.records, problem.dimension, problem.function.curvature
    tau = curvature / n
    solved = 1.01 * d * gamma(3 * d + OTHERS) * (curvature + smallest)
    error = 2.0 * gamma(n + OTHERS) * curvature + solved
    if not smallest > 10.0 * error:
        raise ArithmeticError(f"the smallest eigenvalue, {plain(smallest)}, is lost in rounding")
    exact = tau / (smallest * (smallest + tau))
    return (exact + 2.0 * error / (smallest * (smallest - error))) * (1.0 + 1e-15)


def majorant(problem: Problem, margins: Array) -> Array:
    """aᵢ, the curvature of the sharpest quadratic above the loss that touches it at the margin.

    (ℓ'(m) - ℓ'(m₀))/(m - m₀) about the margin m₀ where ℓ less a linear function is even (de Leeuw
    and Lange 2009); between 0 and κ, as ℓ' is increasing and κ-Lipschitz.
    """
    centre, curvature = CENTRES[problem.loss], problem.function.curvature
    distance = margins - margins.dtype.type(centre)
    middle = problem.function.slope(np.full(1, centre, dtype=margins.dtype))[0]
    rise = problem.function.slope(margins) - middle
    near = np.abs(distance) < 1e-3  # there it differs from κ by less than its rounding would
    ratio = np.divide(rise, distance, out=np.full_like(margins, curvature), where=~near)
    return np.asarray(np.clip(ratio.astype(np.float64), 0.0, curvature))


def release(training: Training) -> Array:
    """Last iterates of DP-Newton from w₀ = 0, shape (calibrations, runs, d).

    A run's draws are shared by all ε and never by two runs. Seeded: for exploration only.
    """
    training.check()
    problem = training.problem
    forms = problem.forms(training.features, training.labels).contiguous(np.float64)
    count = len(training.calibrations)
    result = np.empty((count, training.runs, problem.dimension))
    done = 0
    for chosen in training.grouped(lambda calibration: calibration.steps):

        def report(part: float, message: str, done: int = done, now: int = len(chosen)) -> None:
            training.progress(done / count + now / count * part, message)

        result[chosen] = _descend(training.part(chosen, report), forms)
        done += len(chosen)
    return result


def _descend(training: Training, forms: Forms) -> Array:
    problem, runs, steps = training.problem, training.runs, training.calibrations[0].steps
    n, d, lam = problem.records, problem.dimension, problem.lam
    noises = [_noise_of(problem, calibration) for calibration in training.calibrations]
    coarse = forms.contiguous(np.float32)
    generators = training.generators
    count = len(noises) * runs
    width = max(1, MAX_ENTRIES // n)
    weights = np.zeros((count, d))
    for step in range(steps):
        draws = np.stack([g.standard_normal(2 * d + 1) for g in generators])
        for first in range(0, count, width):
            batch = range(first, min(count, first + width))
            # Margins may be rough, sums over records may not (`dpcore.erm.rounding`).
            margins = coarse.at(weights[batch.start : batch.stop].T.astype(np.float32))
            slopes = problem.function.slope(margins).astype(np.float64)
            gradients = (forms.rows.T @ slopes).T / n
            bends = np.sqrt(majorant(problem, margins))
            for place, column in enumerate(batch):
                i, run = divmod(column, runs)
                if step > 0 or column == 0:  # all begin at the same w
                    curvature_matrix = _square(forms, bends[:, place]) / n
                weights[column] = _next(
                    problem,
                    weights[column],
                    gradients[place] + lam * weights[column],
                    curvature_matrix,
                    noises[i],
                    draws[run],
                )
                if column % PROGRESS_EVERY == 0:
                    share = (step + column / count) / steps
                    training.progress(share, f"DP-Newton step {step + 1} of {steps}")
    return weights.reshape(len(noises), runs, d)


def _square(forms: Forms, roots: Array) -> Array:
    total = np.zeros((forms.rows.shape[1], forms.rows.shape[1]))
    start = 0
    for block in row_blocks(forms):
        scaled = block.rows * roots[start : start + len(block), None]
        total += scaled.T @ scaled  # one array and its transpose: half the work
        start += len(block)
    return total


def _next(
    problem: Problem,
    weights: Array,
    gradient: Array,
    curvature: Array,
    noise: StepNoise,
    draws: Array,
) -> Array:
    n, d = problem.records, problem.dimension
    released = gradient + problem.gradient_change / n / noise.gradient * draws[:d]
    trace = float(np.trace(curvature)) + trace_sensitivity(problem) / noise.trace * draws[2 * d]
    length = float(np.linalg.norm(released))
    smallest = problem.lam + shift(problem, trace, length, noise.direction)
    moved = direction_sensitivity(problem, smallest) * length
    step = scipy.linalg.solve(curvature + smallest * np.eye(d), released, assume_a="pos")
    weights = weights - step + moved / noise.direction * draws[d : 2 * d]
    if problem.lam == 0.0:
        problem.project(weights)
    return np.asarray(weights)


def shift(problem: Problem, trace: float, gradient: float, direction: float) -> float:
    """κ₀, by a fixed rule from public values, the released trace t̃ and the released ‖g̃‖.

    The largest of: k (t̃ τ²/μ²)^{1/3}, where the step's own noise meets what the shift costs
    (Ganesh et al.); k′ τ√d/μ, which keeps that noise within 1/k′ of ‖g̃‖/ℓ, also where t̃ is all
    noise; and (τ√d ‖g̃‖/(μr))^{1/2}, which keeps its norm, about τ√d ‖g̃‖/(μℓ²), within r, a tenth
    of the loss's reach: else the first steps, whose ‖g̃‖ is large, are lost in directions where
    hardly any record lies. Longer noise keeps itself up, too: the gradient that it leaves makes the
    next step's. μ is that of the step's direction.
    """
    tau = problem.function.curvature / problem.records / direction
    blur = tau * math.sqrt(problem.dimension)
    return max(
        SHIFT * math.cbrt(max(0.0, trace) * tau**2),
        FLOOR * blur,
        math.sqrt(blur * gradient / (CARRIED * problem.function.reach)),
    )


STEPS, MAX_STEPS = 12, 1_000
"""T by rule, fixed once on public data; and the largest T allowed."""


def calibrate(draft: Calibration, settings: Settings) -> Calibration:
    problem, budget = draft.problem, draft.requested
    steps = min(settings.steps_or(STEPS), MAX_STEPS)
    mu = float(analytic_mu(budget.epsilon, budget.delta))
    sigma = problem.gradient_change / step_noise(mu, steps).gradient
    conditions = data_conditions(problem)
    by = f"exact composition of {3 * steps} Gaussian mechanisms (Gaussian DP)"
    proof = proved_under(conditions, budget, problem.adjacency, by)
    return replace(
        draft,
        query="the sum of the gradients, each step; the step itself is blurred again",
        sensitivity=problem.gradient_change,
        sigma=sigma,
        steps=steps,
        learning_rate=1.0,
        model_noise=sigma / problem.records,
        conditions=conditions,
        claim=not_in_print(problem.adjacency, NO_PAPER),
        proof=proof,
        certified=proof,
        status=verdict(proof),
        gaussian_mu=math.nextafter(mu, math.inf),
    )


METHOD = Method(
    key="dpnewton",
    title="DP-Newton",
    paper="modern baseline (Ganesh et al. 2023, double noise)",
    idea="Take a handful of long steps that follow the curvature, and blur both slope and step.",
    words="noise on a few curved steps",
    editions={
        Edition.SOUND: Standing(
            claim=NO_PAPER,
            proof="(ε, δ) by exact composition of Gaussian mechanisms. How far one record moves a "
            "Newton step is derived for both adjacencies.",
            status=Status.PROVED,
        ),
    },
    rule=calibrate,
    release=release,
    losses=LOSSES,
    limits=("A step costs d times as much as one of DP-GD, so wide tables take long.",),
    lam_share=SMALL_LAM,
)
