"""Checking a certificate without data: its numbers anew, its hash, and its entry in the ledger."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpcore.errors import InvalidInput
from dpcore.release.certificate import FORMAT, Certificate, derived
from dpcore.release.mechanism import Mechanism
from dpcore.release.registry import leaves

if TYPE_CHECKING:
    from dpcore.release.ledger import Ledger
    from dpcore.release.model import Model

MOST_BYTES = 200_000
NUMBERS = "every number made anew from the mechanism, and the hash of the certificate"
LEDGER = "the payment and the hash that the ledger keeps, and the ledger's whole chain"
MODEL = "the hash of the model"
WITHOUT = (
    "Without a ledger a certificate that was rewritten as a whole, with a new hash, looks right."
)


@dataclass(frozen=True)
class Checked:
    """What a check found.

    Parameters
    ----------
    problems : tuple of str
        A sentence each; empty where nothing is wrong.
    checks : tuple of str
        What was checked.
    warning : str
        What was not, in one sentence; "" with a ledger.
    """

    problems: tuple[str, ...]
    checks: tuple[str, ...]
    warning: str


def check(text: str, ledger: Ledger | None = None, model: Model | None = None) -> Checked:
    """Check a certificate.

    Parameters
    ----------
    text : str
        Its YAML, to the letter.
    ledger : Ledger, optional
        That it was paid from.
    model : Model, optional
        That it is about.
    """
    checks = [NUMBERS]
    checks += [LEDGER] if ledger is not None else []
    checks += [MODEL] if model is not None else []
    try:
        problems = problems_of(read(text), ledger, model)
    except InvalidInput as refusal:
        problems = [str(refusal)]
    return Checked(tuple(problems), tuple(checks), WITHOUT if ledger is None else "")


def problems_of(
    certificate: Certificate, ledger: Ledger | None = None, model: Model | None = None
) -> list[str]:
    """What is wrong with a certificate, in a sentence each; for the arguments see `check`."""
    try:
        problems = list(_of_numbers(certificate))
        if ledger is not None:
            problems += _of_ledger(certificate, ledger)
        if model is not None and model.hash != certificate.document["facts"]["hashes"]["model"]:
            problems.append("The model is not the one of the certificate: its hash is another.")
    except InvalidInput as refusal:
        problems = [str(refusal)]
    # Whatever a forger writes where something else belongs is one thing: no certificate.
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as fault:
        problems = [f"The certificate is malformed ({type(fault).__name__})."]
    return problems


def read(text: str) -> Certificate:
    """A certificate from the text of its file, which has to be exactly as it was written.

    Raises
    ------
    InvalidInput
        If it is too large, no YAML, or written in another way.
    """
    import yaml

    if len(text) > MOST_BYTES:
        raise InvalidInput(f"The certificate has more than {MOST_BYTES:,} letters.")
    try:
        # References between parts would let a small file become a large one.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text)):
            raise InvalidInput("The certificate refers to parts of itself, but must not.")
        document = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as fault:
        if isinstance(fault, InvalidInput):
            raise
        raise InvalidInput("The certificate is no YAML.") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InvalidInput(f"The certificate is of another format, but it must be {FORMAT!r}.")
    certificate = Certificate(document)
    if certificate.to_yaml() != text:
        raise InvalidInput("The certificate is not written as it is written here.")
    return certificate


def _of_numbers(certificate: Certificate) -> Iterator[str]:
    document = certificate.document
    facts = document["facts"]
    anew = derived(facts)
    if set(document) != {"format", "facts", "hash", *anew}:
        yield "The certificate has other parts than it must have."
    written, right = leaves({name: document[name] for name in anew}), leaves(anew)
    for path in sorted({*written, *right}):
        if not _same(written.get(path), right.get(path)):
            yield f"{path} does not follow from the mechanism and the facts."
    if not anew["proof"]["keeps_the_budget"]:
        yield "The proved ε is above the ε that is claimed."
    if document["hash"] != certificate.hash:
        yield "The hash is another: a field was changed."


def _same(written: object, right: object) -> bool:
    if isinstance(right, float) and isinstance(written, float):
        # Another machine's mathematics may differ in the last digits.
        return math.isclose(written, right, rel_tol=1e-9, abs_tol=0.0)
    return type(written) is type(right) and written == right


def _of_ledger(certificate: Certificate, ledger: Ledger) -> Iterator[str]:
    from dpcore.release.ledger import GaussianSpend
    from dpcore.release.ledger.spends import to_json

    facts: Mapping[str, Any] = certificate.document["facts"]
    stated, mechanism = facts["ledger"], Mechanism(**facts["mechanism"])
    yield from ledger.verify([stated["chain_head"]])
    history = ledger.history(stated["data_set"])
    paid = next((each for each in history if each.number == stated["entry"]), None)
    if paid is None or paid.kind != "spent":
        yield f"Entry {stated['entry']} of the ledger is no payment."
        return
    if paid.hash != stated["chain_head"]:
        yield "The chain head is not that of the payment."
    spend = GaussianSpend(mechanism.noise_multiplier, mechanism.steps)
    if paid.details["spend"] != to_json(spend):
        yield "The ledger was paid for another mechanism."
    terms = paid.account.terms
    if (paid.actor, terms.person_unit, str(terms.adjacency)) != (
        stated["actor"],
        stated["person_unit"],
        mechanism.adjacency,
    ):
        yield "Actor, person unit or adjacency are not those of the ledger."
    kept = [
        each.details["certificate_hash"]
        for each in history
        if each.kind == "attached" and each.document["refers"] == paid.number
    ]
    if kept != [certificate.hash]:
        yield "The ledger keeps another certificate for this payment, or none."
