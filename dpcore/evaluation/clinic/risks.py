"""Models and the probabilities that they give to test records: private ones, and the reference.

What a measure of the clinic begins with. The margin of a logistic model is the log-odds of the
condition, so the probability is its sigmoid; of boosted trees likewise. Where risks are corrected
(`dpcore.erm.recalibration`), training and correction share the study's ε.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpcore.datasets import Split, Table
from dpcore.erm import recalibration
from dpcore.erm.method import Array, Calibration
from dpcore.erm.methods import method_named
from dpcore.erm.problem import Problem
from dpcore.erm.recalibration import Recalibration, RiskCurves, recalibrate, training_budget
from dpcore.errors import InvalidInput, brief
from dpcore.evaluation.baselines import usual, without_privacy
from dpcore.evaluation.curves import calibration_table
from dpcore.evaluation.scoring import holding, spread_over
from dpcore.evaluation.splits import by_map, enough_runs, splits
from dpcore.evaluation.study import (
    Calibrations,
    RiskModels,
    Study,
    calibrations_for,
    calibrations_of,
    check_gives_risks,
    delta_for,
    problem_for,
)
from dpcore.evaluation.sweep import noise_on
from dpcore.guarantee import PrivacyBudget, Status
from dpcore.predictors import Sample, predictor_named
from dpcore.predictors.linear import training
from dpcore.progress import Progress, numbered, section


def corrections_for(study: Study, problem: Problem, delta: float) -> dict[str, list[Recalibration]]:
    """Every method's corrections, one per ε, in the study's order. Pure: no data, no noise.

    The study's ε and `delta` are totals, of training and correction together.
    """
    for method in study.methods:
        check_gives_risks(method)
        if method_named(method).trust is not None:
            raise InvalidInput(
                f"method is {brief(method)}, where people blur their own records, but risks are "
                "corrected by counts of records as they are."
            )
    totals = [PrivacyBudget(epsilon, delta) for epsilon in study.epsilons]
    shares = tuple(training_budget(total, problem.records).epsilon for total in totals)
    trained = calibrations_for(replace(study, epsilons=shares), problem, delta)
    return {
        method: [recalibrate(one, total) for one, total in zip(group, totals, strict=True)]
        for method, group in trained.items()
    }


def why_uncorrected(study: Study, split: Split) -> str:
    """Why the risks of a study on such a split cannot be corrected; "" where they can."""
    try:
        for one, (rows,) in by_map(study, split):
            corrections_for(one, problem_for(one, rows), delta_for(one, rows))
    except InvalidInput as refused:
        return str(refused)
    return ""


Corrections = Mapping[str, Sequence[Recalibration]]
"""Of each method, one per ε; empty where risks are left as they are."""
MOST_KEPT = 2
"""Sets of models of one table that are kept: with and without corrected risks."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Models of one kind and the records that each is judged on."""

    weights: list[Array]  # (runs, d), one entry a split
    splits: list[Split]
    calibration: Calibration | None = None
    # with what is proved of training and correction together
    correction: Recalibration | None = None
    # corrected log odds by score, one entry a split; empty without correction
    curves: Sequence[RiskCurves] = ()
    title: str = ""

    @property
    def log_odds(self) -> list[tuple[Array, NDArray[np.bool_]]]:
        """Log odds (runs, m), and who has the condition (m,), of each split. Not private."""
        pairs: list[tuple[Array, NDArray[np.bool_]]] = []
        for place, (weights, split) in enumerate(zip(self.weights, self.splits, strict=True)):
            scores = weights @ split.x_test.T
            log_odds = self.curves[place].at(scores) if self.curves else scores
            pairs.append((log_odds, split.y_test > 0))
        return pairs

    @property
    def risks(self) -> list[tuple[Array, NDArray[np.bool_]]]:
        """The same as probabilities."""
        return [(expit(log_odds), ill) for log_odds, ill in self.log_odds]


_kept: WeakKeyDictionary[Table, dict[str, list[Judged]]] = WeakKeyDictionary()


