"""The table of decisions: the models of the curves, their spread, and what is refused."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.datasets import load
from dpcore.errors import InvalidInput
from dpcore.evaluation import curves
from dpcore.evaluation.baselines import LINEAR, baselines
from dpcore.evaluation.clinic.risks import REFERENCE, released
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import THRESHOLDS, Study
from dpcore.evaluation.sweep import sweep
from dpcore.progress import silent
from dpcore.questions.decision_curve.question import (
    MEASURES,
    TREAT_ALL,
    TREAT_NONE,
    DecisionCurveQuestion,
    worth_from,
)
from dpcore.questions.question import ask

STUDY = Study(methods=("nonprivate", "objpert", "dpgd"), epsilons=(0.3, 3.0), runs=10)
NOISY = Study("cohort", 300, methods=("outpert",), epsilons=(8.0, 16.0), runs=200)
CLINIC = DecisionCurveQuestion(STUDY, thresholds=(0.5, 0.2, 0.2))


@pytest.fixture(scope="module", autouse=True)
def no_trees_are_tried_and_few_splits():
    """Either takes seconds and has tests of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpcore.evaluation.baselines._better", lambda *_: LINEAR)
        patch.setattr("dpcore.evaluation.splits.MAX", 5)
        yield


@pytest.fixture(scope="module")
def table():
    return load("breast_cancer")


@pytest.fixture(scope="module")
def rows(table):
    return ask(CLINIC, records=table)


@pytest.mark.slow("trains many models")
def test_there_is_a_row_for_each_model_and_threshold(rows):
    assert CLINIC.thresholds == (0.2, 0.5)
    sizes = rows.groupby("method", sort=False).size()
    expected = {"objpert": 4, "dpgd": 4, REFERENCE: 2, TREAT_ALL: 2, TREAT_NONE: 2}
    assert sizes.to_dict() == expected
    assert rows["splits"].unique().tolist() == [5]
    for name, (least, most) in MEASURES.items():
        low, mean, high = (rows[f"{name}{end}"].dropna() for end in ("_low", "", "_high"))
        assert ((least <= low) & (low <= mean) & (mean <= high) & (high <= most)).all()


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("published", [True, False])
def test_rates_are_those_of_the_counts_beside_them(rows, table, published):
    if not published:  # splits are then not stratified: each tests another share of cases
        rows = ask(CLINIC, records=replace(table, published=False))
    ill = rows.loc[rows["method"] == TREAT_NONE, "missed_per_1000"].iloc[0]
    found, alarms = ill - rows["missed_per_1000"], rows["false_per_1000"]
    assert rows["true_positive_rate"].to_numpy() == pytest.approx(found / ill, abs=1e-9)
    assert rows["true_negative_rate"].to_numpy() == pytest.approx(1 - alarms / (1000 - ill))
    some = rows["method"] != TREAT_NONE
    assert rows["predictive_value"][some].to_numpy() == pytest.approx(
        (found / (found + alarms))[some]
    )


def test_they_are_the_models_of_the_curves(rows, table):
    parts = splits(table, STUDY.preparation)
    at_half = rows[rows["threshold"] == 0.5].set_index(["method", "epsilon"])
    for method in ("objpert", "dpgd"):
        alone = replace(STUDY, methods=(method,))
        curve = curves.summarise(sweep(alone, split=parts), alone, parts)
        for _, one in curve.iterrows():
            here = at_half.loc[(method, one["epsilon"])]
            assert here["runs"] == one["runs"] == 10
            assert (here["status"], here["delta"]) == (one["status"], one["delta"])
            for name in ("missed_per_1000", "false_per_1000"):
                assert here[name] == pytest.approx(one[name], abs=1e-9)


def test_the_reference_is_the_models_without_privacy(rows, table):
    compared = baselines(splits(table, STUDY.preparation))
    here = rows[(rows["method"] == REFERENCE) & (rows["threshold"] == 0.5)].iloc[0]
    assert (here["baseline"], here["status"]) == (LINEAR, "not private")
    for name in ("missed_per_1000", "false_per_1000"):
        assert here[name] == pytest.approx(compared.measured[name], abs=1e-9)


def test_it_is_a_plain_count_of_each_models_sigmoids(rows, table):
    parts = splits(table, STUDY.preparation)
    model = released(CLINIC.models, parts, silent)[0]
    assert model.calibration.requested.epsilon == 0.3
    benefits = []
    for weights, split in zip(model.weights, parts, strict=True):
        for one in weights:
            total = 0.0
            for record, label in zip(split.x_test, split.y_test, strict=True):
                if 1.0 / (1.0 + math.exp(-float(one @ record))) >= 0.2:
                    total += 1.0 if label > 0 else -0.2 / 0.8
            benefits.append(total / len(split.y_test))
    first = rows.iloc[0]
    assert (first["method"], first["epsilon"], first["threshold"]) == ("objpert", 0.3, 0.2)
    assert first["net_benefit"] == pytest.approx(np.mean(benefits), abs=1e-12)


