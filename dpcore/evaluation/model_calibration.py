"""The survey's models calibrated as convex methods are: from a study's problem, at its ε and δ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from dpcore.datasets import Entry, Preparation
from dpcore.datasets.preparation import used_columns
from dpcore.erm.method import COMPLETE_ONLY, Calibration
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Condition
from dpcore.models.model import BY_PLACE, Model, ModelCalibration, rounded_up
from dpcore.models.records import RecordShape, shape_with
from dpcore.models.register import model_named
from dpcore.words import as_set

OF_A_SPLIT = Condition(
    "who is kept for testing goes by the records' places or sites, of small published sets also by "
    "their classes: ε speaks of the training records of a split",
    True,
)


def calibrated(
    model: Model,
    entry: Entry,
    preparation: Preparation,
    problem: Problem,
    epsilons: Sequence[float],
    delta: float,
) -> list[Calibration]:
    """One calibration per ε, under the problem's adjacency. Pure: no data, no noise.

    A model proves what it promises under the adjacency that it is calibrated for, with the
    sensitivity of that adjacency; no ε of one adjacency is converted into that of another. One
    without a failure probability proves δ = 0 whatever `delta` is.
    """
    shape = shape_with(used_columns(entry, preparation), problem.records)
    model_calibrations = calibrations(model.key, shape, tuple(epsilons), delta, problem.adjacency)
    further = (
        _sized(model, model_calibrations[0]) if problem.adjacency is Adjacency.REPLACE_ONE else ()
    )
    return [_as_of_a_method(model, problem, one, further) for one in model_calibrations]


@lru_cache(maxsize=64)
def calibrations(
    key: str, shape: RecordShape, epsilons: tuple[float, ...], delta: float, adjacency: Adjacency
) -> tuple[ModelCalibration, ...]:
    """`Model.calibrate`; kept, as many splits share one."""
    return tuple(model_named(key).calibrate(shape, epsilons, delta, adjacency))


def _sized(model: Model, calibration: ModelCalibration) -> tuple[Condition, ...]:
    """How much further one record replaced moves the first query than one blanked out."""
    budget = calibration.requested
    other = calibrations(
        model.key, calibration.shape, (budget.epsilon,), budget.delta, Adjacency.ZERO_OUT
    )[0]
    ratio = round(calibration.noise.sensitivity / other.noise.sensitivity, 3)
    return (
        Condition(
            f"one record replaced moves the {calibration.noise.query} {as_set(ratio)} times as "
            "far as one blanked out, and the noise is sized for that",
            True,
        ),
    )


def _as_of_a_method(
    model: Model, problem: Problem, calibration: ModelCalibration, further: tuple[Condition, ...]
) -> Calibration:
    noise = calibration.noise
    conditions = tuple(OF_A_SPLIT if one == BY_PLACE else one for one in calibration.conditions)
    complete = (Condition(COMPLETE_ONLY, True),) if problem.complete else ()
    return Calibration(
        method=model.key,
        title=model.title,
        edition=model.edition,
        problem=problem,
        requested=calibration.requested,
        batch=problem.records,
        claim=calibration.claim,
        proof=calibration.proof,
        certified=calibration.proof,
        query=noise.query,
        sensitivity=noise.sensitivity,
        sigma=noise.scale if noise.law == "gaussian" else math.nan,
        conditions=(*conditions, *further, *complete),
        status=calibration.status,
        gaussian_mu=gaussian_mu(calibration),
    )


def gaussian_mu(calibration: ModelCalibration) -> float | None:
    """μ of all noise that is drawn, √Σ(Δ/σ)², rounded up; ``None`` where any is not Gaussian."""
    if (
        any(noise.law != "gaussian" for noise in calibration.noises)
        or calibration.proof.epsilon is None
    ):
        return None
    squares = [noise.times * (noise.sensitivity / noise.scale) ** 2 for noise in calibration.noises]
    return rounded_up(math.sqrt(math.fsum(squares)))
