"""Net benefit against a plain count, against dcurves, and for hostile input."""

import math
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpcore.errors import InvalidInput
from dpcore.evaluation.clinic.decision_curve import MAX_COST, Costs, decisions
from dpcore.evaluation.scoring import spread
from tests.reference import decision_curves

LEVELS = (0.05, 0.2, 0.5, 0.77, 0.99)


def made(models=4, people=301):
    """Risks with many ties at the thresholds themselves."""
    draw = np.random.default_rng(2)
    positive = draw.random(people) < 0.3
    risks = draw.choice([*LEVELS, 0.0, 1.0, 0.31, 0.64], (models, people))
    return risks, positive


def test_it_is_a_plain_count():
    risks, positive = made()
    risks[0] = 0.0  # nobody is treated
    result = decisions(risks, positive, LEVELS[::-1])
    assert result.thresholds.tolist() == sorted(LEVELS)
    for k, row in enumerate(risks):
        for j, level in enumerate(sorted(LEVELS)):
            right = sum(bool(ill) for risk, ill in zip(row, positive, strict=True) if risk >= level)
            wrong = sum(not ill for risk, ill in zip(row, positive, strict=True) if risk >= level)
            n, ill = len(row), int(positive.sum())
            benefit = right / n - wrong / n * level / (1.0 - level)
            assert result.net_benefit[k, j] == pytest.approx(benefit, abs=1e-12)
            assert result.missed_per_1000[k, j] == pytest.approx(1000 * (ill - right) / n)
            assert result.false_per_1000[k, j] == pytest.approx(1000 * wrong / n)
            value = right / (right + wrong) if right + wrong else math.nan
            assert result.predictive_value[k, j] == pytest.approx(value, nan_ok=True)
            cost = result.cost_per_1000(30.0, 2.0)[k, j]
            assert cost == pytest.approx((30.0 * (ill - right) + 2.0 * wrong) * 1000 / n)


def test_it_is_what_the_package_of_its_authors_gives():
    kept = pd.read_csv(Path(decision_curves.__file__).with_suffix(".csv"))
    printed = kept.pivot(index="model", columns="threshold", values="net_benefit")
    result = decisions(*decision_curves.people(), decision_curves.THRESHOLDS)
    assert printed.columns.tolist() == result.thresholds.tolist()
    for model, row in zip(decision_curves.MODELS, result.net_benefit, strict=True):
        assert row == pytest.approx(printed.loc[model].to_numpy(), abs=1e-9)
    assert result.treat_all == pytest.approx(printed.loc["all"].to_numpy(), abs=1e-9)
    assert (printed.loc["none"] == 0.0).all()


def test_many_models_are_decided_in_blocks_as_one_by_one(monkeypatch):
    risks, positive = made(models=9)
    whole = decisions(risks, positive, LEVELS)
    monkeypatch.setattr("dpcore.evaluation.clinic.decision_curve.BLOCK_ENTRIES", 700)
    assert np.array_equal(decisions(risks, positive, LEVELS).true_positives, whole.true_positives)


RISKS, ILL = made()
FINE = decisions(RISKS, ILL, LEVELS)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        *((partial(decisions, RISKS, ILL, [0.5, wrong]), "threshold is") for wrong in (0.0, 1.0)),
        (lambda: decisions(RISKS, ILL, [math.nan]), "threshold is"),
        (lambda: decisions(RISKS + 0.01, ILL, LEVELS), "no probability"),
        (lambda: decisions(RISKS - 0.01, ILL, LEVELS), "no probability"),
        (lambda: decisions(RISKS * math.nan, ILL, LEVELS), "no probability"),
        (lambda: decisions(np.empty((1, 0)), ILL[:0], LEVELS), "0 test records"),
        (lambda: decisions(RISKS[:, 1:], ILL, LEVELS), "300 columns, but it must have 301"),
        (lambda: FINE.cost_per_1000(-1.0, 2.0), "cost of a missed case"),
        (lambda: FINE.cost_per_1000(2.0, math.inf), "cost of a false alarm"),
    ],
)
def test_what_cannot_be_decided_is_refused(ask, told):
    with pytest.raises(InvalidInput, match=told):
        ask()


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