def test_no_band_goes_beyond_what_the_share_of_cases_leaves_possible():
    whole = load("cohort", records=120)
    few = replace(whole, further=None, published=False)
    study = replace(NOISY, records=None, methods=("dpgd",), epsilons=(0.1,), runs=10)
    rows = ask(DecisionCurveQuestion(study, thresholds=(0.06, 0.94)), records=few)
    everybody = rows[rows["method"] == TREAT_ALL].set_index("threshold")
    share = 1.0 - float(everybody["false_per_1000"].iloc[0]) / 1000.0
    for _, row in rows[rows["method"] == "dpgd"].iterrows():
        weight = row["threshold"] / (1.0 - row["threshold"])
        limits = {
            "net_benefit": (-weight * (1.0 - share), share),
            "missed_per_1000": (0.0, 1000.0 * share),
            "false_per_1000": (0.0, 1000.0 * (1.0 - share)),
        }
        for name, (least, most) in limits.items():
            low, mean, high = (row[f"{name}{end}"] for end in ("_low", "", "_high"))
            assert least - 1e-9 <= low < mean < high <= most + 1e-9


@pytest.fixture(scope="module")
def spreads():
    """At each ε the row of 200 runs, and 200 net benefits of single runs of another seed."""
    cohort = load("cohort", records=300)
    actual = ask(DecisionCurveQuestion(NOISY, thresholds=(0.5,)), records=cohort)
    fresh = DecisionCurveQuestion(replace(NOISY, seed=1), thresholds=(0.5,))
    result = {}
    for at, model in enumerate(released(fresh, splits(cohort, NOISY.preparation), silent)):
        ((risks, ill),) = model.risks
        treated = risks >= 0.5
        benefits = (treated & ill).mean(axis=1) - (treated & ~ill).mean(axis=1)
        result[NOISY.epsilons[at]] = actual.iloc[at], benefits
    return result


@pytest.mark.slow("trains many models")
def test_the_band_holds_nine_of_ten_runs_and_not_those_of_less_noise(spreads):
    def inside(band, runs):
        row, benefits = spreads[band][0], spreads[runs][1]
        return float(
            np.mean((row["net_benefit_low"] <= benefits) & (benefits <= row["net_benefit_high"]))
        )

    assert 0.82 <= inside(8.0, 8.0) <= 0.97
    assert 0.82 <= inside(16.0, 16.0) <= 0.97
    assert inside(8.0, 16.0) > 0.97
    assert inside(16.0, 8.0) < 0.82


def test_the_least_epsilon_is_that_from_which_on_it_gains():
    def made(benefits, bar, status="proved"):
        model = pd.DataFrame({"epsilon": [0.1, 1.0, 10.0], "net_benefit": benefits})
        all_of_them = pd.DataFrame({"method": [TREAT_ALL], "net_benefit": [bar], "status": [""]})
        rows = pd.concat([model.assign(method="opera", status=status), all_of_them])
        return rows.assign(threshold=0.2, net_benefit_low=rows["net_benefit"] - 0.15)

    assert worth_from(made([0.3, 0.1, 0.3], 0.2), 0.2) == 10.0
    assert worth_from(made([0.1, 0.3, 0.3], 0.2), 0.2) == 1.0
    assert worth_from(made([0.1, 0.3, 0.4], 0.2), 0.2, "net_benefit_low") == 10.0
    assert worth_from(made([0.1, 0.3, 0.1], 0.2), 0.2) is None
    assert worth_from(made([0.2, 0.2, 0.2 + 1e-17], 0.2), 0.2) is None  # it treats everybody
    assert worth_from(made([-0.1, 0.0, 0.0], -0.3), 0.2) is None  # and here nobody
    assert worth_from(made([0.3, 0.3, 0.3], 0.2, "conditions not met"), 0.2) is None


@pytest.mark.parametrize(
    ("changes", "thresholds", "told"),
    [
        *(({}, (0.5, wrong), "threshold is .*, but it must be") for wrong in (0.0, 1.0, math.nan)),
        ({}, THRESHOLDS * 11, "must have at most 1.000"),
        ({"loss": "huber"}, THRESHOLDS, "loss is 'huber', but it must be logistic"),
        ({"methods": ("nonprivate",)}, THRESHOLDS, "methods names no private method"),
        ({"dataset": "optical_digits"}, THRESHOLDS, "dataset is 'optical_digits'"),
    ],
)
def test_what_has_no_decision_curve_is_refused(changes, thresholds, told):
    with pytest.raises(InvalidInput, match=told):
        ask(DecisionCurveQuestion(replace(STUDY, **changes), thresholds=thresholds))
