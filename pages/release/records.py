"""The records that a model is released from; they stay where they are, and the steps go there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from dpcore.datasets.own import read_own
from dpcore.datasets.sets.cohort import ENTRY
from dpcore.datasets.text import quoted
from dpcore.progress import Progress
from dpcore.release import demonstration, held
from dpcore.release import release as releasing
from dpcore.release.release import Paid, Prepared, Released
from pages.release.account import Order
from pages.shared.uploads import Upload

LOOK_SECONDS = 0.2


class Records(Protocol):
    """A table of which the page knows what is public alone."""

    @property
    def title(self) -> str:
        """In words, such as "made-up patients"."""

    @property
    def columns(self) -> str:
        """Their description."""

    @property
    def count(self) -> int:
        """Number of records."""

    def prepare(self, order: Order, progress: Progress, cancelled: Callable[[], bool]) -> None:
        """As `dpcore.release.release.prepare`."""

    def pay(self, order: Order) -> None:
        """As `dpcore.release.release.pay`, for what was prepared."""

    def train(self, progress: Progress) -> Released:
        """As `dpcore.release.release.train`, for what was paid."""


@dataclass
class MadeUp:
    """The demonstration's patients, who are nobody, in the server's own process."""

    title: str = "made-up patients"
    columns: str = field(default_factory=demonstration.columns)
    count: int = ENTRY.records
    _prepared: Prepared | None = None
    _paid: Paid | None = None

    def prepare(self, order: Order, progress: Progress, cancelled: Callable[[], bool]) -> None:
        """See `Records`."""
        self._prepared = releasing.prepare(
            order.plan,
            read_own(self.columns, demonstration.table(), demonstration.FILE),
            about=order.about,
            ledger=order.account.ledger,
            data_set=order.account.data_set,
            actor=order.actor,
            progress=progress,
            cancelled=cancelled,
        )

    def pay(self, order: Order) -> None:
        """See `Records`."""
        assert self._prepared is not None
        self._paid = releasing.pay(self._prepared, order.account.ledger)

    def train(self, progress: Progress) -> Released:
        """See `Records`."""
        assert self._paid is not None
        return releasing.train(self._paid, progress=progress)


@dataclass(frozen=True)
class Uploaded:
    """A table of one's own, in its confined process, which pays and trains.

    Parameters
    ----------
    upload : Upload
    columns : str
    count : int
    """

    upload: Upload
    columns: str
    count: int

    @property
    def title(self) -> str:
        """See `Records`."""
        return f"records of {quoted(self.upload.filename)}"

    def prepare(self, order: Order, progress: Progress, cancelled: Callable[[], bool]) -> None:
        """See `Records`."""
        progress(0.0, "Reading the records, attacking the noise")
        account = order.account
        self.upload.ask(
            *(held.prepare, order.plan, order.about, account.place, account.data_set, order.actor)
        )

    def pay(self, order: Order) -> None:
        """See `Records`."""
        self.upload.ask(held.pay, order.account.place)

    def train(self, progress: Progress) -> Released:
        """See `Records`."""
        self.upload.ask(held.train)
        while True:
            share, doing, released = self.upload.ask(held.trained)
            progress(share, doing)
            if released is not None:
                result: Released = released
                return result
            time.sleep(LOOK_SECONDS)
