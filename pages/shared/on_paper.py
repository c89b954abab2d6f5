"""What a screen shows on hover, as a line that only a printed page has."""

from __future__ import annotations

from html import escape

import streamlit as st

from pages.shared.verbatim import seen


def line(text: str) -> None:
    """Show a line of plain text on paper alone; assets/page.css hides it on screen."""
    st.html(f'<p class="on_paper">{escape(seen(text))}</p>')
