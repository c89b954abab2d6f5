"""Made-up records on Explore: a stand-in or a twin, without a file to choose there."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.shared import doors, uploads
from pages.shared.own_table import COLUMNS


def explore(name: str, label: str, make: Callable[[], tuple[str, str]]) -> None:
    """Draw a button that opens Explore on made-up records.

    Parameters
    ----------
    name : str
        Of the file, as Explore shows it.
    label : str
    make : callable
        Gives the CSV and the description of its columns.
    """
    if st.button(label, key=f"explore {name}", icon=":material/arrow_forward:"):
        csv, columns = make()
        uploads.hand_over(name, csv.encode())
        script, link = doors.door_to("What does it cost?", data="Your own table")
        st.switch_page(script, query_params=link | {COLUMNS: columns})
