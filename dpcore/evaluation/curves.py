"""One row per (method, ε): in closed form for output perturbation, from sampled runs for the rest.

Measures are means over splits, and the band holds nine of ten single runs on an average split.
"…_noise_deviation" is of that noise, "…_split_error" the standard error of the choice of test
records.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Split
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Array, Calibration, noise_advantage
from dpcore.erm.problem import Problem
from dpcore.evaluation.baselines import LINEAR, Baselines
from dpcore.evaluation.scoring import (
    BAND_ENDS,
    HIGH,
    LOW,
    NOISE_DEVIATION,
    OBJECTIVE,
    SPLIT_ERROR,
    Scoring,
    around,
    columns_for,
    holding,
    metrics,
    over_runs,
    scoring_for,
    split_error,
)
from dpcore.evaluation.splits import Splits, by_map, each, enough_runs, in_order
from dpcore.evaluation.study import OBJECTIVES, Calibrations, Study, calibrations_of, problem_for
from dpcore.evaluation.sweep import Watch, sweep
from dpcore.guarantee import Guarantee, Status
from dpcore.predictors import predictor_named
from dpcore.progress import Progress, numbered, section, silent, stoppable

if TYPE_CHECKING:
    import pandas as pd


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
    "noise_advantage",
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
        *columns_for(scoring.measured, scoring.banded),
        *(f"{name}{end}" for name in noiseless(scoring) for end in ("", SPLIT_ERROR)),
        *columns_for(OBJECTIVES, (OBJECTIVE,)),
    )


def noiseless(scoring: Scoring) -> list[str]:
    """Each measure of the same training with its noise left out."""
    return [f"{metric.column}_noiseless" for metric in scoring.banded]


def calibration_table(calibrations: Calibrations, *, guesses: bool = True) -> pd.DataFrame:
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

    def allowed(c: Calibration) -> float:
        advantage = noise_advantage(c) if guesses else None
        return math.nan if advantage is None else advantage

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
            allowed(c),
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


BAND_DRAWS, MIN_DRAWS = 200, 20
"""Draws of the noise for a band, over all splits together and on each, at least."""
BAND_STREAM = 0x42616E64  # keeps these draws apart from those of any sweep with the same seed
BAND_RECORDS = 2_000  # the objective's spread is measured on this many training records


def closed_form(study: Study, split: Splits, progress: Progress = silent) -> pd.DataFrame:
    """The study's closed-form methods at every ε, without sampling error in the means.

    Means are exact to 1e-4; bands come from `runs` draws, at least 200 (the objective's spread from
    2,000 training records). Where classes are several, so do means, and `source` is "draws".
    """
    import pandas as pd

    parts = each(split)
    if parts[0].maps:
        maps = by_map(study, parts)
        return in_order([closed_form(*one, progress=progress) for one in maps], study)
    first, count = parts[0], len(parts)
    scoring = scoring_for(first)
    methods = tuple(key for key in study.methods if predictor_named(key).closed_form)
    if not methods:
        return pd.DataFrame(columns=list(columns(scoring)))
    study = replace(study, methods=methods)
    draws = max(MIN_DRAWS, math.ceil(BAND_DRAWS / count))
    split_results = []
    # Each split is prepared when it is read, and so read once.
    for place, one in enumerate(parts):
        progress(place / count, f"judging on split {place + 1}")
        split_results.append(_closed_form(study, one, draws, place))
    measured: dict[str, Any] = {}
    banded = {metric.column: metric for metric in (*scoring.banded, OBJECTIVE)}
    for name in split_results[0][0]:
        means = np.stack([every[name] for every, _ in split_results])
        judged = ~np.isnan(means).any(axis=1)  # an area needs both classes in a split
        judged |= not judged.any()
        means = means[judged]
        measured[name], of_noise = means.mean(axis=0), 0.0
        if name in split_results[0][1]:
            singles = np.stack([drawn[name] for _, drawn in split_results], axis=1)[:, judged]
            variance = np.var(singles, axis=2, ddof=1).mean(axis=1)
            of_noise = 0.0 if scoring.exact else variance / draws
            measured[f"{name}{NOISE_DEVIATION}"] = np.sqrt(variance)
            scatter = (singles - means.T[:, :, None]).reshape(len(variance), -1)
            reaches = holding(0.0, *np.quantile(scatter, [LOW, HIGH], axis=1))
            if name in banded:
                ends = banded[name].in_range(measured[name] + np.stack(reaches))
                measured |= {f"{name}{end}": at for end, at in zip(BAND_ENDS, ends, strict=True)}
        measured[f"{name}{SPLIT_ERROR}"] = split_error(means, of_noise)
    table = calibration_table(calibrations_of(study, first))
    return pd.concat([table, pd.DataFrame(measured)], axis=1).assign(
        runs=draws * count, splits=count, source="closed form" if scoring.exact else "draws"
    )[list(columns(scoring))]


def _closed_form(
    study: Study, split: Split, count: int, place: int
) -> tuple[dict[str, Array], dict[str, Array]]:
    """On one split, the means of every measure, (rows,); and single draws, (rows, count)."""
    problem, scoring = problem_for(study, split), scoring_for(split)
    exact = one_vs_rest.minimise(problem, split.x_train, split.y_train)
    rows = [c for group in calibrations_of(study, split).values() for c in group]
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
    noiseless, _ = scoring.expected(split, distinct, *still)
    means, singles = scoring.expected(split, middles, sigmas, draws)
    means |= {
        f"{metric.column}_noiseless": noiseless[metric.column][which] for metric in scoring.banded
    }
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


SAME_LAM, WITHOUT_PRIVACY = "same λ, no noise", "without privacy"
"""Methods in a file: a private method with its noise left out, and the model that privacy is
compared with."""


def against(table: pd.DataFrame, compared: Baselines) -> pd.DataFrame:
    """The table with each measure of the model without privacy, "accuracy_baseline" and so on."""
    names = [str(name) for name in table.columns]
    measures = [name.removesuffix("_noiseless") for name in names if name.endswith("_noiseless")]
    return table.assign(
        baseline=compared.model,
        **{f"{name}_baseline": compared.measured[name] for name in measures},
        **{f"{name}_baseline{SPLIT_ERROR}": compared.split_errors[name] for name in measures},
        **{f"{name}_linear": compared.linear[name] for name in measures},
    )


def for_a_file(rows: pd.DataFrame) -> pd.DataFrame:
    """Prepare the rows for a file, with the page's model without privacy last."""
    import pandas as pd

    names, first = [str(name) for name in rows.columns], rows.iloc[0]
    models = {WITHOUT_PRIVACY: "_baseline"}
    if first["baseline"] != LINEAR:
        models = {f"{WITHOUT_PRIVACY}, {LINEAR}": "_linear"} | models
    measures = [name.removesuffix("_baseline") for name in names if name.endswith("_baseline")]
    same_in_all = [name for name in names if name.endswith(("_baseline", "_linear"))]
    references = []
    for title, ending in models.items():
        row: dict[str, object] = dict.fromkeys(
            map(str, rows.select_dtypes(exclude="number").columns), ""
        )
        row |= {"method": title, "status": str(Status.NOT_PRIVATE), "runs": 1, "steps": 0}
        row |= {name: first[name] for name in ("splits", "baseline", *same_in_all)}
        row |= {name: first[f"{name}{ending}"] for name in measures}
        if ending == "_baseline":
            row |= {
                f"{name}{SPLIT_ERROR}": first[f"{name}_baseline{SPLIT_ERROR}"] for name in measures
            }
        references.append(row)
    table = pd.DataFrame(references).reindex(columns=names)
    method = rows["method"].replace({"nonprivate": SAME_LAM})
    return pd.concat([rows.assign(method=method), table], ignore_index=True)


