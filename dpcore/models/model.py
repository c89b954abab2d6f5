"""Definition of a model of the survey; each file in `dpcore/models/systems/` has its `MODEL`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import number, one_of
from dpcore.guarantee import (
    Adjacency,
    Condition,
    Described,
    Edition,
    Guarantee,
    PrivacyBudget,
    Standing,
    Status,
    not_in_print,
    proved_under,
)
from dpcore.mechanisms.gaussian import analytic_mu
from dpcore.models.records import Records, RecordShape
from dpcore.progress import Progress, silent
from dpcore.words import spaced

Array = NDArray[np.float64]

NOISE_STREAM = 0x4D6F646C
"""Any number but 0: [seed, 0] alone would be the stream that makes and splits data."""

ANALYTIC = "analytic Gaussian mechanism (Balle and Wang 2018), μ composed as √Σμ²"


@dataclass(frozen=True)
class ModelNoise:
    """One kind of noise that a model draws."""

    query: str  # the noisy quantity, or the choice
    law: str  # "gaussian", "laplace" (density ∝ exp(-‖z‖₂/scale)), "wishart" or "exponential"
    # in L2 norm, or the range of changes of scores, under the calibration's adjacency
    sensitivity: float
    scale: float  # σ or b per coordinate, or the exponential mechanism's rate
    times: int = 1  # draws that one record affects


@dataclass(frozen=True)
class ModelCalibration:
    """Everything decided before noise is drawn, at one requested budget."""

    shape: RecordShape
    requested: PrivacyBudget
    adjacency: Adjacency
    noises: tuple[ModelNoise, ...]
    # chosen by the rules: depth, trees, teachers, …
    settings: dict[str, float]
    conditions: tuple[Condition, ...]
    claim: Guarantee
    proof: Guarantee
    status: Status

    @property
    def noise(self) -> ModelNoise:
        """The first kind of noise, for models that have one."""
        return self.noises[0]


def with_noise(calibration: ModelCalibration, share: float) -> ModelCalibration:
    """A copy with this share of the noise and the same promise."""

    def scale(noise: ModelNoise) -> float:
        if noise.law != "exponential":
            return noise.scale * share
        return noise.scale / share if share else math.inf

    noises = tuple(replace(noise, scale=scale(noise)) for noise in calibration.noises)
    return replace(calibration, noises=noises)


def noiseless(calibration: ModelCalibration) -> ModelCalibration:
    """The same model without noise: nothing is promised."""
    nothing = Guarantee(None, None, calibration.adjacency, "none", "No noise is added.")
    silent_copy = with_noise(calibration, 0.0)
    return replace(silent_copy, claim=nothing, proof=nothing, status=Status.NOT_PRIVATE)


@dataclass(frozen=True)
class NoisePlan:
    """The noise of a model at one budget, and what it proves."""

    noises: Sequence[ModelNoise]
    settings: dict[str, float] = field(default_factory=dict)  # as in `ModelCalibration`
    by: str = ANALYTIC  # the theorem or accountant by which the noise keeps the budget
    # besides those about the data; where one is unmet nothing is proved
    conditions: Sequence[Condition] = ()
    claim: Guarantee | None = None  # the paper's, where this edition is in print


def gaussian_noise(
    query: str, sensitivity: float, budget: PrivacyBudget, times: int = 1
) -> ModelNoise:
    """Gaussian noise with which a query, asked so often, spends the budget; σ is rounded up."""
    sigma = rounded_up(sensitivity * math.sqrt(times) / gaussian_level(budget))
    return ModelNoise(query, "gaussian", sensitivity, sigma, times)


@dataclass(frozen=True)
class ModelTraining:
    """What models are learned from; noise is drawn for all calibrations and runs together."""

    train: Records  # a blank record adds nothing, and moves no other to another group or round
    unlabelled: Records  # only their features may be used; they count as public
    calibrations: Sequence[ModelCalibration]
    runs: int
    seed: int
    progress: Progress = silent

    @property
    def scales(self) -> Array:
        """The scale of the first kind of noise, by calibration; (k,)."""
        return np.array([calibration.noise.scale for calibration in self.calibrations])

    @property
    def generators(self) -> list[np.random.Generator]:
        """A new generator of noise for each run."""
        return [generator(self.seed, run) for run in range(self.runs)]


@dataclass(frozen=True)
class ModelMetric:
    """The measure of a model on test records."""

    key: str
    title: str
    higher_is_better: bool
    # a model that learns nothing, in words, and (train, test) -> its measure
    trivial: str
    of_trivial: Callable[[Records, Records], float]


def majority(train: Records, test: Records) -> float:
    train = train.known
    common = int(2 * int(train.labels.sum()) > len(train))
    return float(np.mean(test.labels == common))


ACCURACY = ModelMetric(
    "accuracy", "Accuracy on test records", True, "the commoner class for all", majority
)


Scores = Callable[[Any, Records], Array]
"""(learned, records) -> (calibrations, runs, n) array: above 0 for label 1, else for label 0, and
the higher the surer."""


def linear_scores(features: Array, weights: Array) -> Array:
    """Scores of records (n, d) by weights (k, runs, d)."""
    scores = weights.reshape(-1, weights.shape[-1]) @ features.T
    return np.asarray(scores.reshape(*weights.shape[:2], len(features)))


def judged_by(scores: Scores) -> Callable[[Any, Records], Array]:
    """The share of records whose score is on their label's side, as `Model.judge`."""

    def accuracy(learned: Any, test: Records) -> Array:
        return np.asarray(np.mean((scores(learned, test) > 0.0) == (test.labels == 1), axis=-1))

    return accuracy


