"""The mark on every table of measures: computed on real records, they are covered by no ε."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

NOT_PRIVATE = "not private"
COLUMN = "measures"
ALL_BLANK = "All records to learn from are blank: what is measured on them has no value."
"""Stands beside measures only: that all are blank is itself learned from the records."""
OTHER_MEASURES = (
    "calibration_error",
    "calibration_intercept",
    "calibration_slope",
    "corrected",
    "cost_per_1000",
    "excess_risk",
    "log_odds",
    "loss_train",
    "mean_or_mode",
    "mean_risk",
    "net_benefit",
    "objective",
    "observed",
    "predictive_value",
    "risk",
    "test_error",
    "true_negative_rate",
    "true_positive_rate",
    "value",
)
"""Beginnings of the names of columns measured on records, beside those of a scoring."""


@cache
def beginnings() -> tuple[str, ...]:
    # Loaded where a table is written: charts alone need no scoring.
    from dpcore.evaluation.scoring import SCORINGS

    named = {name for each in SCORINGS for name in (*each.measured, *each.run_columns)}
    return (*OTHER_MEASURES, *sorted(named))


def marked(table: pd.DataFrame) -> pd.DataFrame:
    """The table for writing: where it holds measures, a last column marks them."""
    measured = any(str(name).startswith(beginnings()) for name in table.columns)
    return table.assign(**{COLUMN: NOT_PRIVATE}) if measured else table
