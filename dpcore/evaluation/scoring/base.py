"""The interface of every scoring of models, and the mean and band of single runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Split
from dpcore.erm.problem import Problem
from dpcore.evaluation.runs import MANY

if TYPE_CHECKING:
    import pandas as pd
    from pandas.core.groupby import SeriesGroupBy

Array = NDArray[np.floating]

LOW, HIGH = 0.05, 0.95
"""Quantiles of single runs at the ends of a band."""


def spread(values: Array, axis: int = -1) -> tuple[Array, Array, Array]:
    """Mean of single runs and the band from 5 % to 95 % of them, which holds it.

    Of fewer than `MANY` runs the band goes from the lowest to the highest: one in ten cannot be
    left out of five.

    The mean of equal numbers is rounded: without the limits it may lie above all of them.

    Parameters
    ----------
    values : (..., runs, ...) array
    axis : int
        Axis of the runs.

    Returns
    -------
    (mean, low, high)
        Each without that axis.
    """
    mean = np.clip(np.mean(values, axis=axis), np.min(values, axis=axis), np.max(values, axis=axis))
    ends = [LOW, HIGH] if values.shape[axis] >= MANY else [0.0, 1.0]
    low, high = np.quantile(values, ends, axis=axis)
    return np.asarray(mean), *holding(mean, low, high)


def spread_over(values: Array, places: Array) -> tuple[Array, Array, Array]:
    """`spread` of single runs on several splits: of the noise alone, not of the splits.

    Each split's runs are counted from their own mean, and made wider by √(k/(k-1)), as the mean of
    k runs lies nearer to them than the expectation does. Where a split has one run only, nothing
    tells the two apart, and the band is that of all runs.

    Parameters
    ----------
    values : (runs, ...) array
    places : (runs,) array
        The split of each run.

    Returns
    -------
    (mean, low, high)
        Each without the first axis.
    """
    names, place, counts = np.unique(places, return_inverse=True, return_counts=True)
    if len(names) == 1 or counts.min() < 2:
        return spread(values, axis=0)
    means = np.stack([values[place == split].mean(axis=0) for split in range(len(names))])
    wider = np.sqrt(counts / (counts - 1.0)).reshape(-1, *[1] * (values.ndim - 1))
    middle = means.mean(axis=0)
    _, low, high = spread(middle + (values - means[place]) * wider[place], axis=0)
    return np.asarray(middle), *holding(middle, low, high)


def spread_by(groups: SeriesGroupBy[Any, Any]) -> tuple[pd.Series, pd.Series, pd.Series]:
    """`spread` of each group of a column, without missing values."""
    lowest, highest, many = groups.min(), groups.max(), groups.count() >= MANY
    mean = groups.mean().clip(lowest, highest)
    low, high = groups.quantile(LOW).where(many, lowest), groups.quantile(HIGH).where(many, highest)
    return mean, *holding(mean, low, high)


def holding(mean: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """The band, widened where needed to hold its mean, which may come from another source."""
    return np.minimum(low, mean), np.maximum(high, mean)


@dataclass(frozen=True)
class Metric:
    """A measure that compares models.

    Parameters
    ----------
    column : str
        Its name in a table.
    sign : float
        1 where more is better, -1 where less is.
    span : float
        Scale of its differences, in its units: 1 for a share, the public range of the predicted
        number for an error.
    unit : str
        Unit of an error, where it has one.
    """

    column: str
    sign: float
    span: float
    unit: str = ""

    def reaches(self, value: float, wanted: float) -> bool:
        """Whether `value` is as good as `wanted`, or better; never for nan."""
        return bool(self.sign * (value - wanted) >= 0.0)


ACCURACY = Metric("accuracy", 1.0, 1.0)
AREA = Metric("auc", 1.0, 1.0)
"""Area under the ROC curve."""


class Scoring(Protocol):
    """The measures of models of one kind.

    Attributes
    ----------
    run_columns : tuple of str
        Columns of one run, in a sweep's table.
    columns : tuple of str
        Columns of many runs or of an expectation, in a table of curves.
    single : mapping of str to str
        Each measure's column in `columns` to that of one run in `run_columns`.
    """

    run_columns: tuple[str, ...]
    columns: tuple[str, ...]
    single: Mapping[str, str]

    def measures(self, split: Split) -> tuple[Metric, ...]:
        """The measures that can compare models, the usual one first."""
        ...

    def of_runs(self, problem: Problem, split: Split, models: Array) -> dict[str, Array]:
        """`run_columns` and "objective" (F on the training records) of models (k, d)."""
        ...

    def expected(
        self, split: Split, centres: Array, sigmas: Array, draws: Array
    ) -> dict[str, Array]:
        """`columns` over w + N(0, σ²I) for each centre (k, d) and σ (k,); bands from `draws`."""
        ...

    def over_runs(self, splits: Sequence[Split], runs: pd.DataFrame) -> dict[str, float]:
        """`columns` of the runs of one method at one ε, from their rows in a sweep's table.

        The column "split" tells on which of the splits a run was judged.
        """
        ...

    def intervals(self, split: Split, weights: Array) -> dict[str, tuple[float, float]]:
        """Range of each measure of one model (d,) on new records, at 95 %."""
        ...

    def guesses(self, split: Split) -> dict[str, float]:
        """Each measure of the best constant answer, without any features."""
        ...

    def held_out(self, values: Array) -> Array:
        """Score of models by their margins or residuals (n, k); more is better."""
        ...
