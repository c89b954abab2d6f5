"""Several classes as several problems of two: each class against all others, from the same records.

Every record takes part in all K problems, so one record blanked out or replaced is one record
blanked out or replaced in each of them, and what is proved of each composes over all K. Where each
is μ-Gaussian DP the whole is √K μ-Gaussian DP (Dong, Roth and Su 2022, Corollary 2). Steps on
batches and tilts of the objective are counted all together, by the method's own accounting of K
times as many. With δ = 0 nothing is tighter than adding up, so each gets a K-th of ε. Which class a
record has is then the one whose problem says so most clearly, which is post-processing.

A model of K classes is K vectors of weights, one after the other: K·d numbers. With two classes, or
a number to predict, there is one problem and nothing here changes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.erm import newton, output_noise
from dpcore.erm.method import (
    Calibration,
    Method,
    Progress,
    Release,
    Settings,
    data_conditions,
    silent,
)
from dpcore.erm.problem import Problem
from dpcore.guarantee import Edition, Guarantee, PrivacyBudget, Status
from dpcore.mechanisms.gaussian import (
    analytic_delta,
    analytic_epsilon,
    analytic_mu,
    classical_condition,
)

Array = NDArray[np.floating]

ROUNDING = 1e-9
"""Relative share of the budget that is left for the rounding of what is composed."""


MOST_TOGETHER = 30
"""Classes that are counted together; with more, ε and δ add up. Objective perturbation has up to
4^K corners, beside which the least number that δ can be told by must stay small."""


TOO_LITTLE = "The noise of all classes together does not keep the promise."


@dataclass(frozen=True, eq=False)
class ClassProblem:
    """One of the problems: where its weights stand in a model, and its labels.

    Parameters
    ----------
    place : slice
        Of the last axis of models.
    labels : (n,) array
        ±1, or the numbers that are predicted; 0 of a blank record.
    """

    place: slice
    labels: Array


def parts(problem: Problem, labels: Array) -> list[ClassProblem]:
    """The problems, one a class, or the only one.

    Parameters
    ----------
    problem : Problem
        Its number of classes and of features are used.
    labels : (n,) array
        Of several classes: their numbers from 0 on, and -1 of a blank record.
    """
    d = problem.dimension
    if problem.classes == 2:
        return [ClassProblem(slice(0, d), labels)]
    return [
        ClassProblem(slice(k * d, (k + 1) * d), np.select([labels == k, labels >= 0], [1.0, -1.0]))
        for k in range(problem.classes)
    ]


def calibrate(
    method: Method,
    problem: Problem,
    epsilons: Sequence[float],
    delta: float,
    edition: Edition,
    settings: Settings,
) -> list[Calibration]:
    """One calibration per requested total ε: the noise of each problem, the promise of all.

    Of several classes it is always the sound edition: no paper's claim is about them.
    """
    if problem.classes == 2:
        return method.calibrate(problem, epsilons, delta, edition, settings)
    return [
        _all_classes(method, problem, PrivacyBudget(epsilon, delta), settings)
        for epsilon in epsilons
    ]


def _all_classes(
    method: Method, problem: Problem, budget: PrivacyBudget, settings: Settings
) -> Calibration:
    alone = replace(problem, classes=2)

    def one(epsilon: float, delta: float) -> Calibration:
        made = method.calibrate(alone, [epsilon], delta, Edition.SOUND, settings)[0]
        return replace(made, problem=problem)

    if method.all_classes and problem.classes <= MOST_TOGETHER:
        made = method.calibrate(problem, [budget.epsilon], budget.delta, Edition.SOUND, settings)[0]
        return _together(made)
    count, total = problem.classes, float(analytic_mu(budget.epsilon, budget.delta))
    # Any (ε, δ) on the curve of a Gaussian mechanism stands for it; this one is in range for all.
    epsilon = budget.epsilon / math.sqrt(count)
    mu = total / math.sqrt(count) * (1.0 - ROUNDING)
    found = _of_each(one(epsilon, float(analytic_delta(epsilon, 1.0 / mu))))
    if found.status is Status.NOT_PRIVATE:
        return replace(found, requested=budget)
    if found.gaussian_mu is None:
        share = (1.0 - ROUNDING) / count
        return _added_up(_of_each(one(share * budget.epsilon, share * budget.delta)), budget)
    whole = math.sqrt(count) * found.gaussian_mu * (1.0 + 1e-15)
    certified = Guarantee(
        float(analytic_epsilon(1.0 / whole, budget.delta)),
        budget.delta,
        problem.adjacency,
        f"{count} classes: exact composition of their Gaussian mechanisms",
    )
    by = f"{count} classes, √{count} times the μ of one; each: {found.proof.by}"
    proof = (
        Guarantee(budget.epsilon, budget.delta, problem.adjacency, by)
        if found.proof.epsilon is not None and whole <= total
        else Guarantee(None, None, problem.adjacency, by, found.proof.reason or TOO_LITTLE)
    )
    return replace(
        found,
        requested=budget,
        proof=proof,
        certified=certified,
        gaussian_mu=whole,
        status=Status.CONDITIONS_NOT_MET if proof.epsilon is None else found.status,
    )


def _together(found: Calibration) -> Calibration:
    """The same, where the method has counted all classes itself; that is said."""

    def said(one: Guarantee) -> Guarantee:
        return replace(one, by=f"{found.problem.classes} classes, counted together: {one.by}")

    return replace(found, proof=said(found.proof), certified=said(found.certified))


def _of_each(found: Calibration) -> Calibration:
    """The same, where conditions are said to be about one class's problem and share of ε."""
    of_all = data_conditions(found.problem)
    classical = classical_condition(found.requested.epsilon)
    share = classical_condition(found.requested.epsilon, "each class's share")
    conditions, reason = [], found.proof.reason
    for one in found.conditions:
        if one == classical:
            conditions.append(share)
            reason = reason.replace(one.consequence, share.consequence)
        else:
            text = one.text if one in of_all else f"for each class: {one.text}"
            conditions.append(replace(one, text=text))
    return replace(found, conditions=tuple(conditions), proof=replace(found.proof, reason=reason))


