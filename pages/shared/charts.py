"""Show figures and tables on a page, with their sentences and CSV files."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.evaluation.marks import marked
from dpcore.figures.drawn import Drawn
from dpcore.figures.headings import heading
from dpcore.spreadsheet import csv
from dpcore.words import spaced
from pages.shared import print_only
from pages.shared.code import show_command, show_python
from pages.shared.session import control_text
from pages.shared.verbatim import verbatim

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd


PICTURE, PICTURES = "picture_format", ("png", "svg")
"""Key of the control that says as what a chart is saved, and the kinds of file."""
NO_HEADINGS: Mapping[str, str] = MappingProxyType({})
# A longer table scrolls, and paper has the rows in view.
MAX_ROWS = 8


def plot(drawn: Drawn, key: str) -> None:
    """Show a figure with its alternative text, and its sentence below."""
    kind = control_text(PICTURE) or PICTURES[0]
    st.plotly_chart(
        drawn.written,
        key=key,
        theme=None,  # a figure carries its own
        alt=drawn.alt,
        # One button, which assets/page.css places; a double click resets the view.
        config={
            "displaylogo": False,
            "modeBarButtons": [["toImage"]],
            "toImageButtonOptions": {"format": kind, "filename": key, "scale": 2},
        },
    )
    st.markdown(verbatim(drawn.sentence), help=verbatim(drawn.detail) or None)


def download(
    table: pd.DataFrame, name: str, alt: str, headings: Mapping[str, str] = NO_HEADINGS
) -> None:
    """Show a table, and a button for its CSV."""
    show_table(table, name, alt, headings)
    download_csv(table, name)


def show_table(
    table: pd.DataFrame, name: str, alt: str, headings: Mapping[str, str] = NO_HEADINGS
) -> None:
    """Show a table with headings in words."""
    is_whole = len(table) <= MAX_ROWS
    st.dataframe(
        table,
        hide_index=True,
        height="auto" if is_whole else 320,
        column_config={each: heading(str(each)) for each in table.columns} | dict(headings),
        alt=alt,
        placeholder="–",
    )
    if not is_whole:
        print_only.line(f"{MAX_ROWS} of {spaced(len(table))} rows; the CSV has them all.")


def download_csv(table: pd.DataFrame, name: str) -> None:
    """Show a button for a table's CSV, with measures marked as not private."""
    st.download_button(
        "Download CSV",
        csv(marked(table)).encode(),
        file_name=f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        key=f"csv {name}",
    )


def table_behind(
    table: pd.DataFrame,
    name: str,
    alt: str,
    code: Callable[[], tuple[str, str]] | None = None,
) -> None:
    """Show a small button that opens the table behind a figure, with its CSV.

    `name` is the file's, and unique on the page; `code` returns the command line and the Python
    that compute the table again, the latter maybe "".
    """
    place = st.popover(
        "Table, CSV and code" if code else "Table and CSV",
        icon=":material/table:",
        type="tertiary",
        on_change="rerun",
        key=f"table {name}",
    )
    if place.open:
        with place:
            download(table, name, alt)
            if code:
                command, snippet = code()
                show_command(command)
                if snippet:
                    show_python(snippet)


def on_dark() -> bool:
    """Say whether the page has a dark background."""
    return bool(st.context.theme.type == "dark")
