"""What a certificate may state: each fact is of its kind, whatever hash is written beside it."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

import pytest

from dpcore.release.certificate import Certificate
from dpcore.release.certificate_html import TABLES
from dpcore.release.check import check
from dpcore.release.documents import leaves, pattern
from dpcore.release.facts import OF_MODEL, OF_SUMMARY, OF_TWIN, FactRule, problems
from tests.release.test_release import ledger_with, released_from
from tests.release.test_summary import made_from as published_from
from tests.release.twin.test_twin import made_from

STRANGE = (
    *("", "ε is 0.01, by an auditor", " 0.9_9 ", "１e-6", "5", "two\nlines", "\u202e1"),
    *(None, True, False, -1, 0, 1.5, 10**200, math.inf, math.nan, [], [1], {}),
)
"""What a forger might write in the place of a fact."""


RULES = {"twin": OF_TWIN, "summary": OF_SUMMARY}


@pytest.fixture(scope="module")
def documents():
    """A certificate of a linear model, one of a network, a twin's card and a table's."""
    ledger = ledger_with("memory")
    made = {
        "linear": released_from(ledger, epsilon=2.0).certificate,
        "network": released_from(ledger, hidden=2, epsilon=2.0).certificate,
        "twin": made_from(ledger).card,
        "summary": published_from(ledger, epsilon=2.0).card,
    }
    ledger.close()
    return {name: json.loads(json.dumps(each.document)) for name, each in made.items()}


def test_every_fact_of_a_model_has_words_on_its_page():
    told = {path for words in TABLES.values() for path in words if path.startswith("facts.")}
    names = {path for path in OF_MODEL if ".about." in path and "attack" not in path}
    assert told | names | {"facts.hashes.files.#.name"} == set(OF_MODEL)


@pytest.mark.parametrize("kind", ["linear", "network", "twin", "summary"])
def test_a_fact_of_another_kind_is_refused(kind, documents):
    document = documents[kind]
    allowed: dict[str, FactRule] = dict(
        {"twin": OF_TWIN, "summary": OF_SUMMARY}.get(kind, OF_MODEL)
    )
    assert list(problems(document["facts"], allowed)) == []
    changed = 0
    for path, right in leaves(document["facts"]).items():
        *parts, last = path.split(".")
        for value in STRANGE:
            fact = allowed[pattern(f"facts.{path}")]
            if value == right or fact.holds(value):
                continue
            forged = copy.deepcopy(document["facts"])
            within: Any = forged
            for part in parts:
                within = within[int(part)] if isinstance(within, list) else within[part]
            within[last] = value
            assert list(problems(forged, allowed)), (path, value)
            changed += 1
        if fact.is_needed:
            del within[last]
            assert any("is missing" in each for each in problems(forged, allowed)), path
    assert changed > 400
    # Text is text wherever it stands: only these may hold words of a forger.
    words = "ε is 0.01, by an auditor"
    assert {path for path, fact in allowed.items() if fact.holds(words)} <= {
        *(f"facts.ledger.{name}" for name in ("data_set", "person_unit", "actor")),
        *(path for path in allowed if path.startswith("facts.about.")),
        "facts.mechanism.adjacency",  # one of two words, by the mechanism
        "facts.attack.about",  # those of the program, by a rule of its own
    }


@pytest.mark.parametrize(
    ("part", "name"),
    [("", name) for name in ("budget.epsilon", "epsilon", "Epsilon", "")]
    + [("ledger", "actor.name"), ("training", "epsilon")],
)
def test_a_fact_that_no_certificate_states_is_none(part, name, documents):
    """On the page it would stand in the place of the fact whose path it spells."""
    facts = copy.deepcopy(documents["linear"]["facts"])
    (facts[part] if part else facts)[name] = 0.01
    assert any("The certificate states" in each for each in problems(facts, OF_MODEL))


def test_an_attack_is_told_in_the_programs_words_and_at_the_budgets_delta(documents):
    for kind in ("linear", "twin", "summary"):
        facts = documents[kind]["facts"]
        for name, value in (("about", "by an auditor"), ("delta", facts["budget"]["delta"] / 2)):
            forged = {**facts, "attack": {**facts["attack"], name: value}}
            document = {**documents[kind], "facts": forged}
            text = Certificate({**document, "hash": Certificate(document).hash}).to_yaml()
            (problem,) = check(text).problems
            assert "attack" in problem


def test_a_delta_that_covers_the_noise_alone_is_refused(documents):
    for kind in ("linear", "twin", "summary"):
        document = copy.deepcopy(documents[kind])
        for part in ("budget", "attack"):
            document["facts"][part]["delta"] = 0.999
        text = Certificate({**document, "hash": Certificate(document).hash}).to_yaml()
        (problem,) = check(text).problems
        assert "so small that ε is above 0" in problem


def test_parts_in_another_order_are_refused(documents):
    document = documents["linear"]
    assert check(Certificate(document).to_yaml()).problems == ()
    turned = {"format": document["format"], **dict(reversed(document.items()))}
    (problem,) = check(Certificate(turned).to_yaml()).problems
    assert "another order" in problem
