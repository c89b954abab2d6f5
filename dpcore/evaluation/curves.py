"""One row per (method, ε): in closed form for output perturbation, from sampled runs for the rest.

Both kinds share their columns, so a page draws them from one table. On several splits, everything
measured is the mean over them. Its band holds nine of ten single runs on an average split: from 5 %
to 95 % of the noise. "…_noise_deviation" is the standard deviation of that noise, and
"…_split_error" the standard error that the choice of test records leaves of the mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Split, Table, load
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Array, Calibration
from dpcore.erm.problem import Problem
from dpcore.evaluation.baselines import Baselines, baselines, usual
from dpcore.evaluation.feature_maps import by_map, calibrations_of, in_order
from dpcore.evaluation.scoring import (
    BAND_ENDS,
    HIGH,
    LOW,
    NOISE_DEVIATION,
    SPLIT_ERROR,
    Scoring,
    around,
    columns_for,
    holding,
    in_range,
    metrics,
    over_runs,
    scoring_for,
    split_error,
)
from dpcore.evaluation.scoring.binary import CLASSIFICATION
from dpcore.evaluation.splits import Splits, each, enough_runs, splits
from dpcore.evaluation.study import (
    OBJECTIVES,
    Calibrations,
    Study,
    calibrations_for,
    delta_for,
    fitting,
    problem_for,
)
from dpcore.evaluation.sweep import sweep
from dpcore.evaluation.task import JobContext, Outcome, StudyTask, stoppable
from dpcore.guarantee import Guarantee
from dpcore.predictors import predictor_named
from dpcore.progress import Progress, numbered, section, silent

if TYPE_CHECKING:
    import pandas as pd

BAND_DRAWS, LEAST_DRAWS = 200, 20
"""Draws of the noise for a band, over all splits together and on each, at least."""
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


def columns(scoring: Scoring) -> tuple[str, ...]:
    """Columns of a table of curves."""
    return (*CALIBRATION_COLUMNS, *_measured_columns(scoring), "runs", "splits", "source")


def _measured_columns(scoring: Scoring) -> tuple[str, ...]:
    """Each measure with its band and deviations; and those of the training without its noise."""
    return (
        *columns_for(scoring.measured, scoring.single),
        *(f"{name}{end}" for name in _noiseless(scoring) for end in ("", SPLIT_ERROR)),
        *columns_for(OBJECTIVES, OBJECTIVES[:1]),
    )


def _noiseless(scoring: Scoring) -> list[str]:
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
    """The model without noise at the study's own λ on each split, with the features it has."""
    return [
        one_vs_rest.minimise(problem_for(study, one), one.x_train, one.y_train)
        for one in each(split)
    ]


