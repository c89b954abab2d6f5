"""Private linear regression with scikit-learn's conventions."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from dpcore.estimators.base import Array, PrivateLinearModel, target_interval, to_unit


class PrivateLinearRegression(RegressorMixin, PrivateLinearModel):  # type: ignore[misc]
    """Linear regression with differential privacy.

    Parameters
    ----------
    epsilon : float
        ε that the whole fit may spend; above 0, at most 1000.
    delta : float
        δ, usually well below 1/n; at most 0.5.
    method : str
        "best", or a method of `dpcore.describe()` that has a sound edition for this loss. "best" is
        a fixed rule in public values: DP-GD, and from ε = 3 on
        objective perturbation.
    bounds : (float, float) or array of shape (d, 2)
        Public lower and upper bound, of all columns or of each. Values outside are clipped. Without
        bounds nothing is fitted, and they are never read off the data.
    target_bounds : (float, float)
        Public lower and upper bound of y, in its units. Values outside are clipped.
    adjacency : {"zero-out", "replace-one"}
        Which neighbours the promise compares; the number of records is public in both.
    lam : float, optional
        λ of (λ/2)‖w‖²; left out, by the method's rule in n and d.
    fit_intercept : bool
        Append a constant 1 to each row before its norm is taken.
    random_state : None, int or generator
        ``None`` draws from the operating system, for keeping. A seed is for exploration only: the
        noise can then be drawn again, and nothing is proved.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights, with their noise, of the prepared row (every column in [-1, 1], rows longer than 1
        then shortened to 1), for y scaled to [-1, 1].
    intercept_ : float
        Weight of the prepared row's constant.
    guarantee_ : ModelGuarantee
        What is proved: ε, δ, adjacency, theorem, status, and what is public.
    claim_ : Guarantee
        What a paper claims of this noise; never mixed with what is proved.
    n_features_in_ : int
    feature_names_in_ : array of shape (d,)
        Where X has names of columns that are texts.

    Raises
    ------
    InvalidInput
        A ValueError, by `fit`: naming the field, the value and what is allowed.

    Notes
    -----
    Residuals count squared up to half the range of y, and linearly beyond. Predictions stay within
    `target_bounds`.
    `score` and `cross_val_score` measure on real records, and the latter fits one model a fold:
    what they return is not private, and no ε here covers it. The low bits of the noise are not
    covered either (Mironov 2012).

    References
    ----------
    The method's own file in `dpcore.erm.methods`; of "best" Dong, Roth and Su 2022 (DP-GD) and
    Redberg, Koskela and Wang 2023 (objective perturbation).
    """

    _loss = "squared"
    _norm = "clip"

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-5,
        *,
        method: str = "best",
        bounds: Any = None,
        target_bounds: Any = None,
        adjacency: str = "zero-out",
        lam: float | None = None,
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.method = method
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.adjacency = adjacency
        self.lam = lam
        self.fit_intercept = fit_intercept
        self.random_state = random_state

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
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2, y_numeric=True)
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
