"""Atlas: every system of the papers, its claim, what is known of it, and where it runs."""

from __future__ import annotations

import streamlit as st

from pages.atlas import answer, cards, controls
from pages.shared import query

query.tell("atlas", controls.validate_link())

choice = controls.sidebar()
if choice.chosen is not None:
    cards.alone(choice.chosen)
    st.stop()
answer.title(choice.systems)
if not choice.systems:
    st.info("No system answers all of this.", icon=":material/search_off:")
    st.button("Show all systems", on_click=controls.clear)
    st.stop()
answer.numbers(choice.systems)
answer.chart(choice.systems, choice.command)
cards.listed(choice.systems)
