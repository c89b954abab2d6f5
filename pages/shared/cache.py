"""The warning on every page if the cache folder cannot be written."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets import cache
from pages.shared.verbatim import verbatim


def tell() -> None:
    """Warn above the page why results cannot be kept; show nothing if they can."""
    complaint = cache.complaint()
    if complaint:
        st.warning(verbatim(complaint), icon=":material/save:")
