"""Draw uploaded tables on Explore: the file, its columns' description, and what is refused."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dpcore.datasets.own.description import ENTRY, class_of, described
from dpcore.datasets.own.notation import MAX_LETTERS
from dpcore.datasets.schema import Entry
from dpcore.errors import InvalidInput
from pages.shared import own_form, own_reading, upload_limit, uploads
from pages.shared import own_texts as texts
from pages.shared.session import control_value, set_controls, store, stored
from pages.shared.verbatim import refuse

if TYPE_CHECKING:
    from pages.shared.uploads import File

COLUMNS, FILE, LAST = own_form.COLUMNS, "upload_own", "own_entry"
OPENED, NOT_OPENED = "own descriptions opened", "own description not opened"
MAX_LETTERS_IN_LINK = 6_000
"""A link with so many letters, of any script, is still short enough for servers."""
EXAMPLE = """\
fields:
- {name: age, type: number, unit: years, constraints: {minimum: 18, maximum: 90}}
- {name: smoker, type: string, constraints: {enum: ['no', 'yes']}}
- {name: bmi, type: number, constraints: {minimum: 15, maximum: 50}, missingValues: ['', NA]}
- {name: progression, type: number, constraints: {minimum: 0, maximum: 350}}
predict: progression"""


def entry_for(columns: str) -> Entry:
    """Return the entry of the description, or of the last valid one, so that the controls stay."""
    with suppress(InvalidInput):
        store(LAST, described(columns))
    last: Entry = stored(LAST) or ENTRY
    return last


def is_settled(columns: str) -> bool:
    """Whether the columns are described, and nobody is changing that in the form."""
    return _refusal(columns) is None and not own_form.is_open()


def _refusal(columns: str) -> InvalidInput | None:
    try:
        described(columns)
    except InvalidInput as refusal:
        return refusal
    return None


def controls(
    most: int = upload_limit.SMALL, *, asks_whether_public: bool = False
) -> tuple[File | None, str]:
    """Draw the controls of the file and the description, and return both."""
    upload = uploads.field(
        f"Your file (CSV or Parquet, at most {most} MB)", FILE, most, help=ENTRY.how_to_get
    )
    if upload is None and asks_whether_public:
        upload = uploads.handed_over()
    st.caption(texts.UPLOAD_IS_DROPPED)
    _take_description(is_made_up=asks_whether_public)
    previous = stored(COLUMNS)
    if previous and control_value(COLUMNS) is None and COLUMNS not in st.query_params:
        # The reader comes back from a data set or page without this control.
        set_controls({COLUMNS: previous})
        if len(previous) <= MAX_LETTERS_IN_LINK:
            st.query_params[COLUMNS] = previous
    own_form.hand_in()
    columns = _description(most)
    if upload is None:
        own_form.close()
    elif _refusal(columns) is None:
        if asks_whether_public:
            upload = _declared(upload)
        _ask_about_class(columns)
        if not own_form.is_open():
            st.button(
                "Change the columns",
                icon=":material/edit_note:",
                on_click=own_form.open,
                width="stretch",
            )
    return upload, columns


def _description(most: int) -> str:
    held = control_value(COLUMNS)
    is_short = held is None or len(held) <= MAX_LETTERS_IN_LINK
    if not is_short:
        st.query_params.pop(COLUMNS, None)
    columns = st.text_area(
        "Its columns",
        key=COLUMNS,
        placeholder=EXAMPLE,
        height=160,
        max_chars=MAX_LETTERS,
        help=texts.OWN_COLUMNS,
        bind="query-params" if is_short else None,
    )
    store(COLUMNS, columns)
    columns = (columns or "").strip()
    if not is_short:
        st.caption(texts.OWN_TOO_LONG)
    count = stored(OPENED) or 0
    with st.container(horizontal=True):
        st.download_button(
            "Save",
            columns,
            file_name="columns.yaml",
            mime="application/yaml",
            icon=":material/download:",
            help="The description as a file (YAML); no record is in it.",
            on_click="ignore",
            disabled=not columns,
            key="own_save",
        )
        with st.popover("Open", icon=":material/folder_open:"):
            key = f"own_description_{count}"
            st.file_uploader(
                "A description (YAML or JSON)",
                key=key,
                max_upload_size=upload_limit.allow(most),
                on_change=_open,
                args=(key, count),
            )
    if (refused := stored(NOT_OPENED)) is not None:
        refuse(refused)
    return columns


def _open(key: str, count: int) -> None:
    upload = control_value(key)
    if upload is None:
        return
    try:
        own_form.describe(upload.getvalue()[: 4 * MAX_LETTERS + 4].decode("utf-8-sig").strip())
    except UnicodeDecodeError:
        store(NOT_OPENED, texts.OWN_NO_TEXT)
    else:
        store(NOT_OPENED, None)
    store(OPENED, count + 1)


def describe_next(columns: str, *, is_made_up: bool) -> None:
    """Have the controls begin with a description when they are drawn next, once.

    The controls of records that another page hands over take it if `is_made_up`, else the others.
    """
    store(f"{COLUMNS} {is_made_up}", columns)


def _take_description(is_made_up: bool) -> None:
    name = f"{COLUMNS} {is_made_up}"
    columns = stored(name)
    if columns is not None:
        store(name, None)
        set_controls({COLUMNS: columns})


def _declared(upload: File) -> File:
    """The file, with what the person declares of its records.

    In no address: a link is somebody else's word.
    """
    if upload.is_public:
        return upload
    is_public = st.checkbox(
        texts.DECLARE_PUBLIC, key=f"own_public_{upload.file_id}", help=texts.DECLARED_PUBLIC
    )
    return replace(upload, is_public=is_public)


def _ask_about_class(columns: str) -> None:
    mend = class_of(columns)
    if mend is not None:
        st.caption("A number from 0 to 1 is predicted. Is it yes or no?")
        own_form.offer([mend])


def how_to(columns: str, upload: File | None) -> None:
    """Show what to do next: choose a file, describe its columns, or mend that."""
    refusal = _refusal(columns) if columns else None
    if refusal is not None:
        own_form.tell(refusal)
    if upload is not None:
        _form(columns, upload)
        return
    st.markdown(texts.OWN_FIRST if not columns or refusal else texts.OWN_FILE_NEXT)
    st.markdown(texts.OWN_PUBLIC)
    st.info(texts.OWN_STAYS, icon=":material/upload_file:")
    _in_words()


def refused(columns: str, upload: File | None, refusal: InvalidInput) -> None:
    """Show why the table or a setting is refused, with the mends and the form."""
    own_form.tell(refusal)
    if upload is not None:
        _form(columns, upload)


def _form(columns: str, upload: File) -> None:
    dialect = own_reading.dialect_of(columns, upload)
    own_reading.draw(columns, upload, dialect)
    try:
        syntaxes = own_reading.syntaxes(upload, dialect)
    except InvalidInput as refusal:
        if columns:
            return  # reading the table is refused for the same reason
        refuse(refusal)
    else:
        own_form.draw(columns, upload, syntaxes, dialect)
    _in_words()


def _in_words() -> None:
    with st.expander("Or describe the columns as text", icon=":material/notes:"):
        st.code(EXAMPLE, language="yaml", wrap_lines=True)
        st.markdown(texts.OWN_COLUMNS)
