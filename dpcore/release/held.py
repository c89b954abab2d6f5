"""An uploaded table, its release and its twin in a confined process (`dpcore.confined`).

The functions here run in that process, which holds one table. Records, exact sums and the noise
stay in it; callers get the number of persons, the receipt, and what was released.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from dpcore.errors import InvalidInput
from dpcore.progress import Progress
from dpcore.release import release as releasing
from dpcore.release.certificate import About
from dpcore.release.ledger import Ledger, Receipt
from dpcore.release.paid import Paid
from dpcore.release.plan import Plan
from dpcore.release.release import Prepared, Released
from dpcore.release.table.read import ReleaseTable, read_for_release
from dpcore.release.twin import twin
from dpcore.release.twin.plan import TwinPlan
from dpcore.release.twin.twin import PreparedTwin, Twin

FAULT = "It ended by a fault of the program."

Made = TypeVar("Made")


class Making(Generic[Made]):
    """What a payment is for being made, in a thread, so that the process still answers.

    Parameters
    ----------
    make : callable
        (progress) -> what was paid for.
    """

    def __init__(self, make: Callable[[Progress], Made]) -> None:
        self.share, self.doing, self.refusal = 0.0, "", ""
        self.made: Made | None = None
        threading.Thread(target=self._run, args=(make,), daemon=True).start()

    def _report(self, share: float, doing: str) -> None:
        self.share, self.doing = share, doing

    def _run(self, make: Callable[[Progress], Made]) -> None:
        try:
            self.made = make(self._report)
        except BaseException as error:
            self.refusal = str(error) if isinstance(error, InvalidInput) else FAULT

    def state(self) -> tuple[float, str, Made | None]:
        """The share that is done, what is being done, and what was made once it is there.

        Raises
        ------
        InvalidInput
            If it ended without.
        """
        if self.refusal:
            raise InvalidInput(self.refusal)
        return self.share, self.doing, self.made


@dataclass
class _Held:
    table: ReleaseTable | None = None
    prepared: Prepared | None = None
    paid: Paid[Prepared] | None = None
    training: Making[Released] | None = None
    prepared_twin: PreparedTwin | None = None
    paid_twin: Paid[PreparedTwin] | None = None
    measuring: Making[Twin] | None = None


_held = _Held()


def take(columns: str, data: bytes, filename: str) -> int:
    """Read a table as `read_for_release` does, and hold it; its number of persons."""
    vars(_held).update(vars(_Held(read_for_release(columns, data, filename))))
    return _table().count


def prepare(made: Plan, about: About, place: str, data_set: str, actor: str) -> None:
    """As `dpcore.release.release.prepare`, with the ledger at `place`."""
    table, ledger = _table(), Ledger.open(place, must_exist=True)
    try:
        _held.prepared = releasing.prepare(
            made, table, about=about, ledger=ledger, data_set=data_set, actor=actor
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
    paid, _held.paid = _held.paid, None
    if paid is None:
        raise _gone()
    _held.training = Making(lambda progress: releasing.train(paid, progress=progress))


def trained() -> tuple[float, str, Released | None]:
    """The share that is done, what is being done, and the model once it is there.

    Raises
    ------
    InvalidInput
        If it ended without one.
    """
    if _held.training is None:
        raise _gone()
    return _held.training.state()


def prepare_twin(made: TwinPlan, place: str, data_set: str, actor: str) -> None:
    """As `dpcore.release.twin.twin.prepare`, with the ledger at `place`."""
    table, ledger = _table(), Ledger.open(place, must_exist=True)
    try:
        _held.prepared_twin = twin.prepare(
            made, table.table, ledger=ledger, data_set=data_set, actor=actor
        )
    finally:
        ledger.close()


def pay_twin(place: str) -> Receipt:
    """Pay for the twin that was prepared, once."""
    prepared, _held.prepared_twin = _held.prepared_twin, None
    if prepared is None:
        raise _gone()
    ledger = Ledger.open(place, must_exist=True)
    try:
        _held.paid_twin = twin.pay(prepared, ledger)
    finally:
        ledger.close()
    return _held.paid_twin.receipt


def measure() -> None:
    """Begin to measure the twin that was paid."""
    paid, _held.paid_twin = _held.paid_twin, None
    if paid is None:
        raise _gone()
    _held.measuring = Making(lambda progress: twin.measure(paid, progress=progress))


def measured() -> tuple[float, str, Twin | None]:
    """As `trained`, of the twin."""
    if _held.measuring is None:
        raise _gone()
    return _held.measuring.state()


def _table() -> ReleaseTable:
    if _held.table is None:
        raise _gone()
    return _held.table


def _gone() -> InvalidInput:
    return InvalidInput("The records are no longer there: choose the file again.")
