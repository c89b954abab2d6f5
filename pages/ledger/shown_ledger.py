"""Choose the ledger that the page shows: the server's, or where it has none a demonstration."""

from __future__ import annotations

from dpcore.release import demonstration
from dpcore.release.ledger import GaussianSpend, Ledger
from dpcore.release.roles import Actor
from pages.shared import server_ledger
from pages.shared.session import once

SPENDS = ((2.6, "model: risk of a fall"), (3.4, "model: length of stay"))


def is_demonstration(person: Actor) -> bool:
    """Whether there is no ledger for somebody."""
    return not server_ledger.place(person)


def opened(person: Actor) -> Ledger:
    """Open the ledger for somebody."""
    if is_demonstration(person):
        return once("demonstration ledger", _demonstration)
    return server_ledger.opened(server_ledger.place(person))


def _demonstration() -> Ledger:
    ledger = demonstration.ledger()
    for noise, purpose in SPENDS:
        spend = GaussianSpend(noise)
        ledger.spend(demonstration.DATA_SET, spend, actor=demonstration.ACTOR, purpose=purpose)
    return ledger
