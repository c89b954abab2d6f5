"""Output perturbation: gradient descent, then one Gaussian draw on its last iterate.

They differ in one thing, how σ/Δ is computed, which each method's own file supplies. Source: paper
000, Algorithm 1, Lemmas 1 and 2, Theorems 3 to 6.

With the same data, w₀ and η, w_T for a smaller T lies on the path to a larger one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray

from dpcore.erm import permuted, sensitivity
from dpcore.erm.gradient import Cells, block_size
from dpcore.erm.method import Calibration, Settings, Training, data_conditions
from dpcore.erm.problem import Problem
from dpcore.errors import whole
from dpcore.guarantee import Condition, Edition, Guarantee, proved_under, verdict
from dpcore.mechanisms.gaussian import analytic_epsilon
from dpcore.progress import Progress, silent
from dpcore.words import plain, spaced

TYPICAL_SHARE = 1.0 / 2.0
"""The sound rule for T expects ‖ŵ‖ at this share of its worst-case bound R; chosen once, on public
data. Only the number of steps depends on it: every bound and σ stays right whatever ‖ŵ‖ is."""

MAX_STEPS, MIN_STEP_LIMIT = 5_000, 100
MAX_ENTRIES = 5e9
"""The rule for T stops at 5,000 steps, or where T·n·d reaches 5e9 (never below 100 steps), so that
one descent stays within seconds. Sensitivity, bounds and σ use the T that is run."""


@dataclass(frozen=True)
class NoiseRule:
    """The rule by which one method turns (ε, δ) into σ/Δ."""

    # (ε, δ) -> σ at Δ = 1
    unit_sigma: Callable[[float, float], float]
    # ε -> the condition under which that σ is proved
    condition: Callable[[float], Condition]
    theorem: str
    claim_by: str
    # whether the paper proves an excess-risk bound with constants for it (Theorems 4 and 6)
    bounded_in_print: bool


def calibrate(rule: NoiseRule, draft: Calibration, settings: Settings) -> Calibration:
    """The draft with the noise of one rule. Pure; sees public values only."""
    problem, budget, edition = draft.problem, draft.requested, draft.edition
    printed = edition is Edition.PUBLISHED
    rate = learning_rate(problem, edition)
    unit = float(rule.unit_sigma(budget.epsilon, budget.delta))
    steps = (
        default_steps(problem, edition, unit)
        if settings.steps is None
        else whole("steps T", settings.steps, at_least=1, at_most=1_000_000)
    )
    exact = sensitivity.exact(problem, rate, steps)
    change = sensitivity.published(problem, rate, steps) if printed else exact
    sigma = unit * change
    covered = Condition(
        f"the printed sensitivity {plain(change)} is at least the exact {plain(exact)} at T = "
        f"{spaced(steps)}: {plain(change / exact, 2)} times as large",
        change >= exact,
        f"The printed sensitivity {plain(change)} is below the exact one, {plain(exact)}.",
    )
    conditions = (
        rule.condition(budget.epsilon),
        sensitivity.step_condition(problem, rate, printed=printed),
        *data_conditions(problem),
        *((covered,) if printed else ()),
    )
    lemma = (
        ("Lemma 1" if problem.strong_convexity > 0 else "Lemma 2") + " of paper 000"
        if printed
        else "the exact sensitivity Δ_T"
    )
    proof = proved_under(conditions, budget, problem.adjacency, f"{rule.theorem} with {lemma}")
    certified = Guarantee(
        float(analytic_epsilon(sigma, budget.delta, exact)),
        budget.delta,
        problem.adjacency,
        "exact Gaussian curve at the exact sensitivity Δ_T",
    )
    return replace(
        draft,
        query="the trained weights",
        sensitivity=change,
        sigma=sigma,
        steps=steps,
        learning_rate=rate,
        model_noise=sigma,
        conditions=conditions,
        claim=Guarantee(budget.epsilon, budget.delta, problem.adjacency, rule.claim_by)
        if printed
        else draft.claim,
        proof=proof,
        certified=certified,
        status=verdict(proof),
        bound_published=(
            _printed_bound(problem, steps, unit) if printed and rule.bounded_in_print else None
        ),
        bound_sound=excess_risk_bound(problem, rate, steps, sigma),
        gaussian_mu=math.nextafter(exact / sigma, math.inf),
    )


def learning_rate(problem: Problem, edition: Edition) -> float:
    """η: 1/(β+μ) as Lemmas 1 and 2 require; in the sound strongly convex case the full 2/(β+μ)."""
    smoothness = problem.smoothness + problem.strong_convexity
    doubled = edition is Edition.SOUND and problem.strong_convexity > 0.0
    return (2.0 if doubled else 1.0) / smoothness


def optimisation_gap(problem: Problem, rate: float, steps: int) -> float:
    """A bound on F(w_T) - F(ŵ) from w₀ = 0, using the public bound R on ‖ŵ‖.

    μ > 0, η ≤ 2/(β+μ): (β/2) R² (1 - 2ημβ/(β+μ))^T. μ = 0, η ≤ 1/β: R²/(2ηT).
    (Nesterov 2004, Theorem 2.1.15; Beck and Teboulle 2009, Theorem 3.1, where the iterates are
    projected.)
    """
    mu, beta, radius = problem.strong_convexity, problem.smoothness, problem.solution_radius
    if mu == 0.0:
        return radius**2 / (2.0 * rate * steps)
    shrink = 2.0 * rate * mu * beta / (beta + mu)
    remaining = 0.0 if shrink >= 1.0 else math.exp(steps * math.log1p(-shrink))
    return 0.5 * beta * radius**2 * remaining


def excess_risk_bound(problem: Problem, rate: float, steps: int, sigma: float) -> float:
    """An upper bound on E F(w_T + z) - F(ŵ): `optimisation_gap` + (β/2) d σ².

    Holds for the noise actually added: β-smoothness, and z has mean 0.
    """
    noise = 0.5 * problem.smoothness * problem.dimension * sigma**2
    return optimisation_gap(problem, rate, steps) + noise


def _printed_bound(problem: Problem, steps: int, unit: float) -> float:
    """The explicit bound inside the proofs of Theorems 4 (μ > 0) and 6 (μ = 0), as printed.

    α²/ε is written 2(σ/Δ)². Theorem 4's first term lacks the factor ‖w₀ - ŵ‖², and Theorem 6's
    second lacks T² (and a factor 1/2), so neither is an upper bound in general;
    `excess_risk_bound` is.
    """
    n, d, lipschitz = problem.records, problem.dimension, problem.lipschitz
    mu, beta = problem.strong_convexity, problem.smoothness
    alpha_squared_over_epsilon = 2.0 * unit**2
    if mu > 0.0:
        descent = 0.5 * beta * math.exp(-2.0 * mu * beta * steps / (mu + beta) ** 2)
        noise = 25.0 * lipschitz**2 * (mu + beta) ** 2 * d * alpha_squared_over_epsilon
        return descent + noise / (4.0 * n**2 * mu**2 * beta)
    descent = 2.0 * beta * problem.solution_radius**2 / steps
    return descent + 9.0 * lipschitz**2 * d * alpha_squared_over_epsilon / (2.0 * beta * n**2)


def most_steps(problem: Problem) -> int:
    """Largest T of the rule: public, by n and d."""
    affordable = MAX_ENTRIES / (problem.records * problem.dimension)
    return int(min(MAX_STEPS, max(MIN_STEP_LIMIT, affordable)))


def typical_share(problem: Problem) -> float:
    if not problem.function.residual:
        return TYPICAL_SHARE
    return min(TYPICAL_SHARE, problem.function.reach / problem.solution_radius)


def default_steps(problem: Problem, edition: Edition, unit: float) -> int:
    """T by a written rule, at most `most_steps`; `unit` is σ/Δ.

    Published, μ > 0 (Theorem 4 with its constants): where the two terms of the proof meet,
    T = (μ+β)²/(2μβ) · ln(R²/(dσ²)). Published, μ = 0 (Theorem 6): T³ = 4R²/(9 d (σ/Δ)² (Lη/n)²),
    where 2βR²/T meets the noise term with its T². Sound: the T that minimises `excess_risk_bound`
    with `typical_share` of R in the place of R.
    """
    rate = learning_rate(problem, edition)
    radius, d = problem.solution_radius, problem.dimension
    mu, beta = problem.strong_convexity, problem.smoothness
    if edition is Edition.PUBLISHED:
        if mu > 0.0:
            sigma = unit * sensitivity.published(problem, rate, 1)
            balance = math.log(max(radius**2 / (d * sigma**2), math.e))
            raw = (mu + beta) ** 2 / (2.0 * mu * beta) * balance
        else:
            step = problem.lipschitz * rate / problem.records
            raw = (4.0 * radius**2 / (9.0 * d * unit**2 * step**2)) ** (1.0 / 3.0)
        return int(min(max(1, math.ceil(raw)), most_steps(problem)))
    candidates, gaps, sensitivities = _ladder(problem, rate)
    bounds = gaps + 0.5 * beta * d * (unit * sensitivities) ** 2
    return int(candidates[np.argmin(bounds)])


@lru_cache(maxsize=64)
def _ladder(problem: Problem, rate: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Candidate T of the sound rule, with the bound's first term and Δ_T, whatever the ε."""
    candidates = np.unique(np.round(np.geomspace(1, most_steps(problem), 400)).astype(int))
    share = typical_share(problem) ** 2
    gaps = [share * optimisation_gap(problem, rate, steps) for steps in candidates.tolist()]
    sensitivities = [sensitivity.exact(problem, rate, steps) for steps in candidates.tolist()]
    return candidates, np.array(gaps), np.array(sensitivities)


