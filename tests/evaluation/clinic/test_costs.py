"""What wrong decisions cost: a sum, with a band that is never too narrow."""

import math

import numpy as np
import pandas as pd
import pytest

from dpcore.errors import InvalidInput
from dpcore.evaluation.clinic.costs import MAX_COST, Costs
from dpcore.evaluation.scoring import spread


def test_both_kinds_are_added_up_and_the_band_holds_eight_of_ten_runs():
    draw = np.random.default_rng(5)
    for sign in (-1.0, 0.0, 1.0):
        missed = draw.normal(100.0, 10.0, 500)
        false = 300.0 + sign * (missed - 100.0) + draw.normal(0.0, 10.0, 500)
        row = {}
        for name, values in (("missed", missed), ("false", false)):
            for end, value in zip(("", "_low", "_high"), spread(values), strict=True):
                row[f"{name}_per_1000{end}"] = float(value)
        costs = 30.0 * missed + 20.0 * false
        (result,) = Costs(30.0, 20.0).added(pd.DataFrame([row])).to_dict("records")
        assert result["cost_per_1000"] == pytest.approx(costs.mean())
        low, high = result["cost_per_1000_low"], result["cost_per_1000_high"]
        assert np.mean((low <= costs) & (costs <= high)) >= 0.8


def test_the_threshold_is_where_either_decision_costs_the_same():
    costs = Costs(miss=90.0, false_alarm=10.0)
    assert costs.threshold == pytest.approx(0.1)
    assert costs.threshold * costs.miss == pytest.approx((1 - costs.threshold) * costs.false_alarm)
    assert math.isnan(Costs(0.0, 0.0).threshold)


@pytest.mark.parametrize("wrong", [-0.01, math.nan, math.inf, 1.01 * MAX_COST, "much"])
def test_a_hostile_cost_is_refused_by_its_name(wrong):
    with pytest.raises(InvalidInput, match=r"cost of a missed case is .*, but it must be"):
        Costs(wrong, 1.0)
    with pytest.raises(InvalidInput, match=r"cost of a false alarm is .*, but it must be"):
        Costs(1.0, wrong)
