"""Words to copy: plain enough for a consent form, complete enough for an ethics application."""

import re
from dataclasses import replace

import pytest

from dpcore.accounting import tradeoff
from dpcore.accounting.risk import promise, right_of_100
from dpcore.guarantee import Adjacency, Guarantee, PrivacyBudget
from dpcore.questions.risk import words as wording
from dpcore.words import percent_at_most

PRIOR, RATE = 0.1, 0.01
JARGON = (
    "adjacency|sensitivity|privacy loss|epsilon|delta|differential|gaussian|mechanism|algorithm|"
    "budget|prior|posterior|advantage|accountant|parameter|ε|δ|σ|e-\\d"
)
# Beside each adjacency what its question must say, and what it must not.
ASKS = {
    Adjacency.ADD_REMOVE: ("in the data", "a record is yours"),
    Adjacency.ZERO_OUT: ("in the data", "a record is yours"),
    Adjacency.REPLACE_ONE: ("a record is yours", "in the data"),
}


def held(adjacency, epsilon=1.0):
    result = Guarantee(epsilon, 1e-5, adjacency, "a named accountant")
    return promise("OPERA (sound edition)", result, result, 455)


def bound_of(promised):
    budget = promised.budget or PrivacyBudget(1.0, 1e-5)
    curve = tradeoff.from_budget(budget.epsilon, budget.delta, promised.guarantee.adjacency)
    return tradeoff.attacker(curve, PRIOR, RATE)


def consent(promised):
    return wording.consent(promised, bound_of(promised))


def ethics(promised, exact=None):
    whole = None if exact is None else tradeoff.attacker(exact, PRIOR, RATE)
    return wording.ethics(promised, bound_of(promised), whole, PRIOR, RATE)


def syllables(word):
    letters = re.sub(r"[^a-z]", "", word.lower())
    groups = len(re.findall(r"[aeiouy]+", letters))
    silent = letters.endswith("e") and not letters.endswith("le") and groups > 1
    return max(1, groups - silent)


def grade(text):
    """Flesch-Kincaid grade: the American school year that reads it with ease; 7 is age 12."""
    sentences = [part for part in re.split(r"[.!?](?:\s|$)", text) if part.strip()]
    spoken = re.findall(r"[A-Za-z'’]+|\d[\d.,]*", text)
    per_word = sum(map(syllables, spoken)) / len(spoken)
    return 0.39 * len(spoken) / len(sentences) + 11.8 * per_word - 15.59


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 50.0])
def test_the_consent_text_is_for_twelve_year_olds_and_has_the_odds(adjacency, epsilon):
    title, _, text = consent(held(adjacency, epsilon)).partition("\n\n")
    assert grade(text) <= 7.0
    assert not re.search(JARGON, title + text, re.IGNORECASE)
    right = right_of_100(bound_of(held(adjacency, epsilon)).advantage)
    assert (f"at most {right} of them are right" in text) == (epsilon < 50.0)
    asked, not_asked = ASKS[adjacency]
    assert asked in text
    assert not_asked not in text


def test_the_consent_text_says_how_little_is_protected():
    text = consent(held(Adjacency.ZERO_OUT, 50.0))
    assert "more than 99 of them may be right" in text
    assert "hides next to nothing" in text
    # Less than half a person is not counted as one.
    assert "fewer than 51 of them are right" in consent(held(Adjacency.ZERO_OUT, 0.001))
    assert "fewer than 51 are right on average" in ethics(held(Adjacency.ZERO_OUT, 0.001))


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_ethics_text_states_all_that_a_reviewer_needs(adjacency):
    text = ethics(held(adjacency, 1.2341))
    bound = bound_of(held(adjacency, 1.2341))
    for part in (
        "ε = 1.24 ",  # rounded up
        "δ = 10⁻⁵",
        f"Adjacency: {adjacency}. {adjacency.meaning}",
        "Proved by: a named accountant.",
        "n·δ = 0.00455",
        f"at most {right_of_100(bound.advantage)} are right on average",
        f"at most {percent_at_most(bound.advantage)}",
        f"at most {percent_at_most(bound.true_positive_rate)}",
        f"at most {percent_at_most(bound.belief)}",
        "Not covered",
    ):
        assert part in text
    assert "whole privacy curve" not in text


def test_the_ethics_text_adds_the_whole_curve_where_it_is_known():
    exact = tradeoff.from_gaussian(0.2, Adjacency.ZERO_OUT)
    text = ethics(held(Adjacency.ZERO_OUT), exact)
    result = tradeoff.attacker(exact, PRIOR, RATE)
    assert "From the whole privacy curve of the noise" in text
    right = right_of_100(result.advantage)
    assert right < right_of_100(bound_of(held(Adjacency.ZERO_OUT)).advantage)
    assert f"at most {right} are right on average" in text


def test_certified_is_never_called_proved():
    nothing = Guarantee(None, None, Adjacency.ZERO_OUT, "a theorem", "Its condition fails.")
    certified = Guarantee(0.5, 1e-5, Adjacency.ZERO_OUT, "a named accountant")
    result = promise("OutPert (published edition)", nothing, certified, 455)
    assert "Proved by" not in ethics(result)
    said = wording.standing(result)
    assert "is not proved" in said
    assert "ε = 0.5: δ = 10⁻⁵ · zero-out · a named accountant." in said
    proved = wording.standing(replace(result, standing="proved"))
    assert proved.startswith("ε = 0.5 is proved for")
    # Where nothing holds no text is offered.
    result = promise("it", nothing, nothing, 455)
    assert consent(result) == ethics(result) == ""
    assert wording.standing(result).startswith("**No bound.**")
