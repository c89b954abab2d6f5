"""Decisions on the command line: the table of the function, and plain refusals."""

import pandas as pd
import pytest

from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.clinic.task import decided
from dpcore.evaluation.study import Study
from tests.cli.commands import parsed, refused, said

SMALL = (
    *("decision-curve", "--dataset", "cohort", "--records", "100", "--methods", "opera,outpert"),
    *("--epsilon", "0.5,5", "--runs", "2", "--seed", "3"),
)
STUDY = Study(
    dataset="cohort",
    records=100,
    methods=("opera", "outpert"),
    epsilons=(0.5, 5.0),
    runs=2,
    seed=3,
)
COSTS = ("--threshold", "0.5,0.2", "--miss-cost", "900", "--alarm-cost", "100")


@pytest.fixture(autouse=True)
def no_trees_are_tried(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")


def test_the_table_is_that_of_the_function(capsys, tmp_path):
    wanted = decided(ClinicStudy(STUDY, (0.2, 0.5)), costs=(900.0, 100.0))
    file = tmp_path / "out.csv"
    assert said(capsys, *SMALL, *COSTS, "--output", str(file)) == ""
    actual = pd.read_csv(file, keep_default_na=False, na_values={"epsilon": "", "delta": ""})
    assert set(actual.pop("measures")) == {"not private"}
    assert list(actual.columns) == list(wanted.columns)
    for name in wanted.columns:
        column = pd.to_numeric(actual[name]) if wanted[name].dtype == float else actual[name]
        pd.testing.assert_series_equal(column, wanted[name], check_exact=True, check_dtype=False)
    rows = parsed(capsys, *SMALL, *COSTS)["decision_curve"]
    assert [row["cost_per_1000"] for row in rows] == wanted["cost_per_1000"].tolist()
    assert rows[-1]["predictive_value"] is None  # nobody is treated


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("--threshold", "0"), "threshold is 0, but it must be"),
        (("--threshold", "0.2,nan"), "threshold is nan, but it must be"),
        (("--threshold", "1e999"), "threshold is inf, but it must be"),
        (("--threshold", ""), "threshold is '', but it must be"),
        (("--miss-cost", "3"), "alarm-cost is missing, but both costs or none must be given"),
        (("--miss-cost", "3", "--alarm-cost", "-1"), "cost of a false alarm is -1, but it must"),
        (("--loss", "huber"), "loss is 'huber', but it must be logistic, which alone"),
        (("--methods", "nonprivate"), "methods names no private method"),
    ],
)
def test_hostile_options_are_refused(typed, told, capsys):
    assert told in refused(capsys, *SMALL, *typed)


@pytest.mark.parametrize("dataset", ["diabetes", "optical_digits"])
def test_data_without_two_classes_are_refused(dataset, capsys):
    told = refused(capsys, "decision-curve", "--dataset", dataset)
    assert (
        told
        == f"dataset is '{dataset}', but it must be one of two classes, whose risks are judged.\n"
    )
