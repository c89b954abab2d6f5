"""Objective perturbation: a random linear term, its privacy, and many such minimisers at once.

The release is an approximate minimiser of J(w) = Σᵢ ℓᵢ(w) + (Λ/2)‖w‖² + bᵀw plus a little
output noise. The privacy of both together follows, in sums rather than means; first for losses of
the margin, whose slope has one sign.

Gaussian b ~ N(0, σ² I). The exact minimiser is a smooth one-to-one image of b, so its privacy loss
is that of b and a ratio of determinants. One record adds a matrix of rank one and size at most β
(‖x‖ ≤ 1) to a Hessian of at least Λ I: |ln ratio| ≤ c = ln(1 + β/Λ), for a record blanked out as
for one replaced by another. The rest, (‖b + g‖² - ‖b‖²)/(2σ²) with g = s x and s in [-1, 0], is
convex in s and so at most its larger end: 0, or the loss of a Gaussian of μ = 1/σ. Hence for every
x, δ(x) ≤ δ_G(x - c; 1/σ) + (1 - e^{x-c})₊. Replacing moves two slopes, with four corners: 0, two
single ones and one of ‖g‖ ≤ 2, so δ(x) ≤ 2 δ_G(x - c; 1/σ) + δ_G(x - c; 2/σ) + (1 - e^{x-c})₊.

Losses of the residual have slopes s in [-1, 1]. The larger end is then one of two Gaussian ones, so
δ(x) ≤ 2 δ_G(x - c; 1/σ); replacing has four corners, all of ‖g‖ ≤ 2: δ(x) ≤ 4 δ_G(x - c; 2/σ).

Of several classes each of the K problems has a tilt of its own, so losses add up: K c for the
determinants, and in every corner of all slopes together one Gaussian, whose μ² is the sum of its
classes'. Hence δ(x) is at most the sum of δ_G(x - Kc; μ) over all corners of all classes.

A solver stops at ‖∇J‖ ≤ τ, by Λ-strong convexity within τ/Λ of the exact minimiser. Given that
minimiser, the release is a Gaussian of standard deviation s around a point that a record moves
by at most 2τ/Λ: one more mechanism, of μ₂ = 2τ/(Λs). Averaging over its privacy loss turns
each δ_G(·; μ) into δ_G(·; √(μ² + K μ₂²)), and the corner 0's (1 - e^{Kc-x})₊ into one of them.

Where the loss's second derivative jumps (Huber, squared), gradients are Lipschitz and one-to-one,
and the change of variables holds up to a null set.

Source: Chaudhuri, Monteleoni and Sarwate 2011; Kifer, Smith and Thakurta 2012; Redberg, Koskela and
Wang 2023 (arXiv 2401.00583); Iyengar et al. 2019. The bounds above are derived here.

Minimising many randomly tilted objectives at once: the engine of objective perturbation.

Column j minimises J_j(w) = Σᵢ ℓᵢ(w) + (Λ_j/2)‖w‖² + b_jᵀw. All columns share their matrix
products, and one preconditioner: in the eigenbasis of β XᵀX, which bounds every Hessian of the
losses, it is diagonal for every Λ. Steps are those of L-BFGS, in which each column has a memory of
its own; where one lengthens the gradient, the plain preconditioned step is taken, which never does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.gradient import BatchGradient, accelerator, batch_gradient
from dpcore.erm.method import Calibration, Settings, Training, data_conditions
from dpcore.erm.problem import Problem
from dpcore.erm.rounding import UNIT, of_descent, of_sum
from dpcore.guarantee import Adjacency, Condition, Edition, Guarantee, proved_under, verdict
from dpcore.mechanisms import laplace
from dpcore.mechanisms.gaussian import analytic_delta, analytic_sigma
from dpcore.progress import Progress, silent
from dpcore.words import as_set, plain, spaced

Array = NDArray[np.float64]
Floats = NDArray[np.floating]

TOLERANCE = 1e-4
"""τ: the norm at which the gradient of the summed objective counts as zero."""

SLACK = 1.0 / 20.0
"""μ₂ as a share of 1/σ: the output noise is then of little weight in the budget."""

HALVINGS = 100


@dataclass(frozen=True)
class ObjectiveNoise:
    """The noise of an objective perturbation."""

    # of b, in the units of a sum of gradients: a standard deviation, or vector Laplace's scale
    scale: float
    # Λ, of the sum
    ridge: float
    # scale of the noise on the weights, of the same kind as b; 0 for none
    output: float


@dataclass(frozen=True)
class ObjectiveRule:
    """The parts in which kinds of objective perturbation differ."""

    # (problem, ε, δ) -> the noise as in print, and as proved here
    printed: Callable[[Problem, float, float], ObjectiveNoise]
    sound: Callable[[Problem, float, float], ObjectiveNoise]
    # d -> standard deviation of a coordinate of b at scale 1
    deviation: Callable[[int], float]
    # whether δ = 0
    pure: bool
    claim_by: str
    claim_adjacency: Adjacency
    proof_by: str


def calibrate(rule: ObjectiveRule, draft: Calibration, settings: Settings) -> Calibration:
    """The draft with the noise of one rule. Pure; sees public values only."""
    problem, budget, printed = draft.problem, draft.requested, draft.edition is Edition.PUBLISHED
    noise = (rule.printed if printed else rule.sound)(problem, budget.epsilon, budget.delta)
    conditions = (*data_conditions(problem), *((exact_minimiser(),) if printed else ()))
    by = rule.claim_by if printed else rule.proof_by
    proof = proved_under(conditions, budget, problem.adjacency, by, pure=rule.pure)
    claim = Guarantee(
        budget.epsilon, 0.0 if rule.pure else budget.delta, rule.claim_adjacency, rule.claim_by
    )
    return replace(
        draft,
        query="the sum of the gradients, once for the whole training",
        sensitivity=problem.gradient_change,
        sigma=noise.scale * rule.deviation(problem.dimension),
        model_noise=noise.scale,
        conditions=conditions,
        claim=claim if printed else draft.claim,
        proof=proof,
        certified=proof,
        status=verdict(proof),
        ridge=noise.ridge,
        output_noise=noise.output,
    )


def exact_minimiser() -> Condition:
    """The condition of theorems about minimisers that no solver meets."""
    return Condition(
        f"what is released is the exact minimiser (a solver stops at ‖∇J‖ ≤ {as_set(TOLERANCE)})",
        False,
        "The theorem speaks of the exact minimiser; a solver stops near it, and the noise does "
        "not cover the difference.",
    )


def bend(problem: Problem, ridge: float) -> float:
    """The bound c = ln(1 + β/Λ) on a record's change of the log-determinant, rounded up."""
    return math.nextafter(math.log1p(problem.function.curvature / ridge), math.inf) * (1 + 1e-15)


