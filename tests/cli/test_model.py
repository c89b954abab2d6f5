"""`model`: the same figures as from Python, the register, and bad input."""

import io

import pandas as pd
import pytest

from dpcore.evaluation.models import ModelStudy, curve, summary
from dpcore.models.register import register
from tests.cli.commands import parsed, refused, said

SMALL = ["model", "--model", "naive-bayes", "--epsilon", "0.1", "1", "--runs", "3"]


def test_the_table_is_that_of_python(capsys):
    wanted = curve(ModelStudy(epsilons=(0.1, 1.0), runs=3))
    printed = pd.read_csv(io.StringIO(said(capsys, *SMALL)), keep_default_na=False)
    assert list(printed["value"]) == pytest.approx(list(summary(wanted)["value"]))
    printed = pd.read_csv(io.StringIO(said(capsys, *SMALL, "--every-run")), keep_default_na=False)
    assert list(printed["value"]) == pytest.approx(list(wanted["value"]))


def test_a_terminal_shows_few_digits(capsys, monkeypatch):
    exact = pd.read_csv(io.StringIO(said(capsys, *SMALL)))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    read = pd.read_csv(io.StringIO(said(capsys, *SMALL)))
    for name in ("value", "value_low", "value_high"):
        assert list(read[name]) == list(exact[name].round(4))
        assert list(read[name]) != list(exact[name])
    for name in ("epsilon", "delta", "learned_from"):
        assert read[name].equals(exact[name])


def test_json_carries_claim_proof_noise_and_conditions(capsys):
    result = parsed(capsys, *SMALL, "--delta", "1e-6", "--adjacency", "replace-one")
    assert result["model"]["claim"]
    assert [c["proof"]["epsilon"] for c in result["calibrations"]] == [0.1, 1.0]
    for c in result["calibrations"]:
        assert (c["adjacency"], c["status"]) == ("replace-one", "proved")
        assert (c["proof"]["delta"], c["requested"]["delta"]) == (1e-6, 1e-6)
        assert c["claim"]["epsilon"] is None
        assert all(noise["scale"] > 0.0 for noise in c["noises"])
        assert all(condition["met"] for condition in c["conditions"])


def test_a_claim_that_fails_leaves_the_proof_empty(capsys):
    wishart = ["model", "--model", "pca-wishart", "--epsilon", "1", "--runs", "2"]
    (result,) = parsed(capsys, *wishart)["calibrations"]
    assert (result["claim"]["epsilon"], result["claim"]["delta"]) == (1.0, 0.0)
    assert (result["proof"]["epsilon"], result["proof"]["delta"]) == (None, None)
    assert result["status"] == "claim not supported"
    assert "moves with the data" in result["proof"]["why"]


def test_list_names_every_model(capsys):
    rows = parsed(capsys, "model", "--model", "list")["models"]
    assert [row["model"] for row in rows] == list(register())
    assert all(key in said(capsys, "model", "--model", "list") for key in register())


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (["--model", "bayes"], "model is 'bayes'"),
        (["--model", ""], "model is ''"),
        (["--dataset", "nowhere"], "dataset is 'nowhere'"),
        (["--epsilon", "0"], "epsilon is 0"),
        (["--runs", "many"], "runs is 'many'"),
        (["--adjacency", "add-remove"], "adjacency is 'add-remove'"),
        (["--dataset", "diabetes"], "for this model it must have a label of two classes"),
    ],
)
def test_bad_input_is_one_sentence(capsys, wrong, word):
    assert word in refused(capsys, *SMALL, *wrong)
