"""One row per (method, ε): in closed form for output perturbation, from sampled runs for the rest.

Both kinds share their columns, so a page draws them from one table. Bands are the 5 % and 95 %
quantiles of a single run. On several splits, everything measured is the mean over them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Split, Table, load
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Array, Calibration
from dpcore.erm.problem import Problem
from dpcore.evaluation.baselines import Baselines, baselines, usual
from dpcore.evaluation.feature_maps import by_map, in_order
from dpcore.evaluation.scoring import (
    HIGH,
    LOW,
    Scoring,
    holding,
    metrics,
    scoring_for,
    spread_over,
)
from dpcore.evaluation.scoring.binary import CLASSIFICATION
from dpcore.evaluation.splits import Splits, each, splits
from dpcore.evaluation.study import (
    Calibrations,
    Study,
    calibrations_for,
    delta_for,
    fitting,
    problem_for,
)
from dpcore.evaluation.sweep import sweep
from dpcore.evaluation.task import JobContext, Outcome, StudyTask
from dpcore.guarantee import Guarantee
from dpcore.methods import method_named
from dpcore.progress import Progress, section, silent

if TYPE_CHECKING:
    import pandas as pd

BAND_DRAWS = 200
BAND_STREAM = 0x42616E64  # keeps these draws apart from those of any sweep with the same seed
BAND_RECORDS = 2_000  # the objective's spread is measured on this many training records

CALIBRATION_COLUMNS = (
    "method",
    "edition",
    "epsilon",
    "delta",
    "adjacency",
    "status",
    "reason",
    "accountant",
    "certified_epsilon",
    "gaussian_mu",
    "sensitivity",
    "sigma",
    "steps",
    "excess_risk_bound_published",
    "excess_risk_bound_sound",
)
OBJECTIVE_COLUMNS = ("objective", "objective_low", "objective_high", "excess_risk")


def columns(scoring: Scoring) -> tuple[str, ...]:
    """Columns of a table of curves."""
    measured = (*scoring.columns, *_noiseless_columns(scoring), *OBJECTIVE_COLUMNS)
    return (*CALIBRATION_COLUMNS, *measured, "runs", "splits", "source")


def _noiseless_columns(scoring: Scoring) -> list[str]:
    """Each measure of the same training with its noise left out."""
    return [f"{measure}_noiseless" for measure in scoring.single]


COLUMNS = columns(CLASSIFICATION)
"""Columns where classes are predicted."""


def calibration_table(calibrations: Calibrations) -> pd.DataFrame:
    """σ and verdict per (method, ε): known before any training."""
    import pandas as pd

    def guarantee(c: Calibration) -> Guarantee:
        return c.proof if c.proof.epsilon is not None else c.certified

    def delta(c: Calibration) -> float:
        """δ of the guarantee, which may be below the requested δ; without one, the requested δ."""
        standing = guarantee(c)
        if standing.epsilon is None or standing.delta is None:
            return c.requested.delta
        return standing.delta

    rows = [
        (
            c.method,
            str(c.edition),
            c.requested.epsilon,
            delta(c),
            str(c.problem.adjacency),
            str(c.status),
            c.proof.reason,
            guarantee(c).by,
            math.nan if c.certified.epsilon is None else c.certified.epsilon,
            math.nan if c.gaussian_mu is None else c.gaussian_mu,
            c.sensitivity,
            c.sigma,
            c.steps,
            math.nan if c.bound_published is None else c.bound_published,
            math.nan if c.bound_sound is None else c.bound_sound,
        )
        for group in calibrations.values()
        for c in group
    ]
    return pd.DataFrame(rows, columns=list(CALIBRATION_COLUMNS))


def minimisers(study: Study, split: Splits) -> list[Array]:
    """The model without noise at the study's own λ on each split, for `closed_form`."""
    return [
        one_vs_rest.minimise(problem_for(study, one), one.x_train, one.y_train)
        for one in each(split)
    ]


