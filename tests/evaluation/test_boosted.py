"""Boosted trees as a reference: learned from the same records, used where they are better."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import accuracy_score, roc_auc_score, root_mean_squared_error

from dpcore.datasets import Preparation, load, prepare, read_upload
from dpcore.datasets.columns import Columns, columns_of
from dpcore.datasets.encoding import bring_to_norm, scaled
from dpcore.evaluation.baselines import LINEAR, TREES, Baselines, baselines
from dpcore.evaluation.boosted import _margins, columns_for
from dpcore.evaluation.references import ReferenceStudy, work
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.work.task import JobContext

pytestmark = pytest.mark.usefixtures("few_splits")

FEATURES = "x: -1 to 1\nz: -1 to 1\nsite: one of a, b, c; unknown: blank\n"
PREDICTED = {
    "class": "predict outcome: one of no, yes",
    "classes": "predict outcome: one of low, middle, high",
    "number": "predict outcome: 0 to 100",
}


def made(predicts, *, curved=True, records=1_500):
    """An outcome that follows x·z, or x + z, and a column without use."""
    draw = np.random.default_rng(5)
    x, z = draw.uniform(-1.0, 1.0, (2, records))
    site = draw.choice(["a", "b", "c", ""], records)
    signal = x * z if curved else 0.5 * (x + z)
    signal = signal + (0.05 if curved else 0.5) * draw.standard_normal(records)
    outcome = {
        "class": np.where(signal > 0, "yes", "no"),
        "classes": np.choose(np.digitize(signal, [-0.2, 0.2]), ["low", "middle", "high"]),
        "number": np.round(50.0 + 45.0 * np.clip(signal, -1.0, 1.0), 3),
    }[predicts]
    rows = [
        f"{one:.4f},{two:.4f},{place},{out}"
        for one, two, place, out in zip(x, z, site, outcome, strict=True)
    ]
    text = "\n".join(["x,z,site,outcome", *rows])
    return read_upload("own", text.encode(), "made.csv", FEATURES + PREDICTED[predicts])


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("predicts", PREDICTED)
def test_the_better_of_both_is_the_model_without_privacy(predicts):
    table = made(predicts)
    parts = splits(table, Preparation())
    alone, result = baselines(parts), baselines(parts, table)
    assert (alone.model, result.model) == (LINEAR, TREES)
    assert result.linear == alone.measured == alone.linear
    better = result.measure.sign * (result.value - alone.value) / result.measure.span
    assert better > (0.2 if predicts != "number" else 0.05)
    low, high = result.between
    assert low < result.value < high

    straight = made(predicts, curved=False)
    parts = splits(straight, Preparation())
    assert baselines(parts, straight) == baselines(parts)


@pytest.mark.slow("trains many models")
def test_they_are_scikit_learns_own():
    table = made("class")
    split = prepare(table)
    columns = columns_for(table, split)
    model = HistGradientBoostingClassifier(categorical_features=[2], random_state=0)
    model.fit(columns.train, split.y_train)
    actual = baselines(split, table)
    wanted = accuracy_score(split.y_test, model.predict(columns.test))
    assert actual.measured["accuracy"] == pytest.approx(wanted, abs=1e-12)
    area = roc_auc_score(split.y_test, model.decision_function(columns.test))
    assert actual.measured["auc"] == pytest.approx(area, abs=1e-4)


@pytest.mark.slow("trains many models")
def test_an_error_is_that_of_scikit_learns_own():
    table = made("number")
    split = prepare(table)
    columns = columns_for(table, split)
    model = HistGradientBoostingRegressor(categorical_features=[2], random_state=0)
    said = np.clip(model.fit(columns.train, split.y_train).predict(columns.test), -1.0, 1.0)
    wanted = 50.0 * root_mean_squared_error(split.y_test, said)
    assert baselines(split, table).value == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("missing", ["impute", "drop"])
@pytest.mark.parametrize("key", ["breast_cancer", "heart", "cohort", "diabetes"])
def test_columns_are_those_of_the_records_that_the_rows_are_made_of(key, missing, request):
    if key == "heart":
        request.getfixturevalue("data_folder")
    table = load(key, records=700) if key == "cohort" else load(key)
    preparation = Preparation(seed=3, missing=missing)
    split, columns = prepare(table, preparation), columns_of(table, preparation)
    for rows, values in ((split.x_train, columns.train), (split.x_test, columns.test)):
        made_again = []
        used = [column for column in table.entry.columns if not column.left_out]
        for column, held in zip(used, values.T, strict=True):
            if column.kind == "category":
                levels = len(column.levels)
                gaps = bool(column.missing_marks) and missing == "impute"
                codes = np.where(np.isnan(held), levels, held)
                made_again.append(codes[:, None] == np.arange(levels + gaps))
            elif column.kind == "number":
                made_again.append(scaled(column, held, preparation)[0][:, None])
            else:
                made_again.append(held[:, None])
        again = np.hstack(made_again).astype(float)
        bring_to_norm(again)
        assert np.array_equal(again, rows)


@pytest.mark.slow("trains many models")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("predicts", PREDICTED)
@pytest.mark.parametrize("left", [0, 1, 2, 7, 40])
def test_however_few_records_are_known_there_is_an_answer(predicts, left):
    table = made(predicts, records=200)
    split = prepare(table)
    blank = np.arange(split.records) >= left
    none = -1.0 if predicts == "classes" else 0.0
    emptied = replace(
        split,
        x_train=np.where(blank[:, None], 0.0, split.x_train),
        y_train=np.where(blank, none, split.y_train),
        blank=blank,
    )
    result = baselines(emptied, table)
    assert all(np.isfinite(value) for value in result.measured.values())


@pytest.mark.slow("trains many models")
@pytest.mark.parametrize("predicts", ["class", "classes"])
def test_a_class_that_is_not_learned_is_never_predicted(predicts):
    table = made(predicts)
    split = prepare(table)
    held = split.y_train == split.y_train.max()
    none = -1.0 if predicts == "classes" else 0.0
    without = replace(split, y_train=np.where(held, none, split.y_train), blank=held)
    result = baselines(without, table)
    # At best, every other test record is right.
    assert result.measured["accuracy"] <= np.mean(split.y_test != split.y_test.max())
    assert result.measured["accuracy"] > 0.2


@pytest.mark.slow("trains many models")
def test_as_a_job_they_are_the_same_and_no_setting_of_a_private_model_asks_anew(tmp_path):
    table = made("class")
    study = Study(dataset="own", records=table.records, upload="made", columns=FEATURES)
    described = ReferenceStudy.of(study)
    done = work(described, JobContext(records=table))
    done.rows.to_csv(tmp_path / "rows.csv", index=False)
    parts = splits(table, Preparation())
    wanted = baselines(parts, table)
    read = Baselines.read(pd.read_csv(tmp_path / "rows.csv"), wanted.measure)
    assert read == wanted
    assert read.model == TREES
    for other in (
        replace(study, lam=0.3, runs=5, seed=7, epsilons=(2.0,), methods=("opera",)),
        replace(study, preparation=Preparation(norm="clip", features="additive")),
    ):
        assert ReferenceStudy.of(other) == described
    assert ReferenceStudy.of(replace(study, preparation=Preparation(seed=1))) != described
    assert described.key != ReferenceStudy.of(replace(study, upload="other")).key


def test_one_case_among_many_can_be_learned_from():
    values = np.random.default_rng(0).standard_normal((11_000, 2))
    labels = np.where(np.arange(11_000) == 7, 1.0, -1.0)
    scores = _margins(Columns(values, values, (False, False)), labels, seed=0)
    assert np.isfinite(scores).all()
