"""Offer Explore's results as CSV, command lines and Python code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dpcore.evaluation.at_epsilon import ModelAtEpsilon
from dpcore.evaluation.curves import for_a_file
from dpcore.questions.register import named
from dpcore.questions.told import YOUR_COLUMNS, commands, snippet
from pages.explore import report, texts
from pages.shared.charts import download_csv, show_table
from pages.shared.code import show_command, show_python

if TYPE_CHECKING:
    from pages.explore.view import View


def show(view: View, model: ModelAtEpsilon) -> None:
    """Show the table, its CSV, the report, and two ways to compute the table again.

    It holds the chosen methods, and the one on the first screen.
    """
    taken = view.with_method(model.method)
    study = taken.study
    table = pd.concat(map(for_a_file, taken.chosen_tables), ignore_index=True)
    name = f"{study.dataset}_{study.loss}"
    show_table(table, name, "Every number of the chosen methods")
    if not view.decision.is_at_one_half:
        st.caption(texts.AT_THE_THRESHOLD)
    with st.container(horizontal=True, gap="small"):
        download_csv(table, name)
        report.show(view, model)
    parts = [named("cost")(part) for part in taken.parts]
    show_command(commands(parts))
    columns_note = f" {YOUR_COLUMNS} holds the description of its columns." if study.columns else ""
    st.caption(f"With --every-run it lists every single run.{columns_note}")
    show_python(snippet(*parts))