def closed_form(
    study: Study,
    split: Splits,
    exact: Sequence[Array] | None = None,
    calibrations: Calibrations | None = None,
) -> pd.DataFrame:
    """The study's closed-form methods at every ε, without sampling error in the means.

    Parameters
    ----------
    study : Study
        Methods without a closed form are left out.
    split : Split or sequence of Split
    exact : sequence of (d,) array, optional
        `minimisers`, where at hand.
    calibrations : mapping, optional
        `calibrations_for` this study, where at hand.

    Returns
    -------
    DataFrame
        `columns` by what is predicted, one row per (method, ε); `source` is "closed form". Means
        are exact to 1e-4; bands come from 200 draws (the objective's spread from 2,000 training
        records).
    """
    parts = each(split)
    if parts[0].maps:
        return in_order([closed_form(*one) for one in by_map(study, parts)], study)
    exact = minimisers(study, parts) if exact is None else exact
    tables = [
        _closed_form(study, one, model, calibrations)
        for one, model in zip(parts, exact, strict=True)
    ]
    scoring = scoring_for(parts[0])
    names = [*scoring.columns, *_noiseless_columns(scoring), *OBJECTIVE_COLUMNS]
    values = np.mean([table[names].to_numpy(dtype=float) for table in tables], axis=0)
    return tables[0].assign(**dict(zip(names, values.T, strict=True)), splits=len(parts))


def _closed_form(
    study: Study, split: Split, exact: Array, calibrations: Calibrations | None
) -> pd.DataFrame:
    """`closed_form` on one split."""
    import pandas as pd

    problem, scoring = problem_for(study, split), scoring_for(split)
    calibrations = fitting(study, problem, split, calibrations)
    calibrations = {
        key: calibrations[key] for key in study.methods if method_named(key).closed_form
    }
    table = calibration_table(calibrations)
    if table.empty:
        return pd.DataFrame(columns=list(columns(scoring)))
    noisy = [c for group in calibrations.values() for c in group if c.sigma > 0]
    middles = np.empty((len(table), len(exact)))
    still = (table["sigma"] == 0).to_numpy()
    middles[still] = exact
    if noisy:
        middles[~still] = one_vs_rest.centres(problem, split.x_train, split.y_train, noisy)
    sigmas = table["sigma"].to_numpy()
    generator = np.random.default_rng([study.seed, BAND_STREAM])
    draws = generator.standard_normal((BAND_DRAWS, len(exact)))
    objective = _expected_objectives(problem, split, middles, sigmas)
    best = _expected_objectives(problem, split, exact[None], np.zeros(1))[0]
    some = generator.permutation(len(split.y_train))[:BAND_RECORDS]
    shift = _objective_band(
        problem, middles, sigmas, draws, split.x_train[some], split.y_train[some]
    )
    distinct, place = np.unique(middles, axis=0, return_inverse=True)
    noiseless = scoring.expected(split, distinct, np.zeros(len(distinct)), np.zeros_like(draws[:1]))
    return table.assign(
        **scoring.expected(split, middles, sigmas, draws),
        **{f"{measure}_noiseless": noiseless[measure][place] for measure in scoring.single},
        objective=objective,
        objective_low=objective + shift[0],
        objective_high=objective + shift[1],
        excess_risk=objective - best,
        runs=BAND_DRAWS,
        splits=1,
        source="closed form" if problem.classes == 2 else "draws",
    )[list(columns(scoring))]


def _expected_objectives(problem: Problem, split: Split, middles: Array, sigmas: Array) -> Array:
    """E F(w + N(0, σ²I)), the mean over all problems where there are several classes."""
    values = [
        metrics.expected_objectives(
            problem, middles[:, part.place], sigmas, split.x_train, part.labels
        )
        for part in one_vs_rest.parts(problem, split.y_train)
    ]
    return np.asarray(np.mean(values, axis=0))


def _objective_band(
    problem: Problem, middles: Array, sigmas: Array, draws: Array, features: Array, labels: Array
) -> Array:
    """Quantiles of one run's objective minus its mean, (2, rows)."""
    values = [
        metrics.noisy_objectives(
            problem, middles[:, part.place], sigmas, draws[:, part.place], features, part.labels
        )
        for part in one_vs_rest.parts(problem, labels)
    ]
    objectives = np.mean(values, axis=0)
    # Against these draws' own mean: the records left out shift every draw by nearly the same.
    objectives -= objectives.mean(axis=1, keepdims=True)
    low, high = np.quantile(objectives, [LOW, HIGH], axis=1)
    return np.asarray(holding(0.0, low, high))


