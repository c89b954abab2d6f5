"""The payment of every release of a data set: who pays, the entry, and its certificate."""

from __future__ import annotations

import os
import threading
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from dpcore.errors import InvalidInput
from dpcore.release.certificate import Certificate
from dpcore.release.ledger import Ledger, Receipt
from dpcore.release.ledger.spends import Spend, text, to_json
from dpcore.release.price import Planned


class Payable(Protocol):
    """Something is prepared, and waits for its payment."""

    @property
    def plan(self) -> Planned:
        """What is to be paid for."""


Ready = TypeVar("Ready", bound=Payable)
_LOCKS: dict[str, tuple[threading.Lock, int]] = {}
"""The lock of each payment, by its chain head, and the process that paid."""


@dataclass(frozen=True)
class Payer:
    """Whose budget pays, and who spends it."""

    data_set: str
    person_unit: str
    actor: str

    @classmethod
    def of(cls, ledger: Ledger, data_set: str, actor: str, adjacency: str) -> Payer:
        """Name who pays; refuses where the data set's adjacency is another."""
        terms = ledger.left(data_set).account.terms
        if str(terms.adjacency) != adjacency:
            raise InvalidInput(
                f"The plan's adjacency is {adjacency}, but it must be that of the data set, "
                f"{terms.adjacency}."
            )
        return cls(data_set, terms.person_unit, text("actor", actor))

    def spend(self, ledger: Ledger, spend: Spend, purpose: str) -> Receipt:
        """Pay; final once this returns. Raises `Refused` where the budget does not cover it."""
        return ledger.spend(self.data_set, spend, actor=self.actor, purpose=purpose)

    def facts(self, receipt: Receipt) -> dict[str, Any]:
        """What a certificate says of the payment."""
        return {**asdict(self), "entry": receipt.entry, "chain_head": receipt.chain_head}


@dataclass(frozen=True)
class Paid(Generic[Ready]):
    """A payment that nothing has come of yet; it lives in one process and cannot be copied."""

    prepared: Ready
    receipt: Receipt
    # A lock can be taken once, by one thread, and neither pickled nor copied in depth.
    _unused: threading.Lock = field(init=False, repr=False, compare=False)
    _process: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # One a payment: another object of the same receipt is the same payment, in a fork too.
        lock, process = _LOCKS.setdefault(self.receipt.chain_head, (threading.Lock(), os.getpid()))
        object.__setattr__(self, "_unused", lock)
        object.__setattr__(self, "_process", process)

    def use(self) -> None:
        """Take the payment for the one thing that it is for.

        Refuses one for another plan, one that was taken before, and one that a process of which
        this one is a fork has paid.
        """
        if to_json(self.prepared.plan.spend) != self.receipt.left.account.last:
            raise InvalidInput(
                f"Entry {self.receipt.entry} of the ledger was paid for another plan, and pays for "
                "that one only."
            )
        if os.getpid() != self._process:
            raise InvalidInput(
                f"Entry {self.receipt.entry} of the ledger was paid by another process, and pays "
                "in that one only."
            )
        if not self._unused.acquire(blocking=False):
            raise InvalidInput(
                f"Entry {self.receipt.entry} of the ledger has been used, but it pays for one "
                "only: pay for another."
            )


def attached(certificate: Certificate, ledger: Ledger) -> Receipt:
    """Write a certificate's hash into the ledger, as that of its payment."""
    stated = certificate.document["facts"]["ledger"]
    return ledger.attach(
        stated["data_set"], stated["entry"], certificate.hash, actor=stated["actor"]
    )
