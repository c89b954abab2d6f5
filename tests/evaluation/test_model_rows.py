"""The survey's models beside convex methods: the same records, ε, δ and adjacency in every row."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import special

from dpcore.datasets import Preparation, load
from dpcore.errors import InvalidInput
from dpcore.evaluation.curves import all_curves, calibration_table, columns
from dpcore.evaluation.models import ModelStudy
from dpcore.evaluation.models import curve as atlas
from dpcore.evaluation.scoring.classes import CLASSIFICATION
from dpcore.evaluation.splits import RepeatedSplits, splits
from dpcore.evaluation.study import (
    RiskModels,
    Study,
    calibrations_for,
    delta_for,
    problem_for,
    study_of,
)
from dpcore.evaluation.sweep import sweep
from dpcore.guarantee import Adjacency
from dpcore.mechanisms.gaussian import analytic_mu
from dpcore.models.records import RecordShape, split_records
from dpcore.models.systems import model_named
from dpcore.predictors import refusal, register
from dpcore.predictors.columns import ColumnPredictor, model_calibrations

MODELS = [key for key, found in register().items() if not found.is_linear]
SHAPE = RecordShape(455, 30, ())
PAIRS = {
    Adjacency.ZERO_OUT: (np.array([0.0, 400.0]), np.array([0.0, 399.0])),
    Adjacency.REPLACE_ONE: (np.array([0.0, 400.0]), np.array([1.0, 399.0])),
}
"""Numbers of a leaf's records by label, of two neighbours."""


@pytest.fixture(scope="module")
def cancer_table():
    return load("breast_cancer")


def blanked(table, *places):
    label, frame = table.label.copy(), table.frame.copy()
    label[list(places)] = 0
    frame.loc[list(places)] = np.nan
    return replace(table, label=label, frame=frame)


@pytest.mark.parametrize("dataset", ["breast_cancer", "cohort"])
@pytest.mark.parametrize("missing", ["impute", "drop"])
def test_every_method_of_a_study_learns_from_and_is_judged_on_the_same_records(dataset, missing):
    table = blanked(load(dataset), 3, 4, 5, 6, 7)
    for preparation in splits(table, Preparation(missing=missing)).preparations[:2]:
        (split,) = RepeatedSplits(table, (preparation,))
        train, test = split_records(table, preparation)
        assert np.array_equal(train.signs, split.y_train)
        assert np.array_equal(test.signs, split.y_test)
        assert train.shape.size == split.records == len(train)
        # Not their labels alone: the first number, before rows are brought to one length.
        columns = RepeatedSplits(table, (replace(preparation, norm="clip"),))[0]
        first = columns.x_test[:, 0]
        assert np.corrcoef(first, test.numbers[:, 0])[0, 1] > 0.9


@pytest.mark.slow("trains many models")
def test_on_the_atlas_split_they_are_the_atlas_models(cancer_table):
    one_split = RepeatedSplits(cancer_table, (Preparation(),))
    for key in ("decision-tree", "naive-bayes", "online-tree"):
        study = Study(methods=(key,), epsilons=(0.1, 1.0), runs=20)
        rows = all_curves(study, one_split).set_index("epsilon")
        usual = atlas(ModelStudy(model=key, epsilons=(0.1, 1.0), runs=20))
        assert list(rows.columns) == [one for one in columns(CLASSIFICATION) if one != "epsilon"]
        for epsilon in (0.1, 1.0):
            wanted = usual.loc[usual["epsilon"] == epsilon, "value"].mean()
            assert rows.loc[epsilon, "accuracy"] == pytest.approx(wanted, abs=1e-12)
            if key == "decision-tree":
                error = rows.loc[epsilon, "accuracy_noise_deviation"] / np.sqrt(20)
                known = {0.1: 0.847, 1.0: 0.909}[epsilon]
                assert abs(rows.loc[epsilon, "accuracy"] - known) < 2.0 * error + 0.001


@pytest.mark.parametrize("key", MODELS)
@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
def test_a_row_is_proved_at_its_epsilon_under_the_adjacency_that_was_chosen(key, adjacency, cancer):
    study = Study(methods=(key,), epsilons=(0.3, 2.0), adjacency=adjacency)
    made = calibrations_for(study, problem_for(study, cancer), delta_for(study, cancer))
    rows = calibration_table(made)
    assert list(rows["adjacency"]) == [adjacency] * 2
    assert set(rows["status"]) == {"proved"}
    pure = key == "decision-tree"
    assert list(rows["delta"]) == [0.0 if pure else 1e-5] * 2
    for one in made[key]:
        assert one.proof.epsilon == one.requested.epsilon
        assert one.proof.delta == (0.0 if pure else 1e-5)
        if one.gaussian_mu is not None:  # all noise together spends the budget, and no more
            most = float(analytic_mu(one.requested.epsilon, 1e-5))
            assert 0.999999 * most < one.gaussian_mu < (1.0 + 1e-12) * most


