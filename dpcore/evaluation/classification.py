"""Models that tell two classes apart: accuracy, errors of either kind, area under the ROC curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets import Split
from dpcore.erm.problem import Problem
from dpcore.evaluation import metrics
from dpcore.evaluation.scoring import ACCURACY, HIGH, LOW, Array, Measure

if TYPE_CHECKING:
    import pandas as pd


class Classification:
    """See `dpcore.evaluation.scoring.Scoring`."""

    run_columns: tuple[str, ...] = (
        "accuracy_train",
        "accuracy_test",
        "balanced_accuracy",
        "true_positive_rate",
        "true_negative_rate",
        "auc",
    )
    columns: tuple[str, ...] = (
        "accuracy",
        "accuracy_low",
        "accuracy_high",
        "balanced_accuracy",
        "missed_per_1000",
        "false_per_1000",
    )

    def measure(self, split: Split) -> Measure:
        """Accuracy in [0, 1]."""
        return ACCURACY

    def of_runs(self, problem: Problem, split: Split, models: Array) -> dict[str, Array]:
        """Of every model, on the test records but for the objective and "accuracy_train"."""
        objective, trained = metrics.training_scores(problem, models, split.x_train, split.y_train)
        test = metrics.rates(models, split.x_test, split.y_test)
        return {
            "accuracy_train": trained,
            "accuracy_test": test.accuracy,
            "balanced_accuracy": test.balanced,
            "true_positive_rate": test.true_positive,
            "true_negative_rate": test.true_negative,
            "auc": metrics.areas_under_curve(models, split.x_test, split.y_test),
            "objective": objective,
        }

    def expected(
        self, split: Split, centres: Array, sigmas: Array, draws: Array
    ) -> dict[str, Array]:
        """Means to 1e-4; the band of accuracy from the draws."""
        test = metrics.expected_rates(centres, sigmas, split.x_test, split.y_test)
        hits = metrics.noisy_accuracies(centres, sigmas, draws, split.x_test, split.y_test)
        low, high = np.quantile(hits, [LOW, HIGH], axis=1)
        missed, false = _per_thousand(test.true_positive, test.true_negative, split)
        return {
            "accuracy": test.accuracy,
            "accuracy_low": low,
            "accuracy_high": high,
            "balanced_accuracy": test.balanced,
            "missed_per_1000": missed,
            "false_per_1000": false,
        }

    def over_runs(self, split: Split, runs: pd.DataFrame) -> dict[str, float]:
        """Means over runs; the band from 5 % to 95 % of them."""
        mean = runs[list(self.run_columns)].mean()
        low, high = runs["accuracy_test"].quantile([LOW, HIGH])
        missed, false = _per_thousand(mean["true_positive_rate"], mean["true_negative_rate"], split)
        return {
            "accuracy": mean["accuracy_test"],
            "accuracy_low": low,
            "accuracy_high": high,
            "balanced_accuracy": mean["balanced_accuracy"],
            "missed_per_1000": missed,
            "false_per_1000": false,
        }

    def interval(self, split: Split, weights: Array) -> tuple[float, float]:
        """Wilson's, judged from the test records alone."""
        found = metrics.rates(weights[None], split.x_test, split.y_test).accuracy[0]
        return metrics.accuracy_interval(float(found), len(split.y_test))

    def guess(self, split: Split) -> float:
        """Of always answering the commoner class of the training records."""
        commoner = 1.0 if np.mean(split.y_train > 0) >= 0.5 else -1.0
        return float(np.mean(split.y_test == commoner))

    def held_out(self, values: Array) -> Array:
        """Accuracy."""
        return np.asarray(np.mean(values > 0, axis=0))


def _per_thousand(true_positive: Array, true_negative: Array, split: Split) -> tuple[Array, Array]:
    """Missed and falsely flagged people among 1,000 with the test records' share of positives."""
    share = float(np.mean(split.y_test > 0))
    return 1000.0 * share * (1.0 - true_positive), 1000.0 * (1.0 - share) * (1.0 - true_negative)


CLASSIFICATION = Classification()