def closed_form(
    study: Study,
    split: Splits,
    exact: Callable[[Study, Splits], Sequence[Array]] | None = None,
    calibrations: Calibrations | None = None,
    progress: Progress = silent,
    left_out: Collection[str] = (),
) -> pd.DataFrame:
    """The study's closed-form methods at every ε, without sampling error in the means.

    Parameters
    ----------
    study : Study
        Methods without a closed form are left out.
    split : Split or sequence of Split
    exact : callable, optional
        `minimisers` that remember their results; called once for each feature map.
    calibrations : mapping, optional
        `calibrations_on` these splits, where at hand.
    progress : callable
        Called with (fraction done, message) before each split.
    left_out : collection of str
        Some of `study.TAKING_LONG`, which are then nan; all others are what they are without it.

    Returns
    -------
    DataFrame
        `columns` by what is predicted, one row per (method, ε); `source` is "closed form". Means
        are exact to 1e-4; bands come from `runs` draws, at least 200 (the objective's spread from
        2,000 training records). Where classes are several, so do means, and `source` is "draws".
    """
    import pandas as pd

    parts = each(split)
    if parts[0].maps:
        tables = []
        for with_map, rows in by_map(study, parts):
            own = calibrations_of(with_map, calibrations) if calibrations else None
            tables.append(closed_form(with_map, rows, exact, own, progress, left_out))
        return in_order(tables, study)
    first, count = parts[0], len(parts)
    scoring = scoring_for(first)
    methods = tuple(key for key in study.methods if predictor_named(key).closed_form)
    if not methods:
        return pd.DataFrame(columns=list(columns(scoring)))
    study = replace(study, methods=methods)
    draws = max(LEAST_DRAWS, math.ceil(BAND_DRAWS / count))
    calibrations = fitting(study, problem_for(study, first), first, calibrations)
    models, found = exact(study, parts) if exact else None, []
    # Each split is prepared when it is read, and so read once.
    for place, one in enumerate(parts):
        progress(place / count, f"judging on split {place + 1}")
        (model,) = minimisers(study, one) if models is None else (models[place],)
        found.append(_closed_form(study, one, model, calibrations, draws, place, left_out))
    measured: dict[str, Any] = {}
    for name in found[0][0]:
        means = np.stack([every[name] for every, _ in found])
        measured[name], of_noise = means.mean(axis=0), 0.0
        if name in found[0][1]:
            singles = np.stack([drawn[name] for _, drawn in found], axis=1)
            variance = np.var(singles, axis=2, ddof=1).mean(axis=1)
            of_noise = 0.0 if scoring.exact else variance / draws
            measured[f"{name}{NOISE_DEVIATION}"] = np.sqrt(variance)
            scatter = (singles - means.T[:, :, None]).reshape(len(variance), -1)
            reaches = holding(0.0, *np.quantile(scatter, [LOW, HIGH], axis=1))
            for end, reach in zip(BAND_ENDS, reaches, strict=True):
                measured[f"{name}{end}"] = in_range(name, measured[name] + reach)
        measured[f"{name}{SPLIT_ERROR}"] = split_error(means, of_noise)
    table = calibration_table({key: calibrations[key] for key in methods})
    return pd.concat([table, pd.DataFrame(measured)], axis=1).assign(
        runs=draws * count,
        splits=count,
        source="closed form" if scoring.exact else "draws",
    )[list(columns(scoring))]


def _closed_form(
    study: Study,
    split: Split,
    exact: Array,
    calibrations: Calibrations,
    count: int,
    place: int,
    left_out: Collection[str],
) -> tuple[dict[str, Array], dict[str, Array]]:
    """On one split, the means of every measure, (rows,); and single draws, (rows, count)."""
    problem, scoring = problem_for(study, split), scoring_for(split)
    made = fitting(study, problem, split, calibrations)
    rows = [c for key in study.methods for c in made[key]]
    sigmas = np.array([c.sigma for c in rows])
    middles = np.empty((len(rows), len(exact)))
    noisy = sigmas > 0.0
    middles[~noisy] = exact
    if noisy.any():
        private = [c for c in rows if c.sigma > 0.0]
        middles[noisy] = one_vs_rest.centres(problem, split.x_train, split.y_train, private)
    # No two splits share a draw, as their scatter is pooled.
    generator = np.random.default_rng([study.seed, BAND_STREAM, *([place] if place else [])])
    draws = generator.standard_normal((count, len(exact)))
    distinct, which = _distinct(middles)
    still = np.zeros(len(distinct)), np.zeros_like(draws[:1])
    noiseless, _ = scoring.expected(split, distinct, *still, left_out)
    means, singles = scoring.expected(split, middles, sigmas, draws, left_out)
    means |= {f"{measure}_noiseless": noiseless[measure][which] for measure in scoring.single}
    best, objective = math.nan, np.full(len(rows), math.nan)
    drawn = np.full((len(rows), count), math.nan)
    if not set(OBJECTIVES) <= set(left_out):
        objective = _expected_objectives(problem, split, middles, sigmas)
        best = _expected_objectives(problem, split, exact[None], np.zeros(1))[0]
        some = generator.permutation(len(split.y_train))[:BAND_RECORDS]
        drawn = _noisy_objectives(
            problem, middles, sigmas, draws, split.x_train[some], split.y_train[some]
        )
    # The records that are not drawn from shift every draw by nearly the same.
    for name, value in zip(OBJECTIVES, (objective, objective - best), strict=True):
        means[name], singles[name] = value, around(value, drawn)
    return means, singles