def _added_up(found: Calibration, budget: PrivacyBudget) -> Calibration:
    """What K times this noise proves: K times its ε and its δ, rounded up."""
    count = found.problem.classes

    def times(one: Guarantee) -> Guarantee:
        if one.epsilon is None or one.delta is None:
            return one
        epsilon, delta = (count * each * (1.0 + 1e-15) for each in (one.epsilon, one.delta))
        # Each problem's share of the budget leaves room for rounding.
        if one.epsilon <= found.requested.epsilon:
            epsilon = min(epsilon, budget.epsilon)
        if one.delta <= found.requested.delta:
            delta = min(delta, budget.delta)
        by = f"{count} classes, whose ε and δ add up; each: {one.by}"
        return replace(one, epsilon=epsilon, delta=min(delta, 1.0), by=by)

    return replace(
        found, requested=budget, proof=times(found.proof), certified=times(found.certified)
    )


def release(
    draw: Release,
    problem: Problem,
    features: Array,
    labels: Array,
    calibrations: Sequence[Calibration],
    runs: int,
    seed: int | None,
    progress: Progress = silent,
) -> Array:
    """A method's release for every class, shape (calibrations, runs, K·d).

    No two classes share noise. With a seed it is for exploration only.
    """
    every = parts(problem, labels)
    found = []
    for number, part in enumerate(every):

        def report(share: float, message: str, number: int = number) -> None:
            progress((number + share) / len(every), message)

        own = seed if len(every) == 1 else _seed(seed, number)
        found.append(draw(problem, features, part.labels, calibrations, runs, own, report))
    return found[0] if len(found) == 1 else np.concatenate(found, axis=-1)


def _seed(seed: int | None, number: int) -> int | None:
    if seed is None:
        return None
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


def minimise(problem: Problem, features: Array, labels: Array) -> Array:
    """The exact minimisers of all problems, shape (K·d,); no privacy here."""
    every = parts(problem, labels)
    return np.concatenate([newton.minimise(problem, features, part.labels) for part in every])


def centres(
    problem: Problem,
    features: Array,
    labels: Array,
    calibrations: Sequence[Calibration],
    progress: Progress = silent,
) -> Array:
    """What output perturbation blurs, shape (calibrations, K·d)."""
    every = parts(problem, labels)
    found = [
        output_noise.centres(problem, features, part.labels, calibrations, progress)
        for part in every
    ]
    return np.concatenate(found, axis=-1)
