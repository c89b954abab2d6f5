"""What Explore asks of a clinic, on the command line: the functions' tables, and plain refusals."""

from dataclasses import replace
from datetime import date

import pandas as pd
import pytest

import dpcore
from dpcore.evaluation.clinic.by_hand import HandStudy, corrected
from dpcore.evaluation.clinic.column_curves import ColumnStudy, charted
from dpcore.evaluation.clinic.group_task import GroupStudy, compared
from dpcore.evaluation.clinic.hand_edits import read
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.clinic.task import calibrated, decided
from dpcore.evaluation.study import Study
from tests.cli.commands import parsed, refused, said

COHORT = ("--dataset", "cohort", "--records", "100", "--runs", "2")
OPERA = (*COHORT, "--methods", "opera", "--epsilon", "0.5,5")
STUDY = Study(dataset="cohort", records=100, methods=("opera",), epsilons=(0.5, 5.0), runs=2)


@pytest.fixture(autouse=True)
def no_trees_are_tried(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")


def assert_written(file, wanted, exact=(), gaps=("epsilon", "delta")):
    """The table in the file is the wanted one in these columns, and is marked."""
    actual = pd.read_csv(file, keep_default_na=False, na_values=dict.fromkeys(gaps, ""))
    assert set(actual.pop("measures")) == {"not private"}
    assert list(actual.columns) == list(wanted.columns)
    for name in exact:
        column = pd.to_numeric(actual[name]) if wanted[name].dtype == float else actual[name]
        pd.testing.assert_series_equal(column, wanted[name], check_exact=True, check_dtype=False)


def test_groups_are_those_of_the_function(capsys, tmp_path):
    wanted = compared(GroupStudy(ClinicStudy(STUDY, (0.2,)), "age"))
    options = ("groups", *OPERA, "--by", "age", "--threshold", "0.2")
    assert said(capsys, *options, "--output", str(tmp_path / "out.csv")) == ""
    same = ("group", "people", "too_small", "measure", "epsilon", "value", "value_low")
    assert_written(tmp_path / "out.csv", wanted, (*same, "value_high"))
    rows = parsed(capsys, *options)["groups"]
    assert [row["people"] for row in rows] == wanted["people"].tolist()


def test_risk_calibration_is_that_of_the_function(capsys):
    wanted = calibrated(ClinicStudy(STUDY, bins=4, corrected=True))
    rows = parsed(capsys, "calibration", *OPERA, "--bins", "4", "--corrected")["calibration"]
    assert [row["observed"] for row in rows] == wanted["observed"].tolist()
    assert [row["bin"] for row in rows] == [1, 2, 3, 4] * 3
    assert {row["measures"] for row in rows} == {"not private"}
    assert rows[0]["training_epsilon"] < rows[0]["epsilon"] == 0.5


def test_decisions_are_those_of_the_function(capsys, tmp_path):
    two = replace(STUDY, methods=("opera", "outpert"), seed=3)
    wanted = decided(ClinicStudy(two, (0.2, 0.5)), costs=(900.0, 100.0))
    costs = ("--threshold", "0.5,0.2", "--miss-cost", "900", "--alarm-cost", "100")
    options = ("decision-curve", *OPERA, "--methods", "opera,outpert", "--seed", "3", *costs)
    assert said(capsys, *options, "--output", str(tmp_path / "out.csv")) == ""
    assert_written(tmp_path / "out.csv", wanted, wanted.columns)
    rows = parsed(capsys, *options)["decision_curve"]
    assert [row["cost_per_1000"] for row in rows] == wanted["cost_per_1000"].tolist()
    assert rows[-1]["predictive_value"] is None  # nobody is treated


@pytest.mark.slow("runs whole commands, which train")
def test_curves_are_those_of_the_function(capsys, tmp_path):
    wanted = charted(ColumnStudy(STUDY))
    options = ("risk-curves", *OPERA)
    assert said(capsys, *options, "--output", str(tmp_path / "out.csv")) == ""
    same = ("column", "level", "at", "epsilon", "log_odds", "log_odds_low", "log_odds_high")
    assert_written(tmp_path / "out.csv", wanted, same)
    rows = parsed(capsys, *options, "--column", "sex")["risk_curves"]
    assert [row["level"] for row in rows] == ["female", "male"] * 3


@pytest.mark.slow("runs whole commands, which train")
def test_a_corrected_model_is_that_of_the_function(capsys, tmp_path):
    edits, file = tmp_path / "edits.json", tmp_path / "out.csv"
    edits.write_text('{"age": {"line": 0.5}, "sex": {"male": 0}}')
    wanted = corrected(HandStudy(STUDY, read(edits.read_bytes()), run=2))
    options = ("risk-curves", *OPERA, "--correct", str(edits), "--run", "2")
    assert said(capsys, *options, "--output", str(file)) == ""
    same = ("column", "term", "measure", "private", "corrected")
    assert_written(file, wanted, same, ("private", "corrected"))


@pytest.mark.slow("runs whole commands, which train")
def test_a_report_is_that_of_the_front_door(capsys, tmp_path):
    typed = ("--methods", "opera", "--threshold", "0.2", "--by", "sex", "--title", "Ours")
    options = ("report", *COHORT, "--epsilon", "0.5", *typed)
    file = tmp_path / "report.html"
    assert said(capsys, *options, "--output", str(file)) == ""
    study = Study(dataset="cohort", records=100, runs=2)
    wanted = dpcore.report(study, 0.5, "opera", threshold=0.2, by="sex", title="Ours")
    assert file.read_text(encoding="utf-8") == wanted
    assert date.today().isoformat() in wanted
    sections = parsed(capsys, *options)["report"]["sections"]
    assert {"Privacy", "Groups of people"} <= {one["title"] for one in sections}


def test_the_method_of_a_report_is_by_default_what_a_rule_takes(capsys):
    printed = said(capsys, "report", *COHORT, "--epsilon", "0.5")
    assert "DP-GD at ε = 0.5" in printed
    assert "by a fixed rule" in printed
    assert "Not computed" in printed


REFUSED = {
    "groups": [
        ("", "by is missing"),
        ("--by shoe", "column is 'shoe'"),
        ("--by sex --threshold 0.2,0.5", "threshold is '0.2,0.5'"),
        ("--by sex --threshold 1", "threshold is 1"),
        ("--by sex --loss huber", "loss is 'huber'"),
        ("--by sex --methods nonprivate", "no private method"),
    ],
    "calibration": [
        ("--bins 0", "bins is '0'"),
        ("--bins half", "bins is 'half'"),
        ("--loss huber", "loss is 'huber'"),
        ("--methods objpert --corrected", "one Gaussian"),
        ("--dataset diabetes --records 0", "dataset is 'diabetes'"),
    ],
    "decision-curve": [
        ("--threshold 0", "threshold is 0,"),
        ("--threshold 0.2,nan", "threshold is nan"),
        ("--threshold 1e999", "threshold is inf"),
        ("--threshold=", "threshold is ''"),
        ("--miss-cost 3", "alarm-cost is missing"),
        ("--miss-cost 3 --alarm-cost -1", "false alarm is -1"),
        ("--loss huber", "loss is 'huber'"),
        ("--methods nonprivate", "no private method"),
        ("--dataset diabetes --records 0", "dataset is 'diabetes'"),
        ("--dataset optical_digits --records 0", "dataset is 'optical_digits'"),
    ],
    "risk-curves": [
        ("--column shoe", "column is 'shoe'"),
        ("--column=", "column is ''"),
        ("--features fourier", "features is 'fourier'"),
        ("--run 2", "run is given without correct"),
        ("--correct /nowhere/edits.json", "correct is '/nowhere/edits.json'"),
        ("--scaling data", "scaling is 'data'"),
        ("--loss huber", "loss is 'huber'"),
        ("--correct {} --column age", "column is given with correct"),
        ("--correct {} --run 3", "run is 3,"),
        ("--correct {", "correct is '{'"),
        ('--correct {"shoe":{"line":1}}', "column is 'shoe'"),
        ('--correct {"age":{"step":1}}', "term is 'step', but 'age' has only: line."),
        ('--correct {"age":{"line":1e99}}', "'line' of 'age' is 1e+99"),
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


@pytest.mark.parametrize("command", REFUSED)
def test_hostile_options_are_refused(command, capsys, tmp_path):
    edits = tmp_path / "edits.json"
    for line, told in REFUSED[command]:
        typed = line.split()
        if typed[:1] == ["--correct"] and typed[1].startswith("{"):
            edits.write_text(typed[1])
            typed[1] = str(edits)
        assert told in refused(capsys, command, *OPERA, *typed), line
