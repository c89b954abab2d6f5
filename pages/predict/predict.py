"""Predict by a released model, for one person or for the records of a file."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import InvalidInput
from dpcore.release.roles import Role
from pages.predict import answer, batch, certificate, controls, texts
from pages.shared import query, sign_in, view_link
from pages.shared.texts import PREDICT
from pages.shared.verbatim import refuse

query.tell(controls.validate_link())
view_link.title(PREDICT)
sign_in.who(sign_in.needed(Role.READER))
choice = controls.sidebar()
if choice is None:
    st.markdown(texts.FIRST)
elif isinstance(choice, InvalidInput):
    refuse(choice)
else:
    certificate.line(choice)
    if choice.for_many:
        batch.show(choice)
    else:
        batch.drop()
        answer.show(choice)
    certificate.show(choice)
