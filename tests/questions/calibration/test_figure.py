"""The reliability curve and its sentences, from a table with known numbers."""

import math

import pandas as pd

from dpcore.questions.calibration.figure import reliability_curve
from tests.figures.conftest import series


def made(title, observed, epsilon=math.nan, **other):
    told = [0.04, 0.3, 0.7]
    return pd.DataFrame(
        series(epsilon, title=title, baseline="trees")
        | {"bin": [1, 2, 3], "people": 20.0, "mean_risk": told}
        | {"observed": observed, "observed_low": observed, "observed_high": observed}
        | other
    )


WITHOUT = made("without privacy", [0.051, 0.31, 0.7])
MODEL = made(
    "OPERA",
    [0.041, 0.34, 0.69],
    1.0,
    observed_low=[0.03, 0.2, 0.6],
    observed_high=[0.05, 0.44, 0.8],
)


def test_the_curve_has_its_diagonal_its_band_and_the_model_without_privacy():
    drawn = reliability_curve(MODEL, WITHOUT, people="patients")
    diagonal, reference, band, curve = drawn.figure.data
    assert list(diagonal.x) == list(diagonal.y) == [0.0, 1.0]
    assert list(reference.y) == [0.051, 0.31, 0.7]
    assert list(curve.x) == [0.04, 0.3, 0.7]
    assert list(band.y) == [0.05, 0.44, 0.8, 0.6, 0.2, 0.03]
    assert "zero-out" in curve.hovertext[0]
    assert "zero-out" not in reference.hovertext[0]
    for part in ("told 30 %, 34 % have", "between 20 % and 44 %", "told 4.0 %: 5.1 % have"):
        assert part in drawn.sentence
    assert drawn.sentence in drawn.alt


def test_an_empty_bin_is_left_out():
    nobody = MODEL.assign(observed=[0.041, math.nan, 0.69])
    drawn = reliability_curve(nobody, WITHOUT, people="patients")
    assert list(drawn.figure.data[-1].x) == [0.04, 0.7]
    assert "told 70 %, 69 % have the condition" in drawn.sentence
