"""Hold what a release is paid from: a data set in the operator's ledger or the demonstration's."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from dpcore.guarantee import Adjacency
from dpcore.release import demonstration
from dpcore.release.certificate import About
from dpcore.release.ledger import Ledger
from dpcore.release.plan import ReleasePlan
from dpcore.release.release import Released
from dpcore.release.twin.twin import Twin, TwinPlan
from pages.release.attempt import Attempts
from pages.shared import server_ledger

_lock = threading.Lock()
_accounts: dict[tuple[str, str], tuple[Attempts[Released], Attempts[Twin]]] = {}
"""By ledger and data set: whoever loads the page anew finds the release that is under way."""


@dataclass(frozen=True, eq=False)
class PayingAccount:
    """A data set of a ledger, and the attempts to release from it."""

    ledger: Ledger
    place: str
    data_set: str
    attempts: Attempts[Released]
    twins: Attempts[Twin]


@dataclass(frozen=True)
class ReleaseOrder:
    """What is to be released, and from which account."""

    plan: ReleasePlan
    about: About
    actor: str
    account: PayingAccount


@dataclass(frozen=True)
class TwinOrder:
    """Which twin is to be made, and from which account."""

    plan: TwinPlan
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
            adjacency: PayingAccount(ledger, "memory", data_set, Attempts(), Attempts())
            for adjacency, data_set in ((agreed.adjacency, name), (replaced, other))
        }

    def account(self, adjacency: Adjacency) -> PayingAccount:
        """Return the account of the made-up patients."""
        return self._accounts[adjacency]


def account(where: str, data_set: str) -> PayingAccount:
    """Return the account of a data set in the ledger at this place."""
    with _lock:
        attempts, twins = _accounts.setdefault((where, data_set), (Attempts(), Attempts()))
    return PayingAccount(server_ledger.opened(where), where, data_set, attempts, twins)
