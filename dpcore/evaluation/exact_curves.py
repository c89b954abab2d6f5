"""Curves of output perturbation in closed form: without sampling error in the means."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Split
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Array
from dpcore.erm.problem import Problem
from dpcore.evaluation.curve_columns import calibration_table, columns
from dpcore.evaluation.feature_maps import by_map, in_order
from dpcore.evaluation.scoring import (
    BAND_ENDS,
    HIGH,
    LOW,
    NOISE_DEVIATION,
    OBJECTIVE,
    SPLIT_ERROR,
    around,
    holding,
    metrics,
    scoring_for,
    split_error,
)
from dpcore.evaluation.splits import Splits, each
from dpcore.evaluation.study import OBJECTIVES, Study, calibrations_of, problem_for
from dpcore.predictors import predictor_named
from dpcore.progress import Progress, silent

if TYPE_CHECKING:
    import pandas as pd

BAND_DRAWS, MIN_DRAWS = 200, 20
"""Draws of the noise for a band, over all splits together and on each, at least."""
BAND_STREAM = 0x42616E64  # keeps these draws apart from those of any sweep with the same seed
BAND_RECORDS = 2_000  # the objective's spread is measured on this many training records


def closed_form(
    study: Study,
    split: Splits,
    progress: Progress = silent,
) -> pd.DataFrame:
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
        runs=draws * count,
        splits=count,
        source="closed form" if scoring.exact else "draws",
    )[list(columns(scoring))]


def _closed_form(
    study: Study,
    split: Split,
    count: int,
    place: int,
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
