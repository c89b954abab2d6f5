"""The ledger: data sets with a cap, and an append-only history of what was spent on each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dpcore.errors import InvalidInput, brief, number, reject, whole
from dpcore.guarantee import Adjacency
from dpcore.release.documents import SHA256, canonical, digest
from dpcore.release.ledger import chain
from dpcore.release.ledger.filter import ACCEPTS, LedgerAccount, Left, Totals, cap, refused, terms
from dpcore.release.ledger.spends import DeclaredSpend, Spend, from_json, text, to_json
from dpcore.release.ledger.store import ENTRIES, EVERY, Store
from dpcore.words import as_set

_ROW = sa.select(ENTRIES.c.number, ENTRIES.c.data_set, ENTRIES.c.document, ENTRIES.c.hash)


@dataclass(frozen=True)
class Receipt:
    """What a spend gives back once it is final.

    The chain head, its entry's hash, is worth keeping elsewhere, such as in a certificate: it shows
    that the ledger is still the one that held it.
    """

    entry: int
    chain_head: str
    left: Left


class Ledger:
    """Budgets of data sets, spent before any noise is drawn.

    Made by `open`. Every change is one entry, committed before its method returns; no entry is
    changed or taken back.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def open(cls, url: str | Path, *, must_exist: bool = False) -> Ledger:
        """Open a ledger, and make it where there is none, unless it `must_exist`.

        The place is a file (SQLite), a SQLAlchemy URL of SQLite or PostgreSQL, or "memory" for one
        that ends with the process.
        """
        return cls(Store(url, must_exist=must_exist))

    def close(self) -> None:
        self._store.engine.dispose()

    def create(
        self,
        data_set: str,
        *,
        person_unit: str,
        adjacency: Adjacency | str,
        epsilon: float,
        delta: float,
        owner: str,
        accepts: Iterable[str] = ACCEPTS,
    ) -> Left:
        """Begin the account of a data set, under a name for ever and with the cap (ε, δ).

        It accepts some of "gaussian" (normal noise), "renyi" (trainings on samples, and normal
        noise) and "approximate" (known (ε, δ)); (ε, 0) always. δ is divided equally over them once
        and for all, so the fewer the better: with "gaussian" alone, Σμ² is compared exactly.
        """
        name = text("data set", data_set)
        agreed = terms(
            person_unit=text("person unit", person_unit),
            adjacency=adjacency,
            epsilon=epsilon,
            delta=delta,
            owner=text("owner", owner),
            accepts=accepts,
        )
        account = LedgerAccount(agreed, agreed.epsilon, agreed.delta)
        with self._store.writing() as connection:
            if _last(connection, name) is not None:
                raise InvalidInput(f"The data set {brief(name)} is in the ledger already.")
            _append(connection, _last(connection), "created", name, agreed.owner, account, {})
        return Left(account)

    def data_sets(self) -> dict[str, Left]:
        """Every data set by name, and what is left of it."""
        newest = sa.select(sa.func.max(ENTRIES.c.number)).group_by(ENTRIES.c.data_set)
        rows = _ROW.where(ENTRIES.c.number.in_(newest)).order_by(ENTRIES.c.data_set)
        with self._store.reading() as connection:
            entries = [chain.read(*row) for row in connection.execute(rows)]
        return {entry.data_set: Left(entry.account) for entry in entries}

    def spend(
        self,
        data_set: str,
        spend: Spend,
        *,
        actor: str,
        purpose: str,
        certificate_hash: str | None = None,
    ) -> Receipt:
        """Pay for a release before its noise is drawn; final once committed, whatever follows.

        Raises `Refused` where the cap does not cover it; nothing was written then.
        """
        sealed = {} if certificate_hash is None else {"certificate_hash": _hash(certificate_hash)}
        (receipt,) = self._spend(data_set, [spend], actor, purpose, sealed)
        return receipt

    def declare(
        self, data_set: str, spends: Sequence[DeclaredSpend], *, actor: str, purpose: str
    ) -> list[Receipt]:
        """Take over what was spent elsewhere, all of it or nothing; see `imports.declared`.

        Raises `Refused` where the cap does not cover all of it; nothing was written then. As it is
        spent all the same, the cap has to be raised first.
        """
        return self._spend(data_set, spends, actor, purpose, {})

    def _spend(
        self,
        data_set: str,
        spends: Sequence[Spend],
        actor: str,
        purpose: str,
        details: dict[str, Any],
    ) -> list[Receipt]:
        actor, purpose = text("actor", actor), text("purpose", purpose)
        receipts = []
        with self._store.writing() as connection:
            head = _last(connection)
            account = _account(connection, data_set, head)
            for spend in spends:
                plain = to_json(spend)
                after = account.spent(spend, plain)
                if not account.within(after.totals):
                    raise refused(account, after, spend)
                more = {"spend": plain, "purpose": purpose} | details
                head = _append(connection, head, "spent", data_set, actor, after, more)
                receipts.append(Receipt(head.number, head.hash, Left(after)))
                account = after
        return receipts

    def left(self, data_set: str) -> Left:
        """What is left of a data set."""
        with self._store.reading() as connection:
            return Left(_account(connection, data_set, None))

    def raise_cap(
        self, data_set: str, *, epsilon: float, delta: float, reason: str, actor: str
    ) -> Left:
        """Raise a cap; never lowered, and nothing that was spent is forgotten."""
        epsilon, delta = cap(epsilon, delta)
        details = {"epsilon": epsilon, "delta": delta, "reason": text("reason", reason)}
        actor = text("actor", actor)
        with self._store.writing() as connection:
            head = _last(connection)
            account = _account(connection, data_set, head)
            number("ε", epsilon, at_least=account.epsilon)
            number("δ", delta, at_least=account.delta)
            if (epsilon, delta) == (account.epsilon, account.delta):
                raise InvalidInput(
                    f"The cap is ε = {as_set(epsilon)} at δ = {as_set(delta)} already, but it "
                    "must be raised."
                )
            after = replace(account, epsilon=epsilon, delta=delta)
            _append(connection, head, "raised", data_set, actor, after, details)
        return Left(after)

    def attach(
        self, data_set: str, entry: int, canonical_certificate_hash: str, *, actor: str = ""
    ) -> Receipt:
        """Append a certificate's hash to a spend without one, by whoever spent unless given."""
        place = whole("entry", entry, at_least=1, at_most=2**31 - 1)
        details = {"certificate_hash": _hash(canonical_certificate_hash)}
        with self._store.writing() as connection:
            head = _last(connection)
            account = _account(connection, data_set, head)
            row = connection.execute(_ROW.where(ENTRIES.c.number == place)).one_or_none()
            paid = None if row is None else chain.read(*row)
            if paid is None or paid.data_set != data_set or paid.kind != "spent":
                raise reject("entry", place, f"the number of a spend on {brief(data_set)}")
            attached = sa.select(ENTRIES.c.number).where(ENTRIES.c.refers == place)
            if "certificate_hash" in paid.details or connection.execute(attached).first():
                raise InvalidInput(f"Entry {place} has a certificate, and it can have only one.")
            who = text("actor", actor) if actor else paid.actor
            new = _append(connection, head, "attached", data_set, who, account, details, place)
        return Receipt(new.number, new.hash, Left(account))

    def history(self, data_set: str, latest: int | None = None) -> list[chain.LedgerEntry]:
        """The entries of a data set in their order: all, or only the latest few."""
        with self._store.reading() as connection:
            rows = _rows(connection, data_set, latest)
        entries = [chain.read(*row) for row in rows]
        if not entries:
            raise _unknown(data_set)
        return entries

    def count(self, data_set: str | None = None) -> int:
        """How many entries there are, of a data set or of all."""
        rows = sa.select(sa.func.count()).select_from(ENTRIES)
        chosen = rows if data_set is None else rows.where(ENTRIES.c.data_set == data_set)
        with self._store.reading() as connection:
            return int(connection.execute(chosen).scalar_one())

    def verify(self, known_heads: Collection[str] = ()) -> list[str]:
        """What is wrong with the ledger, each in one sentence; empty where nothing is.

        Every hash is computed anew, and every account from its spends. Without a chain head that
        was stored elsewhere, an older copy of the whole ledger looks right.
        """
        with self._store.reading() as connection:
            rows = connection.execute(EVERY).all()  # who reads for long keeps writers waiting
        return list(chain.problems((tuple(row) for row in rows), known_heads))

    def backup(self, target: Path) -> chain.LedgerEntry | None:
        """Copy a ledger in a file to a new one, also while others spend; its last entry."""
        self._store.backup(target)
        copy = Ledger.open(target, must_exist=True)
        with copy._store.reading() as connection:
            return _last(connection)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _last(connection: Connection, data_set: str | None = None) -> chain.LedgerEntry | None:
    """The last entry, of one data set or of all."""
    rows = _ROW if data_set is None else _ROW.where(ENTRIES.c.data_set == data_set)
    row = connection.execute(rows.order_by(ENTRIES.c.number.desc()).limit(1)).one_or_none()
    return None if row is None else chain.read(*row)


