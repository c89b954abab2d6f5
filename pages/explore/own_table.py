"""Uploaded tables on Explore: the file, and the description of its columns."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.datasets.own import ENTRY, MOST_LETTERS, described, template
from dpcore.datasets.schema import Entry
from dpcore.errors import InvalidInput
from pages.explore import texts
from pages.shared import query, uploads
from pages.shared.session import control_value, set_controls, store, stored
from pages.shared.verbatim import refuse, verbatim

if TYPE_CHECKING:
    from pages.shared.uploads import File

COLUMNS, FILE, LAST = "own_columns", "upload_own", "own_entry"
EXAMPLE = """\
age: 18 to 90 years
smoker: one of no, yes
bmi: 15 to 50 kg/m²; unknown: NA
predict progression: 0 to 350"""


def entry_for(columns: str) -> Entry:
    """Entry of the description, or of the last valid one, so that the controls stay."""
    with suppress(InvalidInput):
        store(LAST, described(columns))
    last: Entry = stored(LAST) or ENTRY
    return last


def complaint(columns: str) -> str:
    """The error in the description; "" if there is none."""
    try:
        described(columns)
    except InvalidInput as refusal:
        return str(refusal)
    return ""


def controls() -> tuple[File | None, str]:
    """Draw the controls of the file and the description, and return both."""
    upload = uploads.field("Your file (CSV)", FILE, help=ENTRY.how_to_get)
    st.caption(texts.UPLOAD_IS_DROPPED)
    if upload is not None and not (control_value(COLUMNS) or "").strip():
        st.button(
            "Begin with the names in the file",
            icon=":material/edit_note:",
            on_click=_begin,
            args=(upload,),
            width="stretch",
        )
    previous = stored(COLUMNS)
    if previous and control_value(COLUMNS) is None and COLUMNS not in st.query_params:
        # The reader comes back from a data set or page without this control.
        set_controls({COLUMNS: previous})
        query.write(COLUMNS, previous)
    columns = st.text_area(
        "What its columns may hold",
        key=COLUMNS,
        placeholder=EXAMPLE,
        height=220,
        max_chars=MOST_LETTERS,
        help=texts.OWN_COLUMNS,
        bind="query-params",
    )
    store(COLUMNS, columns)
    return upload, (columns or "").strip()


def _begin(upload: File) -> None:
    try:
        set_controls({COLUMNS: template(upload.getvalue(), upload.name)})
    except InvalidInput as refusal:
        set_controls({COLUMNS: ""})
        st.toast(verbatim(str(refusal)), icon=":material/block:")


def how_to(columns: str) -> None:
    """Show what to upload, how to describe it, and the error in the description so far."""
    error = complaint(columns)
    if columns and error:
        refuse(error)
    st.markdown(ENTRY.task)
    st.markdown(
        "Hand over a text file (CSV: commas, semicolons or tabs) whose first line names the "
        "columns, and describe the columns that are used, one a line:"
    )
    st.code(EXAMPLE, language=None)
    st.markdown(texts.OWN_COLUMNS)
    st.info(
        "Both go into the controls on the left. The file stays on the machine that runs this page; "
        "the description goes into the link, the records never do.",
        icon=":material/upload_file:",
    )
