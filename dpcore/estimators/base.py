"""Shared parts of private estimators: public bounds, preparation, budget, noise and fitted state.

A fitted estimator keeps noisy weights, the guarantee, and the public values. It keeps no record, no
weights without noise, and no generator. A seed stays its parameter, for `clone`, and is left out
where the fitted estimator is stored, copied or printed.
"""

from __future__ import annotations

import copy
import inspect
import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from dpcore.datasets.encoding import bring_to_norm, scaled
from dpcore.datasets.preparation import Preparation
from dpcore.datasets.schema import Column
from dpcore.erm import one_vs_rest
from dpcore.erm.method import Settings, Training
from dpcore.erm.methods import BEST, best_method, method_named, register
from dpcore.erm.problem import (
    ACCURATE_HUBER_WIDTH,
    ACCURATE_LAM,
    ADJACENCIES,
    SMALLEST_LAM,
    Problem,
    default_lam,
)
from dpcore.errors import InvalidInput, brief, number, one_of, reject, whole
from dpcore.estimators.promise import Public, promised
from dpcore.guarantee import Adjacency, Edition, Status

GAPS, TEXT = "NaN, None or an infinite number", "text"
ALLOWED = "must be a finite number"
HINT = {GAPS: "; fill gaps by a public rule first"}


def checked(model: Any, X: Any, y: Any = None, *, numbers: bool = False) -> Any:
    """X of a fit and its y, as scikit-learn checks them, with all values of X finite."""
    if y is not None:
        _check_target(y, numbers)
    return _validated(model, X, y, ensure_min_samples=2, y_numeric=numbers)


def checked_again(model: Any, X: Any) -> Any:
    """X of a prediction, as `checked`; it must have the columns of the fit."""
    return _validated(model, X, "no_validation", reset=False)


def refuse_mixed(field: str, labels: Any) -> None:
    """Refuse labels that are partly texts: NumPy sorts no such list, or makes texts of all."""
    if len({isinstance(label, str) for label in np.asarray(labels, dtype=object).flat}) > 1:
        raise InvalidInput(f"{field} holds texts and numbers, but it must hold one kind only.")


def _validated(model: Any, X: Any, y: Any, **more: Any) -> Any:
    try:
        arrays = validate_data(model, X, y, dtype=np.float64, ensure_all_finite=False, **more)
    except (TypeError, ValueError) as error:
        # These sentences of other packages repeat the value itself, or say nothing of its place.
        message = str(error)
        if "Complex data not supported" in message:
            refusal = f"Complex data not supported: {_sentence('X', 'complex numbers')}"
            raise InvalidInput(refusal) from None
        if "could not convert string" in message:
            raise InvalidInput(_refusal(X, TEXT, _is_text)) from None
        if "NAType" in message:
            raise InvalidInput(_refusal(X, GAPS, _is_gap)) from None
        raise
    rows = arrays[0] if isinstance(arrays, tuple) else arrays
    gaps = np.flatnonzero(~np.isfinite(rows).all(axis=0))
    if len(gaps):
        raise InvalidInput(_sentence(f"column {gaps[0] + 1} of X", GAPS))
    return arrays


def _check_target(y: Any, numbers: bool) -> None:
    try:
        values = np.asarray(y)
    except (TypeError, ValueError):  # scikit-learn says what it is
        return
    if values.dtype.kind in "fc":
        gap = not np.isfinite(values).all()
    else:
        gap = values.dtype.kind == "O" and any(_is_gap(value) for value in values.flat)
    if gap:
        if numbers:
            raise InvalidInput(_sentence("y", GAPS))
        raise InvalidInput(f"y holds {GAPS}, but every value must be one of the classes.")
    if not numbers:
        refuse_mixed("y", y)
    if numbers and values.dtype.kind in "OUS":
        try:
            values.astype(np.float64)
        except ValueError:
            raise InvalidInput(_sentence("y", TEXT)) from None
        except TypeError:  # scikit-learn says what it is
            return


def _refusal(X: Any, kind: str, bad: Callable[[Any], bool]) -> str:
    for place, column in enumerate(np.asarray(X, dtype=object).T):
        if any(bad(value) for value in column):
            return _sentence(f"column {place + 1} of X", kind)
    return _sentence("X", kind)