@dataclass(frozen=True, kw_only=True)
class Model(Described):
    """One model of the survey, in one edition.

    Parameters
    ----------
    key, title, paper, idea, words, editions, limits
        As in `Described`.
    system : str
        The system of the survey (paper 001) behind it, with its reference there.
    plan : callable
        (shape, budget, adjacency) -> the `NoisePlan` that keeps the budget. Pure and cheap; sees
        public values only.
    learn : callable
        `ModelTraining` -> the learned models of all calibrations and runs.
    judge : callable
        (learned, test) -> (calibrations, runs) array of the measure.
    scores : callable, optional
        `Scores`, of a model that predicts a class.
    measure : ModelMetric
        Its measure on test records.
    adjacencies : tuple of Adjacency
        Those the proof covers; the first is the default.
    pure : bool
        Whether it keeps δ = 0, whatever δ is requested.
    unlabelled : bool
        Whether it needs public records without labels: half of the test records serve as these.
    uses_labels : bool
        Whether it learns from a label, which must then be one of two classes.
    """

    system: str
    plan: Callable[[RecordShape, PrivacyBudget, Adjacency], NoisePlan]
    learn: Callable[[ModelTraining], Any]
    judge: Callable[[Any, Records], Array]
    scores: Scores | None = None
    measure: ModelMetric = ACCURACY
    adjacencies: tuple[Adjacency, ...] = (Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE)
    pure: bool = False
    unlabelled: bool = False
    uses_labels: bool = True

    @property
    def edition(self) -> Edition:
        """Sound, or as published where the published one is run."""
        (edition,) = self.editions
        return edition

    @property
    def standing(self) -> Standing:
        """What is claimed and proved of its edition."""
        return self.editions[self.edition]

    def calibrate(
        self, shape: RecordShape, epsilons: Sequence[float], delta: float, adjacency: Adjacency
    ) -> list[ModelCalibration]:
        """One calibration per requested ε. Pure; sees public values only.

        An ε not above 0, a δ not strictly between 0 and 1 or an adjacency not covered is refused.
        """
        number("delta", delta, above=0.0, below=1.0)
        one_of("adjacency", adjacency, self.adjacencies)
        budgets = [PrivacyBudget(epsilon, delta) for epsilon in epsilons]
        return [self._calibration(shape, budget, adjacency) for budget in budgets]

    def _calibration(
        self, shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency
    ) -> ModelCalibration:
        plan = self.plan(shape, budget, adjacency)
        conditions = (*data_conditions(shape), *plan.conditions)
        proof = proved_under(conditions, budget, adjacency, plan.by, pure=self.pure)
        return ModelCalibration(
            shape=shape,
            requested=budget,
            adjacency=adjacency,
            noises=tuple(plan.noises),
            settings=plan.settings,
            conditions=conditions,
            claim=plan.claim or not_in_print(adjacency),
            proof=proof,
            status=Status.CLAIM_NOT_SUPPORTED if proof.epsilon is None else Status.PROVED,
        )


def gaussian_level(budget: PrivacyBudget) -> float:
    """The largest μ within the budget, rounded down."""
    return float(analytic_mu(budget.epsilon, budget.delta))


BY_PLACE = Condition(
    "who is kept for testing goes by the records' places, not by what they hold", True
)


def data_conditions(shape: RecordShape) -> tuple[Condition, ...]:
    """The assumptions of every sensitivity here about the data."""
    return (
        Condition("every value within public bounds, by its own record alone (refused else)", True),
        Condition(
            "the number of records is public, blank ones included; rules use n = "
            f"{spaced(shape.size)}",
            True,
        ),
        BY_PLACE,
    )


def rounded_up(value: float) -> float:
    """A sensitivity or scale slightly above its computed value."""
    return value * (1.0 + 1e-14)


def generator(seed: int, run: int) -> np.random.Generator:
    """The generator of one run's noise; for exploration, since the seed gives it away."""
    return np.random.default_rng([seed, run, NOISE_STREAM])
