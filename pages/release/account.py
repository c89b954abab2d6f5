"""What a release is made of and paid from: records, and an account in a ledger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from dpcore.datasets.own import read_own
from dpcore.datasets.sets.cohort import ENTRY
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.progress import Progress
from dpcore.release import demonstration
from dpcore.release import release as releasing
from dpcore.release.certificate import About
from dpcore.release.ledger import Ledger
from dpcore.release.plan import Plan
from dpcore.release.release import Paid, Prepared, Released
from pages.release import texts
from pages.release.attempt import Attempt, Attempts, Work


@dataclass(frozen=True, eq=False)
class Account:
    """A data set of a ledger, and the attempts to release from it.

    Parameters
    ----------
    ledger : Ledger
    data_set : str
    attempts : Attempts
    """

    ledger: Ledger
    data_set: str
    attempts: Attempts


@dataclass(frozen=True)
class Order:
    """What is to be released, and from which account.

    Parameters
    ----------
    plan : Plan
    about : About
    actor : str
    account : Account
    """

    plan: Plan
    about: About
    actor: str
    account: Account


class Records(Protocol):
    """A table whose records stay where they are: the steps of its release go there."""

    @property
    def title(self) -> str:
        """In words, such as "made-up patients"."""

    @property
    def columns(self) -> str:
        """Their description."""

    @property
    def count(self) -> int:
        """Number of records, which is public."""

    def prepare(self, order: Order, progress: Progress, cancelled: Callable[[], bool]) -> None:
        """As `dpcore.release.release.prepare`."""

    def pay(self) -> None:
        """As `dpcore.release.release.pay`, for what was prepared."""

    def train(self, progress: Progress) -> Released:
        """As `dpcore.release.release.train`, for what was paid."""


@dataclass
class MadeUp:
    """The demonstration's patients, who are nobody, in the server's own process."""

    title: str = "made-up patients"
    columns: str = field(default_factory=demonstration.columns)
    count: int = ENTRY.records
    _order: Order | None = None
    _prepared: Prepared | None = None
    _paid: Paid | None = None

    def prepare(self, order: Order, progress: Progress, cancelled: Callable[[], bool]) -> None:
        """See `Records`."""
        self._order = order
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

    def pay(self) -> None:
        """See `Records`."""
        assert self._order is not None
        assert self._prepared is not None
        self._paid = releasing.pay(self._prepared, self._order.account.ledger)

    def train(self, progress: Progress) -> Released:
        """See `Records`."""
        assert self._paid is not None
        return releasing.train(self._paid, progress=progress)


def work(records: Records, order: Order) -> Work:
    """What an attempt does, in a thread of its own."""

    def made(attempt: Attempt) -> None:
        # What may be missing, before anything is paid.
        import onnx  # noqa: F401

        records.prepare(order, attempt.report, lambda: not attempt.is_wanted)
        attempt.commit()
        records.pay()
        attempt.paid()
        released = records.train(attempt.report)
        attempt.files = released.files()
        try:
            attempt.released = releasing.seal(released, order.account.ledger)
        except InvalidInput as refusal:
            attempt.released = released
            attempt.refusal = texts.UNSEALED.format(
                hash=released.certificate.hash, entry=released.receipt.entry, refusal=refusal
            )

    return made


class Demonstration:
    """A visitor's own ledger in memory."""

    def __init__(self) -> None:
        self._ledger, name = demonstration.ledger(), demonstration.DATA_SET
        agreed = self._ledger.left(name).account.terms
        replaced = Adjacency.REPLACE_ONE
        other = f"{name} ({replaced})"
        self._ledger.create(
            other,
            person_unit=agreed.person_unit,
            adjacency=replaced,
            epsilon=agreed.epsilon,
            delta=agreed.delta,
            owner=agreed.owner,
            accepts=agreed.accepts,
        )
        self._accounts = {
            adjacency: Account(self._ledger, data_set, Attempts())
            for adjacency, data_set in ((agreed.adjacency, name), (replaced, other))
        }

    def account(self, adjacency: Adjacency) -> Account:
        """The account of the made-up patients under an adjacency."""
        return self._accounts[adjacency]
