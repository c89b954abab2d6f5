"""Several classes as several problems of two: each class against all others, from the same records.

Every record takes part in all K problems, so one record blanked out or replaced is one record
blanked out or replaced in each of them, and the guarantees compose over all K. Where each problem
is μ-Gaussian DP the whole is √K μ-Gaussian DP (Dong, Roth and Su 2022, Corollary 2). Steps on
batches and tilts of the objective are counted all together, by the method's own accounting of K
times as many. With δ = 0 nothing is tighter than adding up, so each problem gets a K-th of ε. The
predicted class is the one with the largest score, which is post-processing.

A model of K classes is K vectors of weights, one after the other: K·d numbers. With two classes, or
a number to predict, there is one problem and nothing here changes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.erm import newton, output_perturbation
from dpcore.erm.method import Calibration, Method, Release, Settings, Training, data_conditions
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
"""Relative share of the budget reserved for rounding in the composition."""


MAX_TOGETHER = 30
"""Most classes counted together; with more, ε and δ add up. Objective perturbation has up to 4^K
corners, and that many times the smallest δ a float can hold must stay small."""


TOO_LITTLE = "The noise of all classes together does not keep the promise."


@dataclass(frozen=True, eq=False)
class ClassProblem:
    # of the last axis of models
    place: slice
    # (n,): ±1, or the numbers that are predicted; 0 of a blank record
    labels: Array


def parts(problem: Problem, labels: Array) -> list[ClassProblem]:
    """The problems, one a class, or the only one; a blank record has label 0, or -1 of classes."""
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
    """Calibrate the noise of each problem for each total ε, and state the promise of all."""
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

    def single_class(epsilon: float, delta: float) -> Calibration:
        calibration = method.calibrate(alone, [epsilon], delta, Edition.SOUND, settings)[0]
        return replace(calibration, problem=problem)

    if method.all_classes and problem.classes <= MAX_TOGETHER:
        calibration = method.calibrate(
            problem, [budget.epsilon], budget.delta, Edition.SOUND, settings
        )[0]
        return _together(calibration)
    count, total = problem.classes, float(analytic_mu(budget.epsilon, budget.delta))
    # Any (ε, δ) on the curve of a Gaussian mechanism stands for it; this one is in range for all.
    epsilon = budget.epsilon / math.sqrt(count)
    mu = total / math.sqrt(count) * (1.0 - ROUNDING)
    single = _of_each(single_class(epsilon, float(analytic_delta(epsilon, 1.0 / mu))))
    if single.status is Status.NOT_PRIVATE:
        return replace(single, requested=budget)
    if single.gaussian_mu is None:
        share = (1.0 - ROUNDING) / count
        return _added_up(
            _of_each(single_class(share * budget.epsilon, share * budget.delta)), budget
        )
    joint_mu = math.sqrt(count) * single.gaussian_mu * (1.0 + 1e-15)
    certified = Guarantee(
        float(analytic_epsilon(1.0 / joint_mu, budget.delta)),
        budget.delta,
        problem.adjacency,
        f"{count} classes: exact composition of their Gaussian mechanisms",
    )
    by = f"{count} classes, √{count} times the μ of one; each: {single.proof.by}"
    proof = (
        Guarantee(budget.epsilon, budget.delta, problem.adjacency, by)
        if single.proof.epsilon is not None and joint_mu <= total
        else Guarantee(None, None, problem.adjacency, by, single.proof.reason or TOO_LITTLE)
    )
    return replace(
        single,
        requested=budget,
        proof=proof,
        certified=certified,
        gaussian_mu=joint_mu,
        status=Status.CONDITIONS_NOT_MET if proof.epsilon is None else single.status,
    )


def _together(calibration: Calibration) -> Calibration:
    """The calibration, its guarantees marked as counted over all classes by the method itself."""

    def marked(guarantee: Guarantee) -> Guarantee:
        return replace(
            guarantee, by=f"{calibration.problem.classes} classes, counted together: {guarantee.by}"
        )

    return replace(
        calibration, proof=marked(calibration.proof), certified=marked(calibration.certified)
    )


def _of_each(calibration: Calibration) -> Calibration:
    of_all = data_conditions(calibration.problem)
    classical = classical_condition(calibration.requested.epsilon)
    share = classical_condition(calibration.requested.epsilon, "each class's share")
    conditions, reason = [], calibration.proof.reason
    for condition in calibration.conditions:
        if condition == classical:
            conditions.append(share)
            reason = reason.replace(condition.consequence, share.consequence)
        else:
            text = condition.text if condition in of_all else f"for each class: {condition.text}"
            conditions.append(replace(condition, text=text))
    return replace(
        calibration, conditions=tuple(conditions), proof=replace(calibration.proof, reason=reason)
    )


def _added_up(calibration: Calibration, budget: PrivacyBudget) -> Calibration:
    """The guarantee of K such releases: K times ε and δ, rounded up."""
    count = calibration.problem.classes

    def times(guarantee: Guarantee) -> Guarantee:
        if guarantee.epsilon is None or guarantee.delta is None:
            return guarantee
        epsilon, delta = (
            count * value * (1.0 + 1e-15) for value in (guarantee.epsilon, guarantee.delta)
        )
        # Each problem's share of the budget leaves room for rounding.
        if guarantee.epsilon <= calibration.requested.epsilon:
            epsilon = min(epsilon, budget.epsilon)
        if guarantee.delta <= calibration.requested.delta:
            delta = min(delta, budget.delta)
        by = f"{count} classes, whose ε and δ add up; each: {guarantee.by}"
        return replace(guarantee, epsilon=epsilon, delta=min(delta, 1.0), by=by)

    return replace(
        calibration,
        requested=budget,
        proof=times(calibration.proof),
        certified=times(calibration.certified),
    )


def release(draw: Release, training: Training) -> Array:
    """A method's release for every class, shape (calibrations, runs, K·d).

    No two classes share noise. With a seed it is for exploration only.
    """
    problems = parts(training.problem, training.labels)
    models = []
    for number, part in enumerate(problems):

        def report(share: float, message: str, number: int = number) -> None:
            training.progress((number + share) / len(problems), message)

        seed = training.seed if len(problems) == 1 else _seed(training.seed, number)
        models.append(draw(replace(training, labels=part.labels, seed=seed, progress=report)))
    return models[0] if len(models) == 1 else np.concatenate(models, axis=-1)


def _seed(seed: int | None, number: int) -> int | None:
    if seed is None:
        return None
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


def minimise(problem: Problem, features: Array, labels: Array) -> Array:
    """The exact minimisers of all problems, shape (K·d,); no privacy here."""
    majorant = newton.Majorant.of(problem, features)
    return np.concatenate(
        [
            newton.minimise(problem, features, part.labels, majorant)
            for part in parts(problem, labels)
        ]
    )


def centres(
    problem: Problem,
    features: Array,
    labels: Array,
    calibrations: Sequence[Calibration],
) -> Array:
    """The models before output noise, shape (calibrations, K·d)."""
    models = [
        output_perturbation.centres(problem, features, part.labels, calibrations)
        for part in parts(problem, labels)
    ]
    return np.concatenate(models, axis=-1)
