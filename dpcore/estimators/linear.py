"""Private classifiers with scikit-learn's conventions: logistic regression and the Huber SVM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from dpcore.erm.methods import LATER_FROM
from dpcore.erm.problem import ACCURATE_HUBER_WIDTH
from dpcore.errors import InvalidInput
from dpcore.estimators.base import (
    Array,
    PrivateLinearModel,
    checked,
    documented,
    refuse_mixed,
    target_interval,
    to_unit,
)


@dataclass(eq=False, repr=False, kw_only=True)
class PrivateClassifier(ClassifierMixin, PrivateLinearModel):  # type: ignore[misc]
    classes: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from n records, with noise.

        Parameters
        ----------
        X : (n, d) array
        y : (n,) array
            Classes.

        Returns
        -------
        self

        Raises
        ------
        InvalidInput
            If a parameter or the data do not fit.
        """
        X, y = checked(self, X, y)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        classes, codes = self._classes(y)
        count = len(classes)
        self._release(
            X,
            (2.0 * codes - 1.0) if count == 2 else codes.astype(np.float64),
            count=count,
            huber_width=getattr(self, "huber_width", ACCURATE_HUBER_WIDTH),
            classes=tuple(classes.tolist()),
            classes_given=self.classes is not None,
        )
        self.classes_ = classes
        return self

    def _classes(self, y: Any) -> tuple[Any, Any]:
        """The list of classes, ascending, and each record's place in it."""
        if self.classes is not None:
            refuse_mixed("classes", self.classes)
        labels = np.unique(y if self.classes is None else np.asarray(self.classes))
        if len(labels) < 2:
            source = "y" if self.classes is None else "classes"
            raise InvalidInput(
                f"{source} holds {len(labels)} class, but there must be two or more; `classes` "
                "names them where y may hold one only."
            )
        places = np.minimum(np.searchsorted(labels, y), len(labels) - 1)
        if np.any(labels[places] != y):
            raise InvalidInput(
                "y holds a class that is not listed, but it must hold the given classes only: "
                f"{', '.join(str(label) for label in labels)}."
            )
        return labels, places

    def decision_function(self, X: Any) -> Array:
        """Margins: (n,) of two classes, positive for the second; (n, K) of several.

        Parameters
        ----------
        X : (n, d) array
            Clipped to the public bounds.
        """
        values = self._values(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> Any:
        """The class of each record, (n,).

        Parameters
        ----------
        X : (n, d) array
            Clipped to the public bounds.
        """
        values = self.decision_function(X)
        places = (values > 0.0).astype(int) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[places]


@documented(LATER_FROM[True])
class PrivateLogisticRegression(PrivateClassifier):
    """Logistic regression with differential privacy.

    Parameters
    ----------
    {budget, method, bounds}
    {classes}
    {problem}
    {random_state}

    Attributes
    ----------
    {weights of classes}
    {promise}

    Raises
    ------
    {refusals}

    Notes
    -----
    {several classes}
    {not private}

    References
    ----------
    {references}

    Examples
    --------
    >>> import dpcore
    >>> model = dpcore.PrivateLogisticRegression(epsilon=1, bounds=(0, 10))
    >>> model.fit([[1.0], [9.0], [2.0], [8.0]], [0, 1, 0, 1]).guarantee_.epsilon
    1.0
    """

    _loss = "logistic"

    def predict_proba(self, X: Any) -> Array:
        """Probabilities, (n, K): of several classes each one's own against the rest, scaled to 1.

        Parameters
        ----------
        X : (n, d) array
            Clipped to the public bounds.
        """
        values = self.decision_function(X)
        if values.ndim == 1:
            return np.stack([scipy.special.expit(-values), scipy.special.expit(values)], axis=1)
        probabilities: Array = scipy.special.softmax(scipy.special.log_expit(values), axis=1)
        return probabilities

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of `predict_proba`, (n, K).

        Parameters
        ----------
        X : (n, d) array
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


@documented(LATER_FROM[True])
@dataclass(eq=False, repr=False, kw_only=True)
class PrivateHuberSVC(PrivateClassifier):
    """A linear support vector machine with differential privacy, its hinge smoothed by Huber.

    Parameters
    ----------
    {budget, method, bounds}
    {classes}
    {problem}
    huber_width : float
        h, in margin units, from 0.001 to 10.
    {random_state}

    Attributes
    ----------
    {weights of classes}
    {promise}

    Raises
    ------
    {refusals}

    Notes
    -----
    {several classes}
    {not private}

    References
    ----------
    {references}
    """

    _loss = "huber"
    huber_width: float = ACCURATE_HUBER_WIDTH


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