def answers(
    study: Study,
    *,
    records: Table | None = None,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """Every method of the study at every ε: in closed form where there is one, else sampled.

    Parameters
    ----------
    study : Study
    records : Table, optional
        The records, where at hand; loaded by the study's description otherwise.
    progress : callable
        Called with (fraction done, message).
    cancelled : callable
        Asked between training steps; once it answers True, `Cancelled` is raised.

    Returns
    -------
    DataFrame
        `columns` by what is predicted and those of `against`, one row per (method, ε).
    """
    if records is None:
        records = load(study.dataset, records=study.records)
    rows = all_curves(study, splits(records, study.preparation), progress, cancelled)
    return against(rows, baselines(splits(records, usual(study.preparation)), records))


def against(table: pd.DataFrame, compared: Baselines) -> pd.DataFrame:
    """The table with each measure of the model without privacy, "accuracy_baseline" and so on.

    The column "baseline" tells what that model is, and "accuracy_linear" and so on are those of the
    linear model without privacy.
    """
    names = [str(name) for name in table.columns]
    measures = [name.removesuffix("_noiseless") for name in names if name.endswith("_noiseless")]
    return table.assign(
        baseline=compared.model,
        **{f"{name}_baseline": compared.measured[name] for name in measures},
        **{f"{name}_linear": compared.linear[name] for name in measures},
    )


def all_curves(
    study: Study,
    split: Splits,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """The curves of `answers`, without its baselines."""
    import pandas as pd

    if each(split)[0].maps:
        maps = by_map(study, split)
        parts = [section(progress, place / len(maps), 1 / len(maps)) for place in range(len(maps))]
        return in_order(
            [
                all_curves(*one, progress=part, cancelled=cancelled)
                for one, part in zip(maps, parts, strict=True)
            ],
            study,
        )
    exact = tuple(key for key in study.methods if method_named(key).closed_form)
    sampled = tuple(key for key in study.methods if key not in exact)
    progress(0.0, "calibrating the noise")
    first = each(split)[0]
    noises = calibrations_for(study, problem_for(study, first), delta_for(study, first))
    tables = []
    if exact:
        tables.append(closed_form(replace(study, methods=exact), split, calibrations=noises))
    if sampled:
        trained = replace(study, methods=sampled)
        rows = sweep(
            trained, split=split, calibrations=noises, progress=progress, cancelled=cancelled
        )
        tables.append(summarise(rows, trained, split, noises))
    return pd.concat(tables, ignore_index=True)


def task(study: Study, path: str = "") -> StudyTask:
    """The study's `all_curves` as a task for a worker; an upload's records wait at `path`."""
    return StudyTask(study, work, path)


def work(study: Study, context: JobContext) -> Outcome:
    """`all_curves`; all rows come at the end."""
    records = context.records
    if records is None:
        context.report(0.0, "loading the data")
        records = load(study.dataset, records=study.records)
    parts = splits(records, study.preparation)
    return Outcome(all_curves(study, parts, context.report, context.cancelled))


def summarise(
    rows: pd.DataFrame, study: Study, split: Splits, calibrations: Calibrations | None = None
) -> pd.DataFrame:
    """A sweep's rows as one row per (method, ε): means over runs and 5 % / 95 % quantiles.

    Parameters
    ----------
    rows : DataFrame
        From `sweep`.
    study : Study
    split : Split or sequence of Split
        Those of the sweep.
    calibrations : mapping, optional
        `calibrations_for` this study, where at hand.

    Returns
    -------
    DataFrame
        `columns` by what is predicted; `source` is "sampled".
    """
    import pandas as pd

    parts = each(split)
    scoring = scoring_for(parts[0])
    methods = tuple(dict.fromkeys(rows["method"]))
    calibrations = fitting(study, problem_for(study, parts[0]), parts[0], calibrations)
    table = calibration_table({key: calibrations[key] for key in methods})
    groups = rows.groupby(["method", "epsilon"], sort=False)
    index = list(zip(table["method"], table["epsilon"], strict=True))
    measured = []
    for pair in index:
        runs = groups.get_group(pair)
        objective = spread_over(runs["objective"].to_numpy(), runs["split"].to_numpy())
        values = (*map(float, objective), float(runs["excess_risk"].mean()))
        measured.append(
            {
                **scoring.over_runs(parts, runs),
                **runs[_noiseless_columns(scoring)].mean(),
                **dict(zip(OBJECTIVE_COLUMNS, values, strict=True)),
            }
        )
    return table.assign(
        **pd.DataFrame(measured, index=table.index),
        runs=groups.size().loc[index].to_numpy(),
        splits=rows["split"].nunique(),
        source="sampled",
    )[list(columns(scoring))]
