"""Models that tell several classes apart, each class against all others: accuracy and its mean.

No closed form is known for the largest of several scores: expectations are means over draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Split
from dpcore.erm.one_vs_rest import parts
from dpcore.erm.problem import Problem
from dpcore.evaluation.scoring import metrics
from dpcore.evaluation.scoring.base import ACCURACY, Array, Metric, Scoring, around, over_runs

if TYPE_CHECKING:
    import pandas as pd

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
        self,
        split: Split,
        centres: Array,
        sigmas: Array,
        draws: Array,
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
