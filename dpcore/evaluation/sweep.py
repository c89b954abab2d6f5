"""Train every (method, ε, run) of a study and tabulate the results, one row each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Split
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Calibration, Release, Training
from dpcore.erm.problem import Problem
from dpcore.evaluation.feature_maps import by_map, in_order
from dpcore.evaluation.model_rows import model_rows
from dpcore.evaluation.scoring import Array, Scoring, scoring_for
from dpcore.evaluation.scoring.binary import CLASSIFICATION
from dpcore.evaluation.splits import RepeatedSplits, Splits, each, splits_of
from dpcore.evaluation.study import (
    Calibrations,
    Study,
    fitting,
    problem_for,
)
from dpcore.methods import method_named
from dpcore.models.model import Model
from dpcore.predictors import predictor_named
from dpcore.progress import Progress, numbered, section, silent, stoppable

if TYPE_CHECKING:
    import pandas as pd

SPLIT_STREAM = 0x53706C69
"""Keeps the seeds of further splits apart from those of other purposes."""

Watch = Callable[[Split, int, Mapping[float, Array]], None]
"""Called with a split, its place, and one method's models (runs, d) on it by ε."""

_DESCRIPTION = (
    "dataset",
    "loss",
    "method",
    "edition",
    "epsilon",
    "delta",
    "adjacency",
    "run",
    "split",
    "sensitivity",
    "sigma",
)


def columns(scoring: Scoring) -> tuple[str, ...]:
    """Columns of a sweep's table."""
    without_noise = (f"{metric.column}_noiseless" for metric in scoring.banded)
    outcome = ("objective", "excess_risk", "seconds", "status")
    return (*_DESCRIPTION, *scoring.run_columns, *without_noise, *outcome)


COLUMNS = columns(CLASSIFICATION)
"""Columns where classes are predicted."""


def sweep(
    study: Study,
    *,
    split: Splits | None = None,
    calibrations: Calibrations | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
    watch: Watch | None = None,
) -> pd.DataFrame:
    """Draw `study.runs` private models per method and ε, and evaluate each. Not private.

    The table is a deterministic function of the study (except `seconds`, the method's share of the
    training time): one row per (method, ε, run), `columns` by what is predicted. Of several splits
    run r takes place r, counted round. A measure's "_noiseless" is that of the same training with
    its noise left out. Of models of the survey, which need `RepeatedSplits`, "accuracy_train",
    "objective" and "excess_risk" are nan. `watch` is for studies of one convex method.
    """
    import pandas as pd

    report = stoppable(progress, cancelled)
    report(0.0, "loading the data")
    every = (
        splits_of(study.dataset, study.records, study.preparation) if split is None else each(split)
    )
    if every[0].maps:
        maps = by_map(study, every)
        parts = numbered(report, len(maps), "features", with_steps=True)
        return in_order(
            [
                sweep(one, split=rows, progress=part, watch=watch)
                for (one, rows), part in zip(maps, parts, strict=True)
            ],
            study,
        )
    every = every[: study.runs]
    models = tuple(key for key in study.methods if isinstance(predictor_named(key), Model))
    convex = tuple(key for key in study.methods if key not in models)
    tables = []
    reports = numbered(report, len(every), "split")
    for place, (one, part) in enumerate(zip(every, reports, strict=True)):
        runs = range(place, study.runs, len(every))
        if convex:
            own = replace(study, methods=convex)
            tables.append(_on_split(own, one, place, runs, calibrations, part, watch))
        if models:
            own = replace(study, methods=models)
            tables.append(_of_models(own, every, one, place, runs, calibrations, part))
    report(1.0, "done")
    # Models of the survey have no columns of what only convex methods have.
    table = pd.concat(tables, ignore_index=True).reindex(columns=list(columns(scoring_for(one))))
    rank = {key: index for index, key in enumerate(study.methods)}
    order = np.lexsort(
        [
            table["run"].to_numpy(),
            table["epsilon"].map(study.epsilons.index).to_numpy(),
            table["method"].map(rank).to_numpy(),
        ]
    )
    return table.iloc[order].reset_index(drop=True)


