"""Noisy stochastic descent (paper 000, Algorithm 2): what GRPUA and SgdPert share.

Published edition, for study. The query is n∇f(w; zᵢ) for one random record, its noise is calibrated
to sensitivity L where n∇f moves by 2nL (replace-one) or nL (zero-out), and Theorem 7's total δ is
nδ at T = n². The claim is therefore shown with its computed total δ, and beside it the ε certified
for the noise actually added.

Sound edition. The query is the sum of the gradients of a sampled batch, sensitivity 2L or L; each
method's own file says how σ follows from the total (ε, δ). Of several classes each has T steps on
batches of its own, so that KT steps are counted.

All (method, ε) pairs of a run see the same sampled records and the same draws of noise, scaled;
runs share nothing. With μ > 0 and η_t = 1/(μt) (Theorem 8) the iterate is a running mean,
w_{t+1} = -(1/(μt)) Σ_{s≤t} (g_s + σ z_s), where g_s is the data-dependent part of the gradient, so
one step only adds to two sums and the regulariser needs no pass of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.accounting.composition import (
    PRINTED_AMPLIFICATION_LIMIT,
    printed_query_epsilon,
    printed_total,
)
from dpcore.accounting.sampled import SampledGaussian, certified_epsilon
from dpcore.erm.method import Calibration, Settings, Training, data_conditions
from dpcore.erm.problem import Problem
from dpcore.errors import InvalidInput, whole
from dpcore.guarantee import (
    Adjacency,
    Condition,
    Edition,
    Guarantee,
    PrivacyBudget,
    Status,
    proved_under,
    verdict,
)
from dpcore.words import as_set, plain, spaced

SOUND_STEPS = 500
SOUND_RATE = 0.02
"""Defaults of the sound edition, fixed in advance: 500 steps on 2 % of the records, ten passes."""

FULL_LENGTH_RECORDS = 1_000
"""Largest n for which the paper's T = n² - 1 is allowed: a million steps, minutes."""


@dataclass(frozen=True)
class SoundNoise:
    """Result of a sound calibration: σ on the batch sum, and the ε proved for it."""

    sigma: float
    conditions: tuple[Condition, ...]
    by: str
    proved_epsilon: float


@dataclass(frozen=True)
class StepRule:
    """The noise rule of one method."""

    # (ε, δ) of one query -> σ at sensitivity 1, as the published edition uses it
    unit_sigma: Callable[[float, float], float]
    # ε of one query -> the mechanism's own condition
    condition: Callable[[float], Condition]
    # (problem, budget, sampling rate, queries, sampling) -> the noise
    sound: Callable[[Problem, PrivacyBudget, float, int, str], SoundNoise]


def calibrate(rule: StepRule, draft: Calibration, settings: Settings) -> Calibration:
    """The draft with the noise of one rule. Pure; sees public values only."""
    make = _published if draft.edition is Edition.PUBLISHED else _sound
    return make(rule, draft, settings)


def published_steps(records: int, *, full_length: bool) -> int:
    """T of the published edition: n, or n² - 1 as in Algorithm 2 (refused above 1,000 records)."""
    if not full_length:
        return records
    if records > FULL_LENGTH_RECORDS:
        raise InvalidInput(
            f"full length asks for T = n² - 1 at n = {spaced(records)}, but n must be at most "
            f"{spaced(FULL_LENGTH_RECORDS)} for it."
        )
    return records**2 - 1


def _published(rule: StepRule, draft: Calibration, settings: Settings) -> Calibration:
    problem, budget = draft.problem, draft.requested
    n, delta = problem.records, budget.delta
    steps = (
        published_steps(n, full_length=settings.full_length)
        if settings.steps is None
        else _whole_steps(settings.steps)
    )
    query_epsilon = printed_query_epsilon(budget.epsilon, delta, n, steps)
    claimed_epsilon, claimed_delta = printed_total(query_epsilon, delta, n, steps)
    sigma = float(rule.unit_sigma(query_epsilon, delta)) * problem.lipschitz
    needed = n * problem.gradient_change
    noise = SampledGaussian(
        sigma / (n * problem.computed_lipschitz(steps)), 1.0 / n, steps, "fixed", problem.adjacency
    )
    epsilon, accountant = certified_epsilon(noise, delta)
    conditions = (
        Condition(
            f"noise calibrated to the query's sensitivity {plain(needed, 4)} "
            f"(used: {as_set(problem.lipschitz)})",
            problem.lipschitz >= needed,
            f"The query n∇f moves by up to {plain(needed, 4)}, but its noise is sized for "
            f"{as_set(problem.lipschitz)}.",
        ),
        Condition(
            f"ε of one query ≤ {PRINTED_AMPLIFICATION_LIMIT} for amplification by 2γ "
            f"(ε = {plain(query_epsilon, 4)})",
            query_epsilon <= PRINTED_AMPLIFICATION_LIMIT,
            f"The amplification lemma fails at {plain(query_epsilon, 4)} per query.",
        ),
        Condition(
            f"total δ below 1 ({plain(claimed_delta / delta, 4)} times the requested δ)",
            claimed_delta < 1.0,
            f"The claimed total δ is {plain(claimed_delta, 4)}, so the claim says nothing.",
        ),
        rule.condition(query_epsilon),
    )
    unmet = " ".join(condition.consequence for condition in conditions if not condition.met)
    return replace(
        draft,
        query="n times the gradient of one random record, each step",
        sensitivity=problem.lipschitz,
        sigma=sigma,
        steps=steps,
        learning_rate=_learning_rate(problem, sigma / n),
        batch=1,
        sampling="fixed",
        model_noise=sigma / n,
        conditions=conditions,
        claim=Guarantee(
            claimed_epsilon,
            claimed_delta,
            problem.adjacency,
            f"Theorem 7 of paper 000 at T = {spaced(steps)}",
            "δ ≥ 1: every algorithm satisfies it." if claimed_delta >= 1.0 else "",
        ),
        proof=Guarantee(None, None, problem.adjacency, "none", unmet),
        certified=Guarantee(epsilon, delta, problem.adjacency, accountant),
        status=Status.CLAIM_NOT_SUPPORTED,
    )


