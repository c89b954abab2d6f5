"""Models that tell classes apart: two, by errors of either kind and AUC too, or several.

With several it is each class against all others. No closed form is known for the largest of several
scores: expectations are then means over draws.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Split
from dpcore.erm.one_vs_rest import parts
from dpcore.erm.problem import Problem
from dpcore.evaluation.scoring import metrics
from dpcore.evaluation.scoring.base import ACCURACY, AREA, Array, Metric, Scoring, around, over_runs

if TYPE_CHECKING:
    import pandas as pd


BAND_RECORDS = 2_000
"""The spread of single draws is measured on about this many test records."""


RATES = ("true_positive_rate", "true_negative_rate")


class Classification(Scoring):
    run_columns: tuple[str, ...] = (
        "accuracy_train",
        "accuracy_test",
        "balanced_accuracy",
        *RATES,
        "auc",
    )
    measured: tuple[str, ...] = (
        "accuracy",
        "auc",
        "balanced_accuracy",
        "missed_per_1000",
        "false_per_1000",
    )
    banded: tuple[Metric, ...] = (ACCURACY, AREA)
    exact = True

    def measures(self, split: Split) -> tuple[Metric, ...]:
        """Accuracy; the area under the ROC curve where both classes are among the test records."""
        return self.banded if len(np.unique(split.y_test > 0)) == 2 else (ACCURACY,)

    def of_runs(self, problem: Problem, split: Split, models: Array) -> dict[str, Array]:
        """Measures on the test records, except the objective and "accuracy_train"."""
        objective, trained = metrics.training_scores(problem, models, split.x_train, split.y_train)
        if split.blank.any():
            trained = metrics.rates(models, *split.known).accuracy
        test = metrics.rates(models, split.x_test, split.y_test)
        return {
            "accuracy_train": trained,
            "accuracy_test": test.accuracy,
            "balanced_accuracy": test.balanced,
            "true_positive_rate": test.true_positive,
            "true_negative_rate": test.true_negative,
            "auc": metrics.auc_of_models(models, split.x_test, split.y_test),
            "objective": objective,
        }

    def of_scores(self, scores: Array, positive: NDArray[np.bool_]) -> dict[str, Array]:
        """Measures on the test records."""
        hits = (scores > 0.0) == positive
        ill, well = (
            hits[:, some].mean(axis=1) if some.any() else np.full(len(hits), math.nan)
            for some in (positive, ~positive)
        )
        return {
            "accuracy_test": hits.mean(axis=1),
            "balanced_accuracy": metrics.Rates(hits, ill, well).balanced,
            "true_positive_rate": ill,
            "true_negative_rate": well,
            "auc": metrics.auc(scores, positive),
        }

    def expected(
        self, split: Split, centres: Array, sigmas: Array, draws: Array
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """Means to 1e-4, of areas as in `expected_auc`; draws on about 2,000 test records."""
        test = metrics.expected_rates(centres, sigmas, split.x_test, split.y_test)
        every = math.ceil(len(split.y_test) / BAND_RECORDS)
        few = split.x_test[::every], split.y_test[::every]
        share = float(np.mean(split.y_test > 0))
        drawn = metrics.noisy_rates(centres, sigmas, draws, *few)
        area = metrics.expected_auc(centres, sigmas, split.x_test, split.y_test)
        areas = metrics.noisy_areas(centres, sigmas, draws, *few)
        means, singles = self._named(test, area, share), self._named(drawn, areas, share)
        for name in self.measured if every > 1 else ("auc",):
            # The records and pairs left out shift every draw by nearly the same.
            singles[name] = around(means[name], singles[name])
        return means, singles

    def _named(self, rates: metrics.Rates, areas: Array, share: float | Array) -> dict[str, Array]:
        cases = _per_thousand(rates.true_positive, rates.true_negative, share)
        values = (rates.accuracy, areas, rates.balanced, *cases)
        return dict(zip(self.measured, values, strict=True))

    def over_runs(self, positive: Array, runs: pd.DataFrame) -> dict[str, float]:
        """Means over runs; the band from 5 % to 95 % of them."""
        places = runs["split"].to_numpy()
        rates = metrics.Rates(*(runs[name].to_numpy() for name in ("accuracy_test", *RATES)))
        named = self._named(rates, runs["auc"].to_numpy(), positive[places])
        return over_runs(named, places, self.banded)

    def intervals(self, split: Split, weights: Array) -> dict[str, tuple[float, float]]:
        """Wilson's interval, and its like for areas; from the test records alone."""
        accuracy = metrics.rates(weights[None], split.x_test, split.y_test).accuracy[0]
        result = {"accuracy": metrics.accuracy_interval(float(accuracy), len(split.y_test))}
        if AREA in self.measures(split):
            area = metrics.auc_of_models(weights[None], split.x_test, split.y_test)[0]
            ill = int(np.count_nonzero(split.y_test > 0))
            result["auc"] = metrics.area_interval(float(area), ill, len(split.y_test) - ill)
        return result

    def guesses(self, split: Split) -> dict[str, float]:
        """Measures of always answering the commoner class of the training records; an area of ½."""
        _, labels = split.known
        commoner = 1.0 if 2 * np.count_nonzero(labels > 0) >= len(labels) else -1.0
        return {"accuracy": float(np.mean(split.y_test == commoner)), "auc": 0.5}

    def validation_score(self, values: Array) -> Array:
        """Mean log likelihood."""
        return metrics.log_likelihood(values)


