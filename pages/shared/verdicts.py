"""Show what a paper concludes from a figure beside what is seen in it here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.verbatim import verbatim

if TYPE_CHECKING:
    from dpcore.reproduction.report import Conclusion


def show(conclusions: Sequence[Conclusion], note: str) -> None:
    """Draw a line for each conclusion, its verdict first."""
    st.markdown("**What the paper concludes, and what is seen here**")
    for one in conclusions:
        st.markdown(f"- **{one.verdict}**: {verbatim(one.claim)} {verbatim(one.seen)}")
    st.caption(note)
