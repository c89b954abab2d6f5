"""Models and the probabilities that they give to test records: private ones, and the reference.

What a measure of the clinic begins with. The margin of a logistic model is the log-odds of the
condition, so the probability is its sigmoid; of boosted trees likewise. Where risks are corrected
(`dpcore.erm.recalibration`), training and correction share the study's ε.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpcore.datasets import Split, Table
from dpcore.erm import recalibration
from dpcore.erm.method import Array, Calibration
from dpcore.erm.recalibration import Recalibration
from dpcore.erm.risk_curve import RiskCurves
from dpcore.evaluation.baselines import usual, without_privacy
from dpcore.evaluation.clinic.corrected import corrections_for
from dpcore.evaluation.clinic.study import RiskModels
from dpcore.evaluation.feature_maps import by_map
from dpcore.evaluation.splits import enough_runs, splits
from dpcore.evaluation.study import Calibrations, calibrations_of, delta_for, problem_for
from dpcore.evaluation.sweep import noise_on
from dpcore.predictors import Sample, predictor_named
from dpcore.predictors.linear import training
from dpcore.progress import Progress, numbered, section

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