@pytest.mark.parametrize("adjacency", list(PAIRS))
def test_the_noise_of_a_row_is_sized_for_its_adjacency_and_attained(adjacency, cancer):
    def spent(noise_of):
        """ε that the leaf of a clear majority reaches between neighbours, over all choices."""
        (made,) = model_calibrations("decision-tree", SHAPE, (1.0,), 1e-5, noise_of)
        one, other = (special.log_softmax(made.noises[1].scale * n) for n in PAIRS[adjacency])
        return float(np.abs(one - other).max()) * (made.settings["depth"] + 1)

    assert spent(adjacency) == pytest.approx(1.0)
    factor = 2.0 if adjacency is Adjacency.REPLACE_ONE else 0.5
    other = next(one for one in PAIRS if one is not adjacency)
    assert spent(other) == pytest.approx(factor)
    study = Study(methods=("decision-tree",), epsilons=(1.0,), adjacency=adjacency)
    made = calibrations_for(study, problem_for(study, cancer), 1e-5)["decision-tree"][0]
    said = [one.text for one in made.conditions if "2 times as far" in one.text]
    assert len(said) == (adjacency is Adjacency.REPLACE_ONE)


def test_who_is_asked_about_publicly_judges_nobody_who_was(cancer_table, monkeypatch):
    asked, judged = [], []
    pate = model_named("pate")

    def learn(training):
        asked.append(training.unlabelled)
        return pate.learn(training)

    def scores(learned, records):
        judged.append(records)
        return pate.scores(learned, records)

    watched = replace(pate, learn=learn, scores=scores)
    monkeypatch.setitem(register(), "pate", ColumnPredictor.of(watched))
    preparation = Preparation()
    study = Study(methods=("pate",), epsilons=(1.0,), runs=2)
    sweep(study, split=RepeatedSplits(cancer_table, (preparation,)))
    test = split_records(cancer_table, preparation)[1]
    for public, others in zip(asked, judged, strict=True):
        assert len(public) + len(others) == len(test)
    both = {tuple(row) for records in judged[:2] for row in records.numbers}
    assert both == {tuple(row) for row in test.numbers}
    assert not {tuple(row) for row in asked[0].numbers} & {tuple(row) for row in judged[0].numbers}


def test_what_only_methods_have_starts_no_model_anew():
    usual = study_of(Study(), "naive-bayes").key
    same = {"lam": 0.1, "edition": "published", "preparation": Preparation(features="additive")}
    assert study_of(replace(Study(), **same), "naive-bayes").key == usual
    for other in ({"adjacency": "replace-one"}, {"preparation": Preparation(missing="drop")}):
        assert study_of(replace(Study(), **other), "naive-bayes").key != usual


@pytest.mark.parametrize(("method", "kept"), [("inputpert", 2), ("dpgd", 0), ("naive-bayes", 0)])
def test_who_may_stay_away_matters_only_where_people_blur_their_own_records(method, kept):
    assert study_of(replace(Study(), missing_contributors=2), method).missing_contributors == kept


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"dataset": "diabetes", "loss": "squared"}, "learns to tell two classes apart only"),
        ({"dataset": "optical_digits"}, "on 'optical_digits': Decision tree learns to tell two"),
        ({"dataset": "nowhere"}, "dataset is 'nowhere'"),
    ],
)
def test_what_a_model_cannot_learn_is_refused(wrong, said):
    with pytest.raises(InvalidInput, match=said):
        Study(methods=("decision-tree",), **wrong)
    with pytest.raises(InvalidInput, match="method is 'naive-bayes'"):  # it gives no risks
        RiskModels(Study(methods=("naive-bayes",)))


def test_nobody_said_that_some_of_ones_own_table_is_public():
    assert refusal("pate", "logistic", "class") == ""
    assert "needs public records" in refusal("pate", "logistic", "class", is_own=True)
    assert refusal("decision-tree", "logistic", "class", is_own=True) == ""
