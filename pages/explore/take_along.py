"""Explore's results as CSV, command lines and Python code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dpcore.export.explore import YOUR_COLUMNS, commands, snippet
from pages.shared.charts import download_csv
from pages.shared.code import show_command, show_python

if TYPE_CHECKING:
    from pages.explore.view import View


def show(view: View) -> None:
    """Show the table, its CSV, and two ways to compute it again."""
    study = view.study
    st.dataframe(view.table, hide_index=True, height=320, alt="Every number behind the figures")
    download_csv(view.table, f"{study.dataset}_{study.loss}")
    show_command(commands(view.closed, view.to_train))
    columns_note = f" {YOUR_COLUMNS} holds the description of its columns." if study.columns else ""
    st.caption(
        "Each command gives one part of the table on screen. Without --summary it lists every "
        f"single run.{columns_note}"
    )
    show_python(snippet(study, view.to_train))
