"""The references of private models: what they are, and that no setting of a model moves them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import special
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score, root_mean_squared_error

from dpcore.datasets import PAPER_000, Preparation, load, prepare, read_upload
from dpcore.datasets.encoding import bring_to_norm, scaled
from dpcore.datasets.partition import Columns, columns_of
from dpcore.erm.newton import ridge_path
from dpcore.evaluation.baselines import (
    CROSS_VALIDATION_LAMS,
    LINEAR,
    TREES,
    Baselines,
    _margins,
    baselines,
    columns_for_trees,
    usual,
)
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study, problem_for
from dpcore.questions.cost.question import ReferenceQuestion
from dpcore.work.task import JobContext
from tests.curves import answers
from tests.evaluation.splits import made_split

pytestmark = pytest.mark.usefixtures("few_splits")


def test_the_guess_is_the_majority_of_the_training_records():
    split = made_split()
    split = replace(split, y_train=np.ones_like(split.y_train), y_test=-np.ones_like(split.y_test))
    assert baselines(split).guess == 0.0


def test_the_lambda_has_the_best_cross_validated_likelihood(cancer):
    problem = problem_for(Study(), cancer)
    order = np.random.default_rng(cancer.preparation.seed).permutation(cancer.records)
    forms = problem.forms(cancer.x_train, cancer.y_train)[order]
    fold = np.arange(len(forms)) % 5
    scores = {}
    for lam in CROSS_VALIDATION_LAMS:
        likelihoods = []
        for held in range(5):
            weights = ridge_path(problem.function, forms[fold != held], [lam])[0]
            margins = forms[fold == held].at(weights)
            likelihoods.append(np.mean(np.log(special.expit(margins))))
        scores[lam] = np.mean(likelihoods)
    chosen = baselines(cancer).lam
    nearest = min(scores, key=lambda lam: abs(np.log(lam / chosen)))
    assert nearest == pytest.approx(chosen)
    assert nearest == max(scores, key=lambda lam: scores[lam])


def logistic(split, lam):
    """Accuracy of scikit-learn's model: its C is 1/(λ n)."""
    model = LogisticRegression(
        C=1.0 / (lam * split.records), fit_intercept=False, tol=1e-10, max_iter=10_000
    )
    return float(model.fit(split.x_train, split.y_train).score(split.x_test, split.y_test))


@pytest.mark.parametrize(("key", "records"), [("breast_cancer", None), ("cohort", 2_000)])
def test_it_is_the_mean_over_the_splits_of_scikit_learns_logistic_regression(key, records):
    parts = splits(load(key, records=records), Preparation())
    alone = [baselines(part) for part in parts]
    wanted = [logistic(part, one.lam) for part, one in zip(parts, alone, strict=True)]
    actual = baselines(parts)
    assert actual.value == pytest.approx(np.mean(wanted), abs=1e-9)
    assert actual.guess == pytest.approx(np.mean([one.guess for one in alone]), abs=1e-12)
    lams = [one.lam for one in alone]
    assert actual.lam == pytest.approx(np.exp(np.mean(np.log(lams))))
    # Another λ would be noticed.
    strong = np.mean([logistic(part, 1.0) for part in parts])
    assert abs(actual.value - strong) > 0.005


def test_cases_are_those_of_the_records_whose_misses_are_counted():
    parts = splits(load("breast_cancer"), Preparation())
    result = baselines(parts)
    assert result.positive == pytest.approx(np.mean([np.mean(one.y_test > 0) for one in parts]))
    # Among all records there are others: the splits test some of them more often.
    assert abs(result.positive - float((load("breast_cancer").label > 0).mean())) > 1e-6
    # Who answers no misses exactly these.
    blind = [replace(one, y_train=-np.ones(one.records)) for one in parts]
    never = baselines(blind)
    assert never.measured["missed_per_1000"] == pytest.approx(1000.0 * result.positive)


def test_more_records_tested_make_the_range_narrower_around_the_mean():
    parts = splits(load("breast_cancer"), Preparation())
    alone, result = [baselines(part) for part in parts], baselines(parts)

    # Three splits of 114 test records are 342 different ones.
    for name, (low, high) in result.ranges.items():
        assert low < result.measured[name] < high
        single = np.mean([np.ptp(one.ranges[name]) for one in alone])
        assert high - low == pytest.approx(single * np.sqrt(114 / 342), rel=1e-9)


OTHERWISE = {
    "methods": ("nonprivate", "opera"),
    "epsilons": (0.3,),
    "loss": "huber",
    "huber_width": 0.1,
    "lam": 0.3,
    "delta": 1e-7,
    "edition": "published",
    "adjacency": "replace-one",
    "runs": 4,
    "seed": 5,
    "steps": 17,
    "radius": 3.0,
    "preparation": replace(PAPER_000, intercept=True),
}


def carried(study):
    rows = answers(study)
    names = [name for name in rows if name.endswith("_baseline")]
    (one,) = rows[names].drop_duplicates().to_dict("records")
    return pd.Series(one)


def changes():
    base = Study(methods=("opera",), epsilons=(1.0,), runs=2)
    alone = [
        replace(base, **{name: value})
        for name, value in OTHERWISE.items()
        if name not in ("huber_width", "radius")
    ]
    free = replace(base, lam=0.0, radius=3.0, steps=20)
    return [base, *alone, free, replace(base, loss="huber", huber_width=0.1)]


@pytest.mark.slow("trains many models")
def test_no_setting_of_a_study_moves_it():
    base, *others = changes()
    wanted = carried(base)
    for study in others:
        pd.testing.assert_series_equal(carried(study), wanted, check_exact=True)
    # The data set does, and which records are tested.
    for study in (
        replace(base, dataset="cohort", records=500),
        replace(base, preparation=Preparation(seed=1)),
    ):
        assert (carried(study) != wanted).all()


def test_it_is_prepared_as_usual_whatever_the_private_model_is():
    chosen = Preparation(norm="clip", intercept=True, seed=4, test_fraction=0.3, scaling="data")
    assert usual(chosen) == Preparation(seed=4, test_fraction=0.3)


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
    columns = columns_for_trees(table, split)
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
    columns = columns_for_trees(table, split)
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
    described = ReferenceQuestion(study)
    done = described.answer(JobContext(records=table))
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
        assert ReferenceQuestion(other) == described
    assert ReferenceQuestion(replace(study, preparation=Preparation(seed=1))) != described
    assert described.key != ReferenceQuestion(replace(study, upload="other")).key


def test_one_case_among_many_can_be_learned_from():
    values = np.random.default_rng(0).standard_normal((11_000, 2))
    labels = np.where(np.arange(11_000) == 7, 1.0, -1.0)
    scores = _margins(Columns(values, values, (False, False)), labels, seed=0)
    assert np.isfinite(scores).all()
