"""The one-sentence verdict: its numbers, its comparison, and its promise or why there is none."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from scipy.stats import binomtest

from dpcore.evaluation.scoring import Metric
from dpcore.evaluation.scoring.metrics import accuracy_interval
from dpcore.figures.quality import Quality
from dpcore.figures.verdict import few_records, verdict
from tests.figures.conftest import row


def said(accuracy: float = 0.9, majority: float = 0.6, **other: object) -> str:
    found = pd.Series(row("opera", 1.0, 0.1, accuracy, reason="", certified_epsilon=1.0) | other)
    return verdict(found, title="OPERA", without_privacy=0.934, majority=majority)


def test_a_proved_promise_is_said_with_all_it_hangs_on() -> None:
    assert said() == (
        "OPERA at ε = 1: 90.0 % right, 3.4 points fewer than without privacy; the promise is "
        "proved (δ = 1e-5, one record replaced, analytic Gaussian)."
    )


@pytest.mark.parametrize(
    ("accuracy", "words"),
    [
        (0.95, "95.0 % right, 1.6 points more than without privacy;"),
        (0.9341, "93.4 % right, as many as without privacy;"),
        (
            0.55,
            "fewer than without privacy and worse than always giving the commoner answer (60.0 %);",
        ),
        (0.6, "and no better than always giving the commoner answer (60.0 %);"),
    ],
)
def test_the_comparison_has_a_direction(accuracy: float, words: str) -> None:
    assert words in said(accuracy)


def test_a_model_below_the_majority_is_warned_of_also_where_no_model_does_better() -> None:
    words = said(0.686, majority=0.95)
    assert "and worse than always giving the commoner answer (95.0 %)" in words
    assert "without privacy it is no better than that either" in words
    assert "commoner answer" not in said(0.61, majority=0.6)


def test_an_unproved_promise_says_why_and_what_is_certified() -> None:
    words = said(status="conditions not met", reason="Because.", certified_epsilon=2.5)
    assert "proved (" not in words
    assert words.endswith(
        "conditions not met: ε = 1 is not proved here. Because. What is certified for the noise "
        "that is added is ε = 2.5 (δ = 1e-5, one record replaced, analytic Gaussian)."
    )
    words = said(status="claim not supported", reason="Because.", certified_epsilon=math.nan)
    assert words.endswith("Because. No ε is certified for it.")


def test_a_small_test_set_says_how_rough_it_is() -> None:
    low, high = binomtest(18, 20).proportion_ci(method="wilson")
    words = few_records(0.9, accuracy_interval(0.9, 20), 20)
    assert "only 20 test records" in words
    assert f"the 90.0 % without privacy may be anything from {100 * low:.0f} %" in words
    assert f"to {100 * high:.0f} % on new records" in words
    # ±3 points: 1.96 √(0.9 · 0.1/n) falls to it near n = 384.
    assert few_records(0.9, accuracy_interval(0.9, 370), 370)
    assert few_records(0.9, accuracy_interval(0.9, 400), 400) == ""


def test_few_records_leave_an_error_rough_against_its_range() -> None:
    quality = Quality(Metric("rmse", -1.0, 350.0))
    words = few_records(54.1, (45.2, 61.9), 88, quality)
    assert "only 88 test records" in words
    assert "the RMSE 54.1 without privacy may be anything from 45 to 62 on new" in words
    assert "every RMSE and R² here is rough" in words
    assert few_records(54.1, (52.0, 57.0), 880, quality) == ""


def test_the_verdict_of_an_error_says_what_it_adds() -> None:
    quality = Quality(Metric("rmse", -1.0, 350.0))

    def told(rmse: float) -> str:
        found = pd.Series(row("adassp", 1.0, 0.1, math.nan, rmse=rmse))
        return verdict(found, title="AdaSSP", without_privacy=54.1, majority=77.2, quality=quality)

    assert "predictions are off by 66.6 (RMSE), 12.5 more than without privacy; the" in told(66.6)
    assert "0.1 less than without privacy; the" in told(54.0)
    assert "off by 54.1 (RMSE), as much as without privacy; the" in told(54.1)
    worse = told(90.0)
    assert "and worse than always giving the mean of the training records (77.2)" in worse
    assert "no better than always" in told(77.2)
