"""Atlas: every system of the papers, what it claims, what is known of it, and where it runs."""

from __future__ import annotations

import streamlit as st

from app_pages.parts import atlas_answer, atlas_cards, atlas_controls, links

message = atlas_controls.heed()
if message:
    st.warning(message, icon=":material/link_off:")
links.tell_restated("atlas")

asked = atlas_controls.sidebar()
if asked.chosen is not None:
    atlas_cards.alone(asked.chosen)
    st.stop()
atlas_answer.title(asked.systems)
if not asked.systems:
    st.info("No system answers all of this.", icon=":material/search_off:")
    st.button("Show all systems", on_click=atlas_controls.clear)
    st.stop()
atlas_answer.numbers(asked.systems)
atlas_answer.chart(asked.systems, asked.command)
atlas_cards.listed(asked.systems)