def _sentence(field: str, kind: str) -> str:
    return f"{field} holds {kind}, but every value {ALLOWED}{HINT.get(kind, '')}."


def _is_gap(value: Any) -> bool:
    if isinstance(value, Real):
        return not math.isfinite(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _is_text(value: Any) -> bool:
    try:
        float(value)
    except ValueError:
        return True
    except TypeError:
        return False
    return False


EstimatorClass = TypeVar("EstimatorClass", bound=type)

PARTS = {
    "budget, method, bounds": """\
epsilon : float
    ε that the whole fit may spend; above 0, at most 1000.
delta : float
    δ, usually well below 1/n; at most 0.5.
method : str
    "best", or a method of `dpcore.describe_methods()` that has a sound edition for this loss.
    "best" is a fixed rule in public values: DP-GD, and from ε = LATER on objective perturbation.
bounds : (float, float) or array of shape (d, 2)
    Public lower and upper bound, of all columns or of each. Values outside are clipped. Without
    bounds nothing is fitted, and they are never read off the data.""",
    "classes": """\
classes : sequence, optional
    The public list of classes. Where it is left out it is taken from y, and `guarantee_` states
    that it is public.""",
    "problem": """\
adjacency : {"zero-out", "replace-one"}
    Which neighbours the promise compares; the number of records is public in both.
lam : float, optional
    λ of (λ/2)‖w‖²; left out, by the method's rule in n and d.
fit_intercept : bool
    Append a constant 1 to each row before its norm is taken.""",
    "random_state": """\
random_state : None, int or generator
    ``None`` draws from the operating system, for keeping: every noise number when it is needed. The
    batches of a method that samples (SgdPert, GRPUA) come from a PCG64 generator, which is seeded
    with 256 fresh bits of the system's entropy and ends with the fit.
    NumPy's global state is never used. A seed is for exploration only: the noise can then be drawn
    again, and nothing is proved.""",
    "weights of classes": """\
classes_ : array of shape (K,)
coef_ : array of shape (1, d) or (K, d)
    Weights, with their noise, of the prepared row: every column in [-1, 1], the row then brought to
    norm 1.
intercept_ : array of shape (1,) or (K,)
    Weight of the prepared row's constant.""",
    "promise": """\
guarantee_ : ModelGuarantee
    What is proved: ε, δ, adjacency, theorem, status, what is public, and where noise and batches
    came from. It speaks of X as handed to `fit`. A step before it that learns from records, such as
    StandardScaler in a pipeline, is not covered. None is needed: columns are scaled by `bounds`;
    for another scale compute it from public values alone, as by FunctionTransformer.
claim_ : Guarantee
    What is claimed in print of the edition that was used, the sound one; never mixed with what is
    proved. Where nothing is, it is empty, and `reason` says why.
n_features_in_ : int
feature_names_in_ : array of shape (d,)
    Where X has names of columns that are texts.""",
    "refusals": """\
InvalidInput
    A ValueError, by `fit`: naming the field, the value and what is allowed. A row with a gap (NaN,
    None, infinite) is refused by its column; values of records are never named.""",
    "several classes": ("Several classes are learned one against the rest, and share the budget."),
    "not private": """\
`score` and `cross_val_score` measure on real records, and the latter fits one model a fold: what
they return is not private, and no ε here covers it. The low bits of the noise are not covered
either (Mironov 2012).""",
    "references": """\
The method's own file in `dpcore.erm.methods`; of "best" Dong, Roth and Su 2022 (DP-GD) and Redberg,
Koskela and Wang 2023 (objective perturbation).""",
}
"""By the name that stands in braces, on a line of its own, where the part belongs."""


def documented(later_from: float) -> Callable[[EstimatorClass], EstimatorClass]:
    """A decorator that puts the shared parts into a class's documentation."""

    def filled(kind: EstimatorClass) -> EstimatorClass:
        lines = inspect.cleandoc(kind.__doc__ or "").splitlines()
        text = "\n".join(PARTS[line[1:-1]] if line[:1] == "{" else line for line in lines)
        kind.__doc__ = text.replace("LATER", f"{later_from:g}")
        return kind

    return filled


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
        huber_width: float = ACCURATE_HUBER_WIDTH,
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
            return ACCURATE_LAM
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
