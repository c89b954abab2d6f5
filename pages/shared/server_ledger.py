"""The ledger that the operator keeps for this server."""

from __future__ import annotations

import os

import streamlit as st

from dpcore.release.ledger import Ledger

PLACE = "DPCORE_LEDGER"
"""Environment variable: a file or a URL."""


def place() -> str:
    """Where the ledger is; "" for nowhere."""
    return os.environ.get(PLACE, "").strip()


@st.cache_resource(max_entries=1, show_spinner=False)
def opened(where: str) -> Ledger:
    """The ledger at this place.

    Raises
    ------
    InvalidInput
        If there is none, or it cannot be opened.
    """
    return Ledger.open(where, must_exist=True)
