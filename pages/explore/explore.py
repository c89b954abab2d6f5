"""Explore: what privacy costs on a data set, and what it buys."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dpcore.errors import InvalidInput
from pages.explore import answer, controls, presets
from pages.explore.layout import layout
from pages.shared import job_panel, query, shared_jobs

complaint = controls.link_complaint()
if complaint:
    st.warning(complaint, icon=":material/link_off:")
query.tell_restated("explore")

first = controls.start()
written, working, said = answer.title(first), st.container(), st.container()
try:
    choice = controls.rest(first)
    if first.missing:
        shared_jobs.only(shared_jobs.CURVES, ())
        answer.how_to_get(first)
        presets.drawn()
        st.stop()
    from pages.explore import detail, view

    with working:
        shown = view.gather(choice)
except InvalidInput as refusal:
    shared_jobs.only(shared_jobs.CURVES, ())
    answer.refused(first, written, str(refusal))
    presets.drawn()
    st.stop()

first = replace(first, delta=shown.delta)
too_large = controls.tell_delta(first, shown.delta, shown.split.records)
slots = layout(first)
answer.heading(first, shown, written, said)
if too_large:
    said.warning(too_large, icon=":material/warning:")
answer.main_figure(shown, slots)
answer.at_chosen_epsilon(first, shown, slots)
detail.tabs(shown, slots)
shared_jobs.only(shared_jobs.CURVES, [key for each in shown.untrained for key in each.keys])
with slots.training:
    job_panel.watch(shown.untrained)
presets.drawn()
