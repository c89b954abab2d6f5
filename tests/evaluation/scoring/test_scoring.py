"""A mean of runs lies within its band, whatever the last digit of their sum."""

import numpy as np
import pandas as pd

from dpcore.evaluation.scoring import holding, spread, spread_by


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