def all_curves(
    study: Study,
    split: Splits,
    progress: Progress = silent,
    cancelled: Callable[[], bool] = lambda: False,
    watch: Watch | None = None,
) -> pd.DataFrame:
    """Every method of the study at every ε: in closed form where there is one, else sampled.

    `watch` is for what a single sampled method has trained.
    """
    import pandas as pd

    if each(split)[0].maps:
        maps = by_map(study, split)
        parts = numbered(progress, len(maps), "features", with_steps=True)
        return in_order(
            [
                all_curves(*one, progress=part, cancelled=cancelled, watch=watch)
                for one, part in zip(maps, parts, strict=True)
            ],
            study,
        )
    exact = tuple(key for key in study.methods if predictor_named(key).closed_form)
    sampled = tuple(key for key in study.methods if key not in exact)
    tables = []
    # Each by itself, so that no digit hangs on which others are asked for.
    share = (0.5 if sampled else 1.0) / max(1, len(exact))
    for number, key in enumerate(exact):
        report = section(stoppable(progress, cancelled), number * share, share)
        closed = replace(study, methods=(key,))
        tables.append(closed_form(closed, split, report))
    if sampled:
        runs = enough_runs(study.runs, len(each(split)))
        trained = replace(study, methods=sampled, runs=runs)
        rows = sweep(trained, split=split, progress=progress, cancelled=cancelled, watch=watch)
        tables.append(summarise(rows, trained, split))
    return pd.concat(tables, ignore_index=True)


def summarise(rows: pd.DataFrame, study: Study, split: Splits) -> pd.DataFrame:
    """A sweep's rows as one row per (method, ε): means over runs and 5 % / 95 % quantiles."""
    import pandas as pd

    parts = each(split)
    first = parts[0]
    scoring = scoring_for(first)
    positive = np.array([np.mean(one.y_test > 0.0) for one in parts])
    table = calibration_table(calibrations_of(study, first))
    groups = rows.groupby(["method", "epsilon"], sort=False)
    index = list(zip(table["method"], table["epsilon"], strict=True))
    measured = []
    for pair in index:
        runs = groups.get_group(pair)
        places = runs["split"].to_numpy()
        objectives = {name: runs[name].to_numpy() for name in OBJECTIVES}
        statistics = scoring.over_runs(positive, runs) | over_runs(objectives, places, (OBJECTIVE,))
        by_split = runs.groupby("split")[noiseless(scoring)].first()
        for name, values in by_split.items():
            statistics[str(name)] = float(values.mean())
            statistics[f"{name}{SPLIT_ERROR}"] = float(split_error(values.dropna().to_numpy()))
        measured.append(statistics)
    return table.assign(
        **pd.DataFrame(measured, index=table.index),
        runs=groups.size().loc[index].to_numpy(),
        splits=rows["split"].nunique(),
        source="sampled",
    )[list(columns(scoring))]
