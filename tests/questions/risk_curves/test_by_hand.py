"""Corrected by hand: the stated model and no other, its curve, what it costs, and hostile edits."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import Preparation, load
from dpcore.datasets.column_parts import LINE, terms_of
from dpcore.errors import InvalidInput
from dpcore.evaluation.baselines import LINEAR
from dpcore.evaluation.clinic.risks import released
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import RiskModels, Study
from dpcore.evaluation.sweep import sweep
from dpcore.progress import silent
from dpcore.questions.calibration.question import CalibrationQuestion
from dpcore.questions.question import ask
from dpcore.questions.risk_curves.by_hand import effect, effect_part
from dpcore.questions.risk_curves.question import RiskCurvesQuestion
from dpcore.questions.risk_curves.terms import (
    LARGEST_FILE,
    MAX_TERMS,
    corrected_weights,
    read,
    written,
)

CURVES = Preparation(features="additive")
STUDY = Study("cohort", 300, preparation=CURVES, methods=("opera",), epsilons=(0.5, 5.0), runs=3)
EDITS = (("age", LINE, 1.0), ("age", "step 12", 0.0), ("sex", "male", -0.5))


@pytest.fixture(scope="module")
def table():
    return load("cohort", records=300)


def test_it_is_the_stated_runs_model_judged_as_everywhere(table):
    study = replace(STUDY, epsilons=(5.0,))
    result = ask(RiskCurvesQuestion(study, by_hand=EDITS, run=2), records=table)
    assert set(result["status"]) == {"exploration only"}  # its noise comes from a seed
    (split,) = splits(table, CURVES)
    (weights,) = released(RiskModels(STUDY), [split], silent)[1].weights
    columns = [table.entry.column(name) for name in ("age", "sex")]
    terms = {column.name: terms_of(table.entry, CURVES, column) for column in columns}
    for name, one in terms.items():
        rows = result[result["column"] == name]
        assert rows["term"].tolist() == list(one.names)
        assert rows["private"].to_numpy() == pytest.approx(one.heights(weights[1]))
    told = result.set_index(["column", "term"])["corrected"]
    assert [told[column, term] for column, term, _ in EDITS] == pytest.approx([1.0, 0.0, -0.5])
    same = result[(result["column"] == "age") & ~result["term"].isin([LINE, "step 12"])]
    assert same["corrected"].to_numpy() == pytest.approx(same["private"].to_numpy())

    measures = effect_part(result).set_index("measure")
    single = sweep(study, split=split)
    run = single[single["run"] == 1].iloc[0]
    assert measures.loc["accuracy", "private"] == pytest.approx(run["accuracy_test"])
    assert measures.loc["auc", "private"] == pytest.approx(run["auc"], abs=1e-6)
    after = corrected_weights(weights[1], list(terms.values()), EDITS)
    right = (split.x_test @ after > 0) == (split.y_test > 0)
    assert measures.loc["accuracy", "corrected"] == pytest.approx(right.mean())
    assert set(measures["tested"]) == {10_000}
    assert (measures["test_error"] > 0).all()


@pytest.mark.slow("trains many models")
def test_calibration_is_that_of_the_other_tab(table, monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: LINEAR)
    study = replace(STUDY, epsilons=(5.0,), runs=1)
    measures = effect_part(ask(RiskCurvesQuestion(study, by_hand=()), records=table)).set_index(
        "measure"
    )
    row = ask(CalibrationQuestion(study), records=table).iloc[0]
    for name in ("calibration_slope", "calibration_intercept", "calibration_error"):
        assert measures.loc[name, "private"] == pytest.approx(row[name])
        assert measures.loc[name, "change"] == 0.0


@pytest.mark.slow("trains many models")
def test_the_error_is_that_of_the_difference_and_not_of_either_model():
    rng = np.random.default_rng(5)
    count, result = 2_000, []
    for _ in range(60):
        score = rng.normal(size=count)
        ill = rng.random(count) < 1.0 / (1.0 + np.exp(-score))
        both = np.stack([score, score + 0.2 * rng.normal(size=count)])
        result.append(effect(both, ill).set_index("measure"))
    for name in ("accuracy", "auc", "calibration_slope"):
        scatter = np.std([one.loc[name, "change"] for one in result])
        told = np.mean([one.loc[name, "test_error"] for one in result])
        assert 0.75 * scatter < told < 1.35 * scatter
        # The error of one model alone is larger, and would be refused here.
        assert np.std([one.loc[name, "private"] for one in result]) > 1.35 * scatter
    few = effect(both[:, :15], ill[:15])
    assert few["test_error"].isna().all()


@pytest.mark.slow("trains many models")
def test_by_rule_each_epsilon_has_the_terms_of_its_own_features(table):
    study = replace(STUDY, preparation=Preparation(features="rule"), epsilons=(0.01,))
    result = ask(RiskCurvesQuestion(study, by_hand=(("age", LINE, 1.0),)), records=table)
    assert result.loc[result["column"] == "age", "term"].tolist() == [LINE]
    assert set(result["feature_map"]) == {"plain"}
    with pytest.raises(InvalidInput, match="term is 'step 1', but 'age' has only: line"):
        ask(RiskCurvesQuestion(study, by_hand=(("age", "step 1", 1.0),)), records=table)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"age": {"line": math.nan}}, "'line' of 'age' is nan"),
        ({"age": {"line": 1e9}}, "'line' of 'age' is 1e9"),
        ({"age": {"line": "tall"}}, "'line' of 'age' is 'tall'"),
        ({"age": {"line": [1]}}, "'line' of 'age' is [1]"),
        ([1], "correct is [1]"),
        ({"age": dict.fromkeys(map(str, range(MAX_TERMS + 1)), 0)}, "correct has 5 001 terms"),
        ({"shoe": {"line": 1.0}}, "column is 'shoe'"),
        ({"age": {"step 13": 1.0}}, "term is 'step 13', but 'age' has only: line; step 1; step 2"),
        ({"sex": {"female": 1.0}}, "term is 'female', but 'sex' has only: male."),
    ],
)
def test_hostile_edits_are_refused_in_one_sentence(given, told, table):
    with pytest.raises(InvalidInput) as refused:
        ask(RiskCurvesQuestion(STUDY, by_hand=given), records=table)
    sentence = str(refused.value)
    assert sentence.startswith(told)
    assert sentence.count("\n") == 0
    assert len(sentence) < 400


def test_a_file_is_read_as_it_was_written_and_anything_else_is_refused():
    names = (('é "q"', "line", 0.25), ("age", "step 1", -1.0), ("age", LINE, 2.0))
    assert sorted(read(written(names).encode())) == sorted(names)
    assert read(b"{}") == ()
    for text in (b"", b"age,line,1", b"\xff\xfe", b"[" * 99_999, b'{"age": {"line": NaN}}'):
        with pytest.raises(InvalidInput, match="but it must be"):
            read(text)
    with pytest.raises(InvalidInput, match="more than 1 000 000 bytes"):
        read(json.dumps("x" * LARGEST_FILE).encode())


def test_runs_and_features_that_are_not_there_are_refused():
    for run in (0, 4):
        with pytest.raises(InvalidInput, match="run is"):
            RiskCurvesQuestion(STUDY, by_hand=(), run=run)
    with pytest.raises(InvalidInput, match="features is 'fourier'"):
        RiskCurvesQuestion(replace(STUDY, preparation=Preparation(features="fourier")))
    assert RiskCurvesQuestion(STUDY).key != RiskCurvesQuestion(STUDY, by_hand=EDITS).key
