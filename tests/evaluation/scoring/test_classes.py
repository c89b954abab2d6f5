"""Several classes: accuracy against brute force, and sweeps and curves on the digits."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import load, prepare
from dpcore.evaluation.baselines import baselines
from dpcore.evaluation.curves import closed_form
from dpcore.evaluation.scoring.classes import accuracies
from dpcore.evaluation.study import Study
from dpcore.evaluation.sweep import sweep

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
    monkeypatch.setattr("dpcore.evaluation.scoring.classes.SCORES_AT_ONCE", 450)
    overall, balanced = accuracies(models, features, labels, 4)
    for place, model in enumerate(models):
        assert (overall[place], balanced[place]) == pytest.approx(
            brute_force(model, features, labels, 4)
        )


@pytest.mark.slow("trains many models")
def test_a_sweep_judges_every_run(digits):
    rows = sweep(STUDY, split=digits)
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
    groups = sweep(study, split=digits).groupby(["method", "epsilon"])
    rows, objective = groups["accuracy_test"].mean(), groups["objective"].mean()
    for _, row in table.iterrows():
        sampled = rows[row["method"], row["epsilon"]]
        assert row["accuracy"] == pytest.approx(sampled, abs=0.05)
        assert row["objective"] == pytest.approx(objective[row["method"], row["epsilon"]], rel=0.05)


@pytest.mark.slow("trains many models")
def test_a_model_without_privacy_is_there_to_compare(digits):
    result = baselines(digits)
    assert result.guess < 0.15
    assert result.value > 0.93
