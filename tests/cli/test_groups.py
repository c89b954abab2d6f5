"""Groups on the command line: the table of the function, and plain refusals."""

import pandas as pd
import pytest

from dpcore.evaluation.clinic.group_task import GroupStudy, compared
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.study import Study
from tests.cli.commands import parsed, refused, said

SMALL = (
    *("groups", "--dataset", "cohort", "--records", "100", "--methods", "opera"),
    *("--epsilon", "0.5,5", "--runs", "2"),
)
STUDY = Study(dataset="cohort", records=100, methods=("opera",), epsilons=(0.5, 5.0), runs=2)


@pytest.fixture(autouse=True)
def no_trees_are_tried(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")


def test_the_table_is_that_of_the_function(capsys, tmp_path):
    wanted = compared(GroupStudy(ClinicStudy(STUDY, (0.2,)), "age"))
    file = tmp_path / "out.csv"
    options = (*SMALL, "--by", "age", "--threshold", "0.2")
    assert said(capsys, *options, "--output", str(file)) == ""
    actual = pd.read_csv(file, keep_default_na=False, na_values={"epsilon": "", "delta": ""})
    assert set(actual.pop("measures")) == {"not private"}
    assert list(actual.columns) == list(wanted.columns)
    for name in ("group", "people", "too_small", "measure", "epsilon"):
        pd.testing.assert_series_equal(actual[name], wanted[name], check_dtype=False)
    for name in ("value", "value_low", "value_high"):
        column = pd.to_numeric(actual[name])
        pd.testing.assert_series_equal(column, wanted[name], check_exact=True)
    rows = parsed(capsys, *options)["groups"]
    assert [row["people"] for row in rows] == wanted["people"].tolist()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ((), "by is missing, but it must be one of the columns: sex, smoker, lives_alone, age,"),
        (("--by", "shoe"), "column is 'shoe', but it must be one of the columns of cohort: sex,"),
        (("--by", "sex", "--threshold", "0.2,0.5"), "threshold is '0.2,0.5', but it must be"),
        (("--by", "sex", "--threshold", "1"), "threshold is 1, but it must be"),
        (("--by", "sex", "--loss", "huber"), "loss is 'huber', but it must be logistic"),
        (("--by", "sex", "--methods", "nonprivate"), "methods names no private method"),
    ],
)
def test_hostile_options_are_refused(typed, told, capsys):
    assert told in refused(capsys, *SMALL, *typed)
