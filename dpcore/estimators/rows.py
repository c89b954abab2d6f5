"""Rows as arrays, with gaps refused; no refusal states a value of a record or their number."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from dpcore.errors import InvalidInput

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
