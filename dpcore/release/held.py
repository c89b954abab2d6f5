"""An uploaded table, its release and its twin in a confined process (`dpcore.confined`).

The functions here run in that process, which holds one table. Records, exact sums and the noise
stay in it; callers get the number of persons, the receipt, and what was released.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
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

Ready = TypeVar("Ready")
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


class Way(Generic[Ready, Made]):
    """One kind of release of the table, each of its steps for one time.

    Parameters
    ----------
    pay : callable
        (what is prepared, ledger) -> its payment.
    make : callable
        (payment, progress) -> what it is for.
    """

    def __init__(
        self,
        pay: Callable[[Ready, Ledger], Paid[Ready]],
        make: Callable[[Paid[Ready], Progress], Made],
    ) -> None:
        self._pay, self._make = pay, make
        self.prepared: Ready | None = None
        self._paid: Paid[Ready] | None = None
        self._making: Making[Made] | None = None

    def pay(self, place: str) -> Receipt:
        """Pay for what is prepared, from the ledger at `place`."""
        prepared, self.prepared = self.prepared, None
        if prepared is None:
            raise _gone()
        with _ledger(place) as ledger:
            self._paid = self._pay(prepared, ledger)
        return self._paid.receipt

    def begin(self) -> None:
        """Begin to make what is paid."""
        paid, self._paid = self._paid, None
        if paid is None:
            raise _gone()
        self._making = Making(lambda progress: self._make(paid, progress))

    def state(self) -> tuple[float, str, Made | None]:
        """As of what is `Making`."""
        if self._making is None:
            raise _gone()
        return self._making.state()


class _Held:
    """A table, and what is made of it."""

    def __init__(self, table: ReleaseTable) -> None:
        self.table = table
        self.model: Way[Prepared, Released] = Way(
            releasing.pay, lambda paid, progress: releasing.train(paid, progress=progress)
        )
        self.twin: Way[PreparedTwin, Twin] = Way(
            twin.pay, lambda paid, progress: twin.measure(paid, progress=progress)
        )


_held: _Held | None = None


def take(columns: str, data: bytes, filename: str) -> int:
    """Read a table as `read_for_release` does, and hold it; its number of persons."""
    global _held
    _held = _Held(read_for_release(columns, data, filename))
    return _held.table.count


def prepare(made: Plan, about: About, place: str, data_set: str, actor: str) -> None:
    """As `dpcore.release.release.prepare`, with the ledger at `place`."""
    held = _now()
    with _ledger(place) as ledger:
        held.model.prepared = releasing.prepare(
            made, held.table, about=about, ledger=ledger, data_set=data_set, actor=actor
        )


def pay(place: str) -> Receipt:
    """Pay for what was prepared, once."""
    return _now().model.pay(place)


def train() -> None:
    """Begin the training that was paid."""
    _now().model.begin()


def trained() -> tuple[float, str, Released | None]:
    """The share that is done, what is being done, and the model once it is there.

    Raises
    ------
    InvalidInput
        If it ended without one.
    """
    return _now().model.state()


def prepare_twin(made: TwinPlan, place: str, data_set: str, actor: str) -> None:
    """As `dpcore.release.twin.twin.prepare`, with the ledger at `place`."""
    held = _now()
    with _ledger(place) as ledger:
        held.twin.prepared = twin.prepare(
            made, held.table, ledger=ledger, data_set=data_set, actor=actor
        )


def pay_twin(place: str) -> Receipt:
    """Pay for the twin that was prepared, once."""
    return _now().twin.pay(place)


def measure() -> None:
    """Begin to measure the twin that was paid."""
    _now().twin.begin()


def measured() -> tuple[float, str, Twin | None]:
    """As `trained`, of the twin."""
    return _now().twin.state()


def _now() -> _Held:
    if _held is None:
        raise _gone()
    return _held


def _ledger(place: str) -> closing[Ledger]:
    return closing(Ledger.open(place, must_exist=True))


def _gone() -> InvalidInput:
    return InvalidInput("The records are no longer there: choose the file again.")
