"""Checking a certificate without data: its numbers anew, its hash, and its entry in the ledger."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from dpcore.errors import InvalidInput, reject, whole
from dpcore.release import certificate as of_model
from dpcore.release import facts as of_facts
from dpcore.release.attack import DistinguishingResult
from dpcore.release.certificate import Certificate, Record
from dpcore.release.documents import SHA256, digest
from dpcore.release.files import (
    CARD,
    COLUMNS,
    INTERVALS,
    MODEL_FILE,
    ONNX,
    PAPER,
    RELEASED,
    TABLE,
    TWIN,
    Files,
    State,
    expected,
    named,
    states,
)
from dpcore.release.measurement import Measurement
from dpcore.release.mechanism import Mechanism
from dpcore.release.released_table import INTERVALS as INTERVALS_TEXT
from dpcore.release.released_table import read_released
from dpcore.release.summary import CARD as TABLE_CARD
from dpcore.release.summary import SummaryNoise
from dpcore.release.twin.counting import CARD as TWIN_CARD
from dpcore.words import spaced

if TYPE_CHECKING:
    from dpcore.release.ledger import Ledger
    from dpcore.release.model import ReleasedModel

MAX_LETTERS = 40_000
"""Four times as many as a certificate has."""
MAX_PARTS, DEEPEST = 2_000, 8
NESTED_OR_WRONG = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What may be raised where a forger writes something else than belongs there."""
DAY = timedelta(days=1)
"""A date that was taken elsewhere in the world may be one day off."""
NUMBERS = "every number made anew from the mechanism, and the hash of the certificate"
LEDGER = "the payment and the hash that the ledger keeps, and the ledger's whole chain"
MODEL = "the hash of the model, and what one person is by its columns"
DERIVED_FILES = "that model.onnx and card.md are made of this model"
TABLE_FILES = "that the table, its page and its ε follow from released.json"
FILES = "each file that the certificate names, by its hash"
WITHOUT = (
    "Without a ledger a certificate that was rewritten as a whole, with a new hash, looks right."
)


@dataclass(frozen=True)
class Checked:
    """What a check found."""

    problems: tuple[str, ...]  # a sentence each; empty where nothing is wrong
    checks: tuple[str, ...]  # what was checked
    warning: str  # what was not; "" with a ledger
    files: Mapping[str, State] = field(default_factory=dict)


@dataclass(frozen=True)
class _Kind:
    derived: Callable[[Mapping[str, Any]], dict[str, Any]]
    mechanism: Callable[[Mapping[str, Any]], Mechanism | Measurement]  # that is paid for
    facts: Mapping[str, of_facts.FactRule]


_KINDS = {
    of_model.FORMAT: _Kind(of_model.derived, of_model.all_tried, of_facts.OF_MODEL),
    TWIN_CARD.format: _Kind(TWIN_CARD.derived, TWIN_CARD.measured_in, of_facts.OF_TWIN),
    TABLE_CARD.format: _Kind(TABLE_CARD.derived, TABLE_CARD.measured_in, of_facts.OF_SUMMARY),
}


def check(
    text: str,
    ledger: Ledger | None = None,
    model: ReleasedModel | None = None,
    files: Files | None = None,
    *,
    are_all: bool = False,
) -> Checked:
    """Check a certificate, or the card of a private twin or table, by its YAML to the letter.

    It is checked against the ledger that paid, the model that it is about, and the files beside it,
    as far as they are given; of a ``model.json`` what it says is checked, too. Only where these
    `are_all` files is another one missing.
    """
    file_states: dict[str, State] = {}
    checks = [NUMBERS]
    checks += [LEDGER] if ledger is not None else []
    try:
        certificate = read(text)
        problems = problems_of(certificate, ledger, model)
        # Hashes in a certificate that does not hold say nothing of the files.
        if files is not None and not problems:
            checks.append(FILES)
            problems += _of_files(certificate, files, are_all, file_states)
    except InvalidInput as refusal:
        problems = [str(refusal)]
    except NESTED_OR_WRONG as fault:
        problems = [f"The certificate is malformed ({type(fault).__name__})."]

    def was_compared(name: str) -> bool:
        return file_states.get(name) in ("unchanged", "altered")

    was_read = was_compared(MODEL_FILE)
    checks += [MODEL] if model is not None or was_read else []
    checks += [TABLE_FILES] if was_compared(RELEASED) else []
    checks += [DERIVED_FILES] if was_read and (was_compared(ONNX) or was_compared(CARD)) else []
    return Checked(tuple(problems), tuple(checks), WITHOUT if ledger is None else "", file_states)


