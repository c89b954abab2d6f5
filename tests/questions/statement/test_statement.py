"""Statements from elsewhere: what is proved of them beside what is claimed."""

import pytest

import dpcore
from dpcore.accounting.elsewhere import StatementStudy
from dpcore.questions.question import ask
from dpcore.questions.statement.question import StatementQuestion, read_as, sentence
from dpcore.words import at_least, at_most
from tests.cli.commands import parsed, refused

HISTORY = "1.1, 0.01, 1000"
EXACT = dpcore.epsilon(dpcore.Run(1.1, 0.01, 1_000), 1e-5)


def row_of(history=HISTORY, **fields):
    return ask(StatementQuestion(StatementStudy(history), **fields)).iloc[0]


@pytest.mark.parametrize(
    ("fields", "verdict", "proved"),
    [
        ({}, "proved", EXACT),
        ({"claimed": 1.52}, "stands", EXACT),
        ({"claimed": 1.5}, "too low", EXACT),
        ({"claimed": 1.52, "sampler": "shuffled"}, "cannot be proved", 15.7827),
        ({"claimed": 1.52, "sampler": "ordered"}, "too low", 15.7827),
        ({"claimed": 1.52, "sampler": "weighted"}, "cannot be proved", None),
        (
            {"claimed": 1.52, "division": "records", "adjacency": "add-remove"},
            "cannot be proved",
            None,
        ),
        ({"claimed": 1.52, "division": "records"}, "stands", EXACT),
    ],
)
def test_claim_and_proof_stand_beside_each_other(fields, verdict, proved):
    row = row_of(**fields)
    assert row["verdict"] == verdict
    assert row["claimed"] == fields.get("claimed")
    assert row["proved"] == (None if proved is None else pytest.approx(proved, rel=1e-5))
    for name in ("mu", "right"):
        assert (row[name] is None) == (proved is None)
    if verdict == "cannot be proved":
        assert row["why"]


def test_a_claim_is_too_low_only_where_more_is_surely_lost():
    lost = row_of(claimed=1.5)["lost"]
    assert 1.5 < lost < EXACT
    # Between the lower bound and what is proved nothing can be said.
    between = row_of(claimed=(lost + EXACT) / 2.0)
    assert between["verdict"] == "cannot be proved"
    assert between["lost"] is None
    assert "Neither a proof of the claim nor an attack" in sentence(between)
    assert row_of(sampler="ordered", claimed=1.5)["lost"] == pytest.approx(15.78, abs=0.01)


def test_a_claim_that_is_too_low_stands_beside_what_is_lost_and_proved():
    row = row_of(claimed=1.5)
    said = sentence(row)
    assert f"at least ε = {at_least(row['lost'])} is lost" in said
    assert f"ε = {at_most(row['proved'])} is proved" in said
    assert " by 0" not in said


@pytest.mark.parametrize(
    ("history", "words"),
    [
        (HISTORY, ["1\u202f000 steps", "noise multiplier 1.1", "each on a share of 0.01"]),
        (
            "1.1; 0.01; 1000",
            [
                f"1 step with noise multiplier {noise}, on all"
                for noise in ("1.1", "0.01", "1\u202f000")
            ],
        ),
        ("1.1, 256/60000, 10 epochs", ["10 epochs, which are 2\u202f350 steps", "0.00426667"]),
        ("discrete-laplace 2, 1, 3", ["3 steps with discrete Laplace scale 2, each on all"]),
        ("1;1;1;1;1", ["2 further kinds"]),
    ],
)
def test_the_steps_are_said_as_they_were_read(history, words):
    study = StatementStudy(history)
    question = StatementQuestion(study)
    said = read_as(study.steps)
    assert all(each in said for each in words), said
    assert said in question.beside(ask(question))["note"]


def test_risk_and_mu_are_those_of_the_noise():
    run = dpcore.Run(1.1, 0.01, 1_000)
    row = row_of()
    assert row["right"] == dpcore.risk(run).right
    assert row["mu"] == dpcore.certify(run, 1e-5).mu


# What `measurement.map(1)` of OpenDP 0.16.0 says.
@pytest.mark.parametrize(
    ("history", "delta", "epsilon"),
    [
        ("discrete-laplace 0.5", 1e-6, 2.0),
        ("discrete-gaussian 5", 1e-6, 0.899935267660642),
        ("laplace 2; laplace 2", 1e-9, 1.0),
    ],
)
def test_measurements_of_opendp_cost_what_it_says(history, delta, epsilon):
    assert row_of(history, delta=delta)["proved"] == pytest.approx(epsilon, rel=1e-5)
    assert row_of(history, delta=delta)["proved"] <= epsilon * (1.0 + 1e-9)


def test_discrete_noise_under_replace_one_costs_twice():
    assert row_of("discrete-laplace 2", adjacency="replace-one")["proved"] == pytest.approx(
        1.0, rel=1e-3
    )


@pytest.mark.slow("imports torch")
def test_a_state_of_opacus_costs_what_its_tight_accountant_says():
    import json

    from opacus.accountants import PRVAccountant

    accountant = PRVAccountant()
    for multiplier in (1.0, 0.9):
        for _ in range(200):
            accountant.step(noise_multiplier=multiplier, sample_rate=0.02)
    row = row_of(json.dumps(accountant.state_dict()))
    claimed = accountant.get_epsilon(1e-5)
    assert row["proved"] == pytest.approx(claimed, abs=0.03)


def test_the_command_reads_files_and_refuses_in_one_sentence(capsys, tmp_path):
    file = tmp_path / "state.json"
    file.write_text('{"history": [[1.1, 0.01, 1000]], "mechanism": "rdp"}')
    told = parsed(capsys, "statement", "--file", str(file), "--claimed", "1.4")
    (row,) = told["statement"]
    assert (row["verdict"], row["history"]) == ("too low", HISTORY)
    assert "zero-out" in told["note"]
    assert "PLD" in told["note"]
    file.write_text('{"history": [[0, 0.01, 1000]]}')
    sentence = refused(capsys, "statement", "--file", str(file))
    assert "history[0]: noise is 0" in sentence
    assert "delta is 1" in refused(capsys, "statement", "--history", HISTORY, "--delta", "1")
