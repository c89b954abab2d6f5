"""Columns and outcomes without values: what can be judged is, and the rest is nan or refused."""

import numpy as np
import pytest

from dpcore.cli import main
from dpcore.datasets import read_upload
from dpcore.evaluation.models import ModelStudy, curve, summary, why_unjudged
from dpcore.evaluation.scoring import scoring_for
from dpcore.evaluation.splits import splits
from dpcore.evaluation.study import Study
from dpcore.models import systems as models
from dpcore.predictors import refusal, register
from tests.cli.commands import parsed
from tests.curves import answers

pytestmark = [
    pytest.mark.usefixtures("few_splits"),
    pytest.mark.filterwarnings("error::RuntimeWarning"),
]

RECORDS = 120
COLUMNS = "age: 18 to 100\nTBG: 0 to 200; unknown: ?\nhue: one of red, green; unknown: ?\n"
PREDICTED = {
    "class": "predict died: one of 0, 1\n",
    "classes": "predict died: one of 0, 1, 2\n",
    "number": "predict died: 0 to 100\n",
}


def usual(predicts):
    draw = np.random.default_rng(0)
    outcome = {"class": draw.random(RECORDS) < 0.4, "classes": draw.integers(0, 3, RECORDS)}.get(
        predicts, draw.integers(0, 101, RECORDS)
    )
    return [
        [int(draw.integers(18, 100)), 50 + place, ("red", "green")[place % 2], int(died)]
        for place, died in enumerate(outcome)
    ]


def column(at, value, but=None):
    kept = but or {}

    return lambda rows: [
        [*row[:at], kept.get(place, value), *row[at + 1 :]] for place, row in enumerate(rows)
    ]


def all_of(*changes):
    def changed(rows):
        for change in changes:
            rows = change(rows)
        return rows

    return changed


def known_of(*places):
    return lambda rows: [row if n in places else [*row[:3], ""] for n, row in enumerate(rows)]


KINDS = {
    "no value in a number": column(1, "?"),
    "no value in a category": column(2, "?"),
    "two values in a number": column(1, "?", {3: 55, 77: 60}),
    "constant columns": all_of(column(0, 50), column(1, 50), column(2, "red")),
    "one outcome": column(3, 0),
    "one positive": column(3, 0, {5: 1}),
    "outcomes of few": known_of(3, 9, 40, 77, 90),
    "outcome of one": known_of(9),
    "outcomes of half": known_of(*range(1, RECORDS, 2)),
}
NONE = "no outcome"
every_kind = pytest.mark.parametrize("kind", KINDS)
every_outcome = pytest.mark.parametrize("predicts", PREDICTED)


def text(kind, predicts):
    rows = usual(predicts)
    rows = column(3, "")(rows) if kind == NONE else KINDS[kind](rows)
    return "\n".join(["age,TBG,hue,died", *(",".join(map(str, row)) for row in rows)])


def table(kind, predicts="class"):
    described = COLUMNS + PREDICTED[predicts]
    return read_upload("own", text(kind, predicts).encode(), "made.csv", described)


def files(folder, kind):
    (folder / "made.csv").write_text(text(kind, "class"))
    (folder / "made.txt").write_text(COLUMNS + PREDICTED["class"])
    return ["--table", str(folder / "made.csv"), "--columns", str(folder / "made.txt")]


def explored(predicts):
    """A study of every predictor that learns this outcome from a user's own table."""
    loss = {"number": "squared"}.get(predicts, "logistic")
    methods = tuple(key for key in register() if not refusal(key, loss, predicts, is_own=True))
    own = {"upload": "made", "columns": COLUMNS + PREDICTED[predicts]}
    return Study("own", loss=loss, methods=methods, epsilons=(1.0,), runs=2, **own)


@pytest.mark.slow("trains many models")
@every_kind
@every_outcome
def test_every_method_has_an_answer(kind, predicts):
    records = table(kind, predicts)
    study = explored(predicts)
    rows = answers(study, records=records)
    assert set(rows["method"]) == set(study.methods)
    scoring = scoring_for(splits(records, study.preparation)[0])
    main_measure = scoring.banded[0].column
    assert np.isfinite(rows[[main_measure, f"{main_measure}_baseline"]]).all(axis=None)
    outcomes = [
        part.y_test if predicts != "class" else part.y_test > 0
        for part in splits(records, study.preparation)
    ]
    comparable = any(len(np.unique(one)) > 1 for one in outcomes)
    for name in {"class": ("auc", "balanced_accuracy"), "number": ("r2",)}.get(predicts, ()):
        assert rows[name].notna().all() == comparable, name
        assert rows[name].isna().all() != comparable, name


@pytest.mark.slow("trains many models")
@every_kind
@pytest.mark.parametrize("model", models.register())
def test_every_model_of_the_survey_has_an_answer(kind, model):
    described = COLUMNS + PREDICTED["class"]
    study = ModelStudy(model, "own", (1.0,), runs=2, records=RECORDS, columns=described)
    records = table(kind)
    rows = summary(curve(study, table=records))
    what = models.model_named(model)
    judged = int(rows["judged_on"].iloc[0])
    alike = not what.uses_labels and kind == "constant columns"
    assert rows["value"].notna().all() == (judged > 0 and not alike)
    assert bool(why_unjudged(rows)) == (judged == 0 or alike)
    assert rows["learned_from"].eq(96).all()


COMMANDS = {
    "decision-curve": ("--threshold", "0.2,0.5"),
    "groups": ("--by", "hue"),
    "calibration": (),
    "calibration --corrected": (),
    "risk-curves": ("--features", "additive"),
    "sweep": ("--runs", "4"),
}


@pytest.mark.slow("trains many models")
@every_kind
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_answer(command, kind, tmp_path, capsys):
    asked = [*command.split(), *files(tmp_path, kind), *COMMANDS[command]]
    assert parsed(capsys, *asked, "--methods", "opera", "--epsilon", "1")


@pytest.mark.parametrize("command", [*COMMANDS, "report"])
def test_without_any_outcome_there_is_one_sentence(command, tmp_path, capsys):
    asked = [*command.split(), *files(tmp_path, NONE), *COMMANDS.get(command, ("--by", "hue"))]
    assert main([*asked, "--epsilon", "1"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "0 for testing that have an outcome" in said.err