def problems_of(
    certificate: Certificate, ledger: Ledger | None = None, model: ReleasedModel | None = None
) -> list[str]:
    """What is wrong with a certificate, in a sentence each; for the arguments see `check`."""
    try:
        document = certificate.document
        allowed = _KINDS[document["format"]].facts
        # Nothing is computed from what is no number, or looked up by what is no text.
        if wrong := list(of_facts.problems(document["facts"], allowed)):
            return wrong
        problems = list(_of_numbers(certificate))
        if ledger is not None:
            problems += _of_ledger(certificate, ledger)
        if model is not None:
            problems += _of_model(document["facts"], model)
    except InvalidInput as refusal:
        problems = [str(refusal)]
    except NESTED_OR_WRONG as fault:
        problems = [f"The certificate is malformed ({type(fault).__name__})."]
    return problems


def read(text: str) -> Certificate:
    """Read a certificate from its file, and refuse a text that is not exactly as it was written."""
    import yaml

    if len(text) > MAX_LETTERS:
        raise InvalidInput(
            f"The certificate has {spaced(len(text))} letters, but it must have at most "
            f"{spaced(MAX_LETTERS)}."
        )
    if not any(text.startswith(f"format: {name}\n") for name in _KINDS):
        known = ", or ".join(map(repr, _KINDS))
        raise InvalidInput(f"The certificate is of another format, but it must be {known}.")
    try:
        depth = 0
        for count, event in enumerate(yaml.parse(text)):
            # References between parts would let a small file become a large one.
            if isinstance(event, yaml.AliasEvent):
                raise InvalidInput("The certificate refers to parts of itself, but must not.")
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            # Each bracket within brackets is looked at again for every one that follows.
            if depth > DEEPEST or count > MAX_PARTS:
                raise InvalidInput(
                    f"The certificate has more than {spaced(MAX_PARTS)} parts, or parts within "
                    f"parts more than {DEEPEST} deep, but must not."
                )
        certificate = Certificate(yaml.safe_load(text))
        is_same = certificate.to_yaml() == text
    except InvalidInput:
        raise
    except (yaml.YAMLError, *NESTED_OR_WRONG):
        raise InvalidInput("The certificate is no YAML of a certificate.") from None
    if not is_same:
        raise InvalidInput(
            "The certificate is written in another way, but it must be as this program writes it, "
            "to the letter."
        )
    return certificate


def _of_numbers(certificate: Certificate) -> Iterator[str]:
    document = certificate.document
    kind, facts = _KINDS[document["format"]], document["facts"]
    named(facts)
    anew = kind.derived(facts)
    if list(document) != ["format", "facts", *anew, "hash"]:
        yield "The certificate has other parts than it must have, or in another order."
    for name, right in anew.items():
        for path in _wrong(document.get(name), right, name):
            yield f"{path} does not follow from the mechanism and the facts."
    if not anew["proof"]["keeps_the_budget"]:
        yield "The proved ε is above the ε that is claimed."
    if refuted := DistinguishingResult(**facts["attack"]).above(kind.mechanism(facts)):
        yield f"The attack proved {refuted}, which is above what is proved."
    if document.get("hash") != certificate.hash:
        yield "The hash is another: a field was changed."


def _wrong(written: object, right: object, path: str) -> Iterator[str]:
    """Where something else is written, part by part: names with dots say nothing of parts."""
    if isinstance(written, list) and isinstance(right, list):
        written, right = dict(enumerate(written)), dict(enumerate(right))
    if not isinstance(written, dict) or not isinstance(right, dict):
        if not _same(written, right):
            yield path
        return
    for name, value in right.items():
        yield from _wrong(written.get(name), value, f"{path}.{name}")
    if len(written) > len(right):
        yield path


