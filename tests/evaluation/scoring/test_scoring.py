"""A mean of runs lies within its band, whatever the last digit of their sum."""

import numpy as np
import pandas as pd

from dpcore.evaluation.comparison import averaged
from dpcore.evaluation.models import SUMMARY, summary
from dpcore.evaluation.scoring import holding, multiclass, regression, spread, spread_by
from dpcore.evaluation.training.report import _spread


def equal_runs():
    """Equal numbers whose mean, summed in this order, is another number than they are."""
    for value in np.random.default_rng(0).uniform(0.0, 1.0, 10_000):
        values = np.full(7, value)
        if values.mean() != value and values.sum() / 7 > value:
            return values
    raise AssertionError("no such number")


def test_the_mean_of_equal_runs_is_what_they_are():
    values = equal_runs()
    assert values.mean() > values.max()
    assert {float(each) for each in spread(values)} == {values[0]}
    (mean,), (low,), (high,) = spread_by(pd.DataFrame({"g": 1, "v": values}).groupby("g")["v"])
    assert low <= mean <= high == values[0]


def test_a_band_is_widened_to_hold_its_mean_and_is_no_other_way_changed():
    values = np.array([[0.0] * 99 + [1e6], [*map(float, range(100))]])
    mean, low, high = spread(values)
    assert np.allclose(mean, values.mean(axis=1))
    assert np.array_equal(low, np.quantile(values, 0.05, axis=1))
    assert high[0] == mean[0] > np.quantile(values[0], 0.95)
    assert high[1] == np.quantile(values[1], 0.95)
    assert holding(1.0, 1.1, 1.2) == (1.0, 1.2)


def test_every_table_of_runs_holds_its_means_within_their_bands(monkeypatch):
    values = equal_runs()
    told = _spread(pd.DataFrame({"v": values}), "v")
    assert told == {"mean": values[0], "low": values[0], "high": values[0]}
    runs = pd.DataFrame({"split": 0, "accuracy_test": values, "balanced_accuracy": values})
    row = multiclass.Multiclass().over_runs([], runs)
    assert row["accuracy_low"] == row["accuracy"] == row["accuracy_high"]
    runs = pd.DataFrame({"split": 0, "rmse_test": values, "r2_test": values})
    row = regression.Regression().over_runs([], runs)
    assert row["rmse_low"] <= row["rmse"] <= row["rmse_high"]
    rows = pd.DataFrame(
        {"series": "private", "epoch": 1, "run": range(7), "accuracy_test": values, "epsilon": 1.0}
    )
    (one,) = averaged(rows).itertuples()
    assert one.accuracy_test_low == one.accuracy_test == one.accuracy_test_high
    whole = dict.fromkeys(SUMMARY, 1) | {"series": "private", "epsilon": 1.0}
    (model,) = summary(pd.DataFrame([whole | {"value": value} for value in values])).itertuples()
    assert (
        model[1 + SUMMARY.index("value_low")] == values[0] == model[1 + SUMMARY.index("value_high")]
    )
