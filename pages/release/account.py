"""Hold what a release is paid from, and run it in a thread of the server's process, paid once.

It is paid from a data set in the operator's ledger, or from the demonstration's.

An attempt is in no job store and no cache, so that nothing of it reaches the disk. A press of the
button carries the number of the attempts that its reader saw: of two presses of one button, or of a
button in a page that was left and loaded anew, one begins an attempt.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, Literal, TypeVar

from dpcore.errors import Cancelled, InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.release import demonstration
from dpcore.release.certificate import About
from dpcore.release.confined_release import Kind
from dpcore.release.ledger import Ledger, Refused
from dpcore.release.plan import ReleasePlan
from dpcore.release.release import Released
from dpcore.release.summary import PublishedSummary, SummaryPlan
from dpcore.release.twin.twin import Twin, TwinPlan
from pages.server import ledgers
from pages.shared.work import JobLine, State, Watched

PREPARING = "**Nothing is paid yet.**"
TRAINING = "**Paid**; it can no longer be cancelled. Keep this page open."
FAULT = "It ended by a fault of the program."
Phase = Literal[
    "preparing",
    "paying",
    "training",
    "released",
    "refused",
    "cancelled",
    "lost",
    "doubtful",
]
UNDER_WAY: tuple[Phase, ...] = ("preparing", "paying", "training")

Product = TypeVar("Product")
"""A released model, a private twin, or a table of numbers."""
Work = Callable[["Attempt[Product]"], None]

_Attempts = tuple["Attempts[Released]", "Attempts[Twin]", "Attempts[PublishedSummary]"]

_log = logging.getLogger(__name__)
_lock = threading.Lock()
_accounts: dict[tuple[str, str], _Attempts] = {}
"""By ledger and data set: whoever loads the page anew finds the release that is under way."""


class Attempt(Generic[Product]):
    """One release, of whatever kind, from the press of the button to its files.

    `work` calls `commit` before it pays and `paid` after, and leaves what was `released` and its
    `files`; `is_present` says whether its reader is still there.
    """

    def __init__(self, work: Work[Product], is_present: Callable[[], bool]) -> None:
        self._work, self._is_present, self._changing = work, is_present, threading.Lock()
        self.phase: Phase = "preparing"
        self.share, self.doing, self.refusal = 0.0, "", ""
        self.paid_at: datetime | None = None
        self.released: Product | None = None
        self.files: dict[str, bytes] = {}
        self._thread = threading.Thread(target=self._run, name="release", daemon=True)
        self._thread.start()

    @property
    def is_under_way(self) -> bool:
        """Whether it has not ended."""
        return self.phase in UNDER_WAY

    @property
    def is_wanted(self) -> bool:
        """Whether it was not cancelled, and its reader is still there."""
        return self.phase != "cancelled" and self._is_present()

    def wait(self) -> None:
        self._thread.join()

    def cancel(self) -> None:
        """End it, unless it may be paid already."""
        with self._changing:
            if self.phase == "preparing":
                self.phase = "cancelled"

    def commit(self) -> None:
        """Go where it can't be cancelled; raises `Cancelled` if it was, or nobody waits."""
        with self._changing:
            if not self.is_wanted:
                raise Cancelled
            self.phase = "paying"

    def paid(self) -> None:
        """Note that it is paid, for good."""
        self.paid_at = datetime.now(UTC)
        self.share, self.doing, self.phase = 0.0, "", "training"

    def report(self, share: float, doing: str) -> None:
        """Note how far its part before or after the payment is; see `dpcore.progress`."""
        self.share, self.doing = share, doing

    def _run(self) -> None:
        end: Phase = "released"
        is_refused = False
        try:
            self._work(self)
        except Cancelled:
            end = "cancelled"
        except InvalidInput as refusal:
            is_refused = isinstance(refusal, Refused)
            end, self.refusal = "refused", str(refusal)
        except Exception:
            _log.exception("A release ended early.")
            end, self.refusal = "refused", FAULT
        if end != "released" and self.phase == "training":
            end = "lost"
        elif end != "released" and self.phase == "paying" and not is_refused:
            end = "doubtful"
        self.phase = end