def _same(written: object, right: object) -> bool:
    if isinstance(right, float) and isinstance(written, float):
        # Another machine's mathematics may differ in the last digits.
        return math.isclose(written, right, rel_tol=1e-9, abs_tol=0.0)
    return type(written) is type(right) and written == right


def _of_model(facts: Mapping[str, Any], model: ReleasedModel) -> Iterator[str]:
    if model.hash != facts["hashes"].get("model"):
        yield "The model is not the one of the certificate: its hash is another."
        return
    if Record.of(model.columns) != Record.in_facts(facts):
        yield "The model's columns say otherwise what one person is than the certificate."
    if digest(model.columns) != facts["hashes"]["columns"]:
        yield "The model's columns are not those of the certificate: their hash is another."
    training = facts["training"]
    stated = (facts["mechanism"]["dimension"], training.get("hidden", 0))
    if stated != (len(model.weights), model.hidden):
        yield "The model has another number of weights or hidden units than the certificate."
    if [training["loss"], training["features"]] != [model.loss, model.features]:
        yield "The model's loss or features are not those of the certificate."
    # What no sum pays for was not proved to be private.
    if bool(training.get("count_sums", 0)) != (model.risks is not None):
        yield "The certificate says otherwise than the model whether risks are corrected."


def _of_files(
    certificate: Certificate, files: Files, are_all: bool, file_states: dict[str, State]
) -> Iterator[str]:
    """What is wrong with the files; the state of each is put into `file_states`."""
    facts, model = certificate.document["facts"], None
    for name, state, refusal in states(certificate, files):
        wrong = [_not_the_one(name)] if state == "altered" else []
        wrong += [_not_read(name, refusal)] if refusal else []
        file_states[name] = state
        # What the model says every certificate names, also one that names no files.
        if name == MODEL_FILE and "model" in facts["hashes"] and not wrong:
            file_states[name], wrong, model = _of_model_file(facts, files[name])
        yield from wrong
    if model is not None:
        yield from _of_derived_files(certificate, model, files, file_states)
    if certificate.document["format"] == TWIN_CARD.format:
        yield from _of_twin_files(facts, files, file_states)
    if certificate.document["format"] == TABLE_CARD.format:
        for name, fault in _of_table_files(certificate, files, file_states):
            file_states[name] = "altered"
            yield fault
    if are_all:
        file_states |= {name: "missing" for name in expected(certificate) if name not in files}


def _of_derived_files(
    certificate: Certificate, model: ReleasedModel, files: Files, file_states: dict[str, State]
) -> Iterator[str]:
    """Recompute the files that follow from the model: any hash of them could be stated."""
    from dpcore.release.files import is_card

    if file_states.get(ONNX) == "unchanged" and files[ONNX]() != model.to_onnx():
        file_states[ONNX] = "altered"
        yield f"{ONNX} is not the model of {MODEL_FILE}, whatever its hash."
    if file_states.get(CARD) == "unchanged" and not is_card(files[CARD](), model, certificate):
        file_states[CARD] = "altered"
        yield f"{CARD} is not what this program writes of this model, whatever its hash."


def _of_twin_files(
    facts: Mapping[str, Any], files: Files, file_states: dict[str, State]
) -> Iterator[str]:
    """Compare the card with the number of columns, which decides on ε, and with the twin's rows."""
    from dpcore.release.model import entry_of

    if file_states.get(COLUMNS) == "unchanged":
        columns = len(entry_of(files[COLUMNS]().decode()).columns)
        if columns != facts["mechanism"]["tables"]:
            file_states[COLUMNS] = "altered"
            yield (
                f"{COLUMNS} has {spaced(columns)} columns beside the outcome, but the card is "
                f"about {spaced(facts['mechanism']['tables'])}: its ε is not the twin's."
            )
    if file_states.get(TWIN) == "unchanged":
        # No field of a twin goes over a line.
        rows = files[TWIN]().count(b"\n") - 1
        if rows != facts["records"]:
            file_states[TWIN] = "altered"
            yield f"{TWIN} has {spaced(rows)} rows, but the card says {spaced(facts['records'])}."


