"""An uploaded table, and what is released of it, in a confined process (`dpcore.confined`).

The functions here run in that process, which holds one table. Records, exact sums and the noise
stay in it; callers get the number of persons, how many values were clipped, the receipt, and what
was released.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any, Generic, Literal, TypeVar

from dpcore.datasets.encoding import Clipping
from dpcore.errors import InvalidInput
from dpcore.progress import Progress
from dpcore.release import release as releasing
from dpcore.release import summary
from dpcore.release.certificate import About
from dpcore.release.ledger import Ledger, Receipt
from dpcore.release.payment import Paid, Payable
from dpcore.release.plan import ReleasePlan
from dpcore.release.release import Prepared, Released
from dpcore.release.table import ReleaseTable, read_for_release
from dpcore.release.twin import twin

Kind = Literal["twin", "table"]
MEASUREMENTS: dict[Kind, Any] = {"twin": twin, "table": summary}
"""What is measured once of a table, each with its `prepare`, `pay`, `measure` and `seal`."""
FAULT = "It ended by a fault of the program."

Ready = TypeVar("Ready", bound=Payable)
Result = TypeVar("Result")


class BackgroundWork(Generic[Result]):
    """A thread that makes what was paid for, so that the process still answers."""

    def __init__(self, make: Callable[[Progress], Result]) -> None:
        self.share, self.doing, self.refusal = 0.0, "", ""
        self.result: Result | None = None
        threading.Thread(target=self._run, args=(make,), daemon=True).start()

    def _report(self, share: float, doing: str) -> None:
        self.share, self.doing = share, doing

    def _run(self, make: Callable[[Progress], Result]) -> None:
        try:
            self.result = make(self._report)
        except BaseException as error:
            self.refusal = str(error) if isinstance(error, InvalidInput) else FAULT

    def state(self) -> tuple[float, str, Result | None]:
        """The share that is done, what is being done, and the result; refuses without one."""
        if self.refusal:
            raise InvalidInput(self.refusal)
        return self.share, self.doing, self.result


class ReleaseSteps(Generic[Ready, Result]):
    """The steps of one kind of release of the table; each is possible once."""

    def __init__(
        self,
        pay: Callable[[Ready, Ledger], Paid[Ready]],
        make: Callable[[Paid[Ready], Progress], Result],
    ) -> None:
        self._pay, self._make = pay, make
        self.prepared: Ready | None = None
        self._paid: Paid[Ready] | None = None
        self._work: BackgroundWork[Result] | None = None

    def pay(self, place: str) -> Receipt:
        """Pay for what is prepared, from the ledger at `place`."""
        prepared, self.prepared = self.prepared, None
        if prepared is None:
            raise _no_records()
        with _ledger(place) as ledger:
            self._paid = self._pay(prepared, ledger)
        return self._paid.receipt

    def begin(self) -> None:
        """Begin to make what is paid."""
        paid, self._paid = self._paid, None
        if paid is None:
            raise _no_records()
        self._work = BackgroundWork(lambda progress: self._make(paid, progress))

    def state(self) -> tuple[float, str, Result | None]:
        if self._work is None:
            raise _no_records()
        return self._work.state()


class _TableReleases:
    def __init__(self, table: ReleaseTable) -> None:
        self.table = table
        self.model: ReleaseSteps[Prepared, Released] = ReleaseSteps(
            releasing.pay, lambda paid, progress: releasing.train(paid, progress=progress)
        )
        self.measured: dict[Kind, ReleaseSteps[Any, Any]] = {
            kind: ReleaseSteps(steps.pay, partial(_measured, steps))
            for kind, steps in MEASUREMENTS.items()
        }


def _measured(steps: Any, paid: Paid[Any], progress: Progress) -> Any:
    return steps.measure(paid, progress=progress)


_releases: _TableReleases | None = None


def load_table(columns: str, data: bytes, filename: str) -> int:
    """Read a table by `read_for_release` and store it here; returns its number of persons."""
    global _releases
    _releases = _TableReleases(read_for_release(columns, data, filename))
    return _releases.table.count


def clipping() -> Clipping:
    """What was clipped of the table: for its owner's eyes alone."""
    return _current_releases().table.clipping


def prepare(plan: ReleasePlan, about: About, place: str, data_set: str, actor: str) -> None:
    """As `dpcore.release.release.prepare`, with the ledger at `place`."""
    releases = _current_releases()
    with _ledger(place) as ledger:
        releases.model.prepared = releasing.prepare(
            plan, releases.table, about=about, ledger=ledger, data_set=data_set, actor=actor
        )


def pay(place: str) -> Receipt:
    """Pay for what was prepared, once."""
    return _current_releases().model.pay(place)


def train() -> None:
    """Begin the training that was paid."""
    _current_releases().model.begin()


def trained() -> tuple[float, str, Released | None]:
    """The share that is done, what is being done, and the model; refuses if it ended without."""
    return _current_releases().model.state()


def prepare_measurement(kind: Kind, plan: Any, place: str, data_set: str, actor: str) -> None:
    """As `prepare` of one of `MEASUREMENTS`, with the ledger at `place`."""
    releases = _current_releases()
    with _ledger(place) as ledger:
        releases.measured[kind].prepared = MEASUREMENTS[kind].prepare(
            plan, releases.table, ledger=ledger, data_set=data_set, actor=actor
        )


def pay_measurement(kind: Kind, place: str) -> Receipt:
    """Pay for the measurement that was prepared, once."""
    return _current_releases().measured[kind].pay(place)


def measure(kind: Kind) -> None:
    """Begin the measurement that was paid."""
    _current_releases().measured[kind].begin()


def measured(kind: Kind) -> tuple[float, str, Any]:
    """As `trained`, of the measurement."""
    return _current_releases().measured[kind].state()


def _current_releases() -> _TableReleases:
    if _releases is None:
        raise _no_records()
    return _releases


def _ledger(place: str) -> closing[Ledger]:
    return closing(Ledger.open(place, must_exist=True))


def _no_records() -> InvalidInput:
    return InvalidInput("The records are no longer there: choose the file again.")
