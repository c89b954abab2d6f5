"""The survey's models as predictors: they learn from columns, at a convex method's ε, δ and rows.

One that needs public records without labels (`Model.unlabelled`) is learned twice in each run, with
either half of the test records as these; each of the two keeps the ε of its row.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from dpcore.erm.losses import MARGIN_LOSSES
from dpcore.erm.method import COMPLETE_ONLY, Calibration, Settings
from dpcore.erm.problem import Problem
from dpcore.guarantee import Adjacency, Condition, Edition
from dpcore.models.model import (
    BY_PLACE,
    Model,
    ModelCalibration,
    ModelTraining,
    noiseless,
    rounded_up,
)
from dpcore.models.records import RecordShape
from dpcore.models.systems import model_named
from dpcore.predictors.predictor import Array, Judge, Noise, Predictor, PublicShape, Sample
from dpcore.progress import Progress, section, silent
from dpcore.words import as_set

OF_A_SPLIT = Condition(
    "who is kept for testing goes by the records' places or sites, of small published sets also by "
    "their classes: ε speaks of the training records of a split",
    True,
)
HALVES = EVEN, ODD = slice(0, None, 2), slice(1, None, 2)
"""Of the test records; what is learned with the one as public records is judged by the other."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What a model has learned."""

    parts: list[Any]  # with each of the public records; (distinct calibrations, runs)
    places: list[int]  # of every calibration among the distinct ones


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnPredictor(Predictor):
    """A model of the survey that tells two classes apart."""

    is_linear: ClassVar[bool] = False
    model: Model

    @classmethod
    def of(cls, model: Model) -> ColumnPredictor:
        """The model as a predictor."""
        power = 2 if model.unlabelled else 1
        return cls(**model.description, model=model, records_power=power)

    def refusal(self, loss: str, predicts: str, *, is_own: bool = False) -> str:
        if loss not in MARGIN_LOSSES or predicts != "class":
            return f"{self.title} learns to tell two classes apart only."
        if self.model.unlabelled and is_own:
            return f"{self.title} needs public records, and nobody has named some in this table."
        return ""

    def calibrate(
        self,
        shape: PublicShape,
        epsilons: Sequence[float],
        delta: float,
        edition: Edition,
        settings: Settings,
    ) -> list[Calibration]:
        """One calibration per ε, in the model's edition and under the problem's adjacency.

        A model proves what it promises under the adjacency that it is calibrated for, with the
        sensitivity of that adjacency; no ε of one adjacency is converted into that of another. One
        without a failure probability proves δ = 0 whatever `delta` is. Its numbers are scaled by
        public bounds, whatever the rows of others are scaled by.
        """
        problem = shape.problem
        given = model_calibrations(
            self.key, shape.columns, tuple(epsilons), delta, problem.adjacency
        )
        further = (self._sized(given[0]),) if problem.adjacency is Adjacency.REPLACE_ONE else ()
        return [self._of(problem, one, further) for one in given]

    def _sized(self, calibration: ModelCalibration) -> Condition:
        """How much further one record replaced moves the first query than one blanked out."""
        budget = calibration.requested
        (other,) = model_calibrations(
            self.key, calibration.shape, (budget.epsilon,), budget.delta, Adjacency.ZERO_OUT
        )
        ratio = round(calibration.noise.sensitivity / other.noise.sensitivity, 3)
        return Condition(
            f"one record replaced moves the {calibration.noise.query} {as_set(ratio)} times as "
            "far as one blanked out, and the noise is sized for that",
            True,
        )

    def _of(
        self, problem: Problem, calibration: ModelCalibration, further: tuple[Condition, ...]
    ) -> Calibration:
        noise = calibration.noise
        conditions = tuple(OF_A_SPLIT if one == BY_PLACE else one for one in calibration.conditions)
        complete = (Condition(COMPLETE_ONLY, True),) if problem.complete else ()
        return Calibration(
            method=self.key,
            title=self.title,
            edition=self.model.edition,
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

    def engine(self, calibration: Calibration) -> Hashable:
        """Models share nothing."""
        return self.key

    def fit(
        self,
        calibrations: Sequence[Calibration],
        sample: Sample,
        runs: int,
        noise: Noise,
        progress: Progress = silent,
    ) -> Learned:
        train, test = sample.columns
        first = calibrations[0]
        epsilons = tuple(one.requested.epsilon for one in calibrations)
        given: Sequence[ModelCalibration] = model_calibrations(
            self.key, train.shape, epsilons, first.requested.delta, first.problem.adjacency
        )
        places = list(range(len(given)))
        if noise.silent:  # many ε have one model
            given, places = _distinct([noiseless(one) for one in given])
        parts, publics = [], HALVES if self.model.unlabelled else (slice(0),)
        for place, public in enumerate(publics):
            report = section(progress, place / len(publics), 1.0 / len(publics))
            training = ModelTraining(train, test[public], given, runs, noise.seed, report)
            parts.append(self.model.learn(training))
        return Learned(parts, places)

    def judged(
        self, learned: Learned, sample: Sample, problem: Problem, scoring: Judge
    ) -> Mapping[str, Array]:
        """Each measure, by the scores."""
        scores, (_, test) = self.scores(learned, sample), sample.columns
        measured = scoring.of_scores(scores.reshape(-1, len(test)), test.labels == 1)
        return {
            name: values.reshape(scores.shape[:2])[learned.places].ravel()
            for name, values in measured.items()
        }

    def scores(self, learned: Learned, sample: Sample) -> Array:
        """The scores of the test records, (distinct calibrations, runs, m); above 0 for label 1."""
        assert self.model.scores is not None  # it predicts a class
        _, test = sample.columns
        if not self.model.unlabelled:
            return self.model.scores(learned.parts[0], test)
        with_even, with_odd = learned.parts
        odd = self.model.scores(with_even, test[ODD])
        scores = np.empty((*odd.shape[:2], len(test)))
        scores[:, :, ODD], scores[:, :, EVEN] = odd, self.model.scores(with_odd, test[EVEN])
        return scores


@lru_cache(maxsize=64)
def model_calibrations(
    key: str, shape: RecordShape, epsilons: tuple[float, ...], delta: float, adjacency: Adjacency
) -> tuple[ModelCalibration, ...]:
    """`Model.calibrate`; kept, as many splits share one."""
    return tuple(model_named(key).calibrate(shape, epsilons, delta, adjacency))


def gaussian_mu(calibration: ModelCalibration) -> float | None:
    """μ of all noise that is drawn, √Σ(Δ/σ)², rounded up; ``None`` where any is not Gaussian."""
    if (
        any(noise.law != "gaussian" for noise in calibration.noises)
        or calibration.proof.epsilon is None
    ):
        return None
    squares = [noise.times * (noise.sensitivity / noise.scale) ** 2 for noise in calibration.noises]
    return rounded_up(math.sqrt(math.fsum(squares)))


def _distinct(given: Sequence[ModelCalibration]) -> tuple[list[ModelCalibration], list[int]]:
    """One calibration of each setting, and the place among them of every one."""
    place_of: dict[Hashable, int] = {}
    distinct: list[ModelCalibration] = []
    places: list[int] = []
    for one in given:
        key = tuple(one.settings.items()), one.noises
        if key not in place_of:
            place_of[key] = len(distinct)
            distinct.append(one)
        places.append(place_of[key])
    return distinct, places
