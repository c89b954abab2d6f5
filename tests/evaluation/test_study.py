"""A study refuses bad fields by name, and has one key for one description."""

import math
import subprocess
import sys
from dataclasses import fields, replace

import pytest

from dpcore.datasets import Preparation
from dpcore.errors import InvalidInput
from dpcore.evaluation import task
from dpcore.evaluation.study import (
    Study,
    calibrations_for,
    delta_for,
    edition_of,
    problem_for,
)
from dpcore.evaluation.sweep import sweep
from dpcore.guarantee import Edition, default_delta
from dpcore.methods import method_named


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
        ({"epsilons": (1.0, -1.0)}, ("epsilon", "-1", "at least 1e-12")),
        ({"epsilons": (math.inf,)}, ("epsilon", "inf", "at most 1000")),
        ({"delta": 0.0}, ("delta", "0", "at least 1e-300")),
        ({"delta": 0.6}, ("delta", "0.6", "at most 0.5")),
        ({"lam": -0.1}, ("λ", "-0.1", "at least 0")),
        ({"lam": math.inf}, ("λ", "inf", "at most 1000")),
        ({"radius": 0.0}, ("radius", "0", "above 0")),
        ({"huber_width": 0.0}, ("Huber width", "0", "above 0")),
        ({"runs": 0}, ("runs", "0", "at least 1")),
        ({"runs": 1_001}, ("runs", "1001", "at most 1,000")),
        ({"seed": -1}, ("seed", "-1", "at least 0")),
        ({"seed": 2**32}, ("seed", "4294967296", "at most")),
        ({"steps": 0}, ("steps", "0", "at least 1")),
        ({"steps": 10**9}, ("steps", "1000000000", "at most")),
        ({"batch": 0}, ("batch", "0", "at least 1")),
    ],
)
def test_a_bad_field_is_named_with_its_value_and_what_is_allowed(change, words):
    with pytest.raises(InvalidInput) as caught:
        Study(**change)
    sentence = str(caught.value)
    assert sentence.endswith(".")
    for word in words:
        assert word in sentence


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


@pytest.mark.slow("trains many models")
def test_the_key_is_the_same_in_another_process():
    code = (
        "from dpcore.evaluation.study import Study; "
        "print(Study(lam=0.1, methods=('opera', 'grpua'), epsilons=(0.1, 3.0)).key)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": ":".join(path or "." for path in sys.path)},
    )
    here = Study(lam=0.1, methods=("opera", "grpua"), epsilons=(0.1, 3.0)).key
    assert done.stdout.strip() == here


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
    assert digest("five", a="x = 1") != same
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


def test_a_method_without_a_published_edition_runs_as_sound(cancer):
    study = Study(edition="published", methods=("dpgd", "opera"), epsilons=(1.0,))
    assert edition_of(study, method_named("dpgd")) is Edition.SOUND
    assert edition_of(study, method_named("opera")) is Edition.PUBLISHED
    result = calibrations_for(study, problem_for(study, cancer), 1e-5)
    assert [result[key][0].edition for key in study.methods] == [Edition.SOUND, Edition.PUBLISHED]


def test_calibrations_follow_the_order_of_the_study(cancer):
    study = Study(methods=("opera", "nonprivate"), epsilons=(3.0, 0.1), steps=20)
    result = calibrations_for(study, problem_for(study, cancer), 1e-5)
    assert list(result) == ["opera", "nonprivate"]
    assert [c.requested.epsilon for c in result["opera"]] == [3.0, 0.1]
    assert {c.steps for c in result["opera"]} == {20}


def test_nothing_is_proved_where_the_preparation_looks_at_the_data(cancer):
    leaky = replace(cancer, leaks=("leaks: scaled by the data's own range",))
    methods = ("nonprivate", "opera", "dpgd", "grpua")
    study = Study(methods=methods, edition="published", epsilons=(0.5,))
    sound = calibrations_for(study, problem_for(study, cancer), 1e-5)
    result = calibrations_for(study, problem_for(study, leaky), 1e-5)
    assert sound["opera"][0].proof.epsilon == 0.5
    for group in result.values():
        assert group[0].proof.epsilon is None
        assert group[0].certified.epsilon is None
        assert "one record can move every row" in group[0].proof.reason
    unmet = ["conditions not met"] * 2
    wanted = ["not private", *unmet, "claim not supported"]
    assert [str(group[0].status) for group in result.values()] == wanted
    assert result["opera"][0].sigma == sound["opera"][0].sigma
