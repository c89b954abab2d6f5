"""Shared parts of private estimators: public bounds, preparation, budget, noise and fitted state.

A fitted estimator keeps noisy weights, the guarantee, and the public values. It keeps no record, no
weights without noise, and no generator. A seed stays its parameter, for `clone`, and is left out
where the fitted estimator is stored, copied or printed.
"""

from __future__ import annotations

import copy
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dpcore.datasets.encoding import bring_to_norm, scaled
from dpcore.datasets.preparation import Preparation
from dpcore.datasets.schema import Column
from dpcore.erm import accurate, one_vs_rest
from dpcore.erm.method import Settings, Training
from dpcore.erm.problem import ADJACENCIES, SMALLEST_LAM, Problem, default_lam
from dpcore.errors import InvalidInput, brief, number, one_of, reject, whole
from dpcore.estimators.promise import Public, promised
from dpcore.estimators.rows import checked_again
from dpcore.guarantee import Adjacency, Edition, Status
from dpcore.methods import BEST, best_method, method_named, register

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class PrivateLinearModel(BaseEstimator):  # type: ignore[misc]
    """Base of the estimators: preparation by public bounds, calibration, one release."""

    _loss: ClassVar[str]
    _norm: ClassVar[str] = "unit"

    epsilon: float = 1.0
    delta: float = 1e-5
    _: KW_ONLY
    method: str = BEST
    bounds: Any = None
    adjacency: str = "zero-out"
    lam: float | None = None
    fit_intercept: bool = True
    random_state: Any = None

    def _checked(self) -> tuple[float, float, str, Adjacency]:
        epsilon = number("epsilon", self.epsilon, at_least=1e-12, at_most=1e3)
        delta = number("delta", self.delta, at_least=1e-300, at_most=0.5)
        method = one_of("method", self.method, (BEST, *sound_methods(self._loss)))
        if method == BEST:
            method = best_method(self._loss, epsilon)
        adjacency = Adjacency(one_of("adjacency", self.adjacency, ADJACENCIES))
        if not isinstance(self.fit_intercept, (bool, np.bool_)):
            raise reject("fit_intercept", self.fit_intercept, "true or false")
        return epsilon, delta, method, adjacency

    def _release(
        self,
        X: Array,
        labels: Array,
        *,
        count: int = 2,
        huber_width: float = accurate.HUBER_WIDTH,
        **public: Any,
    ) -> None:
        """Learn, and keep the noisy weights, the guarantee and the claim."""
        epsilon, delta, key, adjacency = self._checked()
        bounds = column_bounds(self.bounds, X.shape[1])
        seed = _seed(self.random_state)
        rows = prepared(X, bounds, intercept=self.fit_intercept, norm=self._norm)
        problem = Problem(
            loss=self._loss,
            lam=self._lam(key, rows.shape),
            records=len(rows),
            dimension=rows.shape[1],
            adjacency=adjacency,
            huber_width=huber_width,
            classes=count,
        )
        method = method_named(key)
        (calibration,) = one_vs_rest.calibrate(
            method, problem, [epsilon], delta, Edition.SOUND, Settings()
        )
        training = Training(problem, rows, labels, [calibration], 1, seed)
        weights = one_vs_rest.release(method.release, training)
        weights = weights[0, 0].reshape(problem.parts, -1)
        self.coef_ = weights[:, : X.shape[1]].copy()
        self.intercept_ = weights[:, -1].copy() if self.fit_intercept else np.zeros(len(weights))
        public_values = Public(
            len(rows), tuple((float(low), float(high)) for low, high in bounds), **public
        )
        self.claim_ = calibration.claim
        self.guarantee_ = promised(calibration, public_values, seeded=seed is not None)

    def _lam(self, method: str, shape: tuple[int, ...]) -> float:
        if self.lam is not None:
            return number("lam", self.lam, at_least=SMALLEST_LAM, at_most=1e3)
        learner = method_named(method)
        if learner.own_ridge:
            return accurate.LAM
        return default_lam(*shape) * learner.lam_share

    def _values(self, X: Any) -> Array:
        """Weights times prepared rows, shape (n, K or 1)."""
        check_is_fitted(self)
        X = checked_again(self, X)
        public = self.guarantee_.public
        rows = prepared(X, np.array(public.bounds), intercept=self.fit_intercept, norm=self._norm)
        d = X.shape[1]
        values: Array = rows[:, :d] @ self.coef_.reshape(-1, d).T
        if self.fit_intercept:
            values += rows[:, d:] * np.reshape(self.intercept_, (1, -1))
        return values

    def __getstate__(self) -> dict[str, Any]:
        """The estimator; without its seed, once it is fitted."""
        state = dict(super().__getstate__())
        if "guarantee_" in state:
            state["random_state"] = None
        return state

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """As scikit-learn shows it; without its seed, once it is fitted."""
        return str(super(PrivateLinearModel, _shown(self)).__repr__(N_CHAR_MAX))

    def _get_params_html(self, *arguments: Any, **named: Any) -> Any:
        # Under everything that scikit-learn writes as HTML, a pipeline's steps among it.
        return super(PrivateLinearModel, _shown(self))._get_params_html(*arguments, **named)


