"""Private linear regression with scikit-learn's conventions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from dpcore.estimators.base import (
    Array,
    PrivateLinearModel,
    target_interval,
    to_unit,
)
from dpcore.estimators.rows import checked
from dpcore.estimators.wording import documented
from dpcore.methods import LATER_FROM


@documented(LATER_FROM[False])
@dataclass(eq=False, repr=False, kw_only=True)
class PrivateLinearRegression(RegressorMixin, PrivateLinearModel):  # type: ignore[misc]
    """Linear regression with differential privacy.

    Parameters
    ----------
    {budget, method, bounds}
    target_bounds : (float, float)
        Public lower and upper bound of y, in its units. Values outside are clipped.
    {problem}
    {random_state}

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights, with their noise, of the prepared row (every column in [-1, 1], rows longer than 1
        then shortened to 1), for y scaled to [-1, 1].
    intercept_ : float
        Weight of the prepared row's constant.
    {promise}

    Raises
    ------
    {refusals}

    Notes
    -----
    Residuals count squared up to half the range of y, and linearly beyond. Predictions stay within
    `target_bounds`.
    {not private}

    References
    ----------
    {references}
    """

    _loss = "squared"
    _norm = "clip"
    target_bounds: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from n records, with noise.

        Parameters
        ----------
        X : (n, d) array
        y : (n,) array
            Numbers, in the units of `target_bounds` and clipped to them.

        Returns
        -------
        self

        Raises
        ------
        InvalidInput
            If a parameter or the data do not fit.
        """
        X, y = checked(self, X, y, numbers=True)
        interval = target_interval(self.target_bounds)
        self._release(X, to_unit(y.astype(np.float64), interval), target_bounds=interval)
        self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        return self

    def predict(self, X: Any) -> Array:
        """Numbers within the public bounds of y, in its units, (n,).

        Parameters
        ----------
        X : (n, d) array
            Clipped to the public bounds.
        """
        values = self._values(X)[:, 0]
        low, high = target_interval(self.guarantee_.public.target_bounds)
        return np.clip(low + (values + 1.0) / 2.0 * (high - low), low, high)
