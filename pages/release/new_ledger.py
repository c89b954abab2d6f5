"""Draw the form that begins a ledger on this machine, with its first data set."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency
from dpcore.release.ledger.spends import LONGEST_TEXT
from pages.release import texts
from pages.shared import server_ledger
from pages.shared.verbatim import refuse, verbatim


def draw(place: str, adjacency: Adjacency) -> None:
    """Draw the form, and begin the ledger once it is submitted."""
    with st.form("new_ledger"):
        st.markdown(f"**{texts.NEW_LEDGER}**: {verbatim(place)}")
        cells = st.columns(3)
        name = cells[0].text_input("Name of the data set", max_chars=LONGEST_TEXT)
        unit = cells[1].text_input("One record is", "one patient", max_chars=LONGEST_TEXT)
        owner = cells[2].text_input("Who answers for it", max_chars=LONGEST_TEXT)
        epsilon = cells[0].number_input("ε for all that is ever released", 0.01, 100.0, 3.0, 0.5)
        delta = cells[1].number_input("δ for it", 1e-12, 0.1, 1e-5, format="%.3g")
        st.caption(texts.FOR_EVER.format(difference=adjacency.difference))
        is_submitted = st.form_submit_button(texts.NEW_LEDGER, icon=":material/add:")
    if not is_submitted:
        return
    try:
        server_ledger.begin(
            place,
            name,
            person_unit=unit,
            adjacency=adjacency,
            epsilon=epsilon,
            delta=delta,
            owner=owner,
        )
    except InvalidInput as refusal:
        refuse(refusal)
    else:
        st.rerun()  # with the account that it made
