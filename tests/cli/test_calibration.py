"""Calibration on the command line: the table of the function, and plain refusals."""

import pytest

from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.clinic.task import calibrated
from dpcore.evaluation.study import Study
from tests.cli.commands import parsed, refused

SMALL = (
    *("calibration", "--dataset", "cohort", "--records", "100", "--methods", "opera"),
    *("--epsilon", "2", "--runs", "2"),
)
STUDY = Study(dataset="cohort", records=100, methods=("opera",), epsilons=(2.0,), runs=2)


@pytest.fixture(autouse=True)
def no_trees_are_tried(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")


def test_the_table_is_that_of_the_function(capsys):
    wanted = calibrated(ClinicStudy(STUDY, bins=4, corrected=True))
    rows = parsed(capsys, *SMALL, "--bins", "4", "--corrected")["calibration"]
    assert [row["observed"] for row in rows] == wanted["observed"].tolist()
    assert [row["bin"] for row in rows] == [1, 2, 3, 4] * 2
    assert {row["measures"] for row in rows} == {"not private"}
    assert rows[0]["training_epsilon"] < rows[0]["epsilon"] == 2.0


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("--bins", "0"), "bins is '0', but it must be"),
        (("--bins", "half"), "bins is 'half', but it must be"),
        (("--loss", "huber"), "loss is 'huber', but it must be logistic, which alone gives risks"),
        (("--methods", "objpert", "--corrected"), "it must be proved by the curve of one Gaussian"),
        (("--dataset", "diabetes", "--records", "0"), "dataset is 'diabetes', but it must be"),
    ],
)
def test_hostile_options_are_refused(typed, told, capsys):
    assert told in refused(capsys, *SMALL, *typed)
