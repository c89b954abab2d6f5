"""Hold the records that a model is released from; they stay in place, and the steps go there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from dpcore.datasets.clipping import Clipping
from dpcore.datasets.sets.cohort import ENTRY
from dpcore.datasets.text import quoted
from dpcore.progress import Progress
from dpcore.release import confined_release, demonstration
from dpcore.release import release as releasing
from dpcore.release.certificate import Record
from dpcore.release.payment import Paid
from dpcore.release.release import Prepared, Released
from dpcore.release.table import ReleaseTable, read_for_release
from dpcore.release.twin import twin
from dpcore.release.twin.twin import PreparedTwin, Twin
from pages.release.account import ReleaseOrder, TwinOrder
from pages.shared.uploads import Upload

LOOK_SECONDS = 0.2


class ChosenTable(Protocol):
    """A table of which the page knows what is public alone."""

    @property
    def title(self) -> str:
        """Title in words, such as "made-up patients"."""

    @property
    def columns(self) -> str:
        """Description of the columns."""

    @property
    def count(self) -> int:
        """Number of persons."""

    @property
    def clipping(self) -> Clipping:
        """Count values outside the ranges, which the owner alone may know."""

    def prepare(
        self, order: ReleaseOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        """Prepare as `dpcore.release.release.prepare`."""

    def pay(self, order: ReleaseOrder) -> None:
        """Pay for what was prepared, as `dpcore.release.release.pay`."""

    def train(self, progress: Progress) -> Released:
        """Train what was paid, as `dpcore.release.release.train`."""

    def prepare_twin(
        self, order: TwinOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        """Prepare as `dpcore.release.twin.twin.prepare`."""

    def pay_twin(self, order: TwinOrder) -> None:
        """Pay for what was prepared, as `dpcore.release.twin.twin.pay`."""

    def measure(self, progress: Progress) -> Twin:
        """Measure what was paid, as `dpcore.release.twin.twin.measure`."""


@dataclass
class MadeUp:
    """The demonstration's patients, who are nobody, in the server's own process."""

    title: str = "made-up patients"
    columns: str = field(default_factory=demonstration.columns)
    count: int = ENTRY.records
    clipping: Clipping = field(default_factory=Clipping)
    _prepared: Prepared | None = None
    _paid: Paid[Prepared] | None = None
    _prepared_twin: PreparedTwin | None = None
    _paid_twin: Paid[PreparedTwin] | None = None

    def prepare(
        self, order: ReleaseOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        self._prepared = releasing.prepare(
            order.plan,
            self._table(),
            about=order.about,
            ledger=order.account.ledger,
            data_set=order.account.data_set,
            actor=order.actor,
            progress=progress,
            cancelled=cancelled,
        )

    def pay(self, order: ReleaseOrder) -> None:
        assert self._prepared is not None
        self._paid = releasing.pay(self._prepared, order.account.ledger)

    def train(self, progress: Progress) -> Released:
        assert self._paid is not None
        return releasing.train(self._paid, progress=progress)

    def prepare_twin(
        self, order: TwinOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        self._prepared_twin = twin.prepare(
            order.plan,
            self._table(),
            ledger=order.account.ledger,
            data_set=order.account.data_set,
            actor=order.actor,
            progress=progress,
            cancelled=cancelled,
        )

    def pay_twin(self, order: TwinOrder) -> None:
        assert self._prepared_twin is not None
        self._paid_twin = twin.pay(self._prepared_twin, order.account.ledger)

    def measure(self, progress: Progress) -> Twin:
        assert self._paid_twin is not None
        return twin.measure(self._paid_twin, progress=progress)

    def _table(self) -> ReleaseTable:
        return read_for_release(self.columns, demonstration.table(), demonstration.FILE)


@dataclass(frozen=True)
class Uploaded:
    """A table of one's own, in its confined process, which pays and trains."""

    upload: Upload
    columns: str
    count: int
    clipping: Clipping

    @property
    def title(self) -> str:
        return f"{Record.of(self.columns).noun} of {quoted(self.upload.filename)}"

    def prepare(
        self, order: ReleaseOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        progress(0.0, "Reading the records, attacking the noise")
        account = order.account
        self.upload.ask(
            *(
                confined_release.prepare,
                order.plan,
                order.about,
                account.place,
                account.data_set,
                order.actor,
            )
        )

    def pay(self, order: ReleaseOrder) -> None:
        self.upload.ask(confined_release.pay, order.account.place)

    def train(self, progress: Progress) -> Released:
        self.upload.ask(confined_release.train)
        released: Released = self._wait_for(confined_release.trained, progress)
        return released

    def prepare_twin(
        self, order: TwinOrder, progress: Progress, cancelled: Callable[[], bool]
    ) -> None:
        progress(0.0, "Counting the records, attacking the noise")
        account = order.account
        self.upload.ask(
            *(
                confined_release.prepare_twin,
                order.plan,
                account.place,
                account.data_set,
                order.actor,
            )
        )

    def pay_twin(self, order: TwinOrder) -> None:
        self.upload.ask(confined_release.pay_twin, order.account.place)

    def measure(self, progress: Progress) -> Twin:
        self.upload.ask(confined_release.measure)
        measured: Twin = self._wait_for(confined_release.measured, progress)
        return measured

    def _wait_for(self, state: Callable[[], Any], progress: Progress) -> Any:
        while True:
            share, doing, result = self.upload.ask(state)
            progress(share, doing)
            if result is not None:
                return result
            time.sleep(LOOK_SECONDS)
