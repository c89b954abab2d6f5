"""Private models on the synthetic cohort, judged in closed form.

OPERA under zero-out at δ = 1e-5; means over the noise are exact to 1e-4, bands are of draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Preparation, Split, Table, load, prepare
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Calibration
from dpcore.evaluation.scoring import HIGH, LOW
from dpcore.evaluation.scoring.metrics import expected_rates, noisy_accuracies
from dpcore.evaluation.study import Study, calibrations_for, problem_for
from dpcore.lessons.lesson import DELTA

METHOD = "opera"
DRAWS = 200
Array = NDArray[np.floating]


@dataclass(frozen=True)
class Models:
    patients: Table
    split: Split
    calibrations: Sequence[Calibration]
    centres: Array  # (ε, d), before their noise is added
    exact: Array  # (d,), without noise

    def accuracies(self, among: NDArray[np.bool_] | None = None) -> tuple[float, Array]:
        """In percent of the further patients: without noise, and the mean at each ε (ε,)."""
        selection = slice(None) if among is None else among
        features, labels = self.split.x_test[selection], self.split.y_test[selection]
        sigmas = np.array([0.0, *(each.sigma for each in self.calibrations)])
        models = np.concatenate([self.exact[None], self.centres])
        values = 100.0 * expected_rates(models, sigmas, features, labels).accuracy
        return float(values[0]), values[1:]

    def bands(self, seed: int) -> tuple[Array, Array]:
        """The 5 % and 95 % quantiles of a single model's accuracy in percent, each (ε,)."""
        draws = np.random.default_rng(seed).standard_normal((DRAWS, len(self.exact)))
        sigmas = np.array([each.sigma for each in self.calibrations])
        split = self.split
        values = noisy_accuracies(self.centres, sigmas, draws, split.x_test, split.y_test)
        low, high = np.quantile(100.0 * values, [LOW, HIGH], axis=1)
        return low, high


def models(records: int, epsilons: tuple[float, ...], seed: int) -> Models:
    """Train the models on a cohort of 100 to 1,000,000 records."""
    study = Study(
        dataset="cohort", records=records, methods=(METHOD,), epsilons=epsilons, delta=DELTA
    )
    patients = load("cohort", records=records, seed=seed)
    split = prepare(patients, Preparation())
    problem = problem_for(study, split)
    calibrations = calibrations_for(study, problem, DELTA)[METHOD]
    return Models(
        patients,
        split,
        calibrations,
        one_vs_rest.centres(problem, split.x_train, split.y_train, calibrations),
        one_vs_rest.minimise(problem, split.x_train, split.y_train),
    )
