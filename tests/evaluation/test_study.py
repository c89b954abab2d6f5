"""A study refuses bad fields by name, and has one key for one description."""

import math
from dataclasses import fields, replace

import pytest

from dpcore.datasets import Preparation
from dpcore.errors import InvalidInput
from dpcore.evaluation.study import Study, calibrations_for, delta_for, problem_for
from dpcore.evaluation.sweep import sweep
from dpcore.guarantee import default_delta
from dpcore.work import task


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"loss": "hinge"}, ("loss", "'hinge'", "logistic, huber, squared")),
        ({"edition": "draft"}, ("edition", "'draft'", "published, sound")),
        ({"adjacency": "add-remove"}, ("adjacency", "'add-remove'", "replace-one, zero-out")),
        ({"methods": ()}, ("methods", "empty", "at least one")),
        ({"methods": ("opera", "magic")}, ("method", "'magic'", "opera")),
        ({"epsilons": ()}, ("epsilon", "0 values", "1 to 200")),
        ({"epsilons": (1.0,) * 201}, ("epsilon", "201 values", "1 to 200")),
        ({"epsilons": (math.inf,)}, ("epsilon", "inf", "at most 1 000")),
        ({"delta": 0.6}, ("delta", "0.6", "at most 0.5")),
        ({"lam": math.inf}, ("λ", "inf", "at most 1 000")),
        ({"radius": 0.0}, ("radius", "0", "above 0")),
        ({"huber_width": 0.0}, ("Huber width", "0", "above 0")),
        ({"runs": 0}, ("runs", "0", "at least 1")),
        ({"seed": 2**32}, ("seed", "4294967296", "at most")),
        ({"steps": 0}, ("steps", "0", "at least 1")),
        ({"batch": 0}, ("batch", "0", "at least 1")),
    ],
)
def test_a_bad_field_is_named_with_its_value_and_what_is_allowed(change, words):
    with pytest.raises(InvalidInput) as caught:
        Study(**change)
    assert all(word in str(caught.value) for word in words)


DIFFERENT = {
    "dataset": "cohort",
    "records": 500,
    "loss": "huber",
    "huber_width": 0.25,
    "lam": 0.1,
    "methods": ("opera",),
    "edition": "published",
    "epsilons": (1.0,),
    "delta": 1e-6,
    "adjacency": "replace-one",
    "runs": 7,
    "seed": 1,
    "steps": 10,
    "batch": 5,
    "full_length": True,
    "radius": 2.0,
    "missing_contributors": 3,
    "preparation": Preparation(intercept=True),
    "upload": "abc",
    "columns": "age: 0 to 90",
}


def test_the_key_changes_with_every_field():
    assert set(DIFFERENT) == {field.name for field in fields(Study)}
    keys = {Study().key} | {replace(Study(), **{name: v}).key for name, v in DIFFERENT.items()}
    assert len(keys) == 1 + len(DIFFERENT)


def test_the_key_changes_with_every_field_of_the_preparation():
    changes = {
        "missing": "drop",
        "scaling": "data",
        "interval": "unit",
        "norm": "clip",
        "intercept": True,
        "test_fraction": 0.3,
        "seed": 1,
        "turn": 1,
        "held_out": "Hungary",
        "log_transform": False,
        "include": ("duration",),
        "features": "fourier",
        "fourier_features": 128,
        "bandwidth": 0.3,
        "stratified": True,
    }
    assert set(changes) == {field.name for field in fields(Preparation)}
    keys = {Study().key} | {
        Study(preparation=Preparation(**{name: value})).key for name, value in changes.items()
    }
    assert len(keys) == 1 + len(changes)


def test_one_description_has_one_key_however_it_is_written():
    plain = Study(methods=("opera", "dpgd"), epsilons=(1.0, 2.0), lam=1.0, runs=5)
    same = Study(methods=["opera", "dpgd", "opera"], epsilons=[1, 2.0, 1.0], lam=1, runs=5.0)
    assert same == plain
    assert same.key == plain.key


def test_the_key_changes_with_the_code(tmp_path):
    def digest(folder, **files):
        home = tmp_path / folder
        (home / "inner").mkdir(parents=True)
        for name, text in files.items():
            (home / "inner" / f"{name}.py").write_text(text, encoding="utf-8")
        return task.code(home)

    same = digest("one", a="x = 1", b="y = 1")
    assert digest("two", a="x = 1", b="y = 1") == same
    assert digest("three", a="x = 1", b="y = 2") != same
    assert digest("four", a="x = 1", c="y = 1") != same
    # The key hangs on the package's own sources.
    key = Study().key
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(task.dpcore, "__file__", str(tmp_path / "one" / "__init__.py"))
        assert Study().key != key


@pytest.mark.parametrize(
    ("records", "delta"),
    [(2, 1e-5), (455, 1e-5), (10_000, 1e-5), (10_001, 1e-6), (36_156, 1e-6), (800_000, 1e-7)],
)
def test_the_rule_for_delta_stays_at_most_a_tenth_of_one_record(records, delta):
    assert default_delta(records) == pytest.approx(delta, rel=1e-12)
    assert records * default_delta(records) <= 0.1 * (1 + 1e-12)


def test_delta_and_lambda_default_to_their_rules(cancer):
    assert delta_for(Study(), cancer) == default_delta(cancer.records)
    assert delta_for(Study(delta=1e-3), cancer) == 1e-3
    problem = problem_for(Study(), cancer)
    assert (problem.records, problem.dimension) == cancer.x_train.shape
    assert problem.lam > 0
    assert problem_for(Study(lam=0.5), cancer).lam == 0.5


def test_a_method_learns_with_its_share_of_the_rule_s_lambda_and_with_the_one_that_is_named(cancer):
    methods = ("opera", "objpert", "dpgd")
    problem = problem_for(Study(), cancer)

    def lams(**changes):
        study = Study(methods=methods, epsilons=(1.0,), **changes)
        made = calibrations_for(study, problem_for(study, cancer), 1e-5)
        return {key: group[0].problem.lam for key, group in made.items()}

    share = {"opera": 1.0, "objpert": 1 / 64, "dpgd": 1 / 64}
    assert lams() == {key: problem.lam * part for key, part in share.items()}
    assert set(lams(lam=0.5).values()) == {0.5}
    # As in the paper: nothing of ours.
    ours = {"dpgd": 1 / 64}
    assert lams(edition="published") == {key: problem.lam * ours.get(key, 1.0) for key in methods}
    study = Study(methods=methods, epsilons=(1.0,), runs=2)
    rows = sweep(study, split=cancer)
    assert (rows["excess_risk"] > 0).all()  # against the best at the λ that all are judged by
