"""The ledger that the operator keeps for this server."""

from __future__ import annotations

import streamlit as st

from dpcore.release.ledger import Ledger
from dpcore.settings import LEDGER


def place() -> str:
    """Where the ledger is; "" for nowhere."""
    return LEDGER.text


@st.cache_resource(max_entries=1, show_spinner=False)
def opened(where: str) -> Ledger:
    """The ledger at this place.

    Raises
    ------
    InvalidInput
        If there is none, or it cannot be opened.
    """
    return Ledger.open(where, must_exist=True)
