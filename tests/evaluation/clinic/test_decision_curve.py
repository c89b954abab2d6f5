"""Net benefit against a plain count, against dcurves, and for hostile input."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpcore.errors import InvalidInput
from dpcore.evaluation.clinic.decision_curve import decisions
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
            assert result.predictive_value[k, j] == pytest.approx(right / (right + wrong))
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


def test_treating_all_or_nobody_are_models_too():
    _, positive = made()
    both = np.stack([np.ones(len(positive)), np.zeros(len(positive))])
    result = decisions(both, positive, LEVELS)
    assert result.net_benefit[0] == pytest.approx(result.treat_all, abs=1e-12)
    assert (result.net_benefit[1] == 0.0).all()
    assert np.isnan(result.predictive_value[1]).all()
    # At the share of cases itself, treating all is worth as much as treating nobody.
    (level,) = decisions(both, positive, [float(positive.mean())]).treat_all
    assert level == pytest.approx(0.0, abs=1e-12)


def test_one_who_knows_gains_every_case_at_every_threshold():
    _, positive = made()
    result = decisions(positive[None].astype(float), positive, LEVELS)
    assert result.net_benefit[0] == pytest.approx([positive.mean()] * len(LEVELS))


def test_many_models_are_decided_in_blocks_as_one_by_one(monkeypatch):
    risks, positive = made(models=9)
    whole = decisions(risks, positive, LEVELS)
    monkeypatch.setattr("dpcore.evaluation.clinic.decision_curve.BLOCK_ENTRIES", 700)
    assert np.array_equal(decisions(risks, positive, LEVELS).true_positives, whole.true_positives)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, float("nan"), float("inf")])
def test_a_threshold_out_of_range_is_refused(level):
    risks, positive = made()
    with pytest.raises(InvalidInput, match=r"threshold is .* but it must be"):
        decisions(risks, positive, [0.5, level])


def test_what_is_no_probability_is_refused():
    risks, positive = made()
    for wrong in (1.01, -0.01, float("nan")):
        risks[0, 0] = wrong
        with pytest.raises(InvalidInput, match="no probability"):
            decisions(risks, positive, LEVELS)
    with pytest.raises(InvalidInput, match="0 test records"):
        decisions(np.empty((1, 0)), np.empty(0, dtype=bool), LEVELS)
    risks, positive = made()
    with pytest.raises(InvalidInput, match="risks has 300 columns, but it must have 301"):
        decisions(risks[:, 1:], positive, LEVELS)
    one = decisions(risks[0], positive.astype(int), LEVELS)
    assert np.array_equal(one.net_benefit, decisions(risks[:1], positive, LEVELS).net_benefit)
    fine = decisions(risks, positive, LEVELS)
    for wrong in (-1.0, float("nan"), float("inf"), 1e10):
        with pytest.raises(InvalidInput, match="cost of a missed case"):
            fine.cost_per_1000(wrong, 2.0)
        with pytest.raises(InvalidInput, match="cost of a false alarm"):
            fine.cost_per_1000(2.0, wrong)
