"""Plan: what a run costs, and what a budget buys."""

from __future__ import annotations

import streamlit as st

from app_pages.parts import plan_answer, plan_controls
from dpcore.errors import InvalidInput

message = plan_controls.heed_link()
if message:
    st.warning(message, icon=":material/link_off:")

try:
    asked = plan_controls.sidebar()
except InvalidInput as refusal:
    st.error(str(refusal), icon=":material/block:")
    st.stop()

plan_answer.show(asked)
