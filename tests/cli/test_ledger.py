"""`ledger`: from a data set's first day to a history that is checked, by the command line alone."""

import pytest

from dpcore.cli import main
from tests.cli.commands import parsed, refused, said

TRAINING = ["--noise-multiplier", "1.1", "--sampling-rate", "0.01", "--steps", "500"]
BY = ["--actor", "B", "--purpose", "a model of risk"]


def at(action, *options):
    return ("ledger", action, "--ledger", "ledger.db", "--data-set", "clinic", *options)


@pytest.fixture(autouse=True)
def created(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    terms = ["--person-unit", "one patient", "--owner", "A", "--epsilon", "3", "--delta", "1e-5"]
    assert "ε = 3 of 3 is left" in said(capsys, *at("create", *terms))


@pytest.mark.slow("composes many distributions of the privacy loss")
def test_a_budget_is_spent_until_it_is_refused_and_then_raised(capsys):
    (receipt,) = parsed(capsys, *at("spend", *TRAINING, *BY))
    assert receipt["entry"] == 2
    more = parsed(capsys, *at("left", *TRAINING))
    assert more["epsilon_left"] == receipt["epsilon_left"]
    for _ in range(more["more"]):
        said(capsys, *at("spend", *TRAINING, *BY))
    assert "enough for no more trainings" in refused(capsys, *at("spend", *TRAINING, *BY))
    terms = ["--epsilon", "4", "--delta", "1e-5", "--reason", "the board agreed", "--actor", "C"]
    assert "of 4 is left" in said(capsys, *at("raise", *terms))
    said(capsys, *at("spend", *TRAINING, *BY))
    said(capsys, *at("attach", "--entry", "2", "--certificate", "ab" * 32))
    told = said(capsys, *at("history"))
    assert told.count("noise_multiplier 1.1") == 2 + more["more"]
    assert "the ledger is whole" in said(capsys, *at("verify", "--heads", receipt["chain_head"]))


def test_a_backup_is_a_whole_ledger_whose_head_is_told(capsys):
    (receipt,) = parsed(capsys, *at("spend", *TRAINING, *BY))
    told = parsed(capsys, *at("backup", "--output", "copy.db"))
    assert told == {"entries": 2, "chain_head": receipt["chain_head"]}
    line = ("ledger", "verify", "--ledger", "copy.db", "--heads", told["chain_head"])
    assert "the ledger is whole" in said(capsys, *line)
    assert "must be a new file" in refused(capsys, *at("backup", "--output", "copy.db"))


def test_the_epsilon_for_the_mechanism_is_told(capsys):
    (receipt,) = parsed(capsys, *at("spend", "--epsilon", "0.1", *BY))
    assert receipt["mechanism_epsilon"] == 0.09999999999999999
    assert receipt["epsilon_left"] == 2.9


def test_a_ledger_that_is_not_whole_has_an_exit_code(capsys):
    assert main(at("verify", "--heads", "ab")) == 2
    captured = capsys.readouterr()
    assert "older copy" in captured.out
    assert captured.err == "The ledger is not whole; problems found: 1.\n"


@pytest.mark.slow("runs whole commands, which train")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        (at("dance"), ("action", "'dance'", "verify")),
        (at("spend", *BY), ("noise-multiplier is missing",)),
        (at("spend", *TRAINING), ("actor is missing", "spend")),
        (
            at("spend", "--noise-multiplier", "1", "--steps", "3", *BY),
            ("sampling-rate is missing",),
        ),
        (at("spend", *TRAINING, "--count", "3", *BY), ("count is given",)),
        (at("spend", "--epsilon", "nan", *BY), ("ε is nan",)),
        (at("raise", "--epsilon", "1", "--delta", "1e-5", "--reason", "x", *BY), ("at least 3",)),
        (at("import", "--file", "none.json", *BY), ("file", "none.json")),
        (("ledger", "left", "--ledger", "none.db", "--data-set", "x"), ("none.db", "is there")),
        (("ledger", "left", "--ledger", "ledger.db", "--data-set", "x"), ("'x'", "create it")),
    ],
)
def test_bad_input_is_one_sentence(line, words, capsys):
    sentence = refused(capsys, *line)
    assert all(word in sentence for word in words), sentence
