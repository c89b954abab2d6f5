"""The mark on every table of measures: computed on real records, they are covered by no ε."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

NOT_PRIVATE = "not private"
COLUMN = "measures"
ALL_BLANK = "All records to learn from are blank: what is measured on them has no value."
"""Stands beside measures only: that all are blank is itself learned from the records."""
MEASURED = (
    "accuracy",
    "auc",
    "balanced_accuracy",
    "calibration_error",
    "calibration_intercept",
    "calibration_slope",
    "corrected",
    "cost_per_1000",
    "excess_risk",
    "false_per_1000",
    "log_odds",
    "loss_train",
    "mean_or_mode",
    "mean_risk",
    "missed_per_1000",
    "net_benefit",
    "objective",
    "observed",
    "predictive_value",
    "r2",
    "risk",
    "rmse",
    "test_error",
    "true_negative_rate",
    "true_positive_rate",
    "value",
)
"""Beginnings of the names of columns measured on records."""


def marked(table: pd.DataFrame) -> pd.DataFrame:
    """The table for writing: where it holds measures, a last column marks them."""
    measured = any(str(name).startswith(MEASURED) for name in table.columns)
    return table.assign(**{COLUMN: NOT_PRIVATE}) if measured else table