def _per_thousand(
    true_positive: Array, true_negative: Array, share: float | Array
) -> tuple[Array, Array]:
    """Missed and falsely flagged people among 1,000 with the test records' share of positives."""
    parts = ((share, true_positive), (1.0 - share, true_negative))
    missed, false = (np.where(size > 0.0, 1e3 * size * (1.0 - rate), 0.0) for size, rate in parts)
    return missed, false


CLASSIFICATION = Classification()


SCORES_AT_ONCE = 2**23


def accuracies(models: Array, features: Array, labels: Array, classes: int) -> tuple[Array, Array]:
    """(accuracy, its mean over the classes) of each model, shape (k,) both; nan without records.

    A model, (K·d,), is K vectors of weights one after the other; the largest score decides, the
    first on a tie.
    """
    overall, balanced = np.full((2, len(models)), np.nan)
    if not len(labels):
        return overall, balanced
    groups = [members for k in range(classes) if len(members := np.flatnonzero(labels == k))]
    together = max(1, SCORES_AT_ONCE // (len(labels) * classes))
    for start in range(0, len(models), together):
        some = models[start : start + together]
        scores = some.reshape(len(some) * classes, -1) @ features.T
        right = scores.reshape(len(some), classes, -1).argmax(axis=1) == labels
        overall[start : start + together] = right.mean(axis=1)
        shares = [right[:, group].mean(axis=1) for group in groups]
        balanced[start : start + together] = np.mean(shares, axis=0)
    return overall, balanced


class Multiclass(Scoring):
    run_columns: tuple[str, ...] = ("accuracy_train", "accuracy_test", "balanced_accuracy")
    measured: tuple[str, ...] = ("accuracy", "balanced_accuracy")
    banded: tuple[Metric, ...] = (ACCURACY,)
    exact = False

    def measures(self, split: Split) -> tuple[Metric, ...]:
        """Accuracy in [0, 1]."""
        return self.banded

    def of_runs(self, problem: Problem, split: Split, models: Array) -> dict[str, Array]:
        """Measures on the test records, except "accuracy_train" and the objective."""
        count = problem.classes
        trained, _ = accuracies(models, *split.known, count)
        accuracy, balanced = accuracies(models, split.x_test, split.y_test, count)
        objective = [
            metrics.objectives(problem, models[:, part.place], split.x_train, part.labels)
            for part in parts(problem, split.y_train)
        ]
        return {
            "accuracy_train": trained,
            "accuracy_test": accuracy,
            "balanced_accuracy": balanced,
            "objective": np.mean(objective, axis=0),
        }

    def expected(
        self, split: Split, centres: Array, sigmas: Array, draws: Array
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """Means over the draws (m, K·d), and each of these."""
        drawn = np.empty((2, len(centres), len(draws)))
        for place, (centre, sigma) in enumerate(zip(centres, sigmas, strict=True)):
            models = centre + sigma * (draws if sigma > 0.0 else draws[:1])
            rates = accuracies(models, split.x_test, split.y_test, split.entry.classes)
            for measure, values in zip(drawn, rates, strict=True):
                measure[place] = values
        means = dict(zip(self.measured, drawn.mean(axis=2), strict=True))
        singles = dict(zip(self.measured, drawn, strict=True))
        return means, {name: around(means[name], singles[name]) for name in means}

    def over_runs(self, positive: Array, runs: pd.DataFrame) -> dict[str, float]:
        """Means over runs; the band from 5 % to 95 % of them."""
        values = (runs[name].to_numpy() for name in ("accuracy_test", "balanced_accuracy"))
        named = dict(zip(self.measured, values, strict=True))
        return over_runs(named, runs["split"].to_numpy(), self.banded)

    def intervals(self, split: Split, weights: Array) -> dict[str, tuple[float, float]]:
        """Wilson's interval, from the test records alone."""
        accuracy, _ = accuracies(weights[None], split.x_test, split.y_test, split.entry.classes)
        return {"accuracy": metrics.accuracy_interval(float(accuracy[0]), len(split.y_test))}

    def guesses(self, split: Split) -> dict[str, float]:
        """Measures of always answering the commonest class of the training records."""
        _, labels = split.known
        counts = np.bincount(labels.astype(np.int64), minlength=split.entry.classes)
        commonest = np.argmax(counts)
        return {"accuracy": float(np.mean(split.y_test == commonest))}

    def validation_score(self, values: Array) -> Array:
        """Mean log likelihood, of one of the two-class problems at a time."""
        return metrics.log_likelihood(values)


MULTICLASS = Multiclass()
