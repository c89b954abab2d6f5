"""The first sentence: its numbers, its comparison, and why there is no promise where there is none.

And the words about how rough a small test set leaves them.
"""

import math

import pandas as pd
import pytest
from scipy.stats import binomtest

from dpcore.evaluation.scoring import AREA, Metric
from dpcore.evaluation.scoring.metrics import accuracy_interval
from dpcore.figures.quality import ACCURACY, Quality
from dpcore.questions.cost.two_parts import Cost
from dpcore.questions.cost.words import few_cases, few_records, headline, rough_count
from tests.figures.conftest import row


def told(value, baseline, guess, quality, **other):
    result = pd.Series(row("opera", 1.0, 0.1, math.nan, reason="", certified_epsilon=1.0) | other)
    cost = Cost(baseline, baseline, value, quality)
    return headline(result, subject="OPERA", cost=cost, guess=guess, records_are="patients")


def said(accuracy=0.9, majority=0.6, **other):
    return told(accuracy, 0.934, majority, ACCURACY, **other)


@pytest.mark.parametrize(
    ("accuracy", "words"),
    [
        (0.95, "95.0 % of patients; 1.6 points more than without privacy (93.4 %)."),
        (0.9341, "93.4 % of patients; as many as without privacy (93.4 %)."),
        (0.55, "That is worse than always giving the most frequent answer (60.0 %)."),
        (0.6, "That is no better than always giving the most frequent answer (60.0 %)."),
    ],
)
def test_the_comparison_has_a_direction(accuracy, words):
    assert words in said(accuracy)


def test_where_no_model_beats_the_majority_it_is_said_with_their_areas():
    words = said(0.95, majority=0.95, auc=0.712, auc_baseline=0.803)
    assert "Neither is better than always" in words
    assert words.endswith("By AUC they have 0.712 and 0.803; a coin has 0.5.")
    assert "AUC" not in said(0.95, majority=0.95, auc=math.nan, auc_baseline=0.8)
    # Where the model without privacy beats it, accuracy says enough.
    assert "AUC" not in said(0.55, auc=0.712, auc_baseline=0.803)
    assert "frequent answer" not in said(0.61, majority=0.6)


def test_an_unproved_promise_says_why_and_what_is_certified():
    assert "proved" not in said()
    words = said(status="conditions not met", reason="Because.", certified_epsilon=2.5)
    for part in ("ε = 1 is not proved here. Because.", "ε = 2.5 (δ = 10⁻⁵, one record replaced"):
        assert part in words
    words = said(status="claim not supported", reason="Because.", certified_epsilon=math.nan)
    assert words.endswith("Because. No ε is certified for it.")


def test_few_cases_are_said_to_say_little_of_misses():
    assert few_cases(0.0948, 200).startswith("Only 19 of the 200 test records are cases")
    assert few_cases(0.1, 200) == few_cases(math.nan, 200) == ""


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (66.6, "off by 66.6 days (RMSE); 12.5 more than without privacy (54.1)."),
        (54.0, "0.1 less than without privacy (54.1)."),
        (54.1, "as much as without privacy (54.1)."),
        (77.2, "no better than always giving the mean"),
        (90.0, "worse than always giving the mean of the training records (77.2)."),
    ],
)
def test_an_error_says_what_it_adds_and_its_unit(value, part):
    words = told(value, 54.1, 77.2, Quality(Metric("rmse", -1.0, 350.0, "days")))
    assert part in words


def test_an_area_is_compared_with_a_coin():
    area = Quality(AREA)
    assert "AUC of 0.74; 0.07 lower than without privacy (0.81)" in told(0.74, 0.81, 0.5, area)
    assert "worse than tossing a coin (0.5)" in told(0.44, 0.81, 0.5, area)


def test_a_small_test_set_says_how_rough_it_is():
    low, high = binomtest(18, 20).proportion_ci(method="wilson")
    words = few_records(0.9, accuracy_interval(0.9, 20), 20)
    assert f"may be {100 * low:.0f} % to {100 * high:.0f} %" in words
    # ±3 points: 1.96 √(0.9 · 0.1/n) falls to it near n = 384.
    assert few_records(0.9, accuracy_interval(0.9, 370), 370)
    assert few_records(0.9, accuracy_interval(0.9, 400), 400) == ""
    # An error is rough against its range.
    quality = Quality(Metric("rmse", -1.0, 350.0))
    assert "may be 45 to 62" in few_records(54.1, (45.2, 61.9), 88, quality)
    assert few_records(54.1, (52.0, 57.0), 880, quality) == ""


def test_a_count_of_a_thousand_stays_within_the_cases_there_are():
    low, high = binomtest(9, 10).proportion_ci(method="wilson")
    assert rough_count(90.0, 100.0, 100) == f"{math.floor(100 * low)} to {math.ceil(100 * high)}"
    assert math.ceil(100 * high) <= 100
    assert rough_count(90.0, 100.0, 100_000) == ""
    # Where nobody is ill among the test records, nobody can be missed.
    assert rough_count(0.0, 0.0, 100) == ""
