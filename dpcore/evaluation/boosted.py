"""Gradient-boosted trees without privacy: scikit-learn's defaults, on the columns as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpcore.datasets import Split, Table
from dpcore.datasets.columns import Columns, columns_of
from dpcore.datasets.encoding import FloatArray
from dpcore.datasets.schema import Classes
from dpcore.erm.method import Array

MAX_LEVELS = 255
"""Levels of a category up to which scikit-learn's trees take it as one."""
LEAF = 20
"""Records that scikit-learn's trees leave on each side of a split, at least: they never split a
column with fewer values."""
OF_MANY = 5_000
"""Trees look for splits on 200,000 records. Of a column that has values in one of 5,000 of all
records, they find one but for a chance of e⁻⁴⁰."""


def columns_for(table: Table, split: Split) -> Columns:
    """The columns of a split's records; blank records are left out."""
    columns = columns_of(table, split.preparation)
    return replace(columns, train=columns.train[~split.blank])


def scored(columns: Columns, split: Split, seed: int = 0) -> tuple[Split, Array]:
    """Learn from the training records, and score the test records."""
    _, labels = split.known
    scores = _scores(columns, split, labels, seed)
    width = scores.shape[1]
    weights = np.eye(width).ravel()
    return replace(
        split, x_test=scores, feature_names=tuple(f"score {place}" for place in range(width))
    ), weights


def _scores(columns: Columns, split: Split, labels: Array, seed: int) -> FloatArray:
    """A column of margins or predictions; with K classes K columns."""
    distinct_labels = np.unique(labels)
    columns = _with_values(columns)
    if isinstance(split.entry.label, Classes):
        scores = np.full((len(columns.test), split.entry.classes), -np.inf)
        scores[:, distinct_labels.astype(int)] = 0.0
        if len(distinct_labels) > 1:
            fitted = _margins(columns, labels, seed)
            both = np.stack([-fitted, fitted], axis=1) if fitted.ndim == 1 else fitted
            scores[:, distinct_labels.astype(int)] = both
        return np.asarray(np.maximum(scores, -1e300))
    if len(distinct_labels) < 2:
        return np.full((len(columns.test), 1), distinct_labels[0] if len(distinct_labels) else 0.0)
    if split.entry.predicts == "class":
        return _margins(columns, labels, seed)[:, np.newaxis]
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(
        categorical_features=_categories(columns), random_state=seed
    )
    return np.asarray(model.fit(columns.train, labels).predict(columns.test))[:, None]


def _margins(columns: Columns, labels: Array, seed: int) -> FloatArray:
    from sklearn.ensemble import HistGradientBoostingClassifier

    _, counts = np.unique(labels, return_counts=True)
    model = HistGradientBoostingClassifier(
        categorical_features=_categories(columns),
        early_stopping="auto" if counts.min() > 1 else False,
        random_state=seed,
    )
    return np.asarray(model.fit(columns.train, labels).decision_function(columns.test))


def _with_values(columns: Columns) -> Columns:
    """The columns that a tree may split; of none one without meaning."""
    known = (~np.isnan(columns.train)).sum(axis=0)
    kept = known >= max(LEAF, len(columns.train) // OF_MANY)
    if not kept.any():
        return Columns(
            np.zeros((len(columns.train), 1)), np.zeros((len(columns.test), 1)), (False,)
        )
    categories = tuple(np.array(columns.categories)[kept].tolist())
    return Columns(columns.train[:, kept], columns.test[:, kept], categories)


def _categories(columns: Columns) -> list[bool]:
    return [
        category and not np.nanmax(columns.train[:, place]) >= MAX_LEVELS
        for place, category in enumerate(columns.categories)
    ]
