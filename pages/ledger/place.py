"""Which ledger the page shows: the server's, or where it has none a demonstration."""

from __future__ import annotations

import os

import streamlit as st

from dpcore.release import demonstration
from dpcore.release.ledger import GaussianSpend, Ledger
from pages.shared.session import once

PLACE = "DPCORE_LEDGER"
"""Environment variable: the ledger of the server, a file or a URL."""
SPENDS = ((2.6, "model: risk of a fall"), (3.4, "model: length of stay"))


def is_demonstration() -> bool:
    """Whether the server has no ledger."""
    return not os.environ.get(PLACE)


def opened() -> Ledger:
    """The ledger.

    Raises
    ------
    InvalidInput
        If it cannot be opened.
    """
    if is_demonstration():
        return once("demonstration ledger", _demonstration)
    return _opened(os.environ[PLACE])


@st.cache_resource(max_entries=1, show_spinner=False)
def _opened(place: str) -> Ledger:
    return Ledger.open(place, must_exist=True)


def _demonstration() -> Ledger:
    ledger = demonstration.ledger()
    for noise, purpose in SPENDS:
        spend = GaussianSpend(noise)
        ledger.spend(demonstration.DATA_SET, spend, actor=demonstration.ACTOR, purpose=purpose)
    return ledger
