"""A payment that nothing has come of yet."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from dpcore.errors import InvalidInput
from dpcore.release.ledger import Receipt

Ready = TypeVar("Ready")
_LOCKS: dict[str, threading.Lock] = {}


@dataclass(frozen=True)
class Paid(Generic[Ready]):
    """A payment that nothing has come of yet; it lives in one process and cannot be copied.

    Parameters
    ----------
    prepared : Prepared
        What was paid for.
    receipt : Receipt
        Of the payment.
    """

    prepared: Ready
    receipt: Receipt
    # A lock can be taken once, by one thread, and neither pickled nor copied in depth.
    _unused: threading.Lock = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # One a payment: another object of the same receipt is the same payment.
        lock = _LOCKS.setdefault(self.receipt.chain_head, threading.Lock())
        object.__setattr__(self, "_unused", lock)

    def use(self) -> None:
        """Take the payment for the one thing that it is for.

        Raises
        ------
        InvalidInput
            If it was taken before.
        """
        if not self._unused.acquire(blocking=False):
            raise InvalidInput(
                f"Entry {self.receipt.entry} of the ledger has been used, but it pays for one "
                "only: pay for another."
            )
