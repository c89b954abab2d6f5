"""What a screen shows on hover, as a line that only a printed page has."""

from __future__ import annotations

import streamlit as st

from pages.shared.verbatim import verbatim


def line(text: str, key: str) -> None:
    """Show a line on paper alone; assets/page.css hides it on screen.

    Parameters
    ----------
    text : str
    key : str
        Unique on the page.
    """
    with st.container(key=f"on_paper_{key}"):
        st.caption(verbatim(text))
