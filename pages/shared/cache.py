"""What every page says once where nothing can be kept for later."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets import cache
from pages.shared.verbatim import verbatim


def tell() -> None:
    """Why nothing can be kept, above the page; nothing where it can."""
    said = cache.complaint()
    if said:
        st.warning(verbatim(said), icon=":material/save:")
