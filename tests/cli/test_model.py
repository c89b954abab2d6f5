"""`model`: the same figures as from Python, and bad input."""

import io

import pandas as pd
import pytest

from dpcore.evaluation.models import ModelStudy, curve, summary
from tests.cli.commands import refused, said

SMALL = ["model", "--model", "naive-bayes", "--epsilon", "0.1,1", "--runs", "3"]


def test_the_table_is_that_of_python(capsys):
    wanted = curve(ModelStudy(epsilons=(0.1, 1.0), runs=3))
    printed = pd.read_csv(io.StringIO(said(capsys, *SMALL)), keep_default_na=False)
    assert list(printed["value"]) == pytest.approx(list(summary(wanted)["value"]))
    printed = pd.read_csv(io.StringIO(said(capsys, *SMALL, "--every-run")), keep_default_na=False)
    assert list(printed["value"]) == pytest.approx(list(wanted["value"]))


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (["--model", "bayes"], "model is 'bayes'"),
        (["--dataset", "nowhere"], "dataset is 'nowhere'"),
        (["--epsilon", "0"], "epsilon is 0"),
        (["--runs", "many"], "runs is 'many'"),
        (["--adjacency", "add-remove"], "adjacency is 'add-remove'"),
        (["--dataset", "diabetes"], "for this model it must have a label of two classes"),
    ],
)
def test_bad_input_is_one_sentence(capsys, wrong, word):
    assert word in refused(capsys, *SMALL, *wrong)
