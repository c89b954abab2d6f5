"""Show whether the claim of each system is true, what is known of it, and where it runs."""

from __future__ import annotations

import streamlit as st

from pages.atlas import answer, cards, controls
from pages.shared import query, view_link

query.tell(controls.validate_link())

choice = controls.sidebar()
if choice.chosen is not None:
    cards.alone(choice.chosen)
    st.stop()
view_link.title("Is the claim true?")
if not choice.systems:
    answer.nothing(choice.search)
    st.stop()
answer.numbers(choice.systems)
cards.listed(choice.systems)
answer.chart(choice.systems, choice.command)
