"""Definition of a model of the survey: its system, calibration, learning and measure.

Adding a model means writing one file in `dpcore/models/systems/` that defines `MODEL`. A
calibration sees public values only (`RecordShape`); learning is the only step that draws noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import number, one_of
from dpcore.guarantee import Adjacency, Condition, Edition, Guarantee, PrivacyBudget, Status
from dpcore.mechanisms.gaussian import analytic_mu
from dpcore.models.records import Records, RecordShape
from dpcore.progress import Progress

Array = NDArray[np.float64]

NOISE_STREAM = 0x4D6F646C
"""Any number but 0: [seed, 0] alone would be the stream that makes and splits data."""

ANALYTIC = "analytic Gaussian mechanism (Balle and Wang 2018), μ composed as √Σμ²"


@dataclass(frozen=True)
class ModelNoise:
    """One kind of noise that a model draws.

    Parameters
    ----------
    query : str
        The noisy quantity, or the choice.
    law : str
        "gaussian", "laplace" (density ∝ exp(-‖z‖₂/scale)), "wishart" (as published), or
        "exponential" for the mechanism of that name.
    sensitivity : float
        Largest change of the query by one record: in L2 norm, or for the exponential mechanism the
        range of the changes of the scores. It is that of the calibration's adjacency.
    scale : float
        σ or b per coordinate in the query's units; for the exponential mechanism the rate, the
        factor of the scores.
    times : int
        Number of draws that one record affects.
    """

    query: str
    law: str
    sensitivity: float
    scale: float
    times: int = 1


@dataclass(frozen=True)
class ModelCalibration:
    """Everything decided before noise is drawn, at one requested budget.

    Parameters
    ----------
    model : str
        Key of the model.
    shape : RecordShape
        The public values it was calibrated for.
    requested : PrivacyBudget
        The requested total (ε, δ).
    adjacency : Adjacency
        Which neighbours are compared.
    noises : tuple of ModelNoise
        All noise that is drawn.
    settings : dict of str to float
        Settings chosen by the rules: depth, trees, teachers, …
    conditions : tuple of Condition
        Every hypothesis of the proof, checked.
    claim, proof : Guarantee
        The paper's guarantee for this noise, and the proved one.
    status : Status
        The verdict.
    """

    model: str
    shape: RecordShape
    requested: PrivacyBudget
    adjacency: Adjacency
    noises: tuple[ModelNoise, ...]
    settings: dict[str, float]
    conditions: tuple[Condition, ...]
    claim: Guarantee
    proof: Guarantee
    status: Status

    @property
    def noise(self) -> ModelNoise:
        """The first kind of noise, for models that have one."""
        return self.noises[0]


def noiseless(calibration: ModelCalibration) -> ModelCalibration:
    """The same model without noise: nothing is promised."""
    nothing = Guarantee(None, None, calibration.adjacency, "none", "No noise is added.")
    return replace(
        calibration,
        noises=tuple(
            replace(noise, scale=math.inf if noise.law == "exponential" else 0.0)
            for noise in calibration.noises
        ),
        claim=nothing,
        proof=nothing,
        status=Status.NOT_PRIVATE,
    )


@dataclass(frozen=True)
class ModelMetric:
    """The measure of a model on test records.

    Parameters
    ----------
    key, title : str
        Name in tables, and on the axis.
    higher_is_better : bool
    trivial : str
        A model that learns nothing, in words.
    """

    key: str
    title: str
    higher_is_better: bool
    trivial: str


ACCURACY = ModelMetric("accuracy", "Accuracy on test records", True, "the commoner class for all")


@dataclass(frozen=True)
class Model:
    """One model of the survey.

    Parameters
    ----------
    key, title : str
        Name in code and links (the file's, with hyphens), and name on screen.
    system : str
        The system of the survey (paper 001) behind it, with its reference there.
    source : str
        The paper.
    idea : str
        One plain sentence.
    claim : str
        The claim of the system's paper, in one sentence.
    proof : str
        The proved statement about the model run here, in one or two sentences.
    status : Status
        The standing verdict.
    measure : ModelMetric
        Its measure on test records.
    adjacencies : tuple of Adjacency
        Those the proof covers; the first is the default.
    calibrate : callable
        (shape, epsilons, delta, adjacency) -> one `ModelCalibration` per ε. Pure and cheap.
    learn : callable
        (train, unlabelled, calibrations, runs, seed, progress) -> the learned models of all
        calibrations and runs. A blank record of `train` adds nothing, and moves no other to another
        group or round. Only the features of `unlabelled` may be used; they count as public.
    judge : callable
        (learned, test) -> (calibrations, runs) array of the measure.
    trivial : callable
        (train, test) -> the measure of a model that learns nothing.
    edition : Edition
        Sound, or as published where the published one is run.
    pure : bool
        Whether it keeps δ = 0, whatever δ is requested.
    unlabelled : bool
        Whether it needs public records without labels: half of the test records serve as these.
    uses_labels : bool
        Whether it learns from a label, which must then be one of two classes.
    limits : tuple of str
        Further limitations, one sentence each.
    """

    key: str
    title: str
    system: str
    source: str
    idea: str
    claim: str
    proof: str
    status: Status
    measure: ModelMetric
    adjacencies: tuple[Adjacency, ...]
    calibrate: Callable[[RecordShape, Sequence[float], float, Adjacency], list[ModelCalibration]]
    learn: Callable[[Records, Records, Sequence[ModelCalibration], int, int, Progress], Any]
    judge: Callable[[Any, Records], Array]
    trivial: Callable[[Records, Records], float]
    edition: Edition = Edition.SOUND
    pure: bool = False
    unlabelled: bool = False
    uses_labels: bool = True
    limits: tuple[str, ...] = field(default=())


def budgets(
    epsilons: Sequence[float], delta: float, adjacency: Adjacency, allowed: Sequence[Adjacency]
) -> list[PrivacyBudget]:
    """The requested (ε, δ), one per ε.

    Raises
    ------
    InvalidInput
        If an ε is not above 0, δ not strictly between 0 and 1, or the adjacency not covered.
    """
    number("delta", delta, above=0.0, below=1.0)
    one_of("adjacency", adjacency, tuple(allowed))
    return [PrivacyBudget(epsilon, delta) for epsilon in epsilons]


def gaussian_level(budget: PrivacyBudget) -> float:
    """The largest μ within the budget, rounded down."""
    return float(analytic_mu(budget.epsilon, budget.delta))


def proved(
    model: str,
    shape: RecordShape,
    budget: PrivacyBudget,
    adjacency: Adjacency,
    noises: Sequence[ModelNoise],
    *,
    by: str = ANALYTIC,
    pure: bool = False,
    settings: dict[str, float] | None = None,
    conditions: Sequence[Condition] = (),
) -> ModelCalibration:
    """A calibration whose noise keeps the budget by the theorem or accountant named."""
    return ModelCalibration(
        model=model,
        shape=shape,
        requested=budget,
        adjacency=adjacency,
        noises=tuple(noises),
        settings=settings or {},
        conditions=(*data_conditions(shape), *conditions),
        claim=Guarantee(None, None, adjacency, "no paper", "This edition is not in print."),
        proof=Guarantee(budget.epsilon, 0.0 if pure else budget.delta, adjacency, by),
        status=Status.PROVED,
    )


def data_conditions(shape: RecordShape) -> tuple[Condition, ...]:
    """The assumptions of every sensitivity here about the data."""
    return (
        Condition("every value within public bounds, by its own record alone (refused else)", True),
        Condition(
            f"the number of records is public, blank ones included; rules use n = {shape.size:,}",
            True,
        ),
        Condition(
            "who is kept for testing goes by the records' places, not by what they hold", True
        ),
    )


def rounded_up(value: float) -> float:
    """A sensitivity or scale slightly above its computed value."""
    return value * (1.0 + 1e-14)


def generator(seed: int, run: int) -> np.random.Generator:
    """The generator of one run's noise; for exploration, since the seed gives it away."""
    return np.random.default_rng([seed, run, NOISE_STREAM])


def majority(train: Records, test: Records) -> float:
    """Accuracy of always answering the commoner class of the training records."""
    train = train.known
    common = int(2 * int(train.labels.sum()) > len(train))
    return float(np.mean(test.labels == common))
