"""Train every (method, ε, run) of a study and tabulate the results, one row each."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Split, load, prepare
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Calibration, Release, Training
from dpcore.evaluation.scoring import Array, Scoring, scoring_for
from dpcore.evaluation.scoring.binary import CLASSIFICATION
from dpcore.evaluation.study import (
    Calibrations,
    Study,
    calibrations_for,
    delta_for,
    problem_for,
)
from dpcore.evaluation.task import section, stoppable
from dpcore.methods import method_named
from dpcore.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd

_DESCRIPTION = (
    "dataset",
    "loss",
    "method",
    "edition",
    "epsilon",
    "delta",
    "adjacency",
    "run",
    "sensitivity",
    "sigma",
)


def columns(scoring: Scoring) -> tuple[str, ...]:
    """Columns of a sweep's table."""
    outcome = ("objective", "excess_risk", "seconds", "status")
    return (*_DESCRIPTION, *scoring.run_columns, *outcome)


COLUMNS = columns(CLASSIFICATION)
"""Columns where classes are predicted."""


def sweep(
    study: Study,
    *,
    split: Split | None = None,
    calibrations: Calibrations | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Draw `study.runs` private models per method and ε, and evaluate each.

    Parameters
    ----------
    study : Study
        The study; the table is a deterministic function of it (except `seconds`).
    split : Split, optional
        Prepared data, where at hand; loaded and prepared by the study's description otherwise.
    calibrations : mapping, optional
        `calibrations_for` this study, where at hand.
    progress : callable
        Called with (fraction done, message).
    cancelled : callable
        Called between steps; once it returns True the sweep raises `Cancelled`.

    Returns
    -------
    DataFrame
        One row per (method, ε, run), `columns` by what is predicted. `seconds` is the method's
        share of the training time. Accuracies, errors, AUC and objectives are computed on the real
        records and are not private.
    """
    import pandas as pd

    report = stoppable(progress, cancelled)
    report(0.0, "loading the data")
    if split is None:
        split = prepare(load(study.dataset, records=study.records), study.preparation)
    scoring = scoring_for(split)
    problem = problem_for(study, split)
    if calibrations is None:
        report(0.0, "calibrating the noise")
        calibrations = calibrations_for(study, problem, delta_for(study, split))
    # Methods that share an engine share its batch, and so its noise draws within a run.
    engines: dict[Release, list[Calibration]] = {}
    for key in study.methods:
        engines.setdefault(method_named(key).release, []).extend(calibrations[key])

    released = []
    for number, (release, batch) in enumerate(engines.items()):
        part = section(report, 0.9 * number / len(engines), 0.9 / len(engines))
        started = time.perf_counter()
        weights = one_vs_rest.release(
            release,
            Training(problem, split.x_train, split.y_train, batch, study.runs, study.seed, part),
        )
        seconds = (time.perf_counter() - started) / (len(batch) * study.runs)
        released.append((batch, weights, seconds))
    report(0.9, "evaluating")
    # The non-private method's release is the exact minimiser.
    minimisers = (
        weights[0, 0] for batch, weights, _ in released if batch[0].method == "nonprivate"
    )
    exact = next(minimisers, None)
    if exact is None:
        exact = one_vs_rest.minimise(problem, split.x_train, split.y_train)
    best = scoring.of_runs(problem, split, exact[None])["objective"]
    tables = [
        _rows(study, split, batch, weights, float(best[0]), seconds)
        for batch, weights, seconds in released
    ]
    report(1.0, "done")
    table = pd.concat(tables, ignore_index=True)
    rank = {key: index for index, key in enumerate(study.methods)}
    order = np.argsort(table["method"].map(rank).to_numpy(), kind="stable")
    return table.iloc[order].reset_index(drop=True)


def _rows(
    study: Study,
    split: Split,
    batch: list[Calibration],
    weights: Array,
    best: float,
    seconds: float,
) -> pd.DataFrame:
    import pandas as pd

    problem = batch[0].problem
    # Without noise all runs give one model, which is scored once.
    models, place = np.unique(weights.reshape(-1, weights.shape[-1]), axis=0, return_inverse=True)
    scoring = scoring_for(split)
    scored = scoring.of_runs(problem, split, models)
    measured = {name: values[place] for name, values in scored.items()}
    runs = weights.shape[1]

    def repeated(values: list[object]) -> list[object]:
        return [value for value in values for _ in range(runs)]

    return pd.DataFrame(
        {
            "dataset": study.dataset,
            "loss": study.loss,
            "method": repeated([c.method for c in batch]),
            "edition": repeated([str(c.edition) for c in batch]),
            "epsilon": repeated([c.requested.epsilon for c in batch]),
            "delta": repeated([c.requested.delta for c in batch]),
            "adjacency": str(problem.adjacency),
            "run": np.tile(np.arange(runs), len(batch)),
            "sensitivity": repeated([c.sensitivity for c in batch]),
            "sigma": repeated([c.sigma for c in batch]),
            **measured,
            "excess_risk": measured["objective"] - best,
            "seconds": seconds,
            "status": repeated([str(c.status) for c in batch]),
        },
        columns=list(columns(scoring)),
    )
