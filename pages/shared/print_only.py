"""Draw lines that only a printed page has, for what the screen shows on hover."""

from __future__ import annotations

from html import escape

import streamlit as st

from pages.shared.verbatim import printable_line


def line(text: str) -> None:
    """Show a line of plain text on paper alone; assets/page.css hides it on screen."""
    st.html(f'<p class="on_paper">{escape(printable_line(text))}</p>')