Array = NDArray[np.floating]

SPARSE_BELOW = 0.3  # share of non-zero entries under which sparse products win on one-hot data
PROGRESS_EVERY = 64


def descend(
    problem: Problem,
    features: Array,
    labels: Array,
    learning_rate: float,
    steps: Sequence[int],
    progress: Progress = silent,
    start: Array | None = None,
) -> dict[int, Array]:
    """w_T for every T in `steps`, by full gradient descent with constant step.

    With λ = 0, each iterate is projected onto the ball of the problem's radius. `start` is w₀, 0
    by default; it must be public, since the sensitivity counts on neighbours sharing it.
    """
    records, lam = len(labels), problem.lam
    total_gradient = _total_gradient(problem, features, labels)
    stops, last = set(steps), max(steps)
    weights: Array = np.zeros(features.shape[1]) if start is None else start
    result: dict[int, Array] = {}
    for step in range(1, last + 1):
        gradient = total_gradient(weights) / records + lam * weights
        weights = weights - learning_rate * gradient
        if lam == 0.0:
            problem.project(weights)
        if step in stops:
            result[step] = weights
        if step % PROGRESS_EVERY == 0:
            progress(step / last, "gradient descent")
    return result


def _total_gradient(problem: Problem, features: Array, labels: Array) -> Callable[[Array], Array]:
    slope, forms = problem.function.slope, problem.forms(features, labels)
    cells = Cells.of(forms.rows, features)
    size = block_size(cells.others.shape[1])
    if np.count_nonzero(cells.others) < SPARSE_BELOW * cells.others.size:
        cells, size = replace(cells, others=scipy.sparse.csr_array(cells.others)), len(forms)
    blocks = [
        (cells[start : start + size], forms[start : start + size])
        for start in range(0, len(forms), size)
    ]

    def gradient(weights: Array) -> Array:
        turned, total = cells.turned(weights), np.zeros_like(weights)
        for block, some in blocks:
            total += block.sums(slope(some.less_offsets(block.times(turned))))
        return cells.turned_back(total)

    return gradient


