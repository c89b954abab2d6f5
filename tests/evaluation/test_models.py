"""Curves of the survey's models: a function of their study, also as a job and summed up."""

import pickle
from dataclasses import replace

import pytest

from dpcore.datasets import entry, load
from dpcore.errors import Cancelled, InvalidInput
from dpcore.evaluation.models import ModelStudy, curve, fits, summary
from dpcore.guarantee import default_delta
from dpcore.models.systems import register
from dpcore.questions.model.question import ModelQuestion
from dpcore.questions.question import task as task_of
from dpcore.work.task import JobContext

SMALL = ModelStudy(epsilons=(1.0, 0.1), runs=4)


@pytest.fixture(scope="module")
def rows():
    return curve(SMALL)


def test_a_row_for_each_run_and_both_references(rows):
    private = rows[rows["series"] == "private"]
    assert list(private["epsilon"]) == [0.1] * 4 + [1.0] * 4
    assert set(private["delta"]) == {1e-5}
    assert set(private["adjacency"]) == {"zero-out"}
    assert set(private["status"]) == {"proved"}
    rest = rows[rows["series"] != "private"]
    assert set(rest["status"]) == {"not private"}
    assert rest["epsilon"].isna().all()
    assert rows["value"].between(0.0, 1.0).all()


def test_the_summary_holds_means_and_the_ends_of_few_runs(rows):
    table = summary(rows)
    assert list(table["series"]) == ["private", "private", "without noise", "trivial"]
    values = rows.loc[rows["epsilon"] == 1.0, "value"]
    row = table[table["epsilon"] == 1.0].iloc[0]
    assert row["value"] == pytest.approx(values.mean())
    assert row["value_low"] == pytest.approx(values.min())
    assert row["value_high"] == pytest.approx(values.max())
    assert row["runs"] == 4
    assert set(table["learned_from"]) == {455}
    assert set(table["judged_on"]) == {114}


def test_delta_by_the_rule_is_that_of_the_training_part(monkeypatch):
    larger = replace(entry("breast_cancer"), records=12_000)
    monkeypatch.setattr("dpcore.evaluation.models.entry", lambda key: larger)
    assert (ModelStudy().delta, default_delta(12_000)) == (default_delta(9_600), 1e-6)


def test_what_learns_nothing_is_made_from_training_records():
    table = curve(ModelStudy(model="k-means", epsilons=(1.0,), runs=1)).set_index("series")
    # The test records' own mean would leave exactly all of their spread.
    assert table.loc["trivial", "value"] > 1.0 + 1e-6


def test_as_a_task_it_gives_the_same_rows(rows):
    task = pickle.loads(pickle.dumps(task_of(ModelQuestion(SMALL))))
    assert task.key == ModelQuestion(SMALL).key
    told = []
    done = task.run(JobContext(lambda share, _: told.append(share)))
    assert done.rows.equals(rows)
    assert told == sorted(told)
    assert told[-1] == 1.0

    with pytest.raises(Cancelled):
        task.run(JobContext(cancelled=lambda: True))


def test_another_seed_gives_other_noise(rows):
    other = replace(SMALL, seed=1)
    assert ModelQuestion(other).key != ModelQuestion(SMALL).key
    assert not curve(other).equals(rows)


LEARNED = [("breast_cancer", key) for key in register()]
FREE = [key for key, one in register().items() if not one.uses_labels]  # these need no classes
LEARNED += [(dataset, key) for dataset in ("diabetes", "optical_digits") for key in FREE]


@pytest.mark.parametrize(("dataset", "key"), LEARNED)
def test_every_model_runs_and_beats_learning_nothing_given_a_large_budget(dataset, key):
    table = summary(curve(ModelStudy(model=key, dataset=dataset, epsilons=(200.0,), runs=3)))
    value = {row["series"]: row["value"] for _, row in table.iterrows()}
    sign = 1.0 if register()[key].measure.higher_is_better else -1.0
    assert sign * (value["private"] - value["trivial"]) > 0.05
    assert sign * (value["without noise"] - value["trivial"]) > 0.05


def test_what_is_measured_of_them_does_not_hang_on_the_classes():
    table = load("breast_cancer")
    assert set(FREE) == {"k-means", "pca-gaussian", "pca-pure", "pca-wishart"}
    turned = replace(table, label=-table.label)
    for key in FREE:
        study = ModelStudy(model=key, epsilons=(1.0,), runs=2)
        assert curve(study, table=table).equals(curve(study, table=turned))


@pytest.mark.parametrize("dataset", ["diabetes", "optical_digits"])
@pytest.mark.parametrize("key", [key for key, one in register().items() if one.uses_labels])
def test_other_models_refuse_tables_without_two_classes(key, dataset):
    assert not fits(register()[key], entry(dataset))
    with pytest.raises(InvalidInput, match="must have a label of two classes"):
        curve(ModelStudy(model=key, dataset=dataset, epsilons=(1.0,), runs=1))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"model": "bayes"}, "model is"),
        ({"dataset": "nowhere"}, "dataset is"),
        ({"epsilons": ()}, "epsilon has 0 values"),
        ({"epsilons": (0.0,)}, "epsilon is 0"),
        ({"delta": 2.0}, "delta is 2"),
        ({"adjacency": "add-remove"}, "adjacency is 'add-remove'"),
        ({"runs": 0}, "runs is 0"),
        ({"runs": 1_000, "epsilons": tuple(range(1, 12))}, "at most 10 000 models"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_what_cannot_be_run_is_refused(wrong, said):
    with pytest.raises(InvalidInput, match=said):
        ModelStudy(**wrong)
