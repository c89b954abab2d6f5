"""An uploaded table and its release in a confined process (`dpcore.confined`).

The functions here run in that process, which holds one table. Records, exact sums and the noise
stay in it; callers get the number of records, the receipt, and what was released.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from dpcore.datasets.own import read_own
from dpcore.datasets.schema import Table
from dpcore.errors import InvalidInput
from dpcore.release import release as releasing
from dpcore.release.certificate import About
from dpcore.release.ledger import Ledger, Receipt
from dpcore.release.plan import Plan
from dpcore.release.release import Paid, Prepared, Released

FAULT = "The training ended by a fault of the program."


class Training:
    """The training of a payment, in a thread, so that the process still answers.

    Parameters
    ----------
    paid : Paid
    """

    def __init__(self, paid: Paid) -> None:
        self.share, self.doing, self.refusal = 0.0, "", ""
        self.released: Released | None = None
        threading.Thread(target=self._run, args=(paid,), daemon=True).start()

    def _report(self, share: float, doing: str) -> None:
        self.share, self.doing = share, doing

    def _run(self, paid: Paid) -> None:
        try:
            self.released = releasing.train(paid, progress=self._report)
        except BaseException as error:
            self.refusal = str(error) if isinstance(error, InvalidInput) else FAULT


@dataclass
class _Held:
    table: Table | None = None
    prepared: Prepared | None = None
    paid: Paid | None = None
    training: Training | None = None


_held = _Held()


def take(columns: str, data: bytes, filename: str) -> int:
    """Read a table, as `dpcore.datasets.own.read_own` does, and hold it; its number of records."""
    _held.prepared = _held.paid = _held.training = None
    _held.table = read_own(columns, data, filename)
    return _held.table.records


def prepare(made: Plan, about: About, place: str, data_set: str, actor: str) -> None:
    """As `dpcore.release.release.prepare`, with the ledger at `place`."""
    if _held.table is None:
        raise _gone()
    ledger = Ledger.open(place, must_exist=True)
    try:
        _held.prepared = releasing.prepare(
            made, _held.table, about=about, ledger=ledger, data_set=data_set, actor=actor
        )
    finally:
        ledger.close()


def pay(place: str) -> Receipt:
    """Pay for what was prepared, once."""
    prepared, _held.prepared = _held.prepared, None
    if prepared is None:
        raise _gone()
    ledger = Ledger.open(place, must_exist=True)
    try:
        _held.paid = releasing.pay(prepared, ledger)
    finally:
        ledger.close()
    return _held.paid.receipt


def train() -> None:
    """Begin the training that was paid."""
    if _held.paid is None:
        raise _gone()
    _held.training, _held.paid = Training(_held.paid), None


def trained() -> tuple[float, str, Released | None]:
    """The share that is done, what is being done, and the model once it is there.

    Raises
    ------
    InvalidInput
        If it ended without one.
    """
    training = _held.training
    if training is None:
        raise _gone()
    if training.refusal:
        raise InvalidInput(training.refusal)
    return training.share, training.doing, training.released


def _gone() -> InvalidInput:
    return InvalidInput("The records are no longer there: choose the file again.")