def _account(
    connection: Connection, data_set: str, head: chain.LedgerEntry | None
) -> LedgerAccount:
    """A data set's account; the ledger's last entry, which a writer knows, may hold it."""
    is_head = head is not None and head.data_set == data_set
    entry = head if is_head else _last(connection, data_set)
    if entry is None:
        raise _unknown(data_set)
    if head is None or isinstance(entry.document["account"]["totals"]["delta"], str):
        return entry.account
    # Of a version that rounded sums of typed decimals up; what is written next has them exactly.
    account = replace(entry.account, totals=Totals())
    for earlier in (chain.read(*row) for row in _rows(connection, data_set)):
        if earlier.kind == "spent":
            plain = earlier.details["spend"]
            account = account.spent(from_json(plain), plain)
    return account if chain.same(account, entry.account) else entry.account


def _rows(
    connection: Connection, data_set: str, latest: int | None = None
) -> list[tuple[int, str, str, str]]:
    """The rows of a data set's entries in their order: all, or only the last."""
    newest = _ROW.where(ENTRIES.c.data_set == data_set).order_by(ENTRIES.c.number.desc())
    return [tuple(row) for row in connection.execute(newest.limit(latest))][::-1]


def _unknown(data_set: object) -> InvalidInput:
    return InvalidInput(f"The data set {brief(data_set)} is not in the ledger: create it first.")