def _sound(rule: StepRule, draft: Calibration, settings: Settings) -> Calibration:
    problem, budget = draft.problem, draft.requested
    n = problem.records
    batch = settings.batch_or(max(1, round(SOUND_RATE * n)), n)
    steps = SOUND_STEPS if settings.steps is None else _whole_steps(settings.steps)
    sampling = "poisson" if problem.adjacency is Adjacency.ZERO_OUT else "fixed"
    rate = batch / n
    # Of a Poisson batch's size: E|S|² = b² + b(1-q), divided here by b².
    spread = (1.0 - rate) / batch if sampling == "poisson" else 0.0
    queries = steps * problem.parts
    noise = rule.sound(problem, budget, rate, queries, sampling)
    mechanism = SampledGaussian(
        noise.sigma / problem.computed_lipschitz(queries),
        rate,
        queries,
        sampling,
        problem.adjacency,
    )
    epsilon, accountant = certified_epsilon(mechanism, budget.delta)
    conditions = (
        *noise.conditions,
        Condition(
            f"{sampling} sampling is covered under {problem.adjacency}",
            mechanism.covered(),
            f"No theorem here covers {sampling} sampling under {problem.adjacency}.",
        ),
        *data_conditions(problem),
    )
    proof = proved_under(conditions, budget, problem.adjacency, noise.by)
    certified = Guarantee(epsilon, budget.delta, problem.adjacency, accountant)
    if proof.epsilon is not None:
        proof = replace(proof, epsilon=noise.proved_epsilon)
        if noise.proved_epsilon < epsilon:
            certified = proof  # for a step or two, exact amplification beats the accountant
    return replace(
        draft,
        query=f"the sum of the gradients of {spaced(batch)} sampled records, each step",
        sensitivity=problem.gradient_change,
        sigma=noise.sigma,
        steps=steps,
        learning_rate=_learning_rate(problem, noise.sigma / batch, spread),
        batch=batch,
        sampling=sampling,
        model_noise=noise.sigma / batch,
        conditions=conditions,
        proof=proof,
        certified=certified,
        status=verdict(proof),
    )


def _learning_rate(problem: Problem, mean_noise: float, spread: float = 0.0) -> float:
    """The factor before 1/t (μ > 0: 1/μ, Theorem 8) or 1/√t (μ = 0: R/G, Theorem 9).

    G² = L²(1 + `spread`) + dσ² bounds the second moment of the noisy mean gradient; `mean_noise` is
    its σ, and `spread` the relative variance of the number of records in a batch.
    """
    if problem.strong_convexity > 0.0:
        return 1.0 / problem.strong_convexity
    second_moment = problem.lipschitz**2 * (1.0 + spread) + problem.dimension * mean_noise**2
    return problem.solution_radius / math.sqrt(second_moment)


def _whole_steps(steps: int) -> int:
    return whole("steps T", steps, at_least=1, at_most=1_000_000_000)


Array = NDArray[np.floating]
Indices = NDArray[np.int64]

BLOCK_STEPS = 32  # one-record steps taken at once
CHUNK_BYTES = 2**24  # of noise and of record numbers drawn at once


def release(training: Training) -> Array:
    """Last iterates from w₁ = 0, shape (calibrations, runs, d).

    Batches are drawn as each calibration's `sampling` says, which is what its accountant assumes:
    a fixed size without replacement, or every record with probability batch/n (Poisson; the sum
    is then divided by the expected batch size). Seeded: for exploration only.
    """
    training.check()
    groups = training.grouped(
        lambda calibration: (calibration.steps, calibration.batch, calibration.sampling)
    )
    result = np.empty((len(training.calibrations), training.runs, training.problem.dimension))
    for number, chosen in enumerate(groups):

        def report(fraction: float, message: str, number: int = number) -> None:
            training.progress((number + fraction) / len(groups), message)

        result[chosen] = _descend(training.part(chosen, report))
    return result


