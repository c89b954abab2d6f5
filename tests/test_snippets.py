"""The Python that pages, README and docs offer: through the front door, with the same numbers.

Each snippet is run as it stands, and what it computes is compared with what the functions behind
the page compute for it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore.accounting import planner
from dpcore.accounting.risk import odds
from dpcore.accounting.training_plan import TrainingPlan
from dpcore.cli import main
from dpcore.datasets import Preparation, load, read_upload
from dpcore.deep.config import TrainingConfig
from dpcore.evaluation import curves, effects, exact_curves
from dpcore.evaluation.baselines import baselines, usual
from dpcore.evaluation.clinic.by_hand import HandStudy, corrected
from dpcore.evaluation.clinic.column_curves import ColumnStudy, charted
from dpcore.evaluation.clinic.costs import Costs
from dpcore.evaluation.clinic.group_task import GroupStudy, compared
from dpcore.evaluation.clinic.hand_edits import written
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.clinic.task import calibrated, decided
from dpcore.evaluation.models import ModelStudy, curve, summary
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.evaluation.task import JobContext
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.evaluation.training.task import swept, trained
from dpcore.export import explore, plan, risk, train
from dpcore.export.atlas import model_snippet
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.methods import method_named
from pages.explore.curve_jobs import trained_study

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
    "people who blur their records": Study(
        methods=("nonprivate", "outpert", "inputpert"), missing_contributors=20, seed=5, **SMALL
    ),
    "a number to predict": Study(
        dataset="diabetes", loss="squared", methods=("nonprivate", "outpert", "objpert"), **SMALL
    ),
    "trained from ε = 0.001 on": Study(
        methods=("nonprivate", "outpert", "dpgd"), epsilons=(1e-4, 1.0), runs=2
    ),
}


def on_explore(study, records):
    """The table that the page shows: closed forms at once, a job for each trained method."""
    closed = [key for key in study.methods if method_named(key).closed_form]
    parts = splits(records, study.preparation)
    shown = [exact_curves.closed_form(replace(study, methods=tuple(closed)), parts)]
    shown += [
        curves.work(trained_study(study, key), JobContext(records=records)).rows
        for key in study.methods
        if key not in closed
    ]
    whole = pd.concat(shown, ignore_index=True)
    compared = baselines(splits(records, usual(study.preparation)), records)
    (rows,), _ = curves.on_common_splits([whole], {len(parts): compared})
    return curves.for_a_file(rows)


@pytest.mark.slow("trains models")
@pytest.mark.parametrize("name", EXPLORED)
def test_explores_python_gives_the_table_on_screen(name):
    study = EXPLORED[name]
    shown = on_explore(study, load(study.dataset, records=study.records))
    code = explore.snippet([study])
    names, printed = ran(code)
    same(names["table"], shown, key=("method", "epsilon"))
    assert names["table"].to_string() in printed
    assert "for exploration only" in code


@pytest.mark.slow("trains models")
def test_explores_python_takes_a_table_of_ones_own_from_a_file(tmp_path, monkeypatch):
    columns = "age: 18 to 90 years\nsmoker: one of no, yes\npredict score: 0 to 200"
    rows = [f"{20 + i % 60},{('no', 'yes')[i % 2]},{i % 150}" for i in range(120)]
    data = ("age,smoker,score\n" + "\n".join(rows) + "\n").encode()
    (tmp_path / explore.YOUR_FILE).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    study = Study(
        dataset="own",
        loss="squared",
        methods=("nonprivate", "outpert", "objpert"),
        upload="of a digest",
        columns=columns,
        **SMALL,
    )
    shown = on_explore(study, read_upload("own", data, "mine.csv", columns))
    assert set(shown["splits"]) == {3}
    names, _ = ran(explore.snippet([study]))
    same(names["table"], shown, key=("method", "epsilon"))


@pytest.mark.slow("trains models")
def test_explores_python_gives_both_editions_beside_each_other():
    study = EXPLORED["published, replaced records"]
    sound = replace(study, edition="sound", methods=("nonprivate", "opera"))
    records = load(study.dataset)
    shown = pd.concat([on_explore(one, records) for one in (study, sound)])
    names, _ = ran(explore.snippet([study, sound]))
    same(names["table"], shown, key=("edition", "method", "epsilon"))
    lines = explore.commands([study, sound]).split("python -m dpcore")
    assert ["published.csv" in line for line in lines[1:]] == [True, False]
    assert ["sound.csv" in line for line in lines[1:]] == [False, True]


@pytest.mark.slow("trains models")
def test_explores_python_gives_the_table_of_decisions(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
    costs = Costs(900.0, 100.0)
    judged = ClinicStudy(CLINIC, corrected=True)
    names, _ = ran(explore.decision_snippet(judged, costs))
    wanted = decided(judged, costs=(900.0, 100.0))
    same(names["table"], wanted, key=("method", "threshold"))
    names, _ = ran(explore.calibration_snippet(judged))
    same(names["table"], calibrated(judged), key=("method", "bin"))
    lines = {
        "decision-curve": explore.decision_command(judged, costs),
        "calibration": explore.calibration_command(judged),
    }
    for name, line in lines.items():
        words = typed(line)
        assert words[:4] == ["python", "-m", "dpcore", name]
        assert "--corrected" in words
        assert main([*words[3:-1], os.devnull]) == 0


def test_explores_python_gives_the_table_of_groups(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
    judged = GroupStudy(ClinicStudy(CLINIC, (0.2,), corrected=True), "sex")
    names, _ = ran(explore.group_snippet(judged))
    same(names["table"], compared(judged), key=("method", "group", "measure"))
    for column in ("sex", 'a "b" $HOME `c`'):
        words = typed(explore.group_command(replace(judged, column=column)))
        assert words[words.index("--by") + 1] == column
    words = typed(explore.group_command(judged))
    assert "--corrected" in words
    assert main([*words[3:-1], os.devnull]) == 0


@pytest.mark.slow("trains models")
def test_explores_python_gives_the_table_of_a_risk_curve():
    names, _ = ran(explore.curve_snippet(CLINIC, "age"))
    same(names["table"], charted(ColumnStudy(CLINIC, ("age",))), key=("method", "at"))
    for column in ('a "b" $HOME `c`', "age"):
        words = typed(explore.curve_command(CLINIC, column))
        assert words[words.index("--column") + 1] == column
    assert main([*words[3:-1], os.devnull]) == 0


@pytest.mark.slow("trains models")
def test_explores_python_gives_the_model_that_was_corrected_by_hand(tmp_path):
    edited = HandStudy(CLINIC, (("age", "line", 0.25), ("sex", "male", -1.0)), run=2)
    names, _ = ran(explore.hand_snippet(edited))
    same(names["table"], corrected(edited), key=("column", "term", "measure"))
    words = typed(explore.hand_command(edited))
    edits = tmp_path / "corrections.json"
    edits.write_text(written(edited.corrections))
    words[words.index("corrections.json")] = str(edits)
    assert main([*words[3:-1], os.devnull]) == 0


# Plan

PLANNED = TrainingPlan(
    sigma=2.4, records=5_000, batch=50, steps=250, delta=1e-5, clip=2.0, decay=0.97, decay_every=100
)
ADJACENCIES = {
    "poisson": tuple(Adjacency),
    "fixed": (Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT),
    "none": tuple(Adjacency),
}
ASKED = [(sampling, adjacency) for sampling, each in ADJACENCIES.items() for adjacency in each]


@pytest.mark.parametrize("accountant", ["rdp", "pld"])
@pytest.mark.parametrize(("sampling", "adjacency"), ASKED)
def test_plans_python_gives_the_epsilon_on_screen(sampling, adjacency, accountant):
    run = replace(PLANNED, sampling=sampling, adjacency=adjacency)
    names, printed = ran(plan.snippet(run, accountant))
    shown = planner.spent(run, accountant)
    assert names["guarantee"] == shown
    assert printed.split()[:3] == [str(shown.epsilon), str(shown.delta), str(adjacency)]


@pytest.mark.parametrize("unknown", planner.UNKNOWNS)
@pytest.mark.parametrize("accountant", ["rdp", "pld"])
def test_plans_python_answers_the_question_asked_backwards(unknown, accountant):
    run = replace(PLANNED, decay=1.0, decay_every=1)
    epsilon = None if unknown == "epsilon" else 0.8
    names, _ = ran(plan.snippet(run, accountant, unknown, epsilon))
    shown = planner.solve(unknown, run, 0.8, accountant)
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
    "scaled noise": TrainingStudy(config=replace(QUICK, noise="scaled", seed=3), epsilon=2.0),
    "scaled by public records": TrainingStudy(
        config=replace(QUICK, noise="scaled", weights="public", cost="curvature"), public=100
    ),
    "paper 004's noise": TrainingStudy(config=replace(QUICK, noise="published-004"), epsilon=8.0),
    "decay": TrainingStudy(config=replace(QUICK, decay=0.9, decay_every="step"), runs=2),
    "a σ and a budget": TrainingStudy(
        config=replace(QUICK, sigma=3.0, epochs=4), epsilon=None, budget=1.0
    ),
    "held out": TrainingStudy(config=QUICK, held_out=True),
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


def test_the_budget_is_felt():
    names, _ = ran(train.snippet(TRAINED["a σ and a budget"]))
    assert names["history"]["epsilon"].max() <= 1.0
    unlimited = replace(TRAINED["a σ and a budget"], budget=None)
    assert ran(train.snippet(unlimited))[0]["history"]["epsilon"].max() > 1.0


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
    study = TRAINED["usual"]
    names, _ = ran(train.effect_snippet(study, setting, values, way))
    effect, records = effects.effect(setting), 1_437
    sweep = effect.sweep(study, records, values, way)
    shown = effects.ends(effect, values, sweep, swept(sweep, JobContext()).rows)
    same(names["table"], shown, key=("value",))
    assert list(names["table"]["value"]) == list(values)


# What ε means


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 20.0])
def test_the_odds_are_those_of_the_panel_and_of_its_command(epsilon, adjacency):
    names, _ = ran(
        f"import dpcore\nodds = dpcore.risk({epsilon!r}, delta=1e-5, adjacency={str(adjacency)!r})"
    )
    budget = PrivacyBudget(epsilon, 1e-5)
    assert names["odds"] == odds(budget, adjacency)
    words = risk.command(budget, adjacency, 0.5, 0.01).split()[3:]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main([*words, "--json"]) == 0
    assert json.loads(printed.getvalue())["from_budget"]["right_of_100"] == names["odds"].right


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


def test_a_wrong_comment_is_noticed():
    assert agrees("3.7306…, the least noise", 3.73061)
    assert not agrees("3.7307…, the least noise", 3.73061)
    assert agrees("1724.0", 1724.0)
    assert not agrees("1725.0", 1724.0)
    assert agrees("Of 100, at most 58 …", "Of 100, at most 58 are")
    assert not agrees("Of 100, at most 57 …", "Of 100, at most 58 are")
    assert not np.any([agrees("a chart", pd.DataFrame())])


@pytest.mark.parametrize("model", ["naive-bayes", "k-means"])
def test_a_model_of_the_survey_has_the_table_of_the_page(model):
    study = ModelStudy(model=model, epsilons=(0.5, 2.0), runs=3)
    names, _ = ran(model_snippet(study))
    assert names["study"] == study
    pd.testing.assert_frame_equal(names["table"], summary(curve(study)))


def test_a_model_of_the_survey_has_one_table():
    with pytest.raises(dpcore.InvalidInput, match="study is a ModelStudy, but only a Study has"):
        dpcore.explore(ModelStudy(), bins=10)