class Attempts(Generic[Product]):
    """Hold the attempts on one account, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.count = 0
        self.latest: Attempt[Product] | None = None

    def begin(
        self, count_when_drawn: int, work: Work[Product], is_present: Callable[[], bool]
    ) -> Attempt[Product] | None:
        """Begin an attempt; ``None`` if one is under way, or began since the button was drawn."""
        with self._lock:
            is_busy = self.latest is not None and self.latest.is_under_way
            if self.count != count_when_drawn or is_busy:
                return None
            self.count += 1
            self.latest = Attempt(work, is_present)
            return self.latest


class WatchedAttempt(Watched):
    """Show an attempt in the panel; only the visitor who began it (`begun`) may cancel it."""

    seconds = 0.3

    def __init__(
        self, attempt: Attempt[Any], begun: Attempt[Any] | None, name: str = "release"
    ) -> None:
        self.name, self._attempt, self._is_own = name, attempt, attempt is begun
        self._phase = attempt.phase
        self.drawn = self.state()

    def state(self) -> State:
        """Whether it is under way as it was drawn: once it is paid the page changes."""
        is_as_drawn = self._attempt.is_under_way and self._attempt.phase == self._phase
        return "running" if is_as_drawn else "done"

    def line(self) -> JobLine:
        """Say how far it is; it can be cancelled before its payment only."""
        attempt = self._attempt
        is_unpaid = attempt.phase == "preparing"
        words = f"{PREPARING if is_unpaid else TRAINING} {attempt.doing} …"
        return JobLine(words, attempt.share, "Cancel" if is_unpaid and self._is_own else "")

    def stop(self) -> None:
        """Cancel it, if it is this visitor's and not paid yet."""
        if self._is_own:
            self._attempt.cancel()


@dataclass(frozen=True, eq=False)
class PayingAccount:
    """A data set of a ledger, and the attempts to release from it."""

    ledger: Ledger
    place: str
    data_set: str
    attempts: Attempts[Released]
    twins: Attempts[Twin]
    tables: Attempts[PublishedSummary]


@dataclass(frozen=True)
class ReleaseOrder:
    """What is to be released, and from which account."""

    plan: ReleasePlan
    about: About
    actor: str
    account: PayingAccount


@dataclass(frozen=True)
class MeasurementOrder:
    """What is to be measured, a twin or a table of numbers, and from which account."""

    kind: Kind
    plan: TwinPlan | SummaryPlan
    actor: str
    account: PayingAccount


class Demonstration:
    """A visitor's own ledger in memory, with an account for each adjacency."""

    def __init__(self) -> None:
        ledger, name = demonstration.ledger(), demonstration.DATA_SET
        agreed = ledger.left(name).account.terms
        replaced, other = Adjacency.REPLACE_ONE, demonstration.REPLACED
        ledger.create(
            other,
            person_unit=agreed.person_unit,
            adjacency=replaced,
            epsilon=agreed.epsilon,
            delta=agreed.delta,
            owner=agreed.owner,
            accepts=agreed.accepts,
        )
        self._accounts = {
            adjacency: PayingAccount(ledger, "memory", data_set, Attempts(), Attempts(), Attempts())
            for adjacency, data_set in ((agreed.adjacency, name), (replaced, other))
        }

    def account(self, adjacency: Adjacency) -> PayingAccount:
        """Return the account of the made-up patients."""
        return self._accounts[adjacency]


def account(where: str, data_set: str) -> PayingAccount:
    """Return the account of a data set in the ledger at this place."""
    with _lock:
        attempts = _accounts.setdefault((where, data_set), (Attempts(), Attempts(), Attempts()))
    return PayingAccount(ledgers.opened(where), where, data_set, *attempts)
