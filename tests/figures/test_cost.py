"""The cost of privacy: its parts, as they are written, add up to the total as it is written."""

from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.evaluation.scoring import AREA as AREA_METRIC
from dpcore.evaluation.scoring import Metric
from dpcore.figures.cost import FORM, NOISE, Cost, bars
from dpcore.figures.quality import ACCURACY, Quality
from tests.figures.conftest import row

AREA = Quality(AREA_METRIC)
RMSE = Quality(Metric("rmse", -1.0, 350.0, "days"))
SHARES = st.floats(0.0, 1.0)


def number(shown):
    return Decimal(shown.replace("−", "-").replace(",", ""))


def adds_up(cost):
    return number(cost.form) + number(cost.noise) == number(cost.total)


@given(SHARES, SHARES, SHARES)
def test_points_of_accuracy_add_up(baseline, noiseless, value):
    cost = Cost(baseline, noiseless, value, ACCURACY)
    assert adds_up(cost)
    # And to the percentages that stand beside them.
    shown = [Decimal(ACCURACY.shown(each).removesuffix(" %")) for each in (baseline, value)]
    assert number(cost.total) == shown[1] - shown[0]


@given(SHARES, SHARES, SHARES)
def test_areas_add_up(baseline, noiseless, value):
    assert adds_up(Cost(baseline, noiseless, value, AREA))


@given(*[st.floats(1e-3, 1e5)] * 3)
def test_errors_add_up(baseline, noiseless, value):
    cost = Cost(baseline, noiseless, value, RMSE)
    assert adds_up(cost)
    largest = max(baseline, noiseless, value)
    assert float(number(cost.total)) == pytest.approx(value - baseline, abs=0.011 * largest)


def test_the_total_is_the_difference_of_what_stands_there():
    # Unrounded it is 4.85, which reads 4.9 or 4.8 by luck.
    cost = Cost(0.78345, 0.76, 0.73495, ACCURACY)
    assert [ACCURACY.shown(each) for each in (0.78345, 0.73495)] == ["78.3 %", "73.5 %"]
    assert cost.total == "−4.8"
    assert cost.without == "4.8 points fewer than without privacy (78.3 %)"
    assert cost.sentence == (
        "Cost of privacy: −4.8 points = −2.3 by its simpler model, −2.5 by noise."
    )


def test_errors_of_different_sizes_share_their_decimals():
    cost = Cost(54.1, 60.0, 180.0, RMSE)
    assert (cost.form, cost.noise, cost.total, RMSE.unit) == ("+6", "+120", "+126", "days")
    assert cost.without == "126 more than without privacy (54.1)"
    assert (Cost(0.0, 0.0, 0.0, RMSE).total, Cost(54.1, 54.1, 54.1, RMSE).noise) == ("0", "0")


def test_it_is_read_from_a_row_of_curves():
    result = pd.Series(row("opera", 1.0, 0.1, 0.7, accuracy_noiseless=0.75))
    assert Cost.of(result, 0.8, ACCURACY) == Cost(0.8, 0.75, 0.7, ACCURACY)


@pytest.mark.parametrize("dark", [False, True])
def test_each_methods_bar_has_both_parts_in_colours_of_their_own(dark):
    costs = {"OPERA": Cost(0.8, 0.75, 0.7, ACCURACY), "DP-GD": Cost(0.8, 0.81, 0.79, ACCURACY)}
    drawn = bars(costs, ACCURACY, dark=dark)
    form, noise = drawn.figure.data
    assert (list(form.y), list(noise.y)) == (["OPERA", "DP-GD"], ["OPERA", "DP-GD"])
    assert list(form.x) == pytest.approx([-5.0, 1.0])
    assert list(noise.x) == pytest.approx([-5.0, -2.0])
    assert (form.marker.color, noise.marker.color) == (FORM.on(dark), NOISE.on(dark))
    assert form.marker.pattern.shape != noise.marker.pattern.shape
    assert drawn.sentence == (
        "In points: OPERA: −10.0 = −5.0 simpler model, −5.0 noise; "
        "DP-GD: −1.0 = +1.0 simpler model, −2.0 noise."
    )
    assert "OPERA" in drawn.alt


def test_bars_end_where_the_words_say():
    cost = Cost(54.1, 60.0, 180.0, RMSE)
    figure = bars({"OPERA": cost}, RMSE).figure
    form, noise = figure.data
    assert (form.x[0], noise.x[0]) == (6.0, 120.0)
    assert figure.layout.xaxis.title.text == "change in days against no privacy"
    low, high = figure.layout.xaxis.range
    assert low == 0.0
    assert high > 126.0


def test_a_change_that_counts_as_none_stays_small():
    figure = bars({"OPERA": Cost(0.8, 0.799, 0.799, ACCURACY)}, ACCURACY).figure
    assert figure.data[0].x[0] == pytest.approx(-0.1)
    assert figure.layout.xaxis.range[0] < -0.9
