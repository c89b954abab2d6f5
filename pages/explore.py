"""Explore: what privacy costs on a data set, and what it buys."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from pages.parts import answer, controls, loaders, training
from pages.parts.loaders import Missing

for complaint in controls.link_complaints():
    st.warning(complaint, icon=":material/link_off:")

try:
    choice = controls.sidebar()
    study, split, published = loaders.records_of(choice)
except InvalidInput as refusal:
    st.error(str(refusal), icon=":material/block:")
    st.stop()
except Missing as missing:
    answer.how_to_get(choice.study.dataset, str(missing))
    st.stop()

to_train = [
    training.trained_study(study, method, split) for method in loaders.trained_methods(study)
]
view = answer.gather(study, to_train, split, choice.methods)
answer.heading(view, published=published)
slots = answer.layout(view)
answer.at_chosen_epsilon(view, slots)
answer.tabs(view, slots)
training.start(to_train, split)
with slots.training:
    training.watch(to_train, split)
