"""What every predictor can do, and what it is handed: public facts, records and noise."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Split, Table
from dpcore.erm.method import Calibration, Settings, Trust
from dpcore.erm.problem import Problem
from dpcore.guarantee import Described, Edition
from dpcore.models.records import Records, RecordShape, split_records
from dpcore.progress import Progress, silent

Array = NDArray[np.floating]


@dataclass(frozen=True)
class PublicShape:
    """The public facts about a task: the problem of those that learn from rows, and the columns."""

    problem: Problem
    columns: RecordShape


@dataclass(frozen=True, eq=False)
class Sample:
    """The records of one split, to learn from and to judge on."""

    split: Split  # prepared as rows
    table: Table | None = None  # the records that it is of; those who read rows alone need none

    @cached_property
    def columns(self) -> tuple[Records, Records]:
        """The records of exactly these rows by their columns, to learn from and to judge on."""
        if self.table is None:
            raise TypeError("columns are learned from, but a prepared split has rows alone")
        return split_records(self.table, self.split.preparation)


@dataclass(frozen=True)
class Noise:
    """Where the noise of an exploration comes from, and whether it is left out."""

    seed: int
    silent: bool = False  # leaves the noise out and changes nothing else


class Judge(Protocol):
    """The measures of models, by column; see `dpcore.evaluation.scoring`."""

    def of_runs(self, problem: Problem, split: Split, models: Array) -> dict[str, Array]:
        """Judge models by their weights (k, d)."""

    def of_scores(self, scores: Array, positive: NDArray[np.bool_]) -> dict[str, Array]:
        """Judge models by their scores (k, m) of test records."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Predictor(Described, ABC):
    """All that learns to predict an outcome: how its noise is found, drawn and judged.

    Attributes
    ----------
    is_linear : bool
        Whether its scores are linear in the prepared rows: then it learns whatever its loss is for,
        and with the logistic loss its scores are log-odds.
    heeds : collection of str
        The kinds of settings that change it (`dpcore.datasets.preparation.HEEDED_BY`).
    closed_form : bool
        Whether the release is a fixed vector plus Gaussian noise, so that expectations need no
        draws.
    records_power : int
        By which power of 1/ε more records make up for a smaller ε.
    trust : callable, optional
        (calibration) -> whom one has to trust for which ε, where people blur their own records.
    """

    is_linear: ClassVar[bool]
    heeds: Collection[str] = ()
    closed_form: bool = False
    records_power: int = 1
    trust: Callable[[Calibration], tuple[Trust, ...]] | None = None

    @abstractmethod
    def refusal(self, loss: str, predicts: str, *, is_own: bool = False) -> str:
        """Why it cannot learn this, in one plain sentence; "" where it can."""

    def own_problem(self, problem: Problem, edition: Edition) -> Problem:
        """The problem as it learns it where no λ is given."""
        return problem

    def features(self, problem: Problem, epsilons: Sequence[float], delta: float) -> list[str]:
        """The feature map of the rows at each ε, by a rule in public values."""
        return ["plain"] * len(epsilons)

    @abstractmethod
    def calibrate(
        self,
        shape: PublicShape,
        epsilons: Sequence[float],
        delta: float,
        edition: Edition,
        settings: Settings,
    ) -> list[Calibration]:
        """One calibration per requested ε. Pure and cheap; sees public values only."""

    @abstractmethod
    def engine(self, calibration: Calibration) -> Hashable:
        """What calibrations, also of several predictors, have in common to be fitted at once."""

    @abstractmethod
    def fit(
        self,
        calibrations: Sequence[Calibration],
        sample: Sample,
        runs: int,
        noise: Noise,
        progress: Progress = silent,
    ) -> Any:
        """Learn from a sample, so often for each calibration. The only step that draws noise."""

    @abstractmethod
    def judged(
        self, learned: Any, sample: Sample, problem: Problem, scoring: Judge
    ) -> Mapping[str, Array]:
        """Each measure of what `fit` has learned, by calibration and run in turn. Not private.

        An objective is that of the problem.
        """
