"""Why what is left of a budget pays for more than it seems to: a sentence, and why."""

from __future__ import annotations

import streamlit as st

from pages.shared import texts


def explain() -> None:
    """Draw the sentence, with its reason one click away."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(texts.COMPOSED, width="content")
        with st.popover("Why?", type="tertiary"):
            st.markdown(texts.WHY_COMPOSED)
