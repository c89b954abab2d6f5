"""The convex methods as predictors: they learn weights from prepared rows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from dpcore.datasets.features import by_noise
from dpcore.datasets.preparation import BLURRED, ROWS
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Calibration, Method, Settings, Training
from dpcore.erm.problem import Problem
from dpcore.guarantee import Condition, Edition, Guarantee, Status
from dpcore.mechanisms.gaussian import analytic_mu
from dpcore.predictors.predictor import Array, Judge, Noise, Predictor, PublicShape, Sample
from dpcore.progress import Progress, silent


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearPredictor(Predictor):
    """A convex method; each of several classes against all others."""

    is_linear: ClassVar[bool] = True
    method: Method

    @classmethod
    def of(cls, method: Method) -> LinearPredictor:
        """The method as a predictor."""
        return cls(
            **method.description,
            method=method,
            heeds=(ROWS,) if method.trust is None else (ROWS, BLURRED),
            closed_form=method.closed_form,
            trust=method.trust,
        )

    def refusal(self, loss: str, predicts: str, *, is_own: bool = False) -> str:
        return self.method.refusal(loss)

    def own_problem(self, problem: Problem, edition: Edition) -> Problem:
        """The problem at the method's own share of λ."""
        if edition is not Edition.SOUND:
            return problem
        return replace(problem, lam=problem.lam * self.method.lam_share)

    def features(self, problem: Problem, epsilons: Sequence[float], delta: float) -> list[str]:
        """Straight lines at a small ε, curves above."""
        change = problem.exact_change * math.sqrt(problem.parts)
        levels: list[float] = (analytic_mu(epsilons, delta) / change).tolist()
        return [by_noise(problem.records, problem.dimension, mu) for mu in levels]

    def calibrate(
        self,
        shape: PublicShape,
        epsilons: Sequence[float],
        delta: float,
        edition: Edition,
        settings: Settings,
    ) -> list[Calibration]:
        problem = shape.problem
        given = one_vs_rest.calibrate(self.method, problem, epsilons, delta, edition, settings)
        return given if problem.public_preparation else [without_proof(one) for one in given]

    def engine(self, calibration: Calibration) -> Hashable:
        """Methods that share a release and λ share its batch, and so its draws within a run."""
        return self.method.release, calibration.problem.lam

    def fit(
        self,
        calibrations: Sequence[Calibration],
        sample: Sample,
        runs: int,
        noise: Noise,
        progress: Progress = silent,
    ) -> Array:
        """The weights, (calibrations, runs, d)."""
        given = training(calibrations, sample, runs, noise, progress)
        return one_vs_rest.release(self.method.release, given)

    def judged(
        self, learned: Array, sample: Sample, problem: Problem, scoring: Judge
    ) -> Mapping[str, Array]:
        """Each measure, by the weights."""
        # Without noise all runs give one model, which is scored once.
        weights = learned.reshape(-1, learned.shape[-1])
        models, place = np.unique(weights, axis=0, return_inverse=True)
        measured = scoring.of_runs(problem, sample.split, models)
        return {name: values[place] for name, values in measured.items()}


def training(
    calibrations: Sequence[Calibration],
    sample: Sample,
    runs: int,
    noise: Noise,
    progress: Progress = silent,
) -> Training:
    """What weights are learned from."""
    split = sample.split
    return Training(
        calibrations[0].problem,
        split.x_train,
        split.y_train,
        calibrations,
        runs,
        noise.seed,
        progress,
        noise.silent,
    )


def without_proof(calibration: Calibration) -> Calibration:
    """The calibration on data scaled by their own range: nothing is proved, whatever the noise."""
    reason = "The features were scaled by the data's own range, so one record can move every row."
    empty = Guarantee(None, None, calibration.problem.adjacency, "none", reason)
    final = (Status.NOT_PRIVATE, Status.CLAIM_NOT_SUPPORTED)
    unmet = Condition("every record prepared on its own, by public bounds", False, reason)
    return replace(
        calibration,
        conditions=(*calibration.conditions, unmet),
        proof=empty,
        certified=empty,
        gaussian_mu=None,
        status=calibration.status if calibration.status in final else Status.CONDITIONS_NOT_MET,
    )