def _of_table_files(
    certificate: Certificate, files: Files, file_states: Mapping[str, State]
) -> Iterator[tuple[str, str]]:
    """Recompute all that follows from the noisy sums: a file, and what is wrong with it."""
    facts = certificate.document["facts"]
    if file_states.get(INTERVALS) == "unchanged" and files[INTERVALS]() != INTERVALS_TEXT.encode():
        yield INTERVALS, f"{INTERVALS} is not what this program writes, whatever its hash."
    if file_states.get(RELEASED) != "unchanged":
        return
    try:
        table = read_released(files[RELEASED]())
    except InvalidInput as refusal:
        yield RELEASED, str(refusal)
        return
    if table.records != facts["records"]:
        yield RELEASED, f"{RELEASED} has another number of records than the certificate."
    if SummaryNoise.of(table.summary).to_json() != facts["mechanism"]:
        yield (
            RELEASED,
            f"{RELEASED} measures something else than the certificate is about, or with other "
            "noise: its ε is not the table's.",
        )
    rows = None
    if file_states.get(TABLE) == "unchanged":
        rows = table.read_csv(files[TABLE]().decode())
        if rows is None:
            yield TABLE, f"{TABLE} does not follow from {RELEASED}, whatever its hash."
    if file_states.get(PAPER) == "unchanged":
        page = table.to_html(certificate.document, table.rows if rows is None else rows)
        if files[PAPER]() != page.encode():
            yield PAPER, f"{PAPER} does not follow from {RELEASED}, whatever its hash."


def _of_model_file(
    facts: Mapping[str, Any], content: Callable[[], bytes]
) -> tuple[State, list[str], ReleasedModel | None]:
    """The file's state, what is wrong, and the model where nothing is wrong."""
    from dpcore.release.model import read_model

    try:
        data = content()
    except InvalidInput as refusal:
        return "unreadable", [_not_read(MODEL_FILE, refusal)], None
    try:
        model = read_model(data)
        wrong = list(_of_model(facts, model))
    except InvalidInput as refusal:
        wrong = [str(refusal)]
    return ("altered", wrong, None) if wrong else ("unchanged", [], model)


def _not_the_one(name: str) -> str:
    return f"{name} is not the file of the certificate: it was altered."


def _not_read(name: str, refusal: object) -> str:
    # A path that is long is cut in the refusal, which then does not name the file.
    return f"{name} was not checked: {refusal}"


def _of_ledger(certificate: Certificate, ledger: Ledger) -> Iterator[str]:
    from dpcore.release.ledger.chain import certificates
    from dpcore.release.ledger.spends import to_json

    facts: Mapping[str, Any] = certificate.document["facts"]
    stated, kind = facts["ledger"], _KINDS[certificate.document["format"]]
    mechanism = kind.mechanism(facts)
    entry, head = whole("entry", stated["entry"], at_least=1), stated["chain_head"]
    if not SHA256.fullmatch(head):
        raise reject("chain head", head, "64 hexadecimal digits")
    yield from ledger.verify([head])
    history = ledger.history(stated["data_set"])
    paid = next((each for each in history if each.number == entry), None)
    if paid is None or paid.kind != "spent":
        yield f"Entry {entry} of the ledger is no payment."
        return
    if paid.hash != head:
        yield "The chain head is not that of the payment."
    if paid.details["spend"] != to_json(mechanism.spend):
        yield "The ledger was paid for another mechanism."
    terms = paid.account.terms
    if (paid.actor, terms.person_unit, str(terms.adjacency)) != (
        stated["actor"],
        stated["person_unit"],
        mechanism.adjacency,
    ):
        yield "Actor, person unit or adjacency are not those of the ledger."
    sealed = [each for each in history if each.document["refers"] == paid.number]
    earliest = date.fromisoformat(paid.at[:10]) - DAY
    latest = max((date.fromisoformat(each.at[:10]) for each in sealed), default=date.max - DAY)
    if not earliest <= date.fromisoformat(facts["released"]) <= latest + DAY:
        yield "The date of the release is not between the payment and the certificate's entry."
    stored_hashes = certificates(history)[paid.number]
    if not stored_hashes:
        yield f"Entry {paid.number} of the ledger is unused: it keeps no certificate for it."
    elif stored_hashes != [certificate.hash]:
        yield f"The ledger keeps another certificate for entry {paid.number}."
