"""Predict by a released model, for one person or for the records of a file."""

from __future__ import annotations

import streamlit as st

from dpcore.controls.predict import EVERY
from dpcore.errors import InvalidInput
from dpcore.release.roles import Role
from pages.predict import answer, certificate, controls
from pages.shared import address, frame
from pages.shared.page_links import PREDICT
from pages.shared.verbatim import refuse

address.check_once("predict", lambda: address.validate_link(EVERY))
frame.title(PREDICT)
frame.show_visitor(frame.needed_visitor(Role.READER))
choice = controls.sidebar()
if choice is None:
    st.markdown(controls.FIRST)
elif isinstance(choice, InvalidInput):
    refuse(choice)
else:
    certificate.line(choice)
    if choice.for_many:
        answer.show_for_many(choice)
    else:
        answer.drop_file()
        answer.show(choice)
    certificate.show(choice)