def gaussian_delta(
    problem: Problem, epsilon: float, noise: ObjectiveNoise, tolerance: float
) -> float:
    """An upper bound on δ at ε for Gaussian noise on objective and output (module docstring).

    1 where ε ≤ c: nothing is proved there. `tolerance` is τ; 0 for an exact minimiser, which needs
    no output noise.
    """
    remainder = (epsilon - problem.parts * bend(problem, noise.ridge)) * (1.0 - 1e-15)
    if remainder <= 0.0:
        return 1.0
    slack = 0.0 if tolerance == 0.0 else 2.0 * tolerance / (noise.ridge * noise.output)
    squares, counts = corners(problem.function.residual, problem.adjacency, problem.parts)
    mu = np.sqrt(squares / noise.scale**2 + problem.parts * slack**2) * (1.0 + 1e-15)
    counts, mu = counts[mu > 0.0], mu[mu > 0.0]
    with np.errstate(divide="ignore"):  # the logarithm of a δ that is 0
        log_terms = counts + np.log(analytic_delta(remainder, 1.0 / mu * (1.0 - 4e-16)))
    # The logarithms of the corner counts are rounded, too.
    return min(1.0, float(np.exp(np.minimum(log_terms, 0.0)).sum()) * (1.0 + 1e-12))


