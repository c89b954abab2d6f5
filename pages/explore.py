"""Explore: what privacy costs on a data set, and what it buys."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.errors import InvalidInput
from pages.parts import answer, controls, loaders

if TYPE_CHECKING:
    from pages.parts.view import View

for complaint in controls.link_complaints():
    st.warning(complaint, icon=":material/link_off:")

try:
    choice = controls.sidebar()
except InvalidInput as refusal:
    st.error(str(refusal), icon=":material/block:")
    st.stop()

missing = loaders.missing(choice)
if missing:
    answer.how_to_get(choice.study.dataset, missing)
    st.stop()


@cache
def view() -> View | InvalidInput:
    """What the page shows, computed once a run, or why it cannot be."""
    # Imported here because the risk to one person, which needs no data, is on screen before.
    from pages.parts.view import gather

    try:
        return gather(choice)
    except InvalidInput as refusal:
        return refusal


slots = answer.layout()
answer.at_chosen_epsilon(choice, view, lambda: view.cache_info().currsize > 0, slots)
shown = view()
if isinstance(shown, InvalidInput):
    st.error(str(shown), icon=":material/block:")
    st.stop()

from pages.parts import detail, training  # noqa: E402

answer.heading(shown, slots)
answer.main_figure(shown, slots)
detail.tabs(shown, slots)
with slots.training:
    training.watch(shown.to_train, shown.split)
