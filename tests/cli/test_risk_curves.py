"""Risk curves on the command line: the table of the function, and plain refusals."""

import pandas as pd
import pytest

from dpcore.evaluation.clinic.by_hand import HandStudy, corrected
from dpcore.evaluation.clinic.column_curves import ColumnStudy, charted
from dpcore.evaluation.clinic.hand_edits import read
from dpcore.evaluation.study import Study
from tests.cli.commands import parsed, refused, said

SMALL = (
    *("risk-curves", "--dataset", "cohort", "--records", "100", "--methods", "opera"),
    *("--epsilon", "0.5,5", "--runs", "2"),
)
STUDY = Study(dataset="cohort", records=100, methods=("opera",), epsilons=(0.5, 5.0), runs=2)


def test_the_table_is_that_of_the_function(capsys, tmp_path):
    wanted = charted(ColumnStudy(STUDY))
    file = tmp_path / "out.csv"
    assert said(capsys, *SMALL, "--output", str(file)) == ""
    actual = pd.read_csv(file, keep_default_na=False, na_values={"epsilon": "", "delta": ""})
    assert set(actual.pop("measures")) == {"not private"}
    assert list(actual.columns) == list(wanted.columns)
    for name in ("column", "level", "at", "epsilon", "log_odds", "log_odds_low", "log_odds_high"):
        pd.testing.assert_series_equal(actual[name], wanted[name], check_dtype=False)
    rows = parsed(capsys, *SMALL, "--column", "sex")["risk_curves"]
    assert [row["level"] for row in rows] == ["female", "male"] * 3


def test_a_corrected_model_is_that_of_the_function(capsys, tmp_path):
    edits, file = tmp_path / "edits.json", tmp_path / "out.csv"
    edits.write_text('{"age": {"line": 0.5}, "sex": {"male": 0}}')
    wanted = corrected(HandStudy(STUDY, read(edits.read_bytes()), run=2))
    assert said(capsys, *SMALL, "--correct", str(edits), "--run", "2", "--output", str(file)) == ""
    actual = pd.read_csv(file, keep_default_na=False, na_values={"private": "", "corrected": ""})
    assert set(actual.pop("measures")) == {"not private"}
    assert list(actual.columns) == list(wanted.columns)
    for name in ("column", "term", "measure", "private", "corrected"):
        pd.testing.assert_series_equal(actual[name], wanted[name], check_dtype=False)


@pytest.mark.parametrize(
    ("edits", "typed", "told"),
    [
        ("{}", ("--column", "age"), "column is given with correct"),
        ("{}", ("--run", "3"), "run is 3, but it must be a whole number of at least 1 and at most"),
        ("{", (), "correct is '{', but it must be JSON: an object of columns"),
        ('{"shoe": {"line": 1}}', (), "column is 'shoe', but it must be one that the models of"),
        ('{"age": {"step 1": 1}}', (), "term is 'step 1', but 'age' has only: line."),
        ('{"age": {"line": 1e99}}', (), "'line' of 'age' is 1e+99, but it must be a finite number"),
    ],
)
def test_hostile_corrections_are_refused(edits, typed, told, capsys, tmp_path):
    file = tmp_path / "edits.json"
    file.write_text(edits)
    assert told in refused(capsys, *SMALL, "--correct", str(file), *typed)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("--column", "shoe"), "column is 'shoe', but it must be one that the models of cohort"),
        (("--column", ""), "column is '', but it must be one that the models of cohort use: age,"),
        (("--features", "fourier"), "features is 'fourier', but it must be plain, additive, fine"),
        (("--run", "2"), "run is given without correct"),
        (
            ("--correct", "/nowhere/edits.json"),
            "correct is '/nowhere/edits.json', but it must be a",
        ),
        (("--scaling", "data"), "scaling is 'data', but it must be public"),
        (("--loss", "huber"), "loss is 'huber', but it must be logistic"),
    ],
)
def test_hostile_options_are_refused(typed, told, capsys):
    assert told in refused(capsys, *SMALL, *typed)