@cache
def corners(residual: bool, adjacency: Adjacency, parts: int) -> tuple[Array, Array]:
    """Squared lengths, ascending, of the shifts of b at the ends of all slopes; ln of their counts.

    A `residual` has slopes of either sign; `parts` problems with the record have a tilt each.
    """
    replaced = adjacency is Adjacency.REPLACE_ONE
    if residual:
        single = {4: 4} if replaced else {1: 2}
    else:
        single = {0: 1, 1: 2, 4: 1} if replaced else {0: 1, 1: 1}
    combined = {0: 1}
    for _ in range(parts):
        longer: dict[int, int] = {}
        for square, count in combined.items():
            for added, times in single.items():
                longer[square + added] = longer.get(square + added, 0) + count * times
        combined = longer
    squares = sorted(combined)
    return np.array(squares, dtype=float), np.array(
        [math.log(combined[square]) for square in squares]
    )


def gaussian_noise(problem: Problem, epsilon: float, delta: float) -> ObjectiveNoise:
    """The least noise within (ε, δ) under the fixed rule for Λ, to a billionth and never less.

    Λ = max(nλ, β/(e^{ε/2} - 1), √d σ/r): the problem's own ridge; the one that leaves half of ε to
    the Gaussian; the one that keeps the minimiser within the loss's reach r. It depends on n, d, ε
    and δ only. Of K classes each leaves half of its K-th of ε.
    """

    def at(sigma: float) -> ObjectiveNoise:
        ridge = least_ridge(problem, epsilon / problem.parts, math.sqrt(problem.dimension) * sigma)
        return ObjectiveNoise(sigma, ridge, 2.0 * TOLERANCE * sigma / (ridge * SLACK))

    def enough(sigma: float) -> bool:
        return gaussian_delta(problem, epsilon, at(sigma), TOLERANCE) <= delta

    low = float(analytic_sigma(epsilon, delta))
    high = 2.0 * low
    while not enough(high):
        low, high = high, 2.0 * high
    for _ in range(HALVINGS):
        middle = math.sqrt(low * high)
        if high <= low * (1.0 + 1e-9):
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return at(high)


def pure_noise(problem: Problem, epsilon: float) -> ObjectiveNoise:
    """Vector-Laplace noise for (ε, 0): ε = c + change/scale + 2τ/(Λ·output).

    The density of b is e^{-‖b‖/scale}; a record moves b by 1 (zero-out) or 2 (replace-one), the
    minimiser's image of it as above. The output takes a hundredth of ε.
    """
    change, output_share = problem.gradient_change, epsilon / 100.0

    def scale(ridge: float) -> float:
        left = (epsilon - output_share - bend(problem, ridge)) * (1.0 - 1e-14)
        return math.nextafter(change / left, math.inf)

    # E‖b‖ = d·scale. The scale falls as Λ grows, so the first Λ that is large enough is the rule's.
    ridge = least_ridge(problem, epsilon, 0.0)
    ridge = least_ridge(problem, epsilon, problem.dimension * scale(ridge))
    return ObjectiveNoise(
        scale(ridge), ridge, math.nextafter(2.0 * TOLERANCE / (ridge * output_share), math.inf)
    )


def least_ridge(problem: Problem, epsilon: float, expected_norm: float) -> float:
    """Λ by the rule of `gaussian_noise`; `expected_norm` is E‖b‖."""
    half = problem.function.curvature / math.expm1(epsilon / 2.0)
    return max(problem.records * problem.lam, half, expected_norm / problem.function.reach)


Draw = Callable[[np.random.Generator, int], Floats]
"""(generator, d) -> one draw of unit scale."""