def _distinct(rows: Array) -> tuple[Array, NDArray[np.intp]]:
    """The different rows, and which of them each row is; `numpy.unique` takes ten times as long."""
    places: dict[bytes, int] = {}
    which = np.array([places.setdefault(row.tobytes(), len(places)) for row in rows], np.intp)
    return rows[[int(np.argmax(which == place)) for place in range(len(places))]], which


def _expected_objectives(problem: Problem, split: Split, middles: Array, sigmas: Array) -> Array:
    """E F(w + N(0, σ²I)), the mean over all problems where there are several classes."""
    values = [
        metrics.expected_objectives(
            problem, middles[:, part.place], sigmas, split.x_train, part.labels
        )
        for part in one_vs_rest.parts(problem, split.y_train)
    ]
    return np.asarray(np.mean(values, axis=0))


def _noisy_objectives(
    problem: Problem, middles: Array, sigmas: Array, draws: Array, features: Array, labels: Array
) -> Array:
    """Each draw's objective, (rows, draws), the mean over all problems."""
    values = [
        metrics.noisy_objectives(
            problem, middles[:, part.place], sigmas, draws[:, part.place], features, part.labels
        )
        for part in one_vs_rest.parts(problem, labels)
    ]
    return np.asarray(np.mean(values, axis=0))


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
        **{f"{name}_baseline{SPLIT_ERROR}": compared.split_errors[name] for name in measures},
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
        parts = numbered(progress, len(maps), "features", with_steps=True)
        return in_order(
            [
                all_curves(*one, progress=part, cancelled=cancelled)
                for one, part in zip(maps, parts, strict=True)
            ],
            study,
        )
    exact = tuple(key for key in study.methods if predictor_named(key).closed_form)
    sampled = tuple(key for key in study.methods if key not in exact)
    progress(0.0, "calibrating the noise")
    first = each(split)[0]
    noises = calibrations_for(study, problem_for(study, first), delta_for(study, first))
    tables = []
    if exact:
        report = section(stoppable(progress, cancelled), 0.0, 0.5 if sampled else 1.0)
        closed = replace(study, methods=exact)
        tables.append(closed_form(closed, split, calibrations=noises, progress=report))
    if sampled:
        runs = enough_runs(study.runs, len(each(split)))
        trained = replace(study, methods=sampled, runs=runs)
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
    first = parts[0]
    scoring = scoring_for(first)
    positive = np.array([np.mean(one.y_test > 0.0) for one in parts])
    methods = tuple(dict.fromkeys(rows["method"]))
    calibrations = fitting(study, problem_for(study, first), first, calibrations)
    table = calibration_table({key: calibrations[key] for key in methods})
    groups = rows.groupby(["method", "epsilon"], sort=False)
    index = list(zip(table["method"], table["epsilon"], strict=True))
    measured = []
    for pair in index:
        runs = groups.get_group(pair)
        places = runs["split"].to_numpy()
        objectives = {name: runs[name].to_numpy() for name in OBJECTIVES}
        found = scoring.over_runs(positive, runs) | over_runs(objectives, places, OBJECTIVES[:1])
        by_split = runs.groupby("split")[_noiseless(scoring)].first()
        for name, values in by_split.items():
            found[str(name)] = float(values.mean())
            found[f"{name}{SPLIT_ERROR}"] = float(split_error(values.to_numpy()))
        measured.append(found)
    return table.assign(
        **pd.DataFrame(measured, index=table.index),
        runs=groups.size().loc[index].to_numpy(),
        splits=rows["split"].nunique(),
        source="sampled",
    )[list(columns(scoring))]
