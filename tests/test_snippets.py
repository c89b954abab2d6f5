"""The Python that pages, README and docs offer: through the front door, with the same numbers.

Each snippet is run as it stands, and what it computes is compared with what the functions behind
the page compute for it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dpcore
from dpcore.accounting import planner
from dpcore.accounting.events import TrainingPlan
from dpcore.cli import main
from dpcore.datasets import Preparation, load
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation import curves
from dpcore.evaluation.baselines import baselines, usual
from dpcore.evaluation.models import ModelStudy, curve, summary
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study, study_of
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import trained
from dpcore.guarantee import Adjacency
from dpcore.questions import told
from dpcore.questions.calibration.question import CalibrationQuestion
from dpcore.questions.cost.question import CostQuestion
from dpcore.questions.decision_curve.question import DecisionCurveQuestion
from dpcore.questions.groups.question import GroupsQuestion
from dpcore.questions.model.question import ModelQuestion
from dpcore.questions.plan import told as plan
from dpcore.questions.question import ask
from dpcore.questions.risk_curves.question import RiskCurvesQuestion
from dpcore.questions.risk_curves.terms import written
from dpcore.questions.training import told as train
from dpcore.questions.vary.question import VaryQuestion
from dpcore.work.task import JobContext

pytestmark = pytest.mark.usefixtures("few_splits")

ROOT = Path(__file__).resolve().parents[1]
BESIDE = {"numpy", "pandas", "pathlib", "sys"}
"""What a snippet may import beside the front door."""


def ran(code):
    """The names that a snippet leaves, and what it prints; it may use the front door only."""
    through_the_front_door(code)
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "snippet", "exec"), names)
    return names, printed.getvalue()


def through_the_front_door(code):
    """Refuse code that reaches for anything in the package but documented names."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            assert {alias.name for alias in node.names} <= BESIDE | {"dpcore"}
        elif isinstance(node, ast.ImportFrom):
            assert node.module in BESIDE
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert node.value.id != "dpcore" or node.attr in dpcore.__all__


def same(mine, shown, *, key):
    """Two tables hold the same rows, in any order, apart from how long they took."""
    assert list(mine.columns) == list(shown.columns)
    left, right = (
        table.sort_values(list(key), kind="stable").reset_index(drop=True)
        for table in (mine, shown)
    )
    for column in shown.columns:
        if "second" not in column:
            pd.testing.assert_series_equal(
                left[column], right[column], rtol=1e-9, atol=0.0, check_dtype=False
            )


def test_a_way_round_the_front_door_is_noticed():
    outside = ["from dpcore.accounting import planner", "import dpcore.accounting"]
    for code in (*outside, "import streamlit", "import dpcore\ndpcore.methods"):
        with pytest.raises(AssertionError):
            through_the_front_door(code)


def typed(line):
    """The words of a command line."""
    return shlex.split(line.replace("\\\n", " "))


# Explore

CLINIC = Study(dataset="cohort", records=100, methods=("opera",), epsilons=(2.0,), runs=2)
SMALL = {"epsilons": (0.5, 2.0), "runs": 3}
EXPLORED = {
    "two methods and a λ of one's own": Study(
        methods=("nonprivate", "outpert", "dpgd"), lam=0.0125, **SMALL
    ),
    "published, replaced records": Study(
        methods=("nonprivate", "opera", "grpua"),
        edition="published",
        adjacency="replace-one",
        delta=1e-6,
        steps=50,
        **SMALL,
    ),
    "prepared otherwise": Study(
        dataset="cohort",
        records=300,
        loss="huber",
        huber_width=0.25,
        methods=("nonprivate", "outpert"),
        preparation=Preparation(norm="clip", intercept=True, seed=3, test_fraction=0.3),
        **SMALL,
    ),
    "a number to predict": Study(
        dataset="diabetes", loss="squared", methods=("nonprivate", "outpert", "objpert"), **SMALL
    ),
}


def on_explore(study, records):
    """The table that the page shows: a job for each method."""
    shown = [
        CostQuestion(study_of(study, key)).answer(JobContext(records=records)).rows
        for key in study.methods
    ]
    compared = baselines(splits(records, usual(study.preparation)), records)
    return curves.for_a_file(curves.against(pd.concat(shown, ignore_index=True), compared))


