"""What is derived from a question: of all that there are, and of one that is thrown away."""

import shlex
from dataclasses import replace

import pandas as pd
import pytest

import dpcore
from dpcore import questions
from dpcore.accounting.elsewhere import StatementStudy
from dpcore.audit.study import CourtStudy, TrialStudy
from dpcore.cli import asked, commands, main
from dpcore.cli.documentation import page
from dpcore.cli.options import Parser
from dpcore.controls import explore
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput
from dpcore.evaluation.models import ModelStudy
from dpcore.evaluation.study import Study
from dpcore.evaluation.training.study import TrainingStudy
from dpcore.questions import register
from dpcore.questions.question import ask, task
from dpcore.questions.told import PARTS, command, snippet
from dpcore.summaries.study import TableStudy
from dpcore.work.task import JobContext
from tests.cli.commands import parsed
from tests.throwaway import shares  # noqa: F401

STUDY = Study(dataset="cohort", records=100, methods=("opera",), epsilons=(1.0,), runs=2)
OF = {
    "court": CourtStudy("adassp", outputs=200, seed=3),
    "describe": TableStudy(records=100, epsilons=(0.5, 2.0), delta=1e-6),
    "model": ModelStudy("k-means", epsilons=(0.5, 2.0), delta=1e-6, runs=5),
    "statement": StatementStudy("1.1, 0.01, 1000; laplace 2"),
    "survival": TableStudy(records=100, epsilons=(0.5, 2.0), delta=1e-6),
    "verify": TrialStudy("dpgd", epsilon=2.0, noise_share=0.5, outputs=300, seed=3),
    "vary": TrainingStudy(config=TrainingConfig(widths=(8,), epochs=2), runs=2),
}
"""What is asked of, where it is no study of methods."""
GIVEN = {
    "calibration": {"corrected": True, "bins": 5},
    "cost": {"every_run": True},
    "court": {"mended": True},
    "decision_curve": {"thresholds": (0.25,), "costs": (900.0, 1.5), "corrected": True},
    "describe": {
        "by": "sex",
        "only": ("age", "bmi"),
        "statistics": ("means",),
        "cross": ("sex:smoker",),
        "weights": (("age", 4), ("means", 2)),
    },
    "model": {"every_run": True},
    "groups": {"by": "sex", "threshold": 0.125, "corrected": True},
    "risk_curves": {"columns": ("age",)},
    "statement": {
        "claimed": 1.5,
        "delta": 1e-6,
        "sampler": "shuffled",
        "division": "records",
        "adjacency": "replace-one",
    },
    "survival": {"time": "bmi", "event": "smoker=no", "by": "sex"},
    "times": {},
    "verify": {},
    "vary": {"setting": "clip", "values": (0.5, 1.0), "gives_way": "epochs"},
}
"""Another value than the default of each field."""


@pytest.fixture(params=questions.names())
def question(request):
    return register.named(request.param)(OF.get(request.param, STUDY), **GIVEN[request.param])


def test_every_field_is_tried():
    for name, given in GIVEN.items():
        fields = {each.name for each in register.named(name).asked()}
        assert set(given) == fields - {"by_hand", "run"}  # which have tests of their own


def test_a_command_line_means_the_question_that_it_was_told_of(question):
    words = shlex.split(command(question).replace("\\\n", " "))
    parser = Parser(load=lambda: asked.command(question.named()))
    typed = asked.typed(parser.parse_args(words[4:]), type(question))
    assert words[3] == questions.command_of(question.named())
    assert replace(question, **typed) == question
    assert type(question)(question.study, **typed) == question


def test_python_means_the_question_that_it_was_told_of(question, monkeypatch):
    heard = []
    monkeypatch.setattr("dpcore.questions.question.ask", lambda one, **_: heard.append(one) or one)
    monkeypatch.setitem(vars(dpcore), question.named(), None)
    monkeypatch.delitem(vars(dpcore), question.named())
    lines = snippet(question).replace("print(table.to_string())", "")
    exec(lines, {})
    assert heard == [question]


@pytest.mark.parametrize(
    "study",
    [
        TableStudy(records=100_000, delta=1e-5),
        TableStudy("diabetes_screening", delta=1e-5),
        ModelStudy(dataset="diabetes_screening", delta=1e-5),
    ],
)
def test_python_keeps_a_delta_that_is_the_rules_for_fewer_records(study):
    names = {"dpcore": dpcore}
    exec("\n".join(PARTS[type(study)].python(study)), names)
    assert names["study"] == study


@pytest.mark.parametrize("name", questions.names())
def test_what_is_no_study_is_one_sentence(name):
    kind = type(register.named(name)().study).__name__
    for study in ("seed-twice", None, register.named(name)):
        with pytest.raises(InvalidInput, match=f"study is .* must be a dpcore.{kind}"):
            getattr(dpcore, name)(study)
    assert hasattr(dpcore, kind)


def test_what_only_looks_is_no_part_of_the_key():
    curve = register.named("decision_curve")(STUDY)
    assert replace(curve, costs=(1.0, 2.0)).key == curve.key
    assert replace(curve, thresholds=(0.5,)).key != curve.key
    assert len(
        {register.named(name)(OF.get(name, STUDY)).key for name in questions.names()}
    ) == len(GIVEN)


def test_no_two_controls_of_the_page_have_one_key():
    keys = [each.key for each in (*explore.CONTROLS, *explore.DETAIL)]
    own = {each.key: each for each in register.controls()}
    assert {key for key in own if key in keys} == {"corrected"}
    assert own["corrected"] is explore.CORRECTED


def test_a_folder_is_found_by_all_but_the_page(shares, capsys, tmp_path):  # noqa: F811
    question = shares(STUDY, 3)
    (share,) = dpcore.shares(STUDY, times=3)["share"]
    assert share == ask(question)["share"].iloc[0]
    assert task(question).run(JobContext()).rows["share"].tolist() == [share]
    words = shlex.split(command(question).replace("\\\n", " "))[3:]
    assert words[0] == "shares"
    assert words[-2:] == ["--output", "shares.csv"]
    assert parsed(capsys, *words[:-2])["shares"][0]["share"] == share
    file = tmp_path / "shares.csv"
    assert main([*words[:-1], str(file)]) == 0
    assert pd.read_csv(file)["share"].tolist() == [share]
    assert commands()["shares"] == "how large the share of each class is"
    assert "`--times`" in page()
    assert "times=3" in snippet(question)