MEMORY = 8
MAX_STEPS = 2_000
ROUGH, ROUGH_STEPS = 1e-5, 40
"""Products are in single precision down to this gradient a record, or for so many steps."""


def gaussian(generator: np.random.Generator, dimension: int) -> Floats:
    """N(0, I)."""
    return generator.standard_normal(dimension)


def vector_laplace(generator: np.random.Generator, dimension: int) -> Floats:
    """Density ∝ e^{-‖z‖}."""
    return np.asarray(laplace.vector_laplace(generator, dimension, 1.0)[0])


def release(draw: Draw, training: Training) -> Floats:
    """Minimisers up to a gradient of `TOLERANCE`, plus output noise; (calibrations, runs, d).

    A run's two draws are shared by all ε and never by two runs. Seeded: for exploration only.

    Raises
    ------
    ArithmeticError
        If a gradient does not come below the tolerance; nothing is released then.
    """
    training.check()
    problem, runs, dimension = training.problem, training.runs, training.problem.dimension
    draws = [[draw(generator, dimension) for _ in range(2)] for generator in training.generators]
    tilts, blurs = np.swapaxes(np.array(draws), 0, 1)
    output = np.array([calibration.output_noise for calibration in training.calibrations])
    ridge = np.array([calibration.ridge for calibration in training.calibrations])
    weights = minimisers(
        problem,
        training.features,
        training.labels,
        np.repeat(ridge, runs),
        (training.scales[:, None, None] * tilts).reshape(-1, dimension).T,
        TOLERANCE,
        training.progress,
    )
    models = weights.T.reshape(len(ridge), runs, dimension)
    return np.asarray(models + output[:, None, None] * blurs)


def minimisers(
    problem: Problem,
    features: Floats,
    labels: Floats,
    ridge: Floats,
    tilt: Floats,
    tolerance: float,
    progress: Progress = silent,
) -> Floats:
    """Weights with ‖∇J_j‖₂ ≤ `tolerance`, for every column j; else `ArithmeticError`.

    Λ_j = `ridge` takes the place of the problem's λ; `tilt` is b_j, (d, columns).
    """
    records = len(labels)
    spread, basis = np.linalg.eigh(features.T @ features)
    bound = problem.function.curvature * np.maximum(spread, 0.0)[:, None] + ridge
    rotated = features @ basis
    target = 0.9 * tolerance  # the rest is for rounding and is checked at the end
    weights = np.zeros_like(tilt)
    turned = basis.T @ tilt
    report = _Report(target, progress)
    for precision, goal, most in (
        (np.float32, max(ROUGH * records, target), ROUGH_STEPS),
        (np.float64, target, MAX_STEPS),
    ):
        losses = batch_gradient(problem, rotated, labels, accelerator(), precision, precision)
        weights, largest = _descend(
            losses, records, bound, ridge, turned, weights, goal, most, report
        )
    if largest > target:
        raise ArithmeticError(
            f"after {spaced(MAX_STEPS)} steps the gradient is {plain(largest)}, above "
            f"{plain(target)}"
        )
    solution = np.asarray(basis @ weights)
    _check(problem, features, labels, ridge, tilt, solution, tolerance)
    return solution


def _check(
    problem: Problem,
    features: Floats,
    labels: Floats,
    ridge: Floats,
    tilt: Floats,
    solution: Floats,
    tolerance: float,
) -> None:
    """Refuse minimisers whose exact gradient, on the records, may be above `tolerance`."""
    records, dimension = features.shape
    losses = batch_gradient(
        problem, features, labels, accelerator(), margins=np.float64, sums=np.float64
    )
    gradient_norms = np.linalg.norm(records * losses(solution) + ridge * solution + tilt, axis=0)
    for norm, weight, length, blur in zip(
        gradient_norms.tolist(),
        ridge.tolist(),
        np.linalg.norm(solution, axis=0).tolist(),
        np.linalg.norm(tilt, axis=0).tolist(),
        strict=True,
    ):
        slopes = of_descent(dimension, problem.function.curvature, length, math.inf, 0.0)
        rounding_error = 0.5 * of_sum(records, records) + records * slopes
        rounding_error += 8.0 * UNIT * (weight * length + blur + norm)
        if not norm + rounding_error <= tolerance:
            raise ArithmeticError(
                f"the gradient is {plain(norm)} and off by up to {plain(rounding_error)}, above "
                f"{plain(tolerance)}"
            )


