"""Explore: what privacy costs on a data set, and what it buys."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dpcore.errors import InvalidInput
from pages.explore import answer, controls, presets
from pages.explore.layout import layout
from pages.shared import job_panel, query, shared_jobs
from pages.shared.session import flag, lower_flag, raise_flag

complaint = controls.link_complaint()
if complaint:
    st.warning(complaint, icon=":material/link_off:")
query.tell_restated("explore")

# What needs neither data nor a slow library is drawn first: the browser then gets its own
# libraries ready while the rest is computed here. What may well be refused is checked first.
first = controls.start()
written, working, said = answer.title(first), st.container(), st.container()
slots = None
if not (first.missing or first.upload or flag("refused")):
    slots = layout(first)
    if not flag("drawn"):
        answer.early(first, slots)

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
    if slots is not None:
        raise_flag("refused")
        st.rerun()
    shared_jobs.only(shared_jobs.CURVES, ())
    answer.refused(first, written, str(refusal))
    presets.drawn()
    st.stop()

lower_flag("refused")
first = replace(first, delta=shown.delta)
too_large = controls.tell_delta(first, shown.delta, shown.split.records)
slots = slots or layout(first)
answer.heading(first, shown, written, said)
if too_large:
    said.warning(too_large, icon=":material/warning:")
answer.main_figure(shown, slots)
answer.at_chosen_epsilon(first, shown, slots)
detail.tabs(shown, slots)
shared_jobs.only(shared_jobs.CURVES, [key for each in shown.untrained for key in each.keys])
with slots.training:
    job_panel.watch(shown.untrained)
raise_flag("drawn")
presets.drawn()
