"""Show what privacy costs on a data set, and what it buys."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from pages.explore import answer, controls
from pages.explore.layout import layout, places
from pages.shared import address, widgets, work

address.check_once("explore", controls.validate_link)
controls.mean_what_is_named()

start = controls.start()
line_place, work_place = answer.title(start), st.container()
try:
    choice = controls.rest(start)
    if start.missing:
        work.only(work.CURVES, ())
        answer.how_to_get(start)
        widgets.let_go_of_preset("explore")
        st.stop()
    from pages.explore import asked, side_by_side, view

    with work_place:
        contents = view.gather(choice)
except InvalidInput as refusal:
    work.only(work.CURVES, ())
    answer.show_refusal(start, line_place, refusal)
    widgets.let_go_of_preset("explore")
    st.stop()

delta_warning = controls.tell_delta(start, contents.delta, contents.records.first.records)
answer.heading(start, contents, line_place)
above = places()
with above.warnings:
    answer.warnings(start, contents, delta_warning)
if isinstance(contents, view.Pending):
    work.only(work.CURVES, contents.first.keys)
    answer.skeleton(above)
    with above.training:
        work.watch([contents.first])
else:
    slots = layout(start, above)
    judging = (*asked.jobs(contents, slots), *side_by_side.jobs(contents, slots))
    others = [contents.others] if contents.others else []
    answer.at_chosen_epsilon(contents, slots)
    with slots.notes:
        answer.notes(contents)
    trained = {key for job in others for key in job.keys}
    judged = asked.in_hand(contents, slots.tab, {key for job in judging for key in job.keys})
    work.only(work.CURVES, trained | judged)
    with slots.training:
        work.watch([*judging, *others])
widgets.let_go_of_preset("explore")