def _descend(training: Training) -> Array:
    problem, calibrations, runs = training.problem, training.calibrations, training.runs
    steps, batch = calibrations[0].steps, calibrations[0].batch
    records, dimension = problem.records, problem.dimension
    poisson = calibrations[0].sampling == "poisson"
    signed = np.zeros((records + 1, dimension))
    # The extra null row pads Poisson batches.
    signed[:records] = problem.within(training.features, training.labels)
    slope = problem.function.slope
    generators = training.generators
    scales = training.scales[None, :, None]
    rates = np.array([c.learning_rate for c in calibrations])[None, :, None]
    shape = (runs, len(calibrations), dimension)
    # Sums in double precision: their rounding is counted (`dpcore.erm.rounding`).
    data_sum, weights = np.zeros((2, *shape))
    noise_sum = np.zeros((runs, 1, dimension))
    chunk = max(1, min(steps, CHUNK_BYTES // (8 * runs * max(dimension, batch))))
    for start in range(0, steps, chunk):
        length = min(chunk, steps - start)
        picks = [_batches(g, records, batch, length, poisson) for g in generators]
        noise = np.stack(
            [g.standard_normal((length, dimension), dtype=np.float32) for g in generators], axis=1
        )
        if problem.lam > 0.0 and batch == 1 and not poisson:
            numbers = np.concatenate(picks, axis=1)  # (length, runs)
            for first in range(0, length, BLOCK_STEPS):
                block = slice(first, first + BLOCK_STEPS)
                _one_record_steps(
                    signed[numbers[block].T],
                    noise[block].transpose(1, 0, 2),
                    start + first,
                    data_sum,
                    noise_sum,
                    scales,
                    rates,
                    slope,
                )
            weights = (data_sum + scales * noise_sum) * (-rates / (start + length))
        else:
            for offset in range(length):
                step = start + offset + 1
                rows = signed[_aligned([pick[offset] for pick in picks], records)]
                margins = np.matmul(weights, rows.transpose(0, 2, 1))
                coefficients = slope(margins)
                coefficients /= batch
                gradient = np.matmul(coefficients, rows)
                if problem.lam > 0.0:
                    data_sum += gradient
                    noise_sum[:, 0] += noise[offset]
                    np.multiply(noise_sum, scales, out=weights)
                    weights += data_sum
                    weights *= -rates / step
                else:
                    gradient += scales * noise[offset][:, None, :]
                    weights -= rates / np.sqrt(step) * gradient
                    problem.project(weights, axis=2)
        done = start + length
        training.progress(done / steps, f"noisy SGD step {spaced(done)} of {spaced(steps)}")
    return weights.transpose(1, 0, 2)


def _one_record_steps(
    rows: Array,
    noise: Array,
    earlier: int,
    data_sum: Array,
    noise_sum: Array,
    scales: Array,
    rates: Array,
    slope: Callable[[Array], Array],
) -> None:
    """Add k one-record steps of the running mean to its two sums, in place.

    The k records interact only through their Gram matrix: step by step only k margins are updated.
    """
    before = np.cumsum(noise, axis=1) - noise + noise_sum
    margins = np.matmul(data_sum, rows.transpose(0, 2, 1))
    margins += scales * np.einsum("rkd,rkd->rk", before, rows)[:, None, :]
    gram = np.matmul(rows, rows.transpose(0, 2, 1))
    coefficients = np.empty_like(margins)
    for place in range(rows.shape[1]):
        sums = margins[:, :, place, None]
        if place:
            sums = sums + np.matmul(coefficients[:, :, :place], gram[:, :place, place, None])
        weighted = sums * (-rates / max(earlier + place, 1))
        coefficients[:, :, place] = slope(weighted)[:, :, 0]
    data_sum += np.matmul(coefficients, rows)
    noise_sum += noise.sum(axis=1, keepdims=True)


def _batches(
    generator: np.random.Generator, records: int, batch: int, length: int, poisson: bool
) -> list[Indices] | Indices:
    """Record numbers of `length` batches of one run."""
    if batch == 1 and not poisson:
        return generator.integers(0, records, size=(length, 1))
    sizes = (
        generator.binomial(records, batch / records, size=length)
        if poisson
        else np.full(length, batch)
    )
    return [generator.choice(records, size, replace=False, shuffle=False) for size in sizes]


def _aligned(picks: list[Indices], null_row: int) -> Indices:
    longest = max(1, max(len(pick) for pick in picks))
    if all(len(pick) == longest for pick in picks):
        return np.stack(picks)
    result = np.full((len(picks), longest), null_row, dtype=np.int64)
    for row, pick in enumerate(picks):
        result[row, : len(pick)] = pick
    return result
