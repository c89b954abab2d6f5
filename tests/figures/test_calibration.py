"""The reliability curve and its sentences, from a table with known numbers."""

import math

import pandas as pd
import pytest

from dpcore.figures.calibration import correction, reliability_curve
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


@pytest.mark.parametrize("dark", [False, True])
def test_the_curve_has_its_diagonal_its_band_and_the_model_without_privacy(dark):
    drawn = reliability_curve(MODEL, WITHOUT, people="patients", dark=dark)
    diagonal, reference, band, curve = drawn.figure.data
    assert list(diagonal.x) == list(diagonal.y) == [0.0, 1.0]
    assert list(reference.y) == [0.051, 0.31, 0.7]
    assert list(curve.x) == [0.04, 0.3, 0.7]
    assert list(band.y) == [0.05, 0.44, 0.8, 0.6, 0.2, 0.03]
    assert "zero-out" in curve.hovertext[0]
    assert "zero-out" not in reference.hovertext[0]
    assert drawn.sentence == (
        "At ε = 1 the risks of OPERA are furthest off here: of patients told 30 %, 34 % have the "
        "condition. 9 of 10 runs lie between 20 % and 44 %. Without privacy the furthest off "
        "are those told 4.0 %: 5.1 % have it."
    )
    assert drawn.sentence in drawn.alt


def test_an_empty_bin_is_left_out():
    nobody = MODEL.assign(observed=[0.041, math.nan, 0.69])
    drawn = reliability_curve(nobody, WITHOUT, people="patients")
    assert list(drawn.figure.data[-1].x) == [0.04, 0.7]
    assert "told 70 %, 69 % have the condition" in drawn.sentence


def test_the_share_of_a_correction_is_told():
    told = correction(pd.Series({"epsilon": 2.0, "training_epsilon": 1.9}))
    assert told.startswith("Correcting the risks takes 5.0 % of ε. The model is trained at ε = 1.9")
    assert told.endswith("Both together are proved for ε = 2.")
    little = correction(pd.Series({"epsilon": 1.0, "training_epsilon": 0.99995}))
    assert "less than 0.1 % of ε" in little