def sound_methods(loss: str) -> tuple[str, ...]:
    return tuple(
        key
        for key, method in register().items()
        if loss in method.losses
        and Edition.SOUND in method.editions
        and method.editions[Edition.SOUND].status is not Status.NOT_PRIVATE
    )


def column_bounds(bounds: Any, columns: int) -> Array:
    """Public bounds of each column, (d, 2); refused where missing, never read off the data."""
    if bounds is None:
        raise InvalidInput(
            "bounds is None, but it must be given: one (lower, upper) for all columns, or one for "
            "each; bounds that are read off the data would tell of single people."
        )
    return _intervals("bounds", bounds, columns)


def target_interval(bounds: Any) -> tuple[float, float]:
    """Public bounds of the number to predict; refused where missing, never read off the data."""
    if bounds is None:
        raise InvalidInput(
            "target_bounds is None, but it must be given as (lower, upper): bounds that are read "
            "off the data would tell of single people."
        )
    ((low, high),) = _intervals("target_bounds", bounds, 1)
    return float(low), float(high)


def _intervals(field: str, bounds: Any, columns: int) -> Array:
    try:
        intervals = np.array(bounds, dtype=np.float64)
    except (TypeError, ValueError):
        raise reject(field, bounds, "numbers: (lower, upper)") from None
    if intervals.shape == (2,):
        intervals = np.tile(intervals, (columns, 1))
    if intervals.shape != (columns, 2):
        raise InvalidInput(
            f"{field} has shape {intervals.shape}, but it must be one (lower, upper) for all "
            f"columns, or {columns} of them, one for each."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        wide = intervals[:, 1] - intervals[:, 0]
    bad = np.flatnonzero(~(np.isfinite(wide) & (wide > 0.0)))
    if len(bad):
        low, high = intervals[bad[0]]
        raise InvalidInput(
            f"{field} holds {brief((float(low), float(high)))}, but lower and upper must be finite "
            "and lower the smaller one."
        )
    return intervals


def prepared(X: Array, bounds: Array, *, intercept: bool, norm: str) -> Array:
    """Rows of norm at most 1, each a function of its own record, clipped to the public bounds."""
    rows = np.ones((len(X), X.shape[1] + bool(intercept)))
    for place, (low, high) in enumerate(bounds):
        rows[:, place] = to_unit(X[:, place], (float(low), float(high)))
    bring_to_norm(rows, only_above=norm == "clip")
    return rows


def to_unit(values: Array, bounds: tuple[float, float]) -> Array:
    """Values in [-1, 1] by public bounds, to which they are clipped."""
    column = Column("column", "number", "", lower=bounds[0], upper=bounds[1], bounds_reason="given")
    return scaled(column, values, Preparation())[0]


def _seed(random_state: Any) -> int | None:
    """A seed from what scikit-learn allows; ``None`` for the system's entropy."""
    if random_state is None:
        return None
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return whole("random_state", random_state, at_least=0, at_most=2**32 - 1)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError:
        raise reject("random_state", random_state, "None, a seed or a NumPy generator") from None


def _shown(estimator: PrivateLinearModel) -> PrivateLinearModel:
    fitted = hasattr(estimator, "guarantee_") and estimator.random_state is not None
    return copy.copy(estimator) if fitted else estimator
