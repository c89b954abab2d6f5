"""Plan's sentences: rounded to the safe side, and each with the adjacency that it speaks of."""

import re

import pytest

from dpcore.accounting.claims import Evidence
from dpcore.accounting.planner import solve
from dpcore.accounting.presets import preset
from dpcore.figures.plan.sentences import answered, first_numbers, judged
from dpcore.figures.words import at_least
from dpcore.guarantee import Adjacency, Guarantee

RUN = preset("chexpert").training


def known(epsilon, low=None, reason=""):
    actual = Guarantee(epsilon, 1e-4, Adjacency.REPLACE_ONE, "PLD", reason)
    return Evidence("poisson", actual, low)


def test_a_claim_that_holds():
    assert judged(1.66, "printed", known(0.62161)) == (
        "Under replace-one on Poisson samples, PLD certifies ε = 0.622 for this noise: the printed "
        "1.66 holds."
    )


def test_a_claim_that_is_false_names_the_bound_rounded_down():
    sentence = judged(1.19, "stated", known(1.556, 1.5579))
    assert "the stated 1.19 does not hold" in sentence
    assert "no ε below 1.55 is true there" in sentence


def test_a_printed_number_is_rounded_up_as_in_its_statement():
    assert "the printed 4.98 holds" in judged(4.9741, "printed", known(0.6))
    assert "formula says 4.98, which" in first_numbers([], 4.9741)


@pytest.mark.parametrize("epsilon", [1.84, None])
def test_what_is_not_decided_is_not_called_false(epsilon):
    sentence = judged(1.66, "printed", known(epsilon, reason="There is no theorem here."))
    assert sentence.startswith(
        "Under replace-one on Poisson samples, the printed 1.66 is not decided: "
    )
    assert "does not hold" not in sentence
    assert ("There is no theorem here." in sentence) == (epsilon is None)


def test_the_first_numbers_for_someone_who_knows_no_accountant():
    proved = [
        Guarantee(epsilon, 1e-4, Adjacency.ADD_REMOVE, by)
        for epsilon, by in ((0.34211, "Rényi"), (0.3012, "PLD"))
    ]
    both = first_numbers(proved, 1.66)
    assert "Two accountants prove" in both
    assert "ε ≤ 0.302 (PLD) and ε ≤ 0.343 (Rényi)" in both
    assert "1.66, which is a claim" in both
    one = first_numbers(proved[:1], None)
    assert "An accountant proves" in one
    assert "Both" not in one
    assert "claim" not in one
    assert first_numbers([], None) == "No accountant here proves a finite ε for this run."


def test_an_answer_says_delta_as_the_page_does():
    plan = solve("steps", RUN, 0.5, "rdp")
    sentence = answered(plan, 0.5, 100)
    assert f"number of steps = {plan.value:,.0f} (" in sentence
    assert "at δ = 1e-4 (Rényi, zero-out)" in sentence
    nowhere = solve("sigma", RUN, 1e-12, "rdp")
    if nowhere.value is None:
        assert answered(nowhere, 1e-12, 100) == nowhere.sentence


@pytest.mark.parametrize("unknown", ["sigma", "clip", "delta"])
def test_an_answer_is_rounded_to_the_safe_side(unknown):
    plan = solve(unknown, RUN, 0.25, "rdp")
    assert plan.value is not None
    assert plan.guarantee.epsilon is not None
    for sentence in (answered(plan, 0.25, 100), plan.sentence):
        value, epsilon = map(
            float, re.findall(r"(?:σ|C|δ) = ([\d.e−-]+)\b.* ε = ([\d.]+)", sentence)[0]
        )
        assert value <= plan.value if unknown == "clip" else value >= plan.value
        assert plan.guarantee.epsilon <= epsilon <= 0.25


def test_at_least_never_rounds_up():
    assert (at_least(29.26), at_least(29.29), at_least(0.0012349)) == ("29.2", "29.2", "0.00123")
    assert at_least(float("inf")) == "∞"
