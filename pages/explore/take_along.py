"""Explore's results as CSV, command lines and Python code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.evaluation.marks import marked
from dpcore.export.explore import YOUR_COLUMNS, commands, snippet
from pages.shared.verbatim import csv

if TYPE_CHECKING:
    from pages.explore.view import View


def show(view: View) -> None:
    """Show the table, its CSV, and two ways to compute it again."""
    study = view.study
    st.dataframe(view.table, hide_index=True, height=320, alt="Every number behind the figures")
    st.download_button(
        "Download CSV",
        csv(marked(view.table)),
        file_name=f"{study.dataset}_{study.loss}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
    st.markdown("**Command line**")
    st.code(commands(view.closed, view.to_train), language="bash", wrap_lines=True)
    columns_note = f" {YOUR_COLUMNS} holds the description of its columns." if study.columns else ""
    st.caption(
        "Each command gives one part of the table on screen. Without --summary it lists every "
        f"single run.{columns_note}"
    )
    st.markdown("**Python**")
    st.code(snippet(study, view.to_train), language="python", wrap_lines=True)
