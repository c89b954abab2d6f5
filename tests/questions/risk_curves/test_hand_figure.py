"""A corrected curve in a picture and in sentences, and what it changes, from known numbers."""

import math

import pandas as pd
import pytest

from dpcore.questions.risk_curves.hand_figure import corrected_curve, effect
from tests.questions.risk_curves.test_figure import AGE, entry_of

MODEL = pd.Series(
    {
        "method": "opera",
        "title": "OPERA",
        "epsilon": 1.0,
        "delta": 1e-5,
        "adjacency": "zero-out",
        "accountant": "analytic Gaussian",
        "status": "proved",
        "run": 1,
        "column": "age",
        "term": "line",
        "private": 2.0,
        "corrected": 2.0,
    }
)


def curves(column, private, corrected):
    count = len(private)
    numbers = [20.0, 60.0, 100.0] if column.kind == "number" else list(range(count))
    return pd.DataFrame(
        {
            "column": column.name,
            "at": numbers,
            "level": column.levels or "",
            "is_reference": [value == 0.0 for value in private],
            "private": private,
            "corrected": corrected,
        }
    )


def test_both_curves_are_drawn_and_the_largest_change_is_told():
    rows = curves(AGE, [-1.0, 0.0, math.log(4.0)], [-1.0, 0.0, math.log(2.0)])
    drawn = corrected_curve(rows, MODEL, entry_of(AGE), 0.0)
    _, private, by_hand = drawn.figure.data
    assert list(private.y) == rows["private"].tolist()
    assert list(by_hand.y) == rows["corrected"].tolist()
    for words in ("age at 100 years are 2 times", "run 1 at ε = 1 they are 4 times"):
        assert words in drawn.sentence
    told = corrected_curve(rows, MODEL, entry_of(AGE), -0.5).sentence
    assert "everybody’s log odds by −0.5" in told
    same = corrected_curve(rows.assign(corrected=rows["private"]), MODEL, entry_of(AGE), 0.0)
    assert same.sentence.startswith("Nothing of age is corrected yet")


@pytest.mark.parametrize(
    ("measure", "ends", "error", "told"),
    [
        ("accuracy", (0.70, 0.712), 0.004, "accuracy from 70.0 % to 71.2 % (+1.2 points ± 0.4)"),
        ("auc", (0.9, 0.87), 0.0012, "AUC from 0.9 to 0.87 (−0.030 ± 0.001)"),
        ("auc", (0.9, 0.9001), 0.0012, "AUC from 0.9 to 0.9 (no change ± 0.001)"),
        ("calibration_slope", (math.nan, 1.0), 0.1, "calibration slope: not defined"),
        (
            "calibration_error",
            (0.1, 0.05),
            math.nan,
            "calibration error from 10.0 % to 5.0 % (−5.0",
        ),
    ],
)
def test_what_it_changes_is_told_with_its_error(measure, ends, error, told):
    row = {"measure": measure, "private": ends[0], "corrected": ends[1], "test_error": error}
    sentence = effect(pd.DataFrame([row | {"tested": 10_000, "run": 2}]))
    assert f"the correction changes {told}" in sentence
    assert "not private" in sentence
