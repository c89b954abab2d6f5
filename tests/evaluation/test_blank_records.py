"""Models are judged by the records that are not blank; the objective is a mean over all of them."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets import Preparation, load, prepare
from dpcore.datasets.images.catalogue import from_split
from dpcore.evaluation import uploaded
from dpcore.evaluation.baselines import baselines
from dpcore.evaluation.curves import all_curves, closed_form
from dpcore.evaluation.scoring import scoring_for
from dpcore.evaluation.study import Study, losses_for, problem_for

TABLES = ("breast_cancer", "optical_digits", "diabetes")


def splits(key, count):
    whole = prepare(load(key))
    blank = np.zeros(whole.records, dtype=bool)
    blank[np.random.default_rng(0).permutation(whole.records)[:count]] = True
    labels = np.where(blank, -1.0 if whole.entry.predicts == "classes" else 0.0, whole.y_train)
    rows = np.where(blank[:, None], 0.0, whole.x_train)
    emptied = replace(whole, x_train=rows, y_train=labels, blank=blank)
    kept = {name: getattr(emptied, name)[~blank] for name in ("x_train", "y_train", "blank")}
    return emptied, replace(whole, **kept)


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("key", TABLES)
def test_measures_of_training_records_leave_blank_ones_out(key):
    split, kept = splits(key, 60)
    study = Study(dataset=key, loss=losses_for(split.entry)[0])
    scoring = scoring_for(split)
    draw = np.random.default_rng(1)
    models = draw.standard_normal((4, split.dimension * problem_for(study, split).parts))
    actual = scoring.of_runs(problem_for(study, split), split, models)
    wanted = scoring.of_runs(problem_for(study, kept), kept, models)
    for name, values in wanted.items():
        if name != "objective":
            assert actual[name] == pytest.approx(values), name
    assert scoring.guesses(split) == scoring.guesses(kept)
    told, alone = baselines(split), baselines(kept)
    assert told.lam == alone.lam
    for name, value in alone.linear.items():
        assert told.linear[name] == pytest.approx(value, rel=1e-9), name
    # The objective: each blank record adds the loss at 0 to the mean over n.
    problem = problem_for(study, split)
    penalty = 0.5 * problem.lam * (models**2).sum(axis=1) / problem.parts
    without = wanted["objective"] - penalty * problem_for(study, kept).lam / problem.lam
    at_zero = float(problem.function.value(np.zeros(1))[0])
    mixed = (without * kept.records + at_zero * 60) / split.records + penalty
    assert actual["objective"] == pytest.approx(mixed, rel=1e-6)


@pytest.mark.parametrize("key", TABLES)
@pytest.mark.parametrize("left", [0, 1, 2])
@pytest.mark.filterwarnings("error")
def test_however_few_are_not_blank_there_is_an_answer(key, left):
    whole = prepare(load(key))
    split, _ = splits(key, whole.records - left)
    loss = losses_for(split.entry)[0]
    study = Study(dataset=key, loss=loss, methods=("opera",), epsilons=(1.0,), runs=2)
    compared = baselines(split)
    assert all(np.isfinite(value) for value in compared.guesses.values())
    assert all(np.isfinite(value) for value in compared.measured.values())
    told, usual = all_curves(study, split), closed_form(study, whole)
    numbers = told.select_dtypes("number").drop(columns="certified_epsilon")
    assert np.isfinite(numbers).any(axis=None)
    for name in ("sigma", "sensitivity", "delta", "steps", "status", "accountant"):
        assert told[name].equals(usual[name])


def test_a_network_gets_a_blank_record_as_one_of_no_class():
    split, _ = splits("breast_cancer", 5)
    targets = from_split(split).train_targets
    assert np.array_equal(targets == -1, split.blank)
    assert set(targets) == {-1, 0, 1}


@pytest.mark.parametrize(("known", "all_blank"), [(1, True), (50, False)])
def test_a_page_learns_whether_a_table_has_nothing_to_learn_from(known, all_blank):
    labels = ["yes"] * known + [""] * (3_000 - known)  # the only one is tested on
    rows = "\n".join(f"30,{label}" for label in labels)
    columns = "age: 18 to 90 years\npredict outcome: one of no, yes\n"
    uploaded.take_table("own", f"age,outcome\n{rows}\n".encode(), "people.csv", columns)
    assert uploaded.outline(Preparation()).all_blank == all_blank
