"""Explore: what privacy costs on a data set, and what it buys."""

from __future__ import annotations

import streamlit as st

from app_pages.parts import answer, controls
from app_pages.parts.state import flag, raise_flag
from dpcore.errors import InvalidInput

for complaint in controls.link_complaints():
    st.warning(complaint, icon=":material/link_off:")

# What needs neither data nor a slow library is drawn first: the browser then gets its own
# libraries ready while the rest is computed here.
first = controls.start()
if not first.missing:
    slots = answer.layout()
    if not flag("drawn"):
        answer.early(first, slots)

try:
    choice = controls.rest(first)
    if first.missing:
        answer.how_to_get(first.dataset, first.missing)
        st.stop()
    from app_pages.parts import detail, training, view

    shown = view.gather(choice)
except InvalidInput as refusal:
    st.error(str(refusal), icon=":material/block:")
    st.stop()

answer.heading(shown, slots)
answer.main_figure(shown, slots)
answer.at_chosen_epsilon(first, shown, slots)
detail.tabs(shown, slots)
with slots.training:
    training.watch(shown.to_train, shown.split)
raise_flag("drawn")
