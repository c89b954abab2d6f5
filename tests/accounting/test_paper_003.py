"""What a certificate says of paper 003's printed ε: only one under replace-one judges it."""

from dataclasses import replace

import pytest

from dpcore.accounting.paper_003 import account, verdict
from dpcore.accounting.presets import preset
from dpcore.accounting.schedules import constant
from dpcore.figures.statements import statement
from dpcore.guarantee import Adjacency, Guarantee, Status

RUN = preset("chexpert").training
ANSWER = account(RUN.schedule(), RUN.rate, RUN.delta)


@pytest.mark.parametrize(
    ("epsilon", "adjacency", "status", "words"),
    [
        (1.0, Adjacency.REPLACE_ONE, Status.CONDITIONS_NOT_MET, "it holds, by another proof"),
        (2.0, Adjacency.REPLACE_ONE, Status.CLAIM_NOT_SUPPORTED, "nothing supports the printed"),
        (1.0, Adjacency.ADD_REMOVE, Status.CONDITIONS_NOT_MET, "speaks of replace-one"),
        (2.0, Adjacency.ADD_REMOVE, Status.CONDITIONS_NOT_MET, "speaks of replace-one"),
        (None, Adjacency.REPLACE_ONE, Status.CLAIM_NOT_SUPPORTED, "no accountant here certifies"),
    ],
)
def test_the_printed_number_of_the_default(epsilon, adjacency, status, words):
    result, sentence = verdict(ANSWER, Guarantee(epsilon, RUN.delta, adjacency, "PLD"))
    assert result is status
    assert words in sentence
    assert "1.66" in sentence


def test_every_epsilon_is_rounded_up_as_its_statement_rounds_it():
    answer = replace(ANSWER, claim=replace(ANSWER.claim, epsilon=4.9741))
    certified = Guarantee(2.98312, RUN.delta, Adjacency.ZERO_OUT, "PLD")
    _, sentence = verdict(answer, certified)
    assert f"the printed {statement(answer.claim).split()[2].rstrip(',')} here" in sentence
    assert "the printed 4.98 here" in sentence
    assert f"certifies {statement(certified).split(',')[0]} at" in sentence
    assert "ε = 2.99 at" in sentence


def test_a_claim_is_proved_only_where_every_condition_of_the_corrected_chain_is_met():
    empty = Guarantee(None, None, Adjacency.REPLACE_ONE, "PLD", "refused")
    answer = account(constant(40.0, 100), 0.01, 1e-5)
    assert answer.proof.epsilon is not None
    assert answer.claim.epsilon is not None
    status, _ = verdict(answer, empty)
    # The corrected sensitivity 2C makes the proved ε larger than the printed one.
    assert (answer.proof.epsilon > answer.claim.epsilon) == (status is not Status.PROVED)


def test_its_conditions_are_checked_at_twice_the_clipping_norm():
    # ρ of a step is 1/18 at C, and 2/9 at 2C: above the largest for which it is proved.
    answer = account(constant(3.0, 100), 0.01, 1e-5)
    assert answer.proof.epsilon is None
    assert "0.222" in " ".join(condition.text for condition in answer.conditions)
