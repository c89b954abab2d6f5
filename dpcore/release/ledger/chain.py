"""The hash chain: each entry holds the hash of the one before, and what its data set has left.

An entry is one canonical JSON document; its hash is SHA-256 of its UTF-8 bytes. The account of its
data set after it is part of the document, so that a decision reads one entry and the chain covers
what it reads.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpcore.errors import InvalidInput, whole
from dpcore.release.documents import canonical, digest
from dpcore.release.ledger.filter import LedgerAccount, Totals, cap
from dpcore.release.ledger.spends import from_json
from dpcore.words import spaced

if TYPE_CHECKING:
    import pandas as pd

GENESIS = "0" * 64
"""What the first entry follows."""
SAME = 1e-9
"""Relative: totals recomputed on another machine may differ by its last digits."""


@dataclass(frozen=True)
class LedgerEntry:
    """One entry as it stands in the ledger."""

    number: int  # from 1 on
    data_set: str
    document: Mapping[str, Any]
    hash: str

    @property
    def kind(self) -> str:
        """One of "created", "spent", "raised", "attached"."""
        return str(self.document["kind"])

    @property
    def at(self) -> str:
        """The time in UTC, as text."""
        return str(self.document["at"])

    @property
    def actor(self) -> str:
        return str(self.document["actor"])

    @property
    def details(self) -> Mapping[str, Any]:
        """What an entry of its kind says more."""
        details: Mapping[str, Any] = self.document["details"]
        return details

    @property
    def account(self) -> LedgerAccount:
        """Its data set after it."""
        return LedgerAccount.from_json(self.document["account"])


def read(number: int, data_set: str, text: str, hash_: str) -> LedgerEntry:
    """An entry from its row, whose text must be what was hashed."""
    if not isinstance(text, str) or digest(text) != hash_:
        raise InvalidInput(f"Entry {number} of the ledger was changed: its hash is another.")
    try:
        entry = LedgerEntry(number, data_set, json.loads(text), hash_)
        _check(entry)
    except _NO_ENTRY:
        raise InvalidInput(
            f"Entry {number} of the ledger is unreadable: its hash is right, but it is not what "
            "this program writes."
        ) from None
    return entry


_NO_ENTRY = (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError)


def _check(entry: LedgerEntry) -> None:
    """Raise one of `_NO_ENTRY` where a field is missing, or of another kind."""
    document, details = entry.document, entry.details
    LedgerAccount.from_json(document["account"])
    texts = [document["at"], document["actor"], document["kind"]]
    if entry.kind == "spent":
        from_json(details["spend"])
        texts.append(details["purpose"])
    if entry.kind == "raised":
        cap(details["epsilon"], details["delta"])
        texts.append(details["reason"])
    if entry.kind == "attached":
        whole("refers", document["refers"], at_least=1)
        texts.append(details["certificate_hash"])
    texts.append(details.get("certificate_hash", ""))
    if not all(isinstance(each, str) for each in texts):
        raise TypeError


def certificates(entries: Iterable[LedgerEntry]) -> dict[int, list[str]]:
    """The hashes of the certificates of each spend, by its number; [] where it has none."""
    hashes: dict[int, list[str]] = {}
    for entry in entries:
        if entry.kind in ("spent", "attached"):
            place = entry.number if entry.kind == "spent" else int(entry.document["refers"])
            spend_hashes = hashes.setdefault(place, [])
            if "certificate_hash" in entry.details:
                spend_hashes.append(entry.details["certificate_hash"])
    return hashes


def problems(
    rows: Iterable[tuple[int, str, str, str, int | None]], known: Collection[str]
) -> Iterator[str]:
    """What is wrong with a chain, in order, each in one sentence.

    Rows, by number, are of `store.EVERY`; known are chain heads from elsewhere, such as those in
    certificates.
    """
    previous, at, count = GENESIS, "", 0
    accounts: dict[str, LedgerAccount] = {}
    unsealed: dict[int, str] = {}
    missing = set(known)
    for count, (number, data_set, text, hash_, refers) in enumerate(rows, start=1):
        if number != count:
            yield f"Entry {count} is missing: entry {number} stands in its place."
            return
        try:
            entry = read(number, data_set, text, hash_)
            if canonical(entry.document) != text:
                yield f"Entry {number} is written in another way than the ledger writes."
            if entry.document["refers"] != refers:
                yield f"Entry {number} stands as one that refers to another entry than it does."
            yield from _problems_of(entry, previous, at, accounts, unsealed)
            previous, at = hash_, entry.at
        except (InvalidInput, ValueError, KeyError, TypeError, AttributeError) as error:
            reason = error if isinstance(error, InvalidInput) else f"Entry {number} is unreadable."
            yield str(reason)
            return
        missing.discard(hash_)
    for head in sorted(missing):
        yield (
            f"The chain head {head[:12]}… is not in this ledger of {spaced(count)} entries: an "
            "older copy of it was put back, or it is another ledger."
        )


def _problems_of(
    entry: LedgerEntry,
    previous: str,
    at: str,
    accounts: dict[str, LedgerAccount],
    unsealed: dict[int, str],
) -> Iterator[str]:
    """What is wrong with one entry after those before it.

    It moves their accounts on, and the spends without a certificate: the data set by the number.
    """
    name = f"Entry {entry.number}"
    document = entry.document
    if document["previous"] != previous:
        yield f"{name} does not follow the entry before it."
    if (document["number"], document["data_set"]) != (entry.number, entry.data_set):
        yield f"{name} stands under another number or data set."
    if entry.at < at:
        yield f"{name} is of {entry.at}, before the entry that it follows."
    stated, before = entry.account, accounts.get(entry.data_set)
    if (before is None) != (entry.kind == "created"):
        yield f"{name} is out of place: a data set begins with its creation, once."
    details = entry.details
    match entry.kind, before:
        case "created", _:
            after = LedgerAccount(stated.terms, stated.terms.epsilon, stated.terms.delta)
        case "spent", LedgerAccount():
            after = before.spent(from_json(details["spend"]), details["spend"])
            if "certificate_hash" not in details:
                unsealed[entry.number] = entry.data_set
            if not after.epsilon_spent() <= before.epsilon * (1.0 + SAME):
                yield f"{name} spends more than the cap of “{entry.data_set}” leaves."
        case "raised", LedgerAccount():
            after = replace(before, epsilon=details["epsilon"], delta=details["delta"])
            if after.epsilon < before.epsilon or after.delta < before.delta:
                yield f"{name} lowers the cap of “{entry.data_set}”."
        case "attached", LedgerAccount():
            after = before
            if unsealed.pop(document["refers"], "") != entry.data_set:
                yield f"{name} is a certificate of no spend of “{entry.data_set}” without one."
        case _:
            after = stated
            yield f"{name} is of an unknown kind."
    if not same(after, stated):
        yield f"{name} states another account of “{entry.data_set}” than its entries come to."
    accounts[entry.data_set] = after


def same(first: LedgerAccount, second: LedgerAccount) -> bool:
    """Whether two accounts are the same up to rounding."""
    if replace(first, totals=Totals()) != replace(second, totals=Totals()):
        return False
    return all(
        (a is None) == (b is None) and (a is None or math.isclose(a, b or 0.0, rel_tol=SAME))
        for a, b in zip(_flat(first.totals), _flat(second.totals), strict=True)
    )


def _flat(totals: Totals) -> tuple[Fraction | float | None, ...]:
    rdp = (None,) * len(Totals().rdp or ()) if totals.rdp is None else totals.rdp
    return (totals.epsilon, totals.mu_squared, totals.delta, *rdp)


def history_rows(entries: Sequence[LedgerEntry]) -> pd.DataFrame:
    """Entries of one data set as a table, in their order; each takes milliseconds to compute.

    Columns: ``entry`` (number), ``when`` (UTC), ``kind``, ``who``, ``what``, ``taken`` (the ε that
    is spent after it, at the cap's δ), ``cap`` (its ε), ``delta`` and ``hash``.
    """
    import pandas as pd

    rows = []
    for entry in entries:
        account = entry.account
        rows.append(
            {
                "entry": entry.number,
                "when": entry.at[:16].replace("T", " "),
                "kind": entry.kind,
                "who": entry.actor,
                "what": _what(entry),
                "taken": account.epsilon_spent(),
                "cap": account.epsilon,
                "delta": account.delta,
                "hash": entry.hash,
            }
        )
    return pd.DataFrame(rows)


def _what(entry: LedgerEntry) -> str:
    details = entry.details
    if entry.kind == "spent":
        spend = details["spend"]
        declared = ", declared, not checked" if "standing" in spend else ""
        return f"{details['purpose']} ({spend['kind']}{declared})"
    if entry.kind == "raised":
        return f"cap raised: {details['reason']}"
    if entry.kind == "attached":
        return f"certificate of entry {entry.document['refers']}"
    return f"begun; a record is {entry.account.terms.person_unit}"
