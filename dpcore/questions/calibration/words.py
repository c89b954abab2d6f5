"""The numbers that say whether risks are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.figures.bands import band_of
from dpcore.figures.curves import guarantee_at
from dpcore.questions.shown import Number
from dpcore.words import percent, plain

if TYPE_CHECKING:
    import pandas as pd

SLOPE = (
    "**Slope**: how fast the log odds of what happens rise with the log odds told. 1 is right; "
    "below 1 risks are too extreme, above 1 too timid. Runs without a finite slope are left out."
)
IN_THE_LARGE = (
    "**Calibration in the large**: what would have to be added to everybody's log odds. 0 is "
    "right; above 0 risks are too low on the whole, below 0 too high."
)
ECE = (
    "**Expected calibration error**: how far the risk told is from the share who have the "
    "condition, on average over bins. What chance among few test records adds is taken off. "
    "0 is right."
)


def numbers(row: pd.Series, without: pd.Series) -> tuple[Number, ...]:
    """Slope, intercept and error of a model, beside the one without privacy."""
    return (
        _number("Slope", "calibration_slope", _plain, SLOPE, row, without),
        _number("Intercept", "calibration_intercept", _plain, IN_THE_LARGE, row, without),
        _number("Calibration error", "calibration_error", percent, ECE, row, without),
    )


def _plain(value: float) -> str:
    return plain(round(value, 2))


def _number(
    label: str,
    column: str,
    written: Callable[[float], str],
    meaning: str,
    row: pd.Series,
    without: pd.Series,
) -> Number:
    hover = f"{meaning} {band_of(row)}. {guarantee_at(ModelAtEpsilon.of(row))}"
    value, low, high = (row[f"{column}{end}"] for end in ("", "_low", "_high"))
    if value != value:
        return label, "–", "not defined", hover
    reference = without[column]
    comparison = "" if reference != reference else f"; {written(reference)} without privacy"
    return label, written(value), f"{written(low)} to {written(high)}{comparison}", hover
