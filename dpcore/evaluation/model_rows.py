"""The survey's models on the splits of an exploration: learned and judged, a row each run.

One that needs public records without labels (`Model.unlabelled`) is learned twice in each run, with
either half of the test records as these; each of the two keeps the ε of its row.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Preparation, Table
from dpcore.erm.method import Calibration
from dpcore.evaluation.model_calibration import calibrations
from dpcore.evaluation.scoring import Array
from dpcore.evaluation.scoring.binary import CLASSIFICATION
from dpcore.models.model import Model, ModelCalibration, ModelTraining, noiseless
from dpcore.models.records import Records, split_records
from dpcore.models.register import model_named
from dpcore.progress import Progress, section

if TYPE_CHECKING:
    import pandas as pd


def model_rows(
    groups: Sequence[Sequence[Calibration]],
    table: Table,
    preparation: Preparation,
    runs: int,
    seed: int,
    progress: Progress,
) -> pd.DataFrame:
    """Make the rows of models on one split, in the columns of `sweep`. Not private."""
    import pandas as pd

    train, test = split_records(table, preparation)
    tables = []
    for place, group in enumerate(groups):
        part = section(progress, place / len(groups), 1.0 / len(groups))
        tables.append(_of_one(group, train, test, runs, seed, part))
    return pd.concat(tables, ignore_index=True)


def _of_one(
    group: Sequence[Calibration],
    train: Records,
    test: Records,
    runs: int,
    seed: int,
    progress: Progress,
) -> pd.DataFrame:
    import pandas as pd

    first = group[0]
    model, adjacency = model_named(first.method), first.problem.adjacency
    epsilons = tuple(one.requested.epsilon for one in group)
    model_calibrations = calibrations(
        model.key, train.shape, epsilons, first.requested.delta, adjacency
    )
    training = ModelTraining(
        train, test[:0], model_calibrations, runs, seed, section(progress, 0.0, 0.8)
    )
    started = time.perf_counter()
    measured = _measured(model, training, test)
    seconds = (time.perf_counter() - started) / (len(group) * runs)
    # Without noise many ε have one model.
    still, places = _distinct([noiseless(one) for one in model_calibrations])
    rest = section(progress, 0.8, 0.2)
    without = _measured(model, replace(training, calibrations=still, runs=1, progress=rest), test)
    for metric in CLASSIFICATION.banded:
        measured[f"{metric.column}_noiseless"] = np.repeat(without[metric.of_one_run][places], runs)
    return pd.DataFrame(
        {
            "method": model.key,
            "edition": str(model.edition),
            "epsilon": np.repeat(epsilons, runs),
            "delta": first.requested.delta,
            "adjacency": str(adjacency),
            "sensitivity": np.repeat([one.sensitivity for one in group], runs),
            "sigma": np.repeat([one.sigma for one in group], runs),
            **measured,
            "seconds": seconds,
            "status": np.repeat([str(one.status) for one in group], runs),
        }
    )


def _measured(model: Model, training: ModelTraining, test: Records) -> dict[str, Array]:
    """Each measure of all calibrations and runs, one after the other."""
    assert model.scores is not None  # it predicts a class
    fits = len(training.calibrations) * training.runs
    if not model.unlabelled:
        scores = model.scores(model.learn(training), test)
    else:
        scores = np.empty((len(training.calibrations), training.runs, len(test)))
        for place in (0, 1):
            unlabelled, judged = slice(place, None, 2), slice(1 - place, None, 2)
            part = section(training.progress, 0.5 * place, 0.5)
            learned = model.learn(replace(training, unlabelled=test[unlabelled], progress=part))
            scores[:, :, judged] = model.scores(learned, test[judged])
    return CLASSIFICATION.of_scores(scores.reshape(fits, len(test)), test.labels == 1)


def _distinct(
    model_calibrations: Sequence[ModelCalibration],
) -> tuple[list[ModelCalibration], list[int]]:
    """One calibration of each setting, and the place among them of every one."""
    place_of: dict[Hashable, int] = {}
    distinct: list[ModelCalibration] = []
    places: list[int] = []
    for one in model_calibrations:
        key = tuple(one.settings.items()), one.noises
        if key not in place_of:
            place_of[key] = len(distinct)
            distinct.append(one)
        places.append(place_of[key])
    return distinct, places