def _on_split(
    study: Study,
    split: Split,
    place: int,
    runs: range,
    calibrations: Calibrations | None,
    report: Progress,
    watch: Watch | None,
) -> pd.DataFrame:
    import pandas as pd

    scoring, problem = scoring_for(split), problem_for(study, split)
    report(0.0, "calibrating the noise")
    calibrations = fitting(study, problem, split, calibrations)
    released = []
    drawing = trainings(study, split, place, len(runs), calibrations)
    for number, (release, training) in enumerate(drawing):
        begin, share = 0.9 * number / len(drawing), 0.9 / len(drawing)
        batch = training.calibrations
        training = replace(training, progress=section(report, begin, 0.8 * share))
        started = time.perf_counter()
        weights = one_vs_rest.release(release, training)
        seconds = (time.perf_counter() - started) / (len(batch) * len(runs))
        rest = section(report, begin + 0.8 * share, 0.2 * share)
        still = one_vs_rest.release(
            release, replace(training, runs=1, noiseless=True, progress=rest)
        )
        released.append((batch, weights, still, seconds))
        if watch is not None:
            epsilons = [calibration.requested.epsilon for calibration in batch]
            watch(split, place, dict(zip(epsilons, weights, strict=True)))
    report(0.9, "evaluating")
    # The non-private method's release is the exact minimiser.
    minimisers = (
        weights[0, 0] for batch, weights, _, _ in released if batch[0].method == "nonprivate"
    )
    exact = next(minimisers, None)
    if exact is None:
        exact = one_vs_rest.minimise(problem, split.x_train, split.y_train)
    best = scoring.of_runs(problem, split, exact[None])["objective"]
    return pd.concat(
        [
            _rows(study, problem, split, batch, weights, still, float(best[0]), seconds).assign(
                split=place, run=np.tile(np.array(runs), len(batch))
            )
            for batch, weights, still, seconds in released
        ],
        ignore_index=True,
    )


def _of_models(
    study: Study,
    every: Splits,
    split: Split,
    place: int,
    runs: range,
    calibrations: Calibrations | None,
    report: Progress,
) -> pd.DataFrame:
    if not isinstance(every, RepeatedSplits):
        raise TypeError("models of the survey learn from columns, which a prepared split lacks")
    by_method = fitting(study, problem_for(study, split), split, calibrations)
    rows = model_rows(
        [by_method[key] for key in study.methods],
        every.table,
        every.preparations[place],
        len(runs),
        _seed(study.seed, place),
        report,
    )
    count = len(rows) // len(runs)
    return rows.assign(
        dataset=study.dataset, loss=study.loss, split=place, run=np.tile(np.array(runs), count)
    )


def trainings(
    study: Study, split: Split, place: int, runs: int, calibrations: Calibrations
) -> list[tuple[Release, Training]]:
    """What the study's models on one split are released by, and from."""
    # Methods that share an engine and λ share its batch, and so its noise draws within a run.
    engines: dict[tuple[Release, float], list[Calibration]] = {}
    for key in study.methods:
        engine = (method_named(key).release, calibrations[key][0].problem.lam)
        engines.setdefault(engine, []).extend(calibrations[key])
    seed = _seed(study.seed, place)
    return [
        (release, Training(batch[0].problem, split.x_train, split.y_train, batch, runs, seed))
        for (release, _), batch in engines.items()
    ]


def _seed(seed: int, place: int) -> int:
    """The seed of the noise on a split: no two splits share a draw."""
    if place == 0:
        return seed
    return int(np.random.SeedSequence([seed, place, SPLIT_STREAM]).generate_state(1, np.uint32)[0])


def _rows(
    study: Study,
    problem: Problem,
    split: Split,
    batch: Sequence[Calibration],
    weights: Array,
    still: Array,
    best: float,
    seconds: float,
) -> pd.DataFrame:
    import pandas as pd

    runs = weights.shape[1]
    # Without noise all runs give one model, which is scored once.
    models, place = np.unique(weights.reshape(-1, weights.shape[-1]), axis=0, return_inverse=True)
    scoring = scoring_for(split)
    scored = scoring.of_runs(problem, split, models)
    measured = {name: values[place] for name, values in scored.items()}
    noiseless = scoring.of_runs(problem, split, still[:, 0])
    for metric in scoring.banded:
        measured[f"{metric.column}_noiseless"] = np.repeat(noiseless[metric.of_one_run], runs)

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
            "sensitivity": repeated([c.sensitivity for c in batch]),
            "sigma": repeated([c.sigma for c in batch]),
            **measured,
            "excess_risk": measured["objective"] - best,
            "seconds": seconds,
            "status": repeated([str(c.status) for c in batch]),
        },
        columns=list(columns(scoring)),
    )
