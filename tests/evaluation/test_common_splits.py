"""While curves are coming: methods are compared on the splits that all of them are judged on."""

from dataclasses import replace

import pandas as pd
import pytest

from dpcore.datasets import Preparation, load
from dpcore.evaluation import curves
from dpcore.evaluation.baselines import LINEAR, TREES, Baselines
from dpcore.evaluation.curves import against, all_curves, on_common_splits
from dpcore.evaluation.frontier import best_rows
from dpcore.evaluation.scoring import ACCURACY
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.evaluation.task import JobContext
from dpcore.figures.cost import Cost
from dpcore.figures.quality import Quality

FIRST, EVERY = 5, 100
QUALITY = Quality(ACCURACY)


def without_privacy(accuracy, model):
    value = {"accuracy": accuracy}
    ranges, error = {"accuracy": (accuracy - 0.05, accuracy + 0.05)}, {"accuracy": 0.01}
    return Baselines(ACCURACY, {"accuracy": 0.5}, value, error, ranges, model, value, 1, 0.4)


# What a clinician saw: the first splits are harder for every model.
COMPARED = {FIRST: without_privacy(0.680, LINEAR), EVERY: without_privacy(0.705, TREES)}
AT_FIRST = {FIRST: COMPARED[FIRST]}


def rows_of(method, measured):
    return pd.DataFrame(
        {
            "method": method,
            "edition": "sound",
            "epsilon": 1.0,
            "delta": 1e-5,
            "status": "proved",
            "accuracy": [accuracy for accuracy, _ in measured.values()],
            "accuracy_noiseless": [noiseless for _, noiseless in measured.values()],
            "splits": list(measured),
        }
    )


TRAINED = rows_of("dpgd", {EVERY: (0.674, 0.692), FIRST: (0.652, 0.671)})
AT_ONCE = rows_of("opera", {FIRST: (0.660, 0.668)})
ON_ALL = rows_of("opera", {EVERY: (0.669, 0.690)})


def joined(*tables, compared):
    (rows,), baselines = on_common_splits([pd.concat(tables, ignore_index=True)], compared)
    return rows, baselines


def cost(row):
    return Cost.of(row, float(row["accuracy_baseline"]), QUALITY)


@pytest.mark.parametrize("compared", [AT_FIRST, COMPARED])
def test_rows_that_are_judged_on_more_splits_are_compared_on_the_common_ones(compared):
    rows, baselines = joined(AT_ONCE, TRAINED, compared=compared)
    assert list(rows["method"]) == ["opera", "dpgd"]
    assert set(rows["splits"]) == {FIRST}
    assert baselines is COMPARED[FIRST]
    assert cost(rows.iloc[1]).parts == "−0.9 simpler model, −1.9 noise"


def test_the_model_without_privacy_alone_holds_all_back():
    rows, _ = joined(AT_ONCE, ON_ALL, TRAINED, compared=AT_FIRST)
    assert set(rows["splits"]) == {FIRST}
    assert set(rows["accuracy_baseline"]) == {0.680}
    assert set(rows["baseline"]) == {LINEAR}


def test_the_best_is_chosen_on_the_common_splits():
    rows, _ = joined(AT_ONCE, TRAINED, compared=COMPARED)
    assert list(best_rows(rows)["method"]) == ["opera"]
    finished, _ = joined(ON_ALL, TRAINED, compared=COMPARED)
    assert list(best_rows(finished)["method"]) == ["dpgd"]


def test_finished_rows_are_those_of_every_split():
    rows, baselines = joined(AT_ONCE, ON_ALL, TRAINED, compared=COMPARED)
    assert baselines is COMPARED[EVERY]
    whole = pd.concat([ON_ALL, TRAINED[:1]], ignore_index=True)
    pd.testing.assert_frame_equal(rows, against(whole, COMPARED[EVERY]))


def test_without_a_common_split_there_is_no_difference():
    rows, baselines = joined(AT_ONCE, TRAINED[:1], compared=AT_FIRST)
    assert list(rows["method"]) == ["opera"]
    assert baselines is COMPARED[FIRST]
    nothing, _ = joined(TRAINED[:1], compared=AT_FIRST)
    assert nothing.empty


def test_one_table_that_is_behind_holds_the_other_back():
    both = pd.concat([AT_ONCE, ON_ALL], ignore_index=True)
    (sound, printed), _ = on_common_splits([both, AT_ONCE], COMPARED)
    assert set(sound["splits"]) == set(printed["splits"]) == {FIRST}


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("features", ["plain", "rule"])
def test_a_job_leaves_rows_on_the_splits_of_a_first_picture_too(features, monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.splits.number_of_splits", lambda *_: 7)
    preparation = Preparation(features=features)
    study = Study(methods=("dpgd",), epsilons=(1.0, 0.1), steps=20, preparation=preparation)
    records = load(study.dataset)
    parts = splits(records, preparation)
    result = curves.work(study, JobContext(records=records)).rows
    whole = result[result["splits"] == 7].reset_index(drop=True)
    pd.testing.assert_frame_equal(whole, all_curves(study, parts))
    few = result[result["splits"] == 5].reset_index(drop=True)
    assert len(whole) + len(few) == len(result) == 4
    assert list(few["runs"]) == [22, 22]
    # The noise of a split does not hang on how many splits there are.
    alone = all_curves(replace(study, runs=22), parts[:5])
    pd.testing.assert_frame_equal(few, alone)
