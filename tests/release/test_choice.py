"""A model that is the best of several: all are paid, and the certificate says so."""

import math
from dataclasses import replace

import pytest

from dpcore.errors import InvalidInput
from dpcore.release import demonstration, release
from dpcore.release.attack import attack
from dpcore.release.certificate import all_tried, certificate, derived
from dpcore.release.check import check, problems_of
from dpcore.release.ledger import Ledger
from dpcore.release.mechanism import MAX_STEPS
from dpcore.release.plan import plan
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.table import read_for_release

COLUMNS = demonstration.columns()
ABOUT, DATA_SET, ACTOR = demonstration.ABOUT, demonstration.DATA_SET, demonstration.ACTOR


def planned(chosen_of, epsilon=1.0, **more):
    return plan(COLUMNS, 3_000, epsilon=epsilon, delta=1e-6, chosen_of=chosen_of, **more)


@pytest.fixture(scope="module")
def made():
    """A ledger with a release whose choice is declared, and one whose choice is not."""
    table = read_for_release(COLUMNS, demonstration.table(), "made.csv")
    ledger: Ledger = demonstration.ledger()
    released = {
        tried: release.release_model(
            table,
            about=ABOUT,
            ledger=ledger,
            data_set=DATA_SET,
            actor=ACTOR,
            epsilon=0.3,
            delta=1e-6,
            steps=5,
            chosen_of=tried,
        )
        for tried in (1, 3)
    }
    return ledger, released


@pytest.mark.parametrize("adjacency", ["zero-out", "replace-one"])
def test_all_that_were_tried_keep_the_budget_together(adjacency):
    one, best = (planned(tried, steps=20, adjacency=adjacency, corrected=False) for tried in (1, 9))
    assert best.mechanism.steps == one.mechanism.steps == 20
    assert best.mechanism.sigma == pytest.approx(3 * one.mechanism.sigma, rel=1e-6)
    assert best.all_tried.epsilon(1e-6) <= 1.0 < 1.0001 * best.all_tried.epsilon(1e-6)
    assert best.all_tried.mu == pytest.approx(3.0 * best.mechanism.mu)
    assert (best.spend.count, one.spend.count) == (180, 20)
    smaller = best.at(0.5)
    assert smaller.all_tried.epsilon(1e-6) <= 0.5 < 1.0001 * smaller.all_tried.epsilon(1e-6)
    assert (smaller.mechanism.steps, smaller.chosen_of) == (20, 9)
    assert best.tried.endswith("all of them are paid, each with 3 times the noise of one alone.")


def test_rules_choose_for_what_one_try_costs_and_take_any_declared_number():
    usual, many = planned(1), planned(1_000)
    assert many.mechanism.steps < usual.mechanism.steps
    assert many.spend.count == 1_000 * many.mechanism.steps
    with pytest.raises(InvalidInput, match="settings tried is 1001"):
        planned(1_001)
    with pytest.raises(InvalidInput, match="steps is 10001"):
        replace(usual, mechanism=replace(usual.mechanism, steps=MAX_STEPS + 1))


def test_the_certificate_says_what_was_declared_and_the_ledger_was_paid_for_all(made):
    ledger, released = made
    document = released[3].certificate.document
    assert document["facts"]["choice"] == {"among": 3}
    assert document["proof"]["choice"] == "chosen among 3, declared"
    assert "all 3 models that it was chosen among, as declared" in document["claim"]
    assert "Chosen among 3, declared." in released[3].card()
    assert "Chosen among 3, declared." not in released[1].card()
    assert released[1].certificate.document["proof"]["choice"] == "choice not declared"
    assert "Choice not declared." in released[1].card()
    assert "chosen among 3, declared" in released[3].certificate.to_html()
    spends = [each.details["spend"] for each in ledger.history(DATA_SET) if each.kind == "spent"]
    steps = document["facts"]["mechanism"]["steps"]
    assert (spends[1]["count"], spends[0]["count"]) == (3 * steps, steps)
    for each in released.values():
        checked = check(each.certificate.to_yaml(), ledger, files=_files(each), are_all=True)
        assert checked.problems == ()


def _files(released):
    return {name: lambda data=data: data for name, data in released.files().items()}


def _rewritten(original, **changes):
    """A certificate of changed facts, with all that follows from them made anew."""
    return certificate({**original.document["facts"], **changes})


def test_the_arithmetic_of_the_choice_is_checked(made):
    ledger, released = made
    original = released[3].certificate
    facts = {**original.document["facts"], "choice": {"among": 2}}
    altered = replace(original, document={**original.document, "facts": facts})
    problems = problems_of(altered)
    assert "proof.epsilon does not follow from the mechanism and the facts." in problems
    assert "proof.choice does not follow from the mechanism and the facts." in problems
    # Rewritten as a whole it claims less than was paid, or more than is proved.
    fewer = _rewritten(original, choice={"among": 1})
    assert problems_of(fewer) == []
    assert "The ledger was paid for another mechanism." in problems_of(fewer, ledger)
    more = _rewritten(original, choice={"among": 4})
    assert "The proved ε is above the ε that is claimed." in problems_of(more)
    for wrong in (0, 1.5, True, 1_001):
        facts["choice"] = {"among": wrong}
        assert problems_of(altered)


def test_a_certificate_from_before_the_question_says_nothing_of_it(made):
    facts = {**made[1][1].certificate.document["facts"]}
    del facts["choice"]
    assert "choice" not in derived(facts)["proof"]
    assert problems_of(certificate(facts)) == []


def test_an_attack_on_all_tries_finds_two_thirds_of_the_noise_and_not_the_right_one(made):
    facts = made[1][3].certificate.document["facts"]
    whole = all_tried({**facts, "budget": {"epsilon": 1.0, "delta": 1e-6}})
    scorer = planned(3, steps=5).path.scorer

    def quieter(sigma, count):
        return rounded_gaussians(math.floor(2 * sigma / 3), count)

    assert attack(whole, scorer, 1e-6, runs=100_000).above(whole) == ""
    assert attack(whole, scorer, 1e-6, runs=100_000, draw=quieter).above(whole)
