"""Show whether a claim is true: put on trial, or of each system what is known of it."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.atlas import SYSTEM
from dpcore.controls.verify import VIEW
from pages.atlas import cards, controls, court, every, own, trial
from pages.shared import address, frame
from pages.shared.session import control_value
from pages.shared.widgets import drawn

VIEWS = {"every": every.draw, "court": court.draw, "own": own.draw}

address.check_once("atlas", controls.validate_link)

if not (control_value(SYSTEM.key) or SYSTEM.key in st.query_params):
    frame.title("Is the claim true?")
    view = drawn(VIEW)
    if view in VIEWS:
        VIEWS[view]()
        st.stop()
choice = controls.sidebar()
if choice.chosen is not None:
    cards.alone(choice.chosen)
    st.stop()
if not choice.systems:
    cards.nothing(choice.search)
    st.stop()
trial.draw()
cards.numbers(choice.systems)
cards.listed(choice.systems)
cards.chart(choice.systems, choice.command)
