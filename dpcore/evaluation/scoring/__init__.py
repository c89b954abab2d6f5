"""Scoring of models of two classes, several, or a number, behind one interface."""

from __future__ import annotations

from dpcore.datasets import Split
from dpcore.evaluation.scoring.base import (
    ACCURACY,
    AREA,
    BAND_ENDS,
    HIGH,
    LOW,
    NOISE_DEVIATION,
    OBJECTIVE,
    SPLIT_ERROR,
    Array,
    Metric,
    Scoring,
    around,
    columns_for,
    deviations,
    holding,
    over_runs,
    split_error,
    spread,
    spread_by,
    spread_over,
)
from dpcore.evaluation.scoring.classes import CLASSIFICATION, MULTICLASS
from dpcore.evaluation.scoring.regression import REGRESSION

__all__ = [
    "ACCURACY",
    "AREA",
    "BAND_ENDS",
    "CLASSIFICATION",
    "HIGH",
    "LOW",
    "MULTICLASS",
    "NOISE_DEVIATION",
    "OBJECTIVE",
    "REGRESSION",
    "SCORINGS",
    "SPLIT_ERROR",
    "Array",
    "Metric",
    "Scoring",
    "around",
    "columns_for",
    "deviations",
    "holding",
    "over_runs",
    "scoring_for",
    "split_error",
    "spread",
    "spread_by",
    "spread_over",
]

_OF: dict[str, Scoring] = {"class": CLASSIFICATION, "classes": MULTICLASS, "number": REGRESSION}
SCORINGS = tuple(_OF.values())


def scoring_for(split: Split) -> Scoring:
    """The scoring of models of these records."""
    return _OF[split.entry.predicts]
