"""What is asked of every way to judge models, and how single runs become a mean and a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpcore.datasets import Split
from dpcore.erm.problem import Problem

if TYPE_CHECKING:
    import pandas as pd
    from pandas.core.groupby import SeriesGroupBy

Array = NDArray[np.floating]

LOW, HIGH = 0.05, 0.95
"""Quantiles of single runs that a band reaches from and to."""


def spread(values: Array, axis: int = -1) -> tuple[Array, Array, Array]:
    """Mean of single runs and the band from 5 % to 95 % of them, which holds it.

    A sum of equal numbers is rounded: without the limits its mean may lie above all of them.

    Parameters
    ----------
    values : (..., runs, ...) array
    axis : int
        That of the runs.

    Returns
    -------
    (mean, low, high)
        Each without that axis.
    """
    mean = np.clip(np.mean(values, axis=axis), np.min(values, axis=axis), np.max(values, axis=axis))
    low, high = np.quantile(values, [LOW, HIGH], axis=axis)
    return np.asarray(mean), *holding(mean, low, high)


def spread_by(groups: SeriesGroupBy[Any, Any]) -> tuple[pd.Series, pd.Series, pd.Series]:
    """The same of each group of a column; what was not measured is left out."""
    mean = groups.mean().clip(groups.min(), groups.max())
    return mean, *holding(mean, groups.quantile(LOW), groups.quantile(HIGH))


def holding(mean: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """The band, widened where it must be to hold its mean, which may come from elsewhere."""
    return np.minimum(low, mean), np.maximum(high, mean)


@dataclass(frozen=True)
class Metric:
    """A figure that models are compared by.

    Parameters
    ----------
    column : str
        Its name in a table.
    sign : float
        1 where more is better, -1 where less is.
    span : float
        What its differences are small or large against, in its units: 1 for a share, the public
        range of what is predicted for an error.
    unit : str
        Of an error, where it has one.
    """

    column: str
    sign: float
    span: float
    unit: str = ""

    def reaches(self, value: float, wanted: float) -> bool:
        """Whether `value` is as good as `wanted`, or better; no number reaches nothing."""
        return bool(self.sign * (value - wanted) >= 0.0)


ACCURACY = Metric("accuracy", 1.0, 1.0)
AREA = Metric("auc", 1.0, 1.0)
"""Area under the ROC curve."""


class Scoring(Protocol):
    """What is measured of models of one kind.

    Attributes
    ----------
    run_columns : tuple of str
        Of one run, in a sweep's table.
    columns : tuple of str
        Of many runs or of an expectation, in a table of curves.
    """

    run_columns: tuple[str, ...]
    columns: tuple[str, ...]

    def measures(self, split: Split) -> tuple[Metric, ...]:
        """What models can be compared by, the usual one first."""
        ...

    def of_runs(self, problem: Problem, split: Split, models: Array) -> dict[str, Array]:
        """`run_columns` and "objective" (F on the training records) of models (k, d)."""
        ...

    def expected(
        self, split: Split, centres: Array, sigmas: Array, draws: Array
    ) -> dict[str, Array]:
        """`columns` over w + N(0, σ²I) for each centre (k, d) and σ (k,); bands from `draws`."""
        ...

    def over_runs(self, split: Split, runs: pd.DataFrame) -> dict[str, float]:
        """`columns` of the runs of one method at one ε, from their rows in a sweep's table."""
        ...

    def intervals(self, split: Split, weights: Array) -> dict[str, tuple[float, float]]:
        """Where each measure of one model (d,) may lie on new records, at 95 %."""
        ...

    def guesses(self, split: Split) -> dict[str, float]:
        """Each measure of always giving the answer that is best without any features."""
        ...

    def held_out(self, values: Array) -> Array:
        """How good models are by their margins or residuals (n, k); more is better."""
        ...
