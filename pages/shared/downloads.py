"""Download public data sets from their publishers, on request."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets import DataUnavailable, load
from pages.shared.verbatim import refuse


def fetch(key: str) -> None:
    """Download a public data set, with progress on the page."""
    bar = st.progress(0.0, text="Asking the publisher")

    def progress(share: float, text: str) -> None:
        bar.progress(min(1.0, share), text=text)

    try:
        load(key, progress=progress)
    except DataUnavailable as refusal:
        refuse(refusal, ":material/cloud_off:")
    else:
        st.rerun()
