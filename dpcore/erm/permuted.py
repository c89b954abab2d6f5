"""Passes over the records in one public order: the path of PSGD and its sensitivity.

Source: Wu, Li, Kumar, Chaudhuri, Jha and Naughton 2017 ("Bolt-on"), whose sensitivity is derived
again here for batches of any size.

The n records are put in an order that depends on n alone and cut into m batches of nearly equal
size; step t takes batch (t-1) mod m and the sum of its gradients times m/n. One record is thus
worth m/n in its own batch's step and nothing in the others, and moves the gradient there by at most
cm/n, with c = 2L (replace-one) or L (zero-out).

Sensitivity. Every batch's objective is μ-strongly convex and β-smooth, where β counts the largest
batch. So one step with η_t ≤ 2/(β+μ) brings two paths together by 1 - η_tμ
(`dpcore.erm.sensitivity`) and, in the record's own batch, moves them apart by η_t cm/n:

    Δ_T = max_j Σ_{t ≡ j mod m} η_t (cm/n) Π_{s=t+1}^{T} (1 - η_sμ).

It is attained where every loss stays on its linear part. For μ = 0 and k whole passes with one step
size it is kcηm/n, in print 2kLη/b. For η_t = min(1/β, 1/(μt)) each term is at most cm/(nμT): from
t ≥ β/μ on the product telescopes to t/T, and before η_t = 1/β ≤ 1/(μt) with a smaller product. Over
k passes, T = km, they add up to c/(nμ), in print 2L/(μn), *whatever the batch size*: larger batches
dilute a record by b, and leave b times fewer steps to forget it. Dividing that by b once more, as
the bolt-on optimiser of a widely used library does, gives b times too little noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dpcore.erm.problem import Problem
from dpcore.erm.rounding import OTHERS, gamma
from dpcore.erm.sensitivity import descent_error
from dpcore.progress import Progress, silent

Array = NDArray[np.floating]

SAMPLING = "permuted"
ORDER_STREAM = 0x4F72646572  # any number but those of other streams
PROGRESS_EVERY = 256


def batches(records: int, batch: int) -> int:
    """m, the number of batches of at most `batch` records."""
    return -(-records // batch)


def order(records: int) -> NDArray[np.int64]:
    """The order of the records, shape (n,): a permutation drawn from n alone, so it is public."""
    return np.random.default_rng([records, ORDER_STREAM]).permutation(records)


def smoothness(problem: Problem, count: int) -> float:
    """β of the objective of the largest of `count` batches."""
    largest = -(-problem.records // count)
    share = largest * count / problem.records  # 1 where all batches are of one size
    return problem.function.curvature * share + problem.lam


def rates(problem: Problem, rate: float, steps: int) -> Array:
    """η_1 to η_T: min(`rate`, 1/(μt)), or `rate` throughout where μ = 0."""
    if problem.strong_convexity == 0.0:
        return np.full(steps, rate)
    falling = 1.0 / (problem.strong_convexity * np.arange(1, steps + 1))
    return np.asarray(np.minimum(rate, falling))


def sensitivity(problem: Problem, count: int, rate: float, steps: int) -> float:
    """Δ_T of the module docstring in the units of w, rounded up, for m = `count` and T = `steps`.

    `rate` is the largest step size, at most 2/(β+μ).
    """
    change = _batch_changes(problem, count, rate, steps)
    largest = float(change.max()) * problem.exact_change * count / problem.records
    largest += rounding(problem, count, rate, steps)
    return largest * (1.0 + 1e-14 * (steps + 10.0))


def rounding(problem: Problem, count: int, rate: float, steps: int) -> float:
    """The addition of rounding to Δ_T in every step, not only in those of the record's batch."""
    batch = -(-problem.records // count)
    share = batch * count / problem.records
    shortest = float(rates(problem, rate, steps).min())
    error = gamma(batch + OTHERS) + descent_error(problem, rate, steps, shortest)
    added = 2.0 * share * error * float(_batch_changes(problem, count, rate, steps).sum())
    return added * (1.0 + 1e-14 * (steps + 10.0))


def _batch_changes(problem: Problem, count: int, rate: float, steps: int) -> Array:
    """Σ_{t ≡ j mod m} η_t Π_{s>t} (1 - η_sμ) for every batch j, shape (m,)."""
    eta = rates(problem, rate, steps)
    # ln Π_{s>t} (1 - η_sμ), from the last step backwards.
    shrink = np.log1p(-eta * problem.strong_convexity)
    log_shrinkage = np.concatenate([np.cumsum(shrink[:0:-1])[::-1], [0.0]])
    change = np.zeros(count)
    np.add.at(change, np.arange(steps) % count, eta * np.exp(log_shrinkage))
    return change


def printed(problem: Problem, count: int, rate: float, steps: int) -> float:
    """Δ as Wu et al. print it, under replace-one: 2L/(nμ), or 2kLη/b where μ = 0.

    k is the number of passes begun, b = n/m.
    """
    if problem.strong_convexity > 0.0:
        return 2.0 * problem.lipschitz / (problem.records * problem.strong_convexity)
    passes = math.ceil(steps / count)
    return 2.0 * passes * problem.lipschitz * rate * count / problem.records


def descend(
    problem: Problem,
    features: Array,
    labels: Array,
    count: int,
    wanted: Sequence[tuple[float, int]],
    progress: Progress = silent,
) -> dict[tuple[float, int], Array]:
    """w_T for every (largest step size, T) wanted, from w₁ = 0 in `count` batches a pass."""
    records, lam, slope = len(labels), problem.lam, problem.function.slope
    forms = problem.forms(features, labels)
    parts = [forms[part] for part in np.array_split(order(records), count)]
    tops = np.array(sorted({rate for rate, _ in wanted}))
    lasts = {steps for _, steps in wanted}
    weights = np.zeros((features.shape[1], len(tops)))
    result: dict[tuple[float, int], Array] = {}
    last = max(lasts)
    for step in range(1, last + 1):
        batch = parts[(step - 1) % count]
        gradient = batch.rows.T @ slope(batch.at(weights)) * (count / records) + lam * weights
        eta = tops if lam == 0.0 else np.minimum(tops, 1.0 / (lam * step))
        weights = weights - eta * gradient
        if lam == 0.0:
            problem.project(weights)
        if step in lasts:
            for column, rate in enumerate(tops):
                result[float(rate), step] = weights[:, column].copy()
        if step % PROGRESS_EVERY == 0:
            progress(step / last, "permuted gradient descent")
    return result
