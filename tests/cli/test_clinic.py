"""What Explore asks of a clinic, on the command line: files as marked tables, plain refusals."""

from dataclasses import replace

import pandas as pd
import pytest

from dpcore.evaluation.study import Study
from dpcore.questions.decision_curve.question import DecisionCurveQuestion
from dpcore.questions.question import ask
from tests.cli.commands import parsed, refused, said

COHORT = ("--dataset", "cohort", "--records", "100", "--runs", "2")
OPERA = (*COHORT, "--methods", "opera", "--epsilon", "0.5,5")
STUDY = Study(dataset="cohort", records=100, methods=("opera",), epsilons=(0.5, 5.0), runs=2)


@pytest.fixture(autouse=True)
def no_trees_are_tried(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")


def assert_written(file, wanted, exact, gaps):
    """The table in the file is the wanted one in these columns, and is marked."""
    actual = pd.read_csv(file, keep_default_na=False, na_values=dict.fromkeys(gaps, ""))
    assert set(actual.pop("measures")) == {"not private"}
    assert list(actual.columns) == list(wanted.columns)
    for name in exact:
        column = pd.to_numeric(actual[name]) if wanted[name].dtype == float else actual[name]
        pd.testing.assert_series_equal(column, wanted[name], check_exact=True, check_dtype=False)


def test_decisions_are_those_of_the_function(capsys, tmp_path):
    two = replace(STUDY, methods=("opera", "outpert"), seed=3)
    wanted = ask(DecisionCurveQuestion(two, thresholds=(0.2, 0.5), costs=(900.0, 100.0)))
    costs = ("--threshold", "0.5,0.2", "--miss-cost", "900", "--alarm-cost", "100")
    options = ("decision-curve", *OPERA, "--methods", "opera,outpert", "--seed", "3", *costs)
    assert said(capsys, *options, "--output", str(tmp_path / "out.csv")) == ""
    assert_written(tmp_path / "out.csv", wanted, wanted.columns, ("epsilon", "delta"))
    rows = parsed(capsys, *options)["decision_curve"]
    assert [row["cost_per_1000"] for row in rows] == wanted["cost_per_1000"].tolist()
    assert rows[-1]["predictive_value"] is None  # nobody is treated


REFUSED = {
    "groups": [
        ("", "by is missing"),
        ("--by shoe", "column is 'shoe'"),
        ("--by sex --threshold 0.2,0.5", "threshold is '0.2,0.5'"),
        ("--by sex --threshold 1", "threshold is 1"),
        ("--by sex --methods nonprivate", "no private method"),
    ],
    "calibration": [
        ("--bins 0", "bins is 0"),
        ("--loss huber", "loss is 'huber'"),
        ("--methods objpert --corrected", "one Gaussian"),
        ("--dataset diabetes --records 0", "dataset is 'diabetes'"),
    ],
    "decision-curve": [
        ("--threshold 0", "threshold is 0,"),
        ("--threshold 0.2,nan", "threshold is nan"),
        ("--threshold 1e999", "threshold is inf"),
        ("--miss-cost 3", "alarm-cost is missing"),
        ("--miss-cost 3 --alarm-cost -1", "false alarm is -1"),
        ("--loss huber", "loss is 'huber'"),
        ("--methods nonprivate", "no private method"),
        ("--dataset diabetes --records 0", "dataset is 'diabetes'"),
    ],
    "risk-curves": [
        ("--column shoe", "column is 'shoe'"),
        ("--column=", "column is ''"),
        ("--features fourier", "features is 'fourier'"),
        ("--run 2", "run is given without correct"),
        ("--correct /nowhere/edits.json", "correct is '/nowhere/edits.json'"),
        ("--correct {} --column age", "column is given with correct"),
        ("--correct {} --run 3", "run is 3,"),
        ("--correct {", "correct is '{'"),
        ('--correct {"shoe":{"line":1}}', "column is 'shoe'"),
        ('--correct {"age":{"step":1}}', "term is 'step', but 'age' has only: line."),
        ('--correct {"age":{"line":1e99}}', "'line' of 'age' is 1e99"),
    ],
    "report": [
        ("--epsilon 1 --methods opera,dpgd", "methods is 'opera,dpgd'"),
        ("--epsilon 1,2", "epsilon is '1,2'"),
        ("--epsilon 1 --methods nonprivate", "method is 'nonprivate'"),
        ("--epsilon 1 --methods pate", "method is 'pate'"),
        ("--epsilon 1 --methods adassp", "AdaSSP"),
        ("--epsilon 1 --by shoe", "column is 'shoe'"),
        ("--epsilon 1 --threshold 1", "threshold is 1,"),
        ("--epsilon 1 --corrected", "corrected is True"),
        ("--epsilon 1 --corrected --by sex --methods objpert", "one Gaussian"),
        ("--epsilon 1 --threshold 0.5 --loss huber", "loss is 'huber'"),
        ("--epsilon 1 --output nowhere/report.html", "output is 'nowhere/report.html'"),
    ],
}


@pytest.mark.parametrize(
    ("command", "line", "told"),
    [(command, *each) for command, lines in REFUSED.items() for each in lines],
)
def test_hostile_options_are_refused(command, line, told, capsys, tmp_path):
    typed = line.split()
    if typed[:1] == ["--correct"] and typed[1].startswith("{"):
        edits = tmp_path / "edits.json"
        edits.write_text(typed[1])
        typed[1] = str(edits)
    assert told in refused(capsys, command, *OPERA, *typed)
