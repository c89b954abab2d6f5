"""Rates of groups against fairlearn, and for hostile input."""

import numpy as np
import pytest
from fairlearn.metrics import MetricFrame, selection_rate, true_negative_rate, true_positive_rate
from sklearn.metrics import accuracy_score, roc_auc_score

from dpcore.errors import InvalidInput
from dpcore.evaluation.clinic.groups import MEASURES, MIN, furthest_apart, group_measures, too_small
from dpcore.evaluation.scoring.metrics import accuracy_interval

FAIRLEARN = {
    "missed_per_1000": lambda y, treated: 1000.0 * np.mean(y & ~treated),
    "false_per_1000": lambda y, treated: 1000.0 * np.mean(~y & treated),
    "true_positive_rate": true_positive_rate,
    "true_negative_rate": true_negative_rate,
    "accuracy": accuracy_score,
    "auc": roc_auc_score,
    "selection_rate": selection_rate,
}


DRAW = np.random.default_rng(11)
ILL = DRAW.random(240) < 0.35
GROUPS = DRAW.choice([0, 1, 2, -1], 240, p=(0.5, 0.3, 0.1, 0.1))
RISKS = np.round(np.clip(DRAW.normal(np.where(ILL, 0.55, 0.4), 0.2, (2, 240)), 0, 1), 2)
"""With ties at the threshold; some people are in no group, and nobody in the last."""


def test_they_are_what_fairlearn_gives():
    actual = group_measures(RISKS, ILL, GROUPS, 4, 0.5)
    inside = GROUPS >= 0
    assert actual.people.tolist() == [*np.bincount(GROUPS[inside]), 0]
    assert actual.cases.tolist() == [*np.bincount(GROUPS[inside & ILL]), 0]
    assert tuple(actual.rates) == MEASURES == tuple(FAIRLEARN)
    for name, metric in FAIRLEARN.items():
        for model, row in enumerate(RISKS):
            decided = row if name == "auc" else row >= 0.5
            frame = MetricFrame(
                metrics=metric,
                y_true=ILL[inside],
                y_pred=decided[inside],
                sensitive_features=GROUPS[inside],
            )
            *rates, nobodys = actual.rates[name][model]
            assert rates == pytest.approx(list(frame.by_group), abs=1e-12)
            assert np.isnan(nobodys)
            one, other = furthest_apart(np.array(rates), np.ones(3, dtype=bool))
            assert rates[one] - rates[other] == pytest.approx(frame.difference(), abs=1e-12)


def test_a_gap_is_between_groups_that_have_a_rate_and_are_compared():
    compared = np.array([True, True, True, False])
    assert furthest_apart(np.array([0.1, 0.4, np.nan, 0.9]), compared) == (1, 0)
    assert furthest_apart(np.array([np.nan, 0.4, np.nan, 0.9]), compared) is None
    assert furthest_apart(np.array([0.1, 0.4, 0.2, 0.9]), ~compared) is None


def test_a_group_needs_twenty_of_either_kind():
    people, cases = np.array([40, 39, 1000, 1000, 0]), np.array([20, 20, 19, 981, 0])
    assert too_small(people, cases).tolist() == [False, True, True, True, True]
    low, high = accuracy_interval(0.5, MIN)
    assert high - low == pytest.approx(0.4, abs=0.005)


@pytest.mark.parametrize(
    ("risks", "groups", "threshold", "told"),
    [
        *(
            (RISKS, GROUPS, wrong, "threshold is .*, but it must be")
            for wrong in (0.0, 1.0, "half")
        ),
        *((RISKS + wrong, GROUPS, 0.3, "risk is no probability") for wrong in (np.nan, 1.0, -1.0)),
        (RISKS, GROUPS[:-1], 0.3, "but both must have 240"),
    ],
)
def test_what_cannot_be_judged_is_refused(risks, groups, threshold, told):
    with pytest.raises(InvalidInput, match=told):
        group_measures(risks, ILL, groups, 4, threshold)
