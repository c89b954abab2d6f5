"""What a release is paid from: a data set in a ledger, the operator's or the demonstration's."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

import streamlit as st

from dpcore.guarantee import Adjacency
from dpcore.release import demonstration
from dpcore.release.certificate import About
from dpcore.release.ledger import Ledger
from dpcore.release.plan import Plan
from pages.release.attempt import Attempts

PLACE = "DPCORE_LEDGER"
"""Environment variable: the ledger of the server, a file or a URL."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
NOT_ALONE = (
    "Records are released only while the server listens on this machine alone "
    "(server.address is 127.0.0.1): start it so."
)

_lock = threading.Lock()
_attempts: dict[tuple[str, str], Attempts] = {}
"""By ledger and data set: whoever loads the page anew finds the release that is under way."""


@dataclass(frozen=True, eq=False)
class Account:
    """A data set of a ledger, and the attempts to release from it.

    Parameters
    ----------
    ledger : Ledger
    place : str
        Where the ledger is.
    data_set : str
    attempts : Attempts
    """

    ledger: Ledger
    place: str
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


class Demonstration:
    """A visitor's own ledger in memory, with an account for each adjacency."""

    def __init__(self) -> None:
        ledger, name = demonstration.ledger(), demonstration.DATA_SET
        agreed = ledger.left(name).account.terms
        replaced = Adjacency.REPLACE_ONE
        other = f"{name} ({replaced})"
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
            adjacency: Account(ledger, "memory", data_set, Attempts())
            for adjacency, data_set in ((agreed.adjacency, name), (replaced, other))
        }

    def account(self, adjacency: Adjacency) -> Account:
        """The account of the made-up patients."""
        return self._accounts[adjacency]


def place() -> str:
    """Where the operator keeps the server's ledger; "" for nowhere."""
    return os.environ.get(PLACE, "").strip()


@st.cache_resource(show_spinner=False)
def server_ledger(where: str) -> Ledger:
    """The ledger at this place.

    Raises
    ------
    InvalidInput
        If there is none, or it cannot be opened.
    """
    return Ledger.open(where, must_exist=True)


def account(where: str, data_set: str) -> Account:
    """The account of a data set in the ledger at this place."""
    with _lock:
        attempts = _attempts.setdefault((where, data_set), Attempts())
    return Account(server_ledger(where), where, data_set, attempts)


def may_spend() -> str:
    """Why nobody may pay for real records here, or "" where one may."""
    return "" if st.get_option("server.address") in LOOPBACK else NOT_ALONE
