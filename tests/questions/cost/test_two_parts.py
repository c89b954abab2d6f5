"""The cost of privacy: its parts, as they are written, add up to the total as it is written."""

from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.evaluation.scoring import AREA as AREA_METRIC
from dpcore.evaluation.scoring import Metric
from dpcore.figures.quality import ACCURACY, Quality
from dpcore.questions.cost.two_parts import Cost, bars
from tests.figures.conftest import row
from tests.typewritten import typewritten

AREA = Quality(AREA_METRIC)
RMSE = Quality(Metric("rmse", -1.0, 350.0, "days"))
SHARES = st.floats(0.0, 1.0)


def number(shown):
    return Decimal(typewritten(shown).replace("−", "-"))


@given(SHARES, SHARES, SHARES)
def test_points_and_areas_add_up(baseline, noiseless, value):
    for quality in (ACCURACY, AREA):
        cost = Cost(baseline, noiseless, value, quality)
        assert number(cost.form) + number(cost.noise) == number(cost.total)
    # And to the percentages that stand beside them.
    shown = [Decimal(ACCURACY.shown(each).removesuffix(" %")) for each in (baseline, value)]
    assert number(Cost(baseline, noiseless, value, ACCURACY).total) == shown[1] - shown[0]


@given(*[st.floats(1e-3, 1e5)] * 3)
def test_errors_add_up(baseline, noiseless, value):
    cost = Cost(baseline, noiseless, value, RMSE)
    assert number(cost.form) + number(cost.noise) == number(cost.total)
    largest = max(baseline, noiseless, value)
    assert float(number(cost.total)) == pytest.approx(value - baseline, abs=0.011 * largest)


def test_errors_of_different_sizes_share_their_decimals():
    cost = Cost(54.1, 60.0, 180.0, RMSE)
    assert (cost.form, cost.noise, cost.total, RMSE.unit) == ("+6", "+120", "+126", "days")
    assert cost.without == "126 more than without privacy (54.1)"
    assert (Cost(0.0, 0.0, 0.0, RMSE).total, Cost(54.1, 54.1, 54.1, RMSE).noise) == ("0", "0")


def test_the_total_is_the_difference_of_what_stands_there():
    # Unrounded it is 4.85, which reads 4.9 or 4.8 by luck.
    result = pd.Series(row("opera", 1.0, 0.1, 0.73495, accuracy_noiseless=0.76))
    cost = Cost.of(result, 0.78345, ACCURACY)
    assert [ACCURACY.shown(each) for each in (0.78345, 0.73495)] == ["78.3 %", "73.5 %"]
    assert (cost.total, cost.form, cost.noise) == ("−4.8", "−2.3", "−2.5")
    assert "4.8 points fewer" in cost.without


def test_each_methods_bar_has_both_parts_that_end_where_the_words_say():
    costs = {"OPERA": Cost(0.8, 0.75, 0.7, ACCURACY), "DP-GD": Cost(0.8, 0.81, 0.79, ACCURACY)}
    drawn = bars(costs, ACCURACY)
    form, noise = drawn.figure.data
    assert (list(form.y), list(noise.y)) == (["OPERA", "DP-GD"], ["OPERA", "DP-GD"])
    assert list(form.x) == pytest.approx([-5.0, 1.0])
    assert list(noise.x) == pytest.approx([-5.0, -2.0])
    assert form.marker.pattern.shape != noise.marker.pattern.shape
    assert "DP-GD: −1.0 = +1.0 simpler model, −2.0 noise" in drawn.sentence
    assert "OPERA" in drawn.alt
    figure = bars({"OPERA": Cost(54.1, 60.0, 180.0, RMSE)}, RMSE).figure
    assert [trace.x[0] for trace in figure.data] == [6.0, 120.0]
    low, high = figure.layout.xaxis.range
    assert low == 0.0
    assert high > 126.0
