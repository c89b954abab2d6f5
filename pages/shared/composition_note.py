"""Note that several releases mostly cost less than the sum of their ε, with the reason."""

from __future__ import annotations

import streamlit as st

from pages.shared import texts


def draw() -> None:
    """Draw the note, with its reason one click away."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(texts.COMPOSED, width="content")
        with st.popover("Why?", type="tertiary"):
            st.markdown(texts.WHY_COMPOSED)
