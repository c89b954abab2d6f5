"""What the facts of a certificate, or of a twin's card, may be: each by its path.

Facts are what nothing else follows from, so that whoever writes a new hash could put any words in
their place, which the page then shows. A fact that is not listed, or is something else than is
listed here, is refused by the check (`dpcore.release.check`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from dpcore.errors import InvalidInput, brief
from dpcore.release import attack, scorer
from dpcore.release import summary as of_summary
from dpcore.release.documents import SHA256, leaves, pattern
from dpcore.release.files import FILE_NAME
from dpcore.release.files import OF_SUMMARY as FILES_OF_SUMMARY
from dpcore.release.ledger.spends import text
from dpcore.release.model import FEATURES
from dpcore.release.scorer import LOSSES
from dpcore.release.twin import counting as of_twin

METHOD = "noisy gradient descent on a grid"
"""How models are trained."""
_NAME = re.compile("[a-z][a-z0-9_]*")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+!-]{0,39}")


@dataclass(frozen=True)
class FactRule:
    """What one fact may be."""

    words: str  # after "must be"
    holds: Callable[[object], bool]
    is_needed: bool = True  # by every certificate


def _is_text(value: object) -> bool:
    try:
        return text("fact", value) == value
    except InvalidInput:
        return False


def _is_day(value: object) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _matches(form: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and bool(form.fullmatch(value))


def _number(least: float, below: float, *, above: bool = False) -> Callable[[object], bool]:
    def holds(value: object) -> bool:
        # No text, and neither true nor false.
        if type(value) not in (int, float):
            return False
        number = float(value)  # type: ignore[arg-type]
        return (number > least if above else number >= least) and number < below

    return holds


def _whole(least: int, most: int = 2**53) -> Callable[[object], bool]:
    return lambda value: type(value) is int and least <= value <= most


WORDS = FactRule("one line of printable text", _is_text)
DAY = FactRule("a day", _is_day)
HASH = FactRule("64 hexadecimal digits", _matches(SHA256))
POSITIVE = FactRule("a number above 0", _number(0.0, math.inf, above=True))
BOUND = FactRule("a number of at least 0", _number(0.0, math.inf))
SHARE = FactRule("a number above 0 and below 1", _number(0.0, 1.0, above=True))
COUNT = FactRule("a whole number of at least 1", _whole(1))


def _one_of(*allowed: object) -> FactRule:
    return FactRule(
        " or ".join(map(repr, allowed)),
        lambda value: any(type(value) is type(each) and value == each for each in allowed),
    )


def _if_there(fact: FactRule) -> FactRule:
    return FactRule(fact.words, fact.holds, is_needed=False)


_COMMON = {
    "facts.released": DAY,
    "facts.budget.epsilon": POSITIVE,
    "facts.budget.delta": SHARE,
    **{f"facts.ledger.{name}": WORDS for name in ("data_set", "person_unit", "actor")},
    "facts.ledger.entry": COUNT,
    "facts.ledger.chain_head": HASH,
    "facts.person.rows": _if_there(COUNT),
    "facts.attack.lower_bound": BOUND,
    "facts.attack.mu_lower_bound": BOUND,
    "facts.attack.delta": SHARE,
    "facts.attack.confidence": SHARE,
    "facts.attack.runs": COUNT,
    **{
        f"facts.versions.{name}": FactRule("the number of a version", _matches(_VERSION))
        for name in ("dpcore", "python", "numpy", "scipy")
    },
    "facts.mechanism.adjacency": WORDS,
    **{f"facts.mechanism.{name}": COUNT for name in ("units", "sigma")},
}
OF_MODEL: Mapping[str, FactRule] = {
    **_COMMON,
    **{
        f"facts.about.{name}": WORDS
        for name in ("name", "description", "data_curator", "intended_use", "region", "sector")
    },
    **{f"facts.mechanism.{name}": COUNT for name in ("dimension", "steps")},
    "facts.attack.about": FactRule("a text", lambda value: isinstance(value, str)),
    "facts.training.method": _one_of(METHOD),
    "facts.training.loss": _one_of(*LOSSES),
    "facts.training.lam": BOUND,
    "facts.training.learning_rate": POSITIVE,
    "facts.training.records": COUNT,
    "facts.training.features": _one_of(*FEATURES),
    "facts.training.count_sums": _if_there(FactRule("a whole number of at least 0", _whole(0))),
    "facts.training.hidden": _if_there(COUNT),
    "facts.training.seed": _if_there(_one_of(scorer.SEED)),
    "facts.training.spread": _if_there(_one_of(scorer.SPREAD)),
    "facts.training.first": _if_there(_one_of(scorer.FIRST)),
    "facts.choice.among": _if_there(COUNT),
    "facts.choice.factors.#": _if_there(POSITIVE),
    "facts.training.score_sums": _if_there(COUNT),
    "facts.hashes.model": HASH,
    "facts.hashes.columns": HASH,
    "facts.hashes.files.#.name": _if_there(FactRule("the name of a file", _matches(FILE_NAME))),
    "facts.hashes.files.#.sha256": _if_there(HASH),
}
"""By path, with "#" for each number of a list."""
OF_TWIN: Mapping[str, FactRule] = {
    **_COMMON,
    "facts.attack.about": _one_of(of_twin.ABOUT),
    "facts.mechanism.tables": COUNT,
    "facts.mechanism.weight": FactRule("a whole number of at least 0", _whole(0)),
    "facts.records": COUNT,
    "facts.hashes.twin": HASH,
    "facts.hashes.columns": HASH,
}
OF_SUMMARY: Mapping[str, FactRule] = {
    **_COMMON,
    "facts.attack.about": _one_of(of_summary.ABOUT),
    "facts.mechanism.squared": FactRule("a whole number of at least 1", _whole(1, 2**200)),
    "facts.records": COUNT,
    **{f"facts.hashes.{name}": HASH for name in FILES_OF_SUMMARY},
}


def problems(facts: Mapping[str, Any], allowed: Mapping[str, FactRule]) -> Iterator[str]:
    """What is wrong with facts by the rules of its kind, in a sentence each."""
    if odd := [name for name in _names(facts) if not _NAME.fullmatch(str(name))]:
        yield f"The certificate states {brief(odd[0])}, but names are of letters and underscores."
        return
    stated = leaves(facts, "facts.")
    for path, value in stated.items():
        fact = allowed.get(pattern(path))
        if fact is None:
            yield f"The certificate states {brief(path)}, which no certificate of its kind states."
        elif not fact.holds(value):
            yield f"{path} is {brief(value)}, but it must be {fact.words}."
    for path, fact in allowed.items():
        if fact.is_needed and path not in stated:
            yield f"{path} is missing from the certificate."
    yield from _of_attack(facts)


def _of_attack(facts: Mapping[str, Any]) -> Iterator[str]:
    """Refuse an attack at another δ than the budget's, or in other words than the program's."""
    attack_facts = facts["attack"]
    if attack_facts["delta"] != facts["budget"]["delta"]:
        yield "The attack's δ is not the budget's."
    if "training" not in facts:
        return
    rows = facts["person"]["rows"] if "person" in facts else 1
    of_rows = attack.OF_ROWS.format(rows=rows) if rows > 1 else ""
    if attack_facts["about"] != of_rows + attack.ABOUT:
        yield "facts.attack.about is not how this program attacks."


def _names(part: object) -> Iterator[object]:
    """Every name within, at any depth."""
    if isinstance(part, Mapping):
        for name, value in part.items():
            yield name
            yield from _names(value)
    elif isinstance(part, list):
        for value in part:
            yield from _names(value)
