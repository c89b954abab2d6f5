"""Explore: what privacy costs on a data set, and what it buys."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from app_pages.parts import answer, controls, explore_presets, shared_jobs
from app_pages.parts.state import flag, lower_flag, raise_flag
from dpcore.errors import InvalidInput

complaint = controls.link_complaint()
if complaint:
    st.warning(complaint, icon=":material/link_off:")

# What needs neither data nor a slow library is drawn first: the browser then gets its own
# libraries ready while the rest is computed here. What may well be refused is checked first.
first = controls.start()
written, working, said = answer.title(first), st.container(), st.container()
slots = None
if not (first.missing or first.upload or flag("refused")):
    slots = answer.layout(first)
    if not flag("drawn"):
        answer.early(first, slots)

try:
    choice = controls.rest(first)
    if first.missing:
        shared_jobs.only(shared_jobs.CURVES, ())
        answer.how_to_get(first)
        explore_presets.drawn()
        st.stop()
    from app_pages.parts import detail, training, view

    with working:
        shown = view.gather(choice)
except InvalidInput as refusal:
    if slots is not None:
        raise_flag("refused")
        st.rerun()
    shared_jobs.only(shared_jobs.CURVES, ())
    answer.refused(first, written, str(refusal))
    explore_presets.drawn()
    st.stop()

lower_flag("refused")
first = replace(first, delta=shown.delta)
too_large = controls.tell_delta(first, shown.delta, shown.split.records)
slots = slots or answer.layout(first)
answer.heading(first, shown, written, said)
if too_large:
    said.warning(too_large, icon=":material/warning:")
answer.main_figure(shown, slots)
answer.at_chosen_epsilon(first, shown, slots)
detail.tabs(shown, slots)
with slots.training:
    training.watch(shown.untrained, shown.stopped)
raise_flag("drawn")
explore_presets.drawn()
