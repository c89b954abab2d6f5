"""The report on the command line: the file of the front door, and plain refusals."""

from datetime import date

import pytest

import dpcore
from dpcore.evaluation.study import Study
from tests.cli.commands import parsed, refused, said

SMALL = ("report", "--dataset", "cohort", "--records", "100", "--runs", "2", "--epsilon", "0.5")
STUDY = Study(dataset="cohort", records=100, runs=2)


@pytest.fixture(autouse=True)
def no_trees_are_tried(monkeypatch):
    monkeypatch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")


def test_the_file_is_that_of_the_front_door(capsys, tmp_path):
    typed = ("--methods", "opera", "--threshold", "0.2", "--by", "sex", "--title", "Ours")
    file = tmp_path / "report.html"
    assert said(capsys, *SMALL, *typed, "--output", str(file)) == ""
    wanted = dpcore.report(STUDY, 0.5, "opera", threshold=0.2, by="sex", title="Ours")
    assert file.read_text(encoding="utf-8") == wanted
    assert date.today().isoformat() in wanted
    sections = parsed(capsys, *SMALL, *typed)["report"]["sections"]
    assert {"Privacy", "Groups of people"} <= {one["title"] for one in sections}


def test_the_method_is_by_default_what_a_rule_takes(capsys):
    printed = said(capsys, *SMALL)
    assert "Synthetic clinical cohort: DP-GD at ε = 0.5" in printed
    assert "by a fixed rule in the loss and ε, without a look at the records" in printed
    assert "Not computed for this report." in printed


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("--methods", "opera,dpgd"), "methods is 'opera,dpgd', but a report is about one only."),
        (("--epsilon", "1,2"), "epsilon is '1,2', but a report is about one only."),
        (("--methods", "nonprivate"), "method is 'nonprivate', but it must be a private one."),
        (("--methods", "pate"), "method is 'pate', but it must be one that fits a linear model"),
        (("--methods", "adassp"), "AdaSSP learns to predict a number only."),
        (("--by", "shoe"), "column is 'shoe', but it must be one of the columns of cohort: sex,"),
        (("--threshold", "1"), "threshold is 1, but it must be"),
        (("--corrected",), "corrected is True, but it must be left out where no threshold and no"),
        (("--corrected", "--by", "sex", "--methods", "objpert"), "the curve of one Gaussian, as"),
        (("--threshold", "0.5", "--loss", "huber"), "loss is 'huber', but it must be logistic"),
        (("--output", "nowhere/report.html"), "output is 'nowhere/report.html', but it must be"),
    ],
)
def test_hostile_options_are_refused(typed, told, capsys):
    assert told in refused(capsys, *SMALL, *typed)
