"""Scoring of models of two classes, several, or a number, behind one interface."""

from __future__ import annotations

from dpcore.datasets import Split
from dpcore.evaluation.scoring.base import (
    ACCURACY,
    AREA,
    HIGH,
    LOW,
    Array,
    Metric,
    Scoring,
    holding,
    spread,
    spread_by,
    spread_over,
)
from dpcore.evaluation.scoring.binary import CLASSIFICATION
from dpcore.evaluation.scoring.multiclass import MULTICLASS
from dpcore.evaluation.scoring.regression import REGRESSION

__all__ = [
    "ACCURACY",
    "AREA",
    "CLASSIFICATION",
    "HIGH",
    "LOW",
    "MULTICLASS",
    "REGRESSION",
    "Array",
    "Metric",
    "Scoring",
    "holding",
    "scoring_for",
    "spread",
    "spread_by",
    "spread_over",
]

_OF: dict[str, Scoring] = {
    "class": CLASSIFICATION,
    "classes": MULTICLASS,
    "number": REGRESSION,
}


def scoring_for(split: Split) -> Scoring:
    """The scoring of models of these records."""
    return _OF[split.entry.predicts]
