"""Several classes: accuracy against brute force, and sweeps and curves on the digits."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import entry, load, prepare
from dpcore.evaluation.baselines import baselines
from dpcore.evaluation.curves import all_curves
from dpcore.evaluation.exact_curves import closed_form
from dpcore.evaluation.scoring import scoring_for
from dpcore.evaluation.scoring.multiclass import MULTICLASS, accuracies
from dpcore.evaluation.study import Study, problem_for
from dpcore.evaluation.sweep import columns, sweep

STUDY = Study(
    dataset="optical_digits", methods=("nonprivate", "psgd", "dpftrl"), epsilons=(0.1, 10.0), runs=3
)


@pytest.fixture(scope="module")
def digits():
    return prepare(load("optical_digits"))


def brute_force(model, features, labels, classes):
    vectors = model.reshape(classes, -1)
    hits = {}
    for row, label in zip(features, labels, strict=True):
        said = max(range(classes), key=lambda k: (vectors[k] @ row, -k))
        hits.setdefault(label, []).append(said == label)
    every = [hit for result in hits.values() for hit in result]
    return np.mean(every), np.mean([np.mean(result) for result in hits.values()])


def test_accuracy_equals_brute_force(monkeypatch):
    generator = np.random.default_rng(1)
    features = generator.normal(size=(50, 3))
    labels = generator.choice([0.0, 1.0, 3.0], size=50)  # class 2 does not occur
    models = generator.normal(size=(7, 12))
    models[3] = 0.0  # all scores alike: the first class is said
    monkeypatch.setattr("dpcore.evaluation.scoring.multiclass.SCORES_AT_ONCE", 450)
    overall, balanced = accuracies(models, features, labels, 4)
    for place, model in enumerate(models):
        assert (overall[place], balanced[place]) == pytest.approx(
            brute_force(model, features, labels, 4)
        )


def test_the_digits_are_ten_classes_with_bounds_by_counting(digits):
    result = entry("optical_digits")
    assert (result.predicts, result.classes) == ("classes", 10)
    assert load("optical_digits").records == result.records == 1_797
    assert set(np.unique(digits.y_train)) == set(range(10))
    assert all(column.bounds == (0.0, 16.0) for column in result.columns)
    values = load("optical_digits").frame.to_numpy()
    assert values.min() >= 0.0
    assert values.max() <= 16.0
    assert problem_for(STUDY, digits).classes == 10
    assert scoring_for(digits) is MULTICLASS


@pytest.mark.slow("trains many models")
def test_a_sweep_judges_every_run(digits):
    rows = sweep(STUDY, split=digits)
    assert tuple(rows.columns) == columns(MULTICLASS)
    assert len(rows) == 3 * 2 * 3
    plain = rows[rows["method"] == "nonprivate"]
    assert (plain["accuracy_test"] > 0.88).all()
    assert plain["excess_risk"].abs().max() < 1e-9
    private = rows[rows["method"] != "nonprivate"]
    assert set(private["status"]) == {"proved"}
    assert (private["excess_risk"] > 0.0).all()
    for _, group in private.groupby("method"):
        mean = group.groupby("epsilon")["accuracy_test"].mean()
        assert mean[0.1] < 0.4 < mean[10.0]
        assert group["objective"].nunique() == 6


@pytest.mark.slow("trains many models")
def test_curves_of_output_perturbation_are_means_over_draws(digits):
    study = replace(STUDY, methods=("nonprivate", "psgd"), runs=40)
    table = closed_form(study, digits)
    assert set(table["source"]) == {"draws"}
    rows = sweep(study, split=digits).groupby(["method", "epsilon"])["accuracy_test"].mean()
    for _, row in table.iterrows():
        sampled = rows[row["method"], row["epsilon"]]
        assert row["accuracy"] == pytest.approx(sampled, abs=0.05)
        assert row["accuracy_low"] <= row["accuracy"] <= row["accuracy_high"]
    objective = sweep(study, split=digits).groupby(["method", "epsilon"])["objective"].mean()
    for _, row in table.iterrows():
        expected = objective[row["method"], row["epsilon"]]
        assert row["objective"] == pytest.approx(expected, rel=0.05)


def test_both_kinds_of_curves_share_a_table(digits):
    table = all_curves(STUDY, digits)
    assert list(table["method"]) == [m for m in STUDY.methods for _ in range(2)]
    assert table["certified_epsilon"].dropna().tolist() == pytest.approx([0.1, 10.0] * 2, rel=1e-5)


@pytest.mark.slow("trains many models")
def test_a_model_without_privacy_is_there_to_compare(digits):
    result = baselines(digits)
    assert result.guess < 0.15
    assert result.value > 0.93