@pytest.mark.slow("trains models")
@pytest.mark.parametrize("name", EXPLORED)
def test_explores_python_gives_the_table_on_screen(name):
    study = EXPLORED[name]
    shown = on_explore(study, load(study.dataset, records=study.records))
    code = told.snippet(CostQuestion(study))
    names, printed = ran(code)
    same(names["table"], shown, key=("method", "epsilon"))
    assert names["table"].to_string() in printed
    assert "for exploration only" in code


EDITED = RiskCurvesQuestion(CLINIC, by_hand=(("age", "line", 0.25), ("sex", "male", -1.0)), run=2)
GROUPED = GroupsQuestion(CLINIC, corrected=True, by="sex", threshold=0.2)
CLINICAL = {
    "decisions": (
        DecisionCurveQuestion(CLINIC, corrected=True, costs=(900.0, 100.0)),
        ("method", "threshold"),
    ),
    "calibration": (CalibrationQuestion(CLINIC, corrected=True), ("method", "bin")),
    "groups": (GROUPED, ("method", "group", "measure")),
    "a risk curve": (RiskCurvesQuestion(CLINIC, ("age",)), ("method", "at")),
    "corrected by hand": (EDITED, ("column", "term", "measure")),
}


@pytest.mark.slow("trains models")
@pytest.mark.parametrize("name", CLINICAL)
def test_explores_python_gives_what_a_clinic_asks(name, tmp_path, monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
    monkeypatch.chdir(tmp_path)
    Path("corrections.json").write_text(written(EDITED.by_hand))
    question, key = CLINICAL[name]
    names, _ = ran(told.snippet(question))
    same(names["table"], ask(question), key=key)
    words = typed(told.command(question))
    assert words[:3] == ["python", "-m", "dpcore"]
    assert ("--corrected" in words) == (name in ("decisions", "calibration", "groups"))
    assert main([*words[3:-1], os.devnull]) == 0


def test_any_name_of_a_column_stands_in_a_command():
    column = 'a "b" $HOME `c`'
    words = typed(told.command(replace(GROUPED, by=column)))
    assert words[words.index("--by") + 1] == column
    words = typed(told.command(RiskCurvesQuestion(CLINIC, (column,))))
    assert words[words.index("--column") + 1] == column


# Plan

PLANNED = TrainingPlan(
    sigma=2.4, records=5_000, batch=50, steps=250, delta=1e-5, clip=2.0, decay=0.97, decay_every=100
)
ASKED = [
    ("poisson", Adjacency.ADD_REMOVE),
    ("fixed", Adjacency.REPLACE_ONE),
    ("none", Adjacency.ZERO_OUT),
]


@pytest.mark.parametrize(("sampling", "adjacency"), ASKED)
def test_plans_python_gives_the_epsilon_on_screen(sampling, adjacency):
    run = replace(PLANNED, sampling=sampling, adjacency=adjacency)
    names, printed = ran(plan.snippet(run, "pld"))
    shown = planner.spent(run, "pld")
    assert names["guarantee"] == shown
    assert printed.split()[:3] == [str(shown.epsilon), str(shown.delta), str(adjacency)]


@pytest.mark.parametrize("unknown", planner.UNKNOWNS)
def test_plans_python_answers_the_question_asked_backwards(unknown):
    run = replace(PLANNED, decay=1.0, decay_every=1)
    epsilon = None if unknown == "epsilon" else 0.8
    names, _ = ran(plan.snippet(run, "rdp", unknown, epsilon))
    shown = planner.solve(unknown, run, 0.8, "rdp")
    assert names["answer"] == shown
    assert shown.value is not None


@pytest.mark.parametrize("number", ["2.4", "5000", "50", "250", "1e-05", "2.0", "0.97", "100"])
def test_a_changed_number_in_plans_python_is_noticed(number):
    code = plan.snippet(PLANNED, "rdp")
    changed = re.sub(rf"={re.escape(number)},", f"={float(number) * 0.9!r},", code, count=1)
    changed = re.sub(r"=(\d+)\.0,", r"=\1,", changed)
    assert changed != code
    names, _ = ran(changed)
    assert names["guarantee"] != planner.spent(PLANNED, "rdp")


# Train

QUICK = TrainingConfig("linear", epochs=2, batch=300, learning_rate=0.25)
TRAINED = {
    "usual": TrainingStudy(config=QUICK),
    "scaled by public records": TrainingStudy(
        config=replace(QUICK, noise="scaled", weights="public", cost="curvature"), public=100
    ),
    "decay": TrainingStudy(config=replace(QUICK, decay=0.9, decay_every="step"), runs=2),
    "a σ and a budget": TrainingStudy(
        config=replace(QUICK, sigma=3.0, epochs=4), epsilon=None, budget=1.0
    ),
    "add-remove": TrainingStudy(
        config=replace(QUICK, adjacency="add-remove", public_size=1_400), epsilon=1.0
    ),
    "no privacy": TrainingStudy(config=replace(QUICK, sigma=0.0, clipped=False), epsilon=None),
}


@pytest.mark.slow("trains models")
@pytest.mark.parametrize("name", TRAINED)
def test_trains_python_gives_the_history_on_screen(name):
    study = TRAINED[name]
    code = train.snippet(study)
    names, printed = ran(code)
    same(names["history"], trained(study, JobContext()).rows, key=("run", "epoch"))
    assert names["history"].to_string() in printed
    assert "for exploration only" in code


def test_a_training_for_keeping_is_offered_as_an_exploration():
    study = replace(TRAINED["usual"], release="0" * 32, runs=2, models=2)
    names, _ = ran(train.snippet(study).split("history =")[0])
    assert names["study"] == replace(TRAINED["usual"], runs=2)


@pytest.mark.slow("trains models")
@pytest.mark.parametrize(
    ("setting", "way", "values"),
    [("clip", "noise", (0.5, 1.0)), ("decay", "epochs", (0.9, 1.0))],
)
def test_trains_python_gives_the_effect_of_a_setting(setting, way, values):
    question = VaryQuestion(TRAINED["usual"], setting, values, way)
    names, _ = ran(told.snippet(question))
    same(names["table"], question.table(question.answer(JobContext()).rows), key=("value",))
    assert list(names["table"]["value"]) == list(values)


# README and docs/python.md

BLOCKS = [
    block
    for name in ("README.md", "docs/python.md")
    for block in re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf-8"), flags=re.S)
]


def commented(code, node):
    """What stands behind a statement as a comment."""
    assert node.end_lineno is not None
    return code.splitlines()[node.end_lineno - 1].partition("  # ")[2]


def agrees(comment, value):
    """Whether a comment, which may be cut at "…", says what a value is."""
    number = re.match(r"(\d[\d.]*)(…|$|;|,)", comment)
    if number is not None:
        shown = repr(float(str(value)))
        return shown.startswith(number[1]) if number[2] == "…" else shown == number[1]
    if isinstance(value, pd.DataFrame):
        return comment.startswith(("a table", "another"))
    parts = [part.strip() for part in comment.split("…") if part.strip()]
    places = [str(value).find(part) for part in parts]
    return -1 not in places and places == sorted(places)


@pytest.mark.slow("trains models")
@pytest.mark.parametrize("code", BLOCKS, ids=["README", "python.md"])
def test_every_line_of_the_documents_python_is_true(code):
    through_the_front_door(code)
    names: dict[str, Any] = {}
    compared = 0
    for node in ast.parse(code).body:
        part = ast.get_source_segment(code, node) or ""
        comment = commented(code, node)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            if isinstance(node, ast.Expr):
                value = eval(part, names)
            else:
                exec(part, names)
        if comment and isinstance(node, ast.Expr):
            assert agrees(comment, printed.getvalue() or value), part
            compared += 1
    assert compared >= 5


@pytest.mark.parametrize(
    ("comment", "right", "wrong"),
    [
        ("3.7306…, the least noise", 3.73061, 3.74061),
        ("1724.0", 1724.0, 1725.0),
        ("Of 100, at most 58 …", "Of 100, at most 58 are", "Of 100, at most 57 are"),
        ("a chart", "a chart", pd.DataFrame()),
    ],
)
def test_a_wrong_comment_is_noticed(comment, right, wrong):
    assert agrees(comment, right)
    assert not agrees(comment, wrong)


@pytest.mark.parametrize("model", ["naive-bayes", "k-means"])
def test_a_model_of_the_survey_has_the_table_of_the_page(model):
    study = ModelStudy(model=model, epsilons=(0.5, 2.0), runs=3)
    names, _ = ran(told.snippet(ModelQuestion(study)))
    assert names["study"] == study
    pd.testing.assert_frame_equal(names["table"], summary(curve(study)))