def judged_models(study: RiskModels, records: Table, report: Progress) -> list[Judged]:
    """The models, each with the splits that it is judged on; last the one without privacy.

    Those of one table are kept, as long as the table is, for what is asked of them next.
    """
    kept = _kept.setdefault(records, {})
    if study.key not in kept:
        parts = splits(records, study.study.preparation)
        models = released(study, parts, section(report, 0.0, 0.6))
        models.append(reference(study, records, section(report, 0.6, 0.3)))
        if len(kept) == MOST_KEPT:
            del kept[next(iter(kept))]
        kept[study.key] = models
    report(0.9, "judging risks")
    return kept[study.key]


def released(study: RiskModels, parts: Sequence[Split], progress: Progress) -> list[Judged]:
    """Draw all private models: of each method and ε `enough_runs`, over the splits."""
    explored = study.study
    if parts[0].maps:
        return _with_each_map(study, parts, progress)
    total = enough_runs(explored.runs, len(parts))
    progress(0.0, "calibrating the noise")
    reports = iter(numbered(progress, len(explored.methods) * len(parts), "training"))
    models: list[Judged] = []
    tests: list[Split] = []
    for number, method in enumerate(explored.methods):
        alone = replace(study, study=replace(explored, methods=(method,)))
        calibrations, corrections = _noise(alone, parts[0])
        weights, curves = [], []
        for place, split in enumerate(parts):
            if number == 0:
                tests.append(_tests_of(split))
            trained, counted = _noise(alone, split)
            runs = len(range(place, total, len(parts)))
            given = trained[method], Sample(split), runs, noise_on(explored.seed, place)
            weights.append(predictor_named(method).fit(*given, next(reports)))
            if counted:
                drawn = recalibration.release(training(*given), counted[method], weights[-1])
                curves.append(drawn)
        models += [
            Judged(
                [part[at] for part in weights],
                tests,
                calibration,
                corrections[method][at] if corrections else None,
                [RiskCurves(one.knots[at], one.log_odds[at]) for one in curves],
            )
            for at, calibration in enumerate(calibrations[method])
        ]
    return models


def _with_each_map(study: RiskModels, parts: Sequence[Split], progress: Progress) -> list[Judged]:
    """`released` where the features are by rule: each ε with its own map."""
    explored = study.study
    maps = by_map(explored, parts)
    judged: dict[tuple[str, float], Judged] = {}
    reports = numbered(progress, len(maps), "features", with_steps=True)
    for (one, rows), report in zip(maps, reports, strict=True):
        models = released(replace(study, study=one), rows, report)
        pairs = [(method, epsilon) for method in one.methods for epsilon in one.epsilons]
        judged.update(zip(pairs, models, strict=True))
    return [judged[method, epsilon] for method in explored.methods for epsilon in explored.epsilons]


def _noise(study: RiskModels, split: Split) -> tuple[Calibrations, Corrections]:
    """The noise of the study's trainings on a split, and of what corrects their risks."""
    explored = study.study
    if not study.corrected:
        return calibrations_of(explored, split), {}
    problem, delta = problem_for(explored, split), delta_for(explored, split)
    corrections = corrections_for(explored, problem, delta)
    trained = {key: [one.training for one in group] for key, group in corrections.items()}
    return trained, corrections


def reference(study: RiskModels, records: Table, progress: Progress) -> Judged:
    """The model without privacy of `dpcore.evaluation.baselines`, linear or boosted trees."""
    baseline = without_privacy(splits(records, usual(study.study.preparation)), records, progress)
    judging = [(_tests_of(split), np.atleast_2d(weights)) for split, weights in baseline.judging]
    parts, weights = ([*part] for part in zip(*judging, strict=True))
    return Judged(weights, parts, title=baseline.model)


def _tests_of(split: Split) -> Split:
    """The split without its training records, which would take their room many times over."""
    emptied = {name: getattr(split, name)[:0].copy() for name in ("x_train", "y_train", "blank")}
    tests = {name: getattr(split, name).copy() for name in ("x_test", "y_test")}
    return replace(split, **emptied, **tests)


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
