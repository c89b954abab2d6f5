"""Train every (method, ε, run) of a study and tabulate the results, one row each."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Split
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Calibration
from dpcore.evaluation.scoring import Array, Scoring, scoring_for
from dpcore.evaluation.splits import Splits, by_map, each, in_order, samples, splits_of
from dpcore.evaluation.study import Calibrations, Study, calibrations_of, problem_for
from dpcore.predictors import Noise, Predictor, Sample, predictor_named
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


def sweep(
    study: Study,
    *,
    split: Splits | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
    watch: Watch | None = None,
) -> pd.DataFrame:
    """Draw `study.runs` private models per method and ε, and evaluate each. Not private.

    The table is a deterministic function of the study (except `seconds`, the method's share of the
    training time): one row per (method, ε, run), `columns` by what is predicted. Of several splits
    run r takes place r, counted round. A measure's "_noiseless" is that of the same training with
    its noise left out. Of models that are not linear, which need `RepeatedSplits`,
    "accuracy_train", "objective" and "excess_risk" are nan. `watch` is for studies of one linear
    method.
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
    tables = []
    reports = numbered(report, len(every), "split")
    for place, (sample, part) in enumerate(zip(samples(every), reports, strict=True)):
        runs = range(place, study.runs, len(every))
        tables.append(_on_split(study, sample, place, runs, part, watch))
    report(1.0, "done")
    # Of models that are not linear some columns say nothing.
    scoring = scoring_for(sample.split)
    table = pd.concat(tables, ignore_index=True).reindex(columns=list(columns(scoring)))
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
    study: Study, sample: Sample, place: int, runs: range, report: Progress, watch: Watch | None
) -> pd.DataFrame:
    import pandas as pd

    split = sample.split
    scoring, problem = scoring_for(split), problem_for(study, split)
    report(0.0, "calibrating the noise")
    noise = noise_on(study.seed, place)
    tables, exact = [], None
    groups = together(calibrations_of(study, split))
    for number, (predictor, batch) in enumerate(groups):
        part = section(report, 0.9 * number / len(groups), 0.9 / len(groups))
        started = time.perf_counter()
        learned = predictor.fit(batch, sample, len(runs), noise, section(part, 0.0, 0.8))
        seconds = (time.perf_counter() - started) / (len(batch) * len(runs))
        silent_noise = replace(noise, silent=True)
        still = predictor.fit(batch, sample, 1, silent_noise, section(part, 0.8, 0.2))
        measured = dict(predictor.judged(learned, sample, problem, scoring))
        without = predictor.judged(still, sample, problem, scoring)
        for metric in scoring.banded:
            every_run = np.repeat(without[metric.of_one_run], len(runs))
            measured[f"{metric.column}_noiseless"] = every_run
        tables.append(_rows(batch, len(runs), measured).assign(seconds=seconds))
        if watch is not None:
            epsilons = [calibration.requested.epsilon for calibration in batch]
            watch(split, place, dict(zip(epsilons, learned, strict=True)))
        if batch[0].method == "nonprivate":  # its release is the exact minimiser
            exact = learned[0, 0]
    report(0.9, "evaluating")
    table = pd.concat(tables, ignore_index=True)
    if "objective" in table:
        if exact is None:
            exact = one_vs_rest.minimise(problem, split.x_train, split.y_train)
        best = scoring.of_runs(problem, split, exact[None])["objective"]
        table["excess_risk"] = table["objective"] - float(best[0])
    return table.assign(
        dataset=study.dataset,
        loss=study.loss,
        split=place,
        run=np.resize(np.array(runs), len(table)),
    )


def together(calibrations: Calibrations) -> list[tuple[Predictor, list[Calibration]]]:
    """The calibrations of all methods, those together that are fitted at once."""
    groups: dict[Hashable, tuple[Predictor, list[Calibration]]] = {}
    for key, calibrated in calibrations.items():
        predictor = predictor_named(key)
        engine = predictor.engine(calibrated[0])
        groups.setdefault(engine, (predictor, []))[1].extend(calibrated)
    return list(groups.values())


def noise_on(seed: int, place: int) -> Noise:
    """The noise on a split: no two splits share a draw."""
    if place == 0:
        return Noise(seed)
    state = np.random.SeedSequence([seed, place, SPLIT_STREAM]).generate_state(1, np.uint32)
    return Noise(int(state[0]))


def _rows(batch: Sequence[Calibration], runs: int, measured: Mapping[str, Array]) -> pd.DataFrame:
    import pandas as pd

    def repeated(values: list[object]) -> list[object]:
        return [value for value in values for _ in range(runs)]

    return pd.DataFrame(
        {
            "method": repeated([c.method for c in batch]),
            "edition": repeated([str(c.edition) for c in batch]),
            "epsilon": repeated([c.requested.epsilon for c in batch]),
            "delta": repeated([c.requested.delta for c in batch]),
            "adjacency": repeated([str(c.problem.adjacency) for c in batch]),
            "sensitivity": repeated([c.sensitivity for c in batch]),
            "sigma": repeated([c.sigma for c in batch]),
            "status": repeated([str(c.status) for c in batch]),
            **measured,
        }
    )