def _append(
    connection: Connection,
    head: chain.LedgerEntry | None,
    kind: str,
    data_set: str,
    actor: str,
    account: LedgerAccount,
    details: dict[str, Any],
    refers: int | None = None,
) -> chain.LedgerEntry:
    """Add an entry after the ledger's last one."""
    now = _now()
    if head is not None and now < head.at:
        raise InvalidInput(
            f"The clock says {now}, but the last entry of the ledger is of {head.at}: set the "
            "clock right."
        )
    at = now
    if kind == "attached" and head is not None:
        # To the minute: how long a training took, which depends on its rows, is not recorded.
        minute = datetime.fromisoformat(now).replace(second=0, microsecond=0)
        at = max(minute.isoformat(timespec="microseconds"), head.at)
    place = 1 if head is None else head.number + 1
    document = {
        "number": place,
        "at": at,
        "kind": kind,
        "data_set": data_set,
        "actor": actor,
        "refers": refers,
        "previous": chain.GENESIS if head is None else head.hash,
        "details": details,
        "account": account.to_json(),
    }
    written = canonical(document)
    entry = chain.LedgerEntry(place, data_set, document, digest(written))
    connection.execute(
        ENTRIES.insert().values(
            number=place, data_set=data_set, refers=refers, document=written, hash=entry.hash
        )
    )
    return entry


def _hash(value: object) -> str:
    if not isinstance(value, str) or not SHA256.fullmatch(value):
        raise reject("certificate hash", value, "64 hexadecimal digits in lower case (SHA-256)")
    return value
