"""Rates of groups against a plain count, against fairlearn, and for hostile input."""

import numpy as np
import pytest
from fairlearn.metrics import (
    MetricFrame,
    selection_rate,
    true_negative_rate,
    true_positive_rate,
)
from sklearn.metrics import accuracy_score, roc_auc_score

from dpcore.errors import InvalidInput
from dpcore.evaluation.clinic.groups import (
    MEASURES,
    MIN,
    furthest_apart,
    group_measures,
    too_small,
)
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


def test_they_are_what_fairlearn_gives():
    draw = np.random.default_rng(11)
    ill = draw.random(240) < 0.35
    groups = draw.choice(3, 240, p=(0.6, 0.3, 0.1))
    middle = np.where(ill, 0.55, 0.4) - 0.1 * (groups == 2)
    risks = np.round(np.clip(draw.normal(middle, 0.2, (2, 240)), 0, 1), 2)
    actual = group_measures(risks, ill, groups, 3, 0.5)
    assert tuple(actual.rates) == MEASURES == tuple(FAIRLEARN)
    for name, metric in FAIRLEARN.items():
        for model, row in enumerate(risks):
            decided = row if name == "auc" else row >= 0.5
            frame = MetricFrame(
                metrics=metric, y_true=ill, y_pred=decided, sensitive_features=groups
            )
            rates = actual.rates[name][model]
            assert rates.tolist() == pytest.approx(list(frame.by_group), abs=1e-12)
            pair = furthest_apart(rates, np.ones(3, dtype=bool))
            assert rates[pair[0]] - rates[pair[1]] == pytest.approx(frame.difference(), abs=1e-12)


def made(models=3, people=157):
    """Risks with ties at the threshold; a group of nobody, one of one, and people in none."""
    draw = np.random.default_rng(5)
    groups = draw.choice([-1, 0, 1, 3], people)
    groups[17] = 4
    risks = draw.choice([0.0, 0.2, 0.3, 0.31, 1.0], (models, people))
    return risks, draw.random(people) < 0.4, groups


def test_it_is_a_plain_count():
    risks, ill, groups = made()
    actual = group_measures(risks, ill, groups, 5, 0.3)
    for model, row in enumerate(risks):
        for group in range(5):
            missed = false = treated = right = cases = people = 0
            wins, pairs = 0.0, 0
            for risk, sick, place in zip(row, ill, groups, strict=True):
                if place != group:
                    continue
                people, cases, treated = people + 1, cases + sick, treated + (risk >= 0.3)
                missed += sick and risk < 0.3
                false += not sick and risk >= 0.3
                right += sick == (risk >= 0.3)
                for other, other_sick, there in zip(row, ill, groups, strict=True):
                    if there == group and sick and not other_sick:
                        wins += float(risk > other) + 0.5 * float(risk == other)
                        pairs += 1
            assert (actual.people[group], actual.cases[group]) == (people, cases)
            parts = {
                "missed_per_1000": (1000 * missed, people),
                "false_per_1000": (1000 * false, people),
                "true_positive_rate": (cases - missed, cases),
                "true_negative_rate": (people - cases - false, people - cases),
                "accuracy": (right, people),
                "auc": (wins, pairs),
                "selection_rate": (treated, people),
            }
            for name, (part, whole) in parts.items():
                expected = part / whole if whole else np.nan
                rate = actual.rates[name][model, group]
                assert rate == pytest.approx(expected, abs=1e-12, nan_ok=True)


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


@pytest.mark.parametrize("threshold", [0.0, 1.0, float("nan"), "half"])
def test_a_threshold_out_of_range_is_refused(threshold):
    risks, ill, groups = made()
    with pytest.raises(InvalidInput, match=r"threshold is .*, but it must be"):
        group_measures(risks, ill, groups, 5, threshold)


def test_what_is_no_risk_or_of_another_length_is_refused():
    risks, ill, groups = made()
    for wrong in (np.nan, 1.01, -0.01):
        with pytest.raises(InvalidInput, match="risk is no probability"):
            group_measures(np.where(risks == 1.0, wrong, risks), ill, groups, 5, 0.3)
    with pytest.raises(InvalidInput, match="but both must have 157"):
        group_measures(risks, ill, groups[:-1], 5, 0.3)