def centres(
    problem: Problem,
    features: Array,
    labels: Array,
    calibrations: Sequence[Calibration],
    progress: Progress = silent,
) -> Array:
    """w_T before noise for every calibration, shape (calibrations, d)."""
    result = np.empty((len(calibrations), features.shape[1]))
    by_rate: dict[float, list[int]] = {}
    by_batch: dict[int, list[int]] = {}
    for i, c in enumerate(calibrations):
        if c.sampling == permuted.SAMPLING:
            by_batch.setdefault(c.batch, []).append(i)
        else:
            by_rate.setdefault(c.learning_rate, []).append(i)
    for rate, chosen in sorted(by_rate.items()):
        steps = [calibrations[i].steps for i in chosen]
        iterates = descend(problem, features, labels, rate, steps, progress)
        for i in chosen:
            result[i] = iterates[calibrations[i].steps]
    for batch, chosen in sorted(by_batch.items()):
        count = permuted.batches(len(labels), batch)
        requests = [(calibrations[i].learning_rate, calibrations[i].steps) for i in chosen]
        paths = permuted.descend(problem, features, labels, count, requests, progress)
        for i, request in zip(chosen, requests, strict=True):
            result[i] = paths[request]
    return result


def release(training: Training) -> Array:
    """W = w_T + σ z, shape (calibrations, runs, d).

    The draw z of a run is shared by all ε and methods and never by two runs. A seed is for
    exploration; a published release needs operating-system entropy.
    """
    training.check()
    models = centres(
        training.problem,
        training.features,
        training.labels,
        training.calibrations,
        training.progress,
    )
    dimension = training.problem.dimension
    noise = np.stack([draw.standard_normal(dimension) for draw in training.generators])
    return np.asarray(models[:, None, :] + training.scales[:, None, None] * noise[None, :, :])
