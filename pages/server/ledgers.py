"""Open the ledger that the operator names, or that somebody began on their machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import platformdirs
import streamlit as st

from dpcore.errors import reject
from dpcore.release.ledger import Ledger
from dpcore.release.roles import Actor
from dpcore.settings import LEDGER


def own_place() -> str:
    """Say where a ledger is begun by whoever sits at this machine."""
    return str(platformdirs.user_data_path("epsilon-explorer") / "ledger.db")


def place(person: Actor) -> str:
    """Say where the ledger is for somebody; "" for nowhere.

    One that was begun on this machine is for this machine alone, where nobody signs in.
    """
    is_own = not LEDGER.text and not person.email and Path(own_place()).is_file()
    return own_place() if is_own else LEDGER.text


def begin(where: str, data_set: str, **terms: Any) -> None:
    """Begin a data set for what is released here, and its ledger where there is none."""
    if where == own_place():
        try:
            Path(where).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            raise reject("ledger", where, "where a file can be written") from None
    ledger = Ledger.open(where)
    try:
        ledger.create(data_set, accepts=("gaussian",), **terms)
    finally:
        ledger.close()


@st.cache_resource(max_entries=1, show_spinner=False)
def opened(where: str) -> Ledger:
    """Open the ledger at this place; refuses one that cannot be opened."""
    return Ledger.open(where, must_exist=True)
