"""Draw the form for a higher cap, with a reason: an entry that stays."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from dpcore.release.ledger import Ledger
from dpcore.release.ledger.spends import LONGEST_TEXT
from dpcore.release.roles import Actor
from pages.ledger import texts
from pages.shared.verbatim import refuse


def draw(ledger: Ledger, data_set: str, person: Actor) -> None:
    """Draw the form, and raise the cap once it is submitted."""
    epsilon, delta = ledger.left(data_set).cap
    with st.form(f"raise {data_set}"):
        st.markdown("**Raise the cap**", help=texts.RAISE)
        numbers = st.columns(2)
        with numbers[0]:
            new_epsilon = st.number_input("New ε", epsilon, None, epsilon, format="%.6g")
        with numbers[1]:
            new_delta = st.number_input("New δ", delta, 1.0, delta, format="%.3g")
        reason = st.text_input("Reason", max_chars=LONGEST_TEXT)
        actor = person.email or st.text_input("Who raises it", max_chars=LONGEST_TEXT)
        is_submitted = st.form_submit_button("Raise it for good", icon=":material/add:")
    if not is_submitted:
        return
    try:
        ledger.raise_cap(data_set, epsilon=new_epsilon, delta=new_delta, reason=reason, actor=actor)
    except InvalidInput as refusal:
        refuse(refusal)
    else:
        st.rerun()  # with the entry that it made
