"""The interface of every scoring of models, and the mean and band of single runs."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Split
from dpcore.erm.problem import Problem
from dpcore.evaluation import MANY

if TYPE_CHECKING:
    import pandas as pd
    from pandas.core.groupby import SeriesGroupBy


Array = NDArray[np.floating]

LOW, HIGH = 0.05, 0.95
"""Quantiles of single runs at the ends of a band."""
BAND_ENDS = ("_low", "_high")
NOISE_DEVIATION, SPLIT_ERROR = DEVIATION_ENDS = ("_noise_deviation", "_split_error")
"""Ends of the names of columns: of a band, and of both parts of `deviations`."""


def spread(values: Array, axis: int = -1) -> tuple[Array, Array, Array]:
    """Mean of single runs and the band from 5 % to 95 % of them, which holds it.

    Of fewer than `MANY` runs the band goes from the lowest to the highest: one in ten cannot be
    left out of five.

    The mean of equal numbers is rounded: without the limits it may lie above all of them.
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
    """
    names, place, counts = np.unique(places, return_inverse=True, return_counts=True)
    if len(names) == 1 or counts.min() < 2:
        return spread(values, axis=0)
    means = np.stack([values[place == split].mean(axis=0) for split in range(len(names))])
    wider = np.sqrt(counts / (counts - 1.0)).reshape(-1, *[1] * (values.ndim - 1))
    middle = means.mean(axis=0)
    _, low, high = spread(middle + (values - means[place]) * wider[place], axis=0)
    return np.asarray(middle), *holding(middle, low, high)


def deviations(values: Array, places: Array) -> tuple[float, float]:
    """What the noise and what the choice of test records add to the scatter of single runs.

    Analysis of variance of one random effect: the mean square within the splits is the noise's
    variance, and what the splits' means scatter beyond that is the splits' own. Of s splits that
    are drawn independently from the same records it leaves the mean with the share 1/s of their
    variance; of splits that test every record in turn, with no more.
    """
    _, first, place, counts = np.unique(
        places, return_index=True, return_inverse=True, return_counts=True
    )
    # Counted from each split's first run, so that runs without noise deviate by exactly 0.
    beyond = values - values[first][place]
    free, rises = len(values) - len(counts), np.bincount(place, beyond) / counts
    within = np.sum((beyond - rises[place]) ** 2) / free if free else np.nan
    means = values[first] + rises
    return float(np.sqrt(within)), split_error(means, float(within * np.mean(1.0 / counts)))


def split_error(means: Array, of_noise: float | Array = 0.0) -> Any:
    """Standard error of the mean over splits that the choice of test records leaves.

    `means` are of each split, (splits, ...), nan for a single one; `of_noise` is the variance that
    the noise adds to such a mean.
    """
    if len(means) < 2:
        return np.full(means.shape[1:], np.nan)[()]
    between = np.var(means, axis=0, ddof=1) - of_noise
    return np.sqrt(np.maximum(between, 0.0) / len(means))


def columns_for(measured: Sequence[str], banded: Collection[Metric]) -> tuple[str, ...]:
    """Columns of a table of curves: each measure, its band if it has one, and both deviations."""
    with_band = {metric.column for metric in banded}
    return tuple(
        f"{name}{end}"
        for name in measured
        for end in ("", *(BAND_ENDS if name in with_band else ()), *DEVIATION_ENDS)
    )


def around(means: Array, singles: Array) -> Array:
    """Draws of single runs, (k, draws), moved to these means (k,)."""
    draws = singles.shape[1]
    wider = math.sqrt(draws / max(1, draws - 1))
    moved = wider * (singles - singles.mean(axis=1, keepdims=True))
    return np.asarray(means[:, None] + moved)


def over_runs(
    measured: Mapping[str, Array], places: Array, banded: Collection[Metric]
) -> dict[str, float]:
    """`columns_for` these measures of single runs, (runs,) each."""
    by_column = {metric.column: metric for metric in banded}
    result: dict[str, float] = {}
    for name, every in measured.items():
        some = ~np.isnan(every) if not np.isnan(every).all() else slice(None)
        values, at = every[some], places[some]
        mean, *ends = spread_over(values, at)
        band = by_column[name].in_range(ends) if name in by_column else ()
        statistics = (mean, *band, *deviations(values, at))
        result.update(zip(columns_for([name], banded), map(float, statistics), strict=True))
    return result


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
    """A measure that compares models."""

    column: str
    sign: float  # 1 where more is better, -1 where less is
    # scale of its differences: 1 for a share, the public range of the predicted number for an error
    span: float
    unit: str = ""
    most: float = math.inf  # the largest that it can be; the smallest is 0
    run: str = ""  # the column of one run in a sweep's table; its own name where empty

    @property
    def of_one_run(self) -> str:
        """The column of one run in a sweep's table."""
        return self.run or self.column

    def reaches(self, value: float, wanted: float) -> bool:
        """Whether `value` is as good as `wanted`, or better; never for nan."""
        return bool(self.sign * (value - wanted) >= 0.0)

    def in_range(self, values: Any) -> Any:
        """Ends of a band, within what the measure can be."""
        return np.clip(values, 0.0, self.most)


ACCURACY = Metric("accuracy", 1.0, 1.0, most=1.0, run="accuracy_test")
AREA = Metric("auc", 1.0, 1.0, most=1.0)
"""Area under the ROC curve."""
OBJECTIVE = Metric("objective", -1.0, math.nan)
"""The objective that training minimises, on the training records."""


class Scoring(Protocol):
    """The measures of models of one kind.

    Attributes
    ----------
    run_columns : tuple of str
        Columns of one run, in a sweep's table.
    measured : tuple of str
        Measures of many runs or of an expectation, in a table of curves.
    banded : tuple of Metric
        Those of `measured` that can compare models and have a band.
    exact : bool
        Whether `expected` is an expectation, not a mean over the draws.
    """

    run_columns: tuple[str, ...]
    measured: tuple[str, ...]
    banded: tuple[Metric, ...]
    exact: bool

    def measures(self, split: Split) -> tuple[Metric, ...]:
        """Those of `banded` that can compare models of these records, the usual one first."""
        ...

    def of_runs(self, problem: Problem, split: Split, models: Array) -> dict[str, Array]:
        """`run_columns` and "objective" (F on the training records) of models (k, d)."""
        ...

    def of_scores(self, scores: Array, positive: NDArray[np.bool_]) -> dict[str, Array]:
        """Judge by scores (k, m) of test records; one above 0 is judged positive."""
        raise TypeError("only models that tell two classes apart are judged by scores alone")

    def expected(
        self, split: Split, centres: Array, sigmas: Array, draws: Array
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """`measured` over w + N(0, σ²I) for each centre (k, d) and σ (k,), and of single draws.

        The means have shape (k,), the draws (k, draws). Draws that are measured on a part of the
        records lie around the means.
        """
        ...

    def over_runs(self, positive: Array, runs: pd.DataFrame) -> dict[str, float]:
        """`columns_for` the measures of one method at one ε, from its runs in a sweep's table.

        `positive`, (splits,), is the share of the test records whose label is above 0.
        """
        ...

    def intervals(self, split: Split, weights: Array) -> dict[str, tuple[float, float]]:
        """Range of each of `measures` of one model (d,) on new records, at 95 %."""
        ...

    def guesses(self, split: Split) -> dict[str, float]:
        """Each of `banded` of the best constant answer, without any features."""
        ...

    def validation_score(self, values: Array) -> Array:
        """Score of models by their margins or residuals (n, k); more is better."""
        ...
