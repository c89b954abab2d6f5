"""What the clinic's tables share: what is said of each model, and measures over runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from dpcore.erm.method import Array
from dpcore.evaluation.clinic.risks import Judged
from dpcore.evaluation.curve_columns import calibration_table
from dpcore.evaluation.scoring import holding, spread_over
from dpcore.guarantee import Status
from dpcore.predictors import predictor_named

REFERENCE = "reference"
"""Method of the rows of the model without privacy."""
OF_NOISE = ("edition", "epsilon", "delta", "adjacency", "status", "accountant")
OF_MODEL = ("method", "title", "baseline", *OF_NOISE, "training_epsilon")
"""``training_epsilon`` is the training's own ε where risks are corrected, and else nan."""
NONE = dict.fromkeys(OF_MODEL, "") | dict.fromkeys(
    ("epsilon", "delta", "training_epsilon"), math.nan
)
"""A cell of what needs no noise."""
Limits = Mapping[str, tuple[float | Array, float | Array]]
"""The least and the largest value of each measure, for all of its columns (T,) or for each."""


def with_ends(measures: Limits) -> tuple[str, ...]:
    """Names of the columns: each measure, its low and its high end."""
    return tuple(f"{name}{end}" for name in measures for end in ("", "_low", "_high"))


def of_model(models: Judged) -> dict[str, Any]:
    """`OF_MODEL`: the method, and what is proved of it."""
    calibration = models.calibration
    if calibration is None:
        named = {"method": REFERENCE, "title": "without privacy", "baseline": models.title}
        return NONE | named | {"status": str(Status.NOT_PRIVATE)}
    row = calibration_table({calibration.method: [calibration]}).iloc[0]
    columns = NONE | {
        "method": calibration.method,
        "title": predictor_named(calibration.method).title,
        **{name: row[name] for name in OF_NOISE},
    }
    if models.correction is None:
        return columns
    proof = models.correction.proof
    return columns | {
        "epsilon": proof.epsilon,
        "delta": proof.delta,
        "accountant": proof.by,
        "training_epsilon": calibration.requested.epsilon,
    }


def split_of_each(runs: Sequence[int]) -> Array:
    """The split of each run, of so many runs on each split; (all runs,)."""
    return np.repeat(np.arange(len(runs), dtype=np.float64), runs)


def summarised(
    limits: Limits,
    values: Mapping[str, Array],
    places: Array | None,
    ratios: Mapping[str, Array] = MappingProxyType({}),
) -> dict[str, Array]:
    """Make `with_ends`: spread over runs, or without `places` (of no noise) a mean over splits.

    `values` (runs, T) are nan where a run has none. `ratios` are of means, for measures that stand
    for these instead of a mean of their own.
    """
    columns: dict[str, Array] = {}
    for name, (least, most) in limits.items():
        mean, low, high = over_runs(values[name], places)
        if name in ratios:
            mean = ratios[name]
            if places is None:
                low = high = mean
        # Over several splits a band is widened, maybe beyond what there is.
        ends = holding(mean, np.maximum(low, least), np.minimum(high, most))
        columns |= zip((name, f"{name}_low", f"{name}_high"), (mean, *ends), strict=True)
    return columns


def over_runs(values: Array, places: Array | None) -> tuple[Array, Array, Array]:
    """`defined_spread`, or without `places` thrice the `defined_mean`."""
    if places is None:
        return (defined_mean(values),) * 3
    return defined_spread(values, places)


def defined_mean(values: Array) -> Array:
    defined = ~np.isnan(values)
    count = defined.sum(axis=0)
    total = np.where(defined, values, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0))


def defined_spread(values: Array, places: Array) -> tuple[Array, Array, Array]:
    defined = ~np.isnan(values)
    whole = defined.all(axis=0)
    result = np.full((3, values.shape[1]), np.nan)
    if whole.any():
        result[:, whole] = spread_over(values[:, whole], places)
    for at in np.flatnonzero(defined.any(axis=0) & ~whole):
        some = defined[:, at]
        result[:, at] = spread_over(values[some, at], places[some])
    mean, low, high = result
    return mean, low, high