@dataclass
class _StepHistory:
    steps: list[tuple[Floats, Floats, Floats]]

    def keep(self, columns: NDArray[np.bool_]) -> _StepHistory:
        """The memory of some of the columns."""
        return _StepHistory(
            [
                (step[:, columns], change[:, columns], curvature[columns])
                for step, change, curvature in self.steps
            ]
        )

    def note(self, step: Floats, change: Floats) -> None:
        """Add a step; columns without curvature along it ignore it."""
        curvature = np.einsum("ij,ij->j", step, change)
        self.steps.append((step, change, np.where(curvature > 0.0, curvature, np.inf)))
        del self.steps[:-MEMORY]

    def direction(self, gradient: Floats, bound: Floats) -> Floats:
        """The two loops of L-BFGS, from the preconditioner `bound`."""
        result, shares = gradient.copy(), []
        for step, change, curvature in reversed(self.steps):
            share = np.einsum("ij,ij->j", step, result) / curvature
            result -= share * change
            shares.append(share)
        result /= bound
        for (step, change, curvature), share in zip(self.steps, reversed(shares), strict=True):
            result += (share - np.einsum("ij,ij->j", change, result) / curvature) * step
        return result


@dataclass
class _Report:
    goal: float
    progress: Progress
    first: float = 0.0
    share: float = 0.0
    steps: int = 0

    def __call__(self, largest: float) -> None:
        self.first, self.steps = self.first or largest, self.steps + 1
        if self.first > self.goal:
            done = math.log(self.first / max(largest, self.goal)) / math.log(self.first / self.goal)
            self.share = max(self.share, min(1.0, done))
        self.progress(self.share, f"minimising, step {spaced(self.steps)}")


def _descend(
    losses: BatchGradient,
    records: int,
    bound: Floats,
    ridge: Floats,
    tilt: Floats,
    start: Floats,
    goal: float,
    step_limit: int,
    report: Callable[[float], None],
) -> tuple[Floats, float]:
    weights, live = start.copy(), np.arange(start.shape[1])

    def gradient_at(w: Floats) -> Floats:
        return np.asarray(records * losses(w) + ridge[live] * w + tilt[:, live], dtype=float)

    points = weights[:, live]
    gradient = gradient_at(points)
    memory = _StepHistory([])
    plain = np.zeros(len(live), dtype=bool)
    for _ in range(step_limit):
        norms = np.linalg.norm(gradient, axis=0)
        report(float(norms.max()))
        done = norms <= goal
        if done.any():
            weights[:, live[done]] = points[:, done]
            unfinished = ~done
            if not unfinished.any():
                return weights, goal
            live, points, gradient, plain = (
                live[unfinished],
                points[:, unfinished],
                gradient[:, unfinished],
                plain[unfinished],
            )
            memory = memory.keep(unfinished)
        height = np.linalg.norm(gradient / np.sqrt(bound[:, live]), axis=0)
        newton = memory.direction(gradient, bound[:, live])
        move = np.where(plain, gradient / bound[:, live], newton)
        trial = points - move
        trial_gradient = gradient_at(trial)
        worse = np.linalg.norm(trial_gradient / np.sqrt(bound[:, live]), axis=0) > height
        memory.note(-move, trial_gradient - gradient)
        # A column that was sent too far stays where it was, and takes the plain step next.
        plain = worse & ~plain
        points = np.where(plain, points, trial)
        gradient = np.where(plain, gradient, trial_gradient)
    weights[:, live] = points
    return weights, float(np.linalg.norm(gradient, axis=0).max())
