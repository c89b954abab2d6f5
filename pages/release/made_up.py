"""Made-up records on Explore: a stand-in or a twin, without a file to choose there."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dpcore.datasets.statements import restated
from pages.shared import doors, own_table, uploads
from pages.shared.session import control_value


def explore(name: str, label: str, note: str, make: Callable[[], tuple[str, str]]) -> None:
    """Draw a button that opens Explore on made-up records.

    Parameters
    ----------
    name : str
        Of the file, as Explore shows it.
    label : str
    note : str
        What results on these records mean.
    make : callable
        Gives the CSV and the description of its columns.
    """
    if st.button(label, key=f"explore {name}", icon=":material/arrow_forward:"):
        csv, columns = make()
        uploads.hand_over(name, csv.encode(), note)
        # Nothing of persons: Release may begin with these words, and a table's may have several
        # rows. They are not in the link, which must not set what is a field of this page.
        own_table.describe_next(restated(columns, None), is_made_up=True)
        mine = control_value(own_table.COLUMNS)
        if mine is not None:
            own_table.describe_next(mine, is_made_up=False)
        script, link = doors.door_to("What does it cost?", data="Your own table")
        link.pop(own_table.COLUMNS, None)
        st.switch_page(script, query_params=link)
