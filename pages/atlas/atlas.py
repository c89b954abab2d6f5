"""Atlas: every system of the papers, what it claims, what is known of it, and where it runs."""

from __future__ import annotations

import streamlit as st

from pages.atlas import answer, cards, controls
from pages.shared import query

message = controls.validate_link()
if message:
    st.warning(message, icon=":material/link_off:")
query.tell_restated("atlas")

asked = controls.sidebar()
if asked.chosen is not None:
    cards.alone(asked.chosen)
    st.stop()
answer.title(asked.systems)
if not asked.systems:
    st.info("No system answers all of this.", icon=":material/search_off:")
    st.button("Show all systems", on_click=controls.clear)
    st.stop()
answer.numbers(asked.systems)
answer.chart(asked.systems, asked.command)
cards.listed(asked.systems)
